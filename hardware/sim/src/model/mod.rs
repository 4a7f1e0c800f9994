//! A simulated engine: one call is one clock cycle.

mod ffi;

pub use ffi::{Model, Ports};
