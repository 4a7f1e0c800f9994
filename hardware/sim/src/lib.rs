//! The fingerprint engine of `hardware/rtl`, simulated cycle by cycle and compared with
//! `twindex-core`.
//!
//! ```text
//! document -> host -> beats -> model of the engine -> fingerprints
//!            (text)  (stream)  (Verilator, C++)       compared with `software` and `reference`
//! ```

mod driver;
mod form;
mod host;
mod model;
mod reference;
mod software;
mod stream;

pub use driver::{Alignment, Answer, Pace, Run, run, run_after_reset};
pub use form::{Defect, Form, built, mutants, usual};
pub use host::Host;
pub use model::{Model, Ports};
pub use reference::{Slip, is_separator, reference};
pub use software::Software;
pub use stream::{Beat, beats};
