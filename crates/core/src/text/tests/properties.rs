//! The fast ways against the definition.
