//! Makes a model in C++ of every form of the engine, with Verilator, and compiles it behind a small
//! C interface (`src/shim.cpp`).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

mod forms {
    include!("forms.rs");

    pub(super) fn built() -> Vec<Form> {
        let mut forms = USUAL.to_vec();
        if cfg!(feature = "all-forms") {
            forms.extend_from_slice(OTHERS);
        }
        if cfg!(feature = "mutants") {
            forms.extend_from_slice(MUTANTS);
        }
        forms
    }
}

use forms::Form;

fn main() {
    let package = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let rtl = package.join("../rtl");
    for watched in ["../rtl", "forms.rs", "src/shim.cpp"] {
        println!("cargo::rerun-if-changed={watched}");
    }
    let library = verilator_root().join("include");
    let mut runtime = compiler(&library);
    runtime.file(library.join("verilated.cpp"));
    // Where there is one, the runtime needs it: threads are compiled in since version 5.
    let threads = library.join("verilated_threads.cpp");
    if threads.exists() {
        runtime.file(threads);
    }
    for form in forms::built() {
        let model = out.join(form.name);
        verilate(&form, &sources(&form, &rtl, &model), &model);
        compile(&form, &model, &library, &package);
    }
    // Behind the models, which need it.
    runtime.opt_level(2).compile("verilated");
    fs::write(out.join("models.rs"), models()).expect("the folder for output is writable");
}

/// The folder of the RTL, or of a copy of it with the form's defect.
fn sources(form: &Form, rtl: &Path, model: &Path) -> PathBuf {
    let Some(defect) = form.defect else { return rtl.to_path_buf() };
    let copy = model.join("rtl");
    fs::create_dir_all(&copy).expect("the folder for output is writable");
    for entry in fs::read_dir(rtl).expect("the RTL is there") {
        let entry = entry.expect("a folder can be listed");
        let mut text = fs::read_to_string(entry.path()).expect("a source can be read");
        if entry.file_name() == defect.file {
            assert_eq!(text.matches(defect.right).count(), 1, "{}: `{}`", defect.file, defect.right);
            text = text.replace(defect.right, defect.wrong);
        }
        fs::write(copy.join(entry.file_name()), text).expect("the folder for output is writable");
    }
    copy
}

fn verilate(form: &Form, rtl: &Path, model: &Path) {
    let flag = |value: bool| if value { "1'b1" } else { "1'b0" };
    let mut verilator = Command::new("verilator");
    verilator
        .args(["--cc", "--assert", "--x-assign", "unique", "--x-initial", "unique", "-O3"])
        .args(["--top-module", "simhash_top", "--prefix"])
        .arg(format!("V{}", form.name))
        .arg("--Mdir")
        .arg(model)
        .arg(format!("-I{}", rtl.display()))
        .arg(format!("-GEngines={}", form.engines))
        .arg(format!("-GCores={}", form.cores))
        .arg(format!("-GCounterWidth={}", form.counter_width))
        .arg(format!("-GTwoLevel={}", flag(form.two_level)))
        .arg(format!("-GLanes={}", form.lanes))
        .arg(format!("-GLowWidth={}", form.low_width))
        .arg(format!("-GSlices={}", form.slices))
        .arg(format!("-GFoldCase={}", flag(form.fold_case)));
    // A defect may well be what a warning or an assertion is about; here the fingerprints must
    // show it.
    verilator.args(match form.defect {
        Some(_) => &["-Wno-lint", "-Wno-fatal", "-DSYNTHESIS"][..],
        None => &["-Wall"],
    });
    let status = verilator.arg(rtl.join("simhash_top.sv")).status();
    let status = status.expect("verilator starts (on Debian: `apt-get install verilator`)");
    assert!(status.success(), "verilator refused the form {}: {status}", form.name);
}

/// What runs once a cycle is optimised; constructors and resets, which are long, are not.
fn compile(form: &Form, model: &Path, library: &Path, package: &Path) {
    let (mut fast, mut slow) = (compiler(library), compiler(library));
    for entry in fs::read_dir(model).expect("verilator made a folder") {
        let path = entry.expect("a folder can be listed").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if name.ends_with(".cpp") {
            let is_slow = name.contains("__Slow") || name.contains("__Syms");
            (if is_slow { &mut slow } else { &mut fast }).file(path);
        }
    }
    fast.file(package.join("src/shim.cpp")).include(model).define("FORM", form.name);
    fast.define("DEST_WIDTH", form.cores.ilog2().to_string().as_str());
    fast.opt_level(2).compile(&format!("{}_fast", form.name));
    slow.include(model).opt_level(0).compile(&format!("{}_slow", form.name));
}

fn compiler(library: &Path) -> cc::Build {
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        .flag_if_supported("-fcoroutines")
        .warnings(false)
        .debug(false)
        .define("VM_TRACE", "0")
        .define("VM_COVERAGE", "0")
        .include(library)
        .include(library.join("vltstd"));
    build
}

fn verilator_root() -> PathBuf {
    let output = Command::new("verilator").args(["--getenv", "VERILATOR_ROOT"]).output();
    let output = output.expect("verilator starts (on Debian: `apt-get install verilator`)");
    PathBuf::from(String::from_utf8_lossy(&output.stdout).trim())
}

/// The declarations of the C interface and the list of models, for `src/model/ffi.rs`.
fn models() -> String {
    let mut text = "unsafe extern \"C\" {\n".to_owned();
    for form in forms::built() {
        let name = form.name;
        text += &format!(
            "    fn {name}_new(seed: u32) -> *mut c_void;\n    \
             fn {name}_delete(model: *mut c_void);\n    \
             fn {name}_cycle(model: *mut c_void, ports: *mut Ports, engines: usize, reset: u8);\n"
        );
    }
    text += "}\n\n/// The functions of each form that was built, in the order of `form::built`.\n\
             const FUNCTIONS: &[Functions] = &[\n";
    for form in forms::built() {
        let name = form.name;
        text +=
            &format!("    Functions {{ new: {name}_new, delete: {name}_delete, cycle: {name}_cycle }},\n");
    }
    text + "];\n"
}
