//! Detection asks the CPU for exactly what the kernels are compiled for: less would crash, more
//! would leave a CPU to a slower kernel for nothing.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn kernel_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/kernel")
}

/// The sources of a kernel: files, and files in folders, that are named after it.
fn sources(folder: &Path, name: &str, is_inside: bool) -> String {
    let mut text = String::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_named = path.file_stem().unwrap().to_str().unwrap().split('_').any(|part| part == name);
        if path.is_dir() {
            text.push_str(&sources(&path, name, is_inside || is_named));
        } else if is_inside || is_named {
            text.push_str(&fs::read_to_string(path).unwrap());
        }
    }
    text
}

/// What stands between quotes behind each mark, divided at commas.
fn quoted<'t>(text: &'t str, mark: &str) -> BTreeSet<&'t str> {
    let behind = text.split(mark).skip(1).map(|rest| rest.split('"').next().unwrap());
    behind.flat_map(|list| list.split(',')).collect()
}

#[test]
fn detection_asks_for_what_is_used() {
    let definition = fs::read_to_string(kernel_folder().join("mod.rs")).unwrap();
    let (_, detection) = definition.split_once("fn is_available").unwrap();
    let (_, avx512) = detection.split_once("Kernel::Avx512 =>").unwrap();
    let (avx512, avx2) = avx512.split_once("Kernel::Avx2 =>").unwrap();
    assert!(avx512.contains("Kernel::Avx2.is_available()"), "features of AVX2 need not be listed twice");
    let [asked_512, asked_2] = [avx512, avx2].map(|arm| quoted(arm, "is_x86_feature_detected!(\""));

    let (text_512, text_2) =
        (sources(&kernel_folder(), "avx512", false), sources(&kernel_folder(), "avx2", false));
    let [used_512, used_2] = [&text_512, &text_2].map(|text| quoted(text, "enable = \""));
    assert!(used_512.contains("avx512f") && used_2.contains("avx2"), "the sources were not found");
    assert_eq!(used_2, asked_2);
    assert_eq!(used_512.difference(&asked_2).copied().collect::<BTreeSet<_>>(), asked_512);
}
