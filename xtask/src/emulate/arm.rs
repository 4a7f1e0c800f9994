//! 64-bit ARM. No machine is booted: qemu runs the program of the tests, and Linux is that of this
//! machine.

use std::process::Command;

use anyhow::{Context, ensure};

use crate::debian::{self, Tool};
use crate::measured::line;
use crate::workspace;

const TARGET: &str = "aarch64-unknown-linux-gnu";
const LINKER: &str = "aarch64-linux-gnu-gcc";
/// Where Debian puts the C library of another CPU.
const LIBRARIES: &str = "/usr/aarch64-linux-gnu";

/// A dependency compiles C, hence the compiler.
const TOOLS: &[Tool] = &[
    Tool { program: LINKER, package: "gcc-aarch64-linux-gnu" },
    Tool { program: "/usr/aarch64-linux-gnu/lib/libc.so.6", package: "libc6-dev-arm64-cross" },
    Tool { program: "qemu-aarch64", package: "qemu-user" },
];

/// Installs what is missing: the standard library for the CPU, a C compiler, the emulator.
pub(crate) fn ensure() -> anyhow::Result<()> {
    let mut rustup = Command::new("rustup");
    rustup.args(["target", "add", TARGET]);
    let output = rustup.output().context("there is no rustup to install the target with")?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`{}` failed: {}", line(&rustup), complaint.trim());
    debian::ensure(TOOLS)
}

/// The unit tests of a package, built for the CPU and run in the emulator.
pub(crate) fn tests(package: &str, filters: &[String], cases: u32) -> Command {
    let mut command = workspace::cargo(&["test", "--package", package, "--lib", "--target", TARGET, "--"]);
    command.args(filters);
    command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER", LINKER);
    command.env("CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER", format!("qemu-aarch64 -L {LIBRARIES}"));
    command.env("PROPTEST_CASES", cases.to_string()).env("TWINDEX_EXPECTED_KERNEL", "neon");
    command
}
