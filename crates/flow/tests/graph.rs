//! Small made-up crates, and what is read from them.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;

use twindex_flow::{Graph, ROOT, against, cycle, graph};

/// The graph of a crate with these files.
fn graph_of(files: &[(&str, &str)]) -> Graph {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    graph(folder.path())
}

/// What the module `a` uses in a crate that has `b`, `c` and `d` besides.
fn uses_of_a(text: &str) -> Vec<String> {
    let others = [("b.rs", "pub struct B;"), ("c/mod.rs", ""), ("d.rs", "")];
    let root = "mod a; mod b; mod c; mod d; pub use b::{B, inner::Other as Renamed};";
    let files = [&[("lib.rs", root), ("a.rs", text)], others.as_slice()].concat();
    graph_of(&files)["a"].iter().cloned().collect()
}

#[test]
fn every_form_of_path_is_seen() {
    for (text, expected) in [
        ("use crate::b;", vec!["b"]),
        ("use crate::b::B;", vec!["b"]),
        ("use crate::{b, c::{self, C}, d::*};", vec!["b", "c", "d"]),
        ("use crate::{\n    b::B,\n    c,\n};", vec!["b", "c"]),
        ("use super::b::B; use super::{c, self::d};", vec!["b", "c", "d"]),
        ("use self::super::b::B;", vec!["b"]),
        ("mod inner { use super::super::b::B; use super::x; }", vec!["b"]),
        ("fn f() -> crate::b::B { crate::c::make(super::d::D) }", vec!["b", "c", "d"]),
        ("fn f() { println!(\"{}\", crate::b::B); }", vec!["b"]),
        ("pub(in crate::a) struct A;", vec![]),
        // Names of the root belong to the modules that they are imported from.
        ("use crate::B;", vec!["b"]),
        ("use crate::Renamed;", vec!["b"]),
        ("use crate::Unknown;", vec![ROOT]),
        ("use crate::*;", vec!["b", "c", "d"]),
        ("use super::*;", vec!["b", "c", "d"]),
        // What is no path of this crate.
        ("// crate::b\n/// crate::c\nfn f() { \"crate::d\"; std::mem::drop(b::x); }", vec![]),
    ] {
        assert_eq!(uses_of_a(text), expected, "{text}");
    }
}

#[test]
fn tests_do_not_count_and_what_follows_them_does() {
    for (text, expected) in [
        ("#[cfg(test)]\nmod tests { use crate::c::C; }\nuse crate::b::B;", vec!["b"]),
        // No file tests.rs: it is not looked for.
        ("#[cfg(test)]\nmod tests;\n\nuse crate::b::B;", vec!["b"]),
        ("#[cfg(test)] #[expect(x)] pub(crate) use crate::c::{C, D}; use crate::b;", vec!["b"]),
        ("#[cfg(test)] fn f<A, B>() -> crate::c::C { } use crate::b;", vec!["b"]),
        ("#[cfg(test)] const C: u8 = { crate::c::C }; use crate::b;", vec!["b"]),
        ("#[cfg(all(test, unix))] impl crate::c::C for X {} use crate::b;", vec!["b"]),
        ("struct X { #[cfg(test)] c: crate::c::C, b: crate::b::B }", vec!["b"]),
        ("#[test] fn f() { crate::c::c() } fn g() { crate::b::b() }", vec!["b"]),
        ("#![cfg(test)]\nuse crate::b;", vec![]),
        ("#[cfg(not(test))] use crate::b;", vec!["b"]),
        ("#[cfg(any(test, unix))] use crate::b;", vec!["b"]),
    ] {
        assert_eq!(uses_of_a(text), expected, "{text}");
    }
}

#[test]
fn modules_are_those_of_their_folders() {
    let graph = graph_of(&[
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a/mod.rs", "mod deep;"),
        ("a/deep.rs", "mod deeper; use super::super::b::B;"),
        ("a/deep/deeper.rs", "use super::super::super::c::C; use super::super::x;"),
        ("b.rs", "mod inside { mod file; }"),
        ("b/inside/file.rs", "use crate::c::C;"),
        ("c.rs", ""),
    ]);
    assert_eq!(graph["a"].iter().collect::<Vec<_>>(), ["b", "c"]);
    assert_eq!(graph["b"].iter().collect::<Vec<_>>(), ["c"]);
}

#[test]
fn the_root_uses_what_it_does_not_only_re_export() {
    let modules = [("a.rs", "use crate::VERSION;"), ("b.rs", "")];
    let root = "mod a; mod b; pub use a::A; pub(crate) use b::B; pub const VERSION: u32 = 1;";
    let without = graph_of(&[&[("lib.rs", root)], modules.as_slice()].concat());
    assert_eq!(cycle(&without), None);
    let root = "mod a; mod b; use std::fs; fn main() { a::run(); } const VERSION: u32 = 1;";
    let with = graph_of(&[&[("main.rs", root)], modules.as_slice()].concat());
    assert_eq!(with[ROOT].iter().collect::<Vec<_>>(), ["a"]);
    assert_eq!(cycle(&with).unwrap(), ["a", ROOT, "a"]);
}

#[test]
#[should_panic(expected = "has no file for mod missing")]
fn a_module_without_a_file_is_not_passed_over() {
    graph_of(&[("lib.rs", "mod missing;")]);
}

#[test]
#[should_panic(expected = "a glob import in the root")]
fn a_glob_in_the_root_is_not_passed_over() {
    graph_of(&[("lib.rs", "mod a; pub use a::*;"), ("a.rs", "")]);
}

fn graph_from(edges: &[(&str, &[&str])]) -> Graph {
    let owned = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
    edges.iter().map(|&(module, uses)| (module.to_owned(), owned(uses))).collect()
}

#[test]
fn the_shortest_cycle_is_named() {
    let mut edges: Vec<(&str, &[&str])> = vec![("a", &["b"]), ("b", &["c", "d"]), ("c", &["d"]), ("d", &[])];
    assert_eq!(cycle(&graph_from(&edges)), None);
    edges[3].1 = &["b"];
    assert_eq!(cycle(&graph_from(&edges)).unwrap(), ["b", "d", "b"]);
    edges[3].1 = &["a"];
    assert_eq!(cycle(&graph_from(&edges)).unwrap(), ["a", "b", "d", "a"]);
}

#[test]
fn whatever_contradicts_an_order_is_named() {
    let graph = graph_from(&[("a", &[]), ("b", &["a"]), ("c", &["a", "b"])]);
    assert_eq!(against(&graph, &["a", "b", "c"]), [""; 0]);
    assert_eq!(against(&graph, &["b", "a", "c"]), ["b must not use a, which comes later"]);
    assert_eq!(against(&graph, &["a", "b"]), ["c has no place in the order"]);
    assert_eq!(against(&graph, &["a", "b", "c", "d"]), ["there is no module d"]);
}
