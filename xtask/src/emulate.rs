//! `cargo xtask emulate`: runs tests on a CPU that this machine does not have.
//!
//! Kernels for AVX-512 must be proved right on machines without it, and must not lie idle on
//! machines with it. So the tests of a package are linked statically, packed into a bootable image
//! with a Linux kernel and started in Bochs, which emulates an Ice Lake, or a CPU before it, one
//! instruction at a time: some 40 million a second. Its timing means nothing.
//!
//! Kernels for NEON need no machine: qemu translates the program of the tests, at a tenth of the
//! usual speed.

pub(crate) mod arm;
mod boot;
mod image;
mod linux;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use serde::Deserialize;

use crate::debian::{self, Tool};
use crate::measured::line;
use crate::{build, workspace};

#[derive(Args)]
pub(crate) struct Options {
    /// Package whose unit tests are run
    #[arg(long, value_name = "NAME", default_value = "twindex-core")]
    package: String,
    /// Cases of each property test: fewer than elsewhere, because each takes a hundred times as
    /// long
    #[arg(long, value_name = "COUNT", default_value_t = CASES)]
    cases: u32,
    /// CPU to emulate
    #[arg(long, value_enum, default_value_t = Cpu::IceLake)]
    cpu: Cpu,
    /// Run only tests whose name contains one of these, as `cargo test` does
    #[arg(value_name = "FILTER", default_value = "kernel")]
    filters: Vec<String>,
}

/// Cases of each property test in an emulator.
pub(crate) const CASES: u32 = 32;

#[derive(Clone, Copy, ValueEnum)]
enum Cpu {
    /// The first with all of AVX-512 that the kernel `avx512` wants
    IceLake,
    /// One with the beginnings of AVX-512, which takes the kernel `avx2`
    SkylakeX,
    /// 64-bit ARM with the kernel `neon`
    Aarch64,
}

const TOOLS: &[Tool] = &[
    Tool { program: "bochs-bin", package: "bochs" },
    Tool { program: boot::BIOS, package: "bochsbios" },
    Tool { program: boot::VIDEO_BIOS, package: "vgabios" },
    Tool { program: image::BOOT_LOADER, package: "isolinux" },
    Tool { program: image::BOOT_LOADER_LIBRARY, package: "syslinux-common" },
    Tool { program: "xorriso", package: "xorriso" },
    Tool { program: "cpio", package: "cpio" },
    Tool { program: image::SHELL, package: "busybox-static" },
];

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let passed = match options.cpu {
        // What Bochs calls the CPU, and the kernel that is best for it.
        Cpu::IceLake => run_in_bochs(options, "corei7_icelake_u", "avx512")?,
        Cpu::SkylakeX => run_in_bochs(options, "corei7_skylake_x", "avx2")?,
        Cpu::Aarch64 => {
            arm::ensure()?;
            arm::tests(&options.package, &options.filters, options.cases).status()?.success()
        }
    };
    println!("tests in the emulator: {}", if passed { "passed" } else { "FAILED" });
    Ok(if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn run_in_bochs(options: &Options, model: &str, kernel: &str) -> anyhow::Result<bool> {
    debian::ensure(TOOLS)?;
    let program = tests_of(&options.package)?;
    let folder = build::target_folder()?.join("emulate");
    let linux = linux::image(&folder)?;
    let arguments = format!("--test-threads 1 {}", options.filters.join(" "));
    let variables =
        [("PROPTEST_CASES", options.cases.to_string()), ("TWINDEX_EXPECTED_KERNEL", kernel.to_owned())];
    let image = image::make(&folder, &linux, &program, &arguments, &variables)?;
    eprintln!("booting (the first test runs after about a minute)");
    let started = Instant::now();
    let status = boot::run(&folder, &image, model)?;
    eprintln!("the emulated machine ran for {:.0} s", started.elapsed().as_secs_f64());
    Ok(status == 0)
}

/// Programs for this target are built apart from those for the host.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// One line of `cargo --message-format=json`.
#[derive(Deserialize)]
struct Message {
    executable: Option<PathBuf>,
}

/// Builds the unit tests of a package as a program that needs no library of the system.
fn tests_of(package: &str) -> anyhow::Result<PathBuf> {
    eprintln!("building the tests of {package}, statically linked");
    let mut command =
        workspace::cargo(&["test", "--package", package, "--lib", "--no-run", "--message-format=json"]);
    // With a target, the flags leave procedural macros alone, which cannot be linked statically.
    command.args(["--target", TARGET]).env("RUSTFLAGS", "-C target-feature=+crt-static");
    let output = command.stderr(std::process::Stdio::inherit()).output()?;
    ensure!(output.status.success(), "`{}` failed: {}", line(&command), output.status);
    output
        .stdout
        .split(|&byte| byte == b'\n')
        .filter_map(|message| serde_json::from_slice::<Message>(message).ok()?.executable)
        .next_back()
        .with_context(|| format!("`{}` made no program", line(&command)))
}
