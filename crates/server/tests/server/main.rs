//! The service over real connections.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod access;
mod answers;
mod bodies;
mod browser;
mod connections;
mod description;
mod full_disk;
mod page;
mod started;
