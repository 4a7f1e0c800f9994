//! How does a document become words?
