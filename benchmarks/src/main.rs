//! twindex.

fn main() {}
