//! The forms of the engine that were built into this crate.

include!("../forms.rs");

/// The form that is always built: two levels of counters.
pub fn usual() -> &'static Form {
    &USUAL[0]
}

/// All forms without a defect, in the order of the models.
pub fn built() -> Vec<Form> {
    let others = if cfg!(feature = "all-forms") { OTHERS } else { &[] };
    [USUAL, others].concat()
}

/// All forms with a defect; their models follow the others.
pub fn mutants() -> Vec<Form> {
    if cfg!(feature = "mutants") { MUTANTS.to_vec() } else { Vec::new() }
}
