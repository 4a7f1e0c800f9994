//! The release programs of the workspace, built when needed.

use std::path::PathBuf;

use anyhow::{Context, ensure};
use serde::Deserialize;

use crate::workspace;

#[derive(Deserialize)]
struct Metadata {
    target_directory: PathBuf,
}

/// Builds the program of a package with the release profile; package and program have the same
/// name.
pub(crate) fn release(package: &str) -> anyhow::Result<PathBuf> {
    release_program(package, package)
}

/// Builds a package with the release profile and names one of its programs.
pub(crate) fn release_program(package: &str, program: &str) -> anyhow::Result<PathBuf> {
    eprintln!("building {package} (release)");
    let status = workspace::cargo(&["build", "--release", "--package", package]).status()?;
    ensure!(status.success(), "cargo build --release --package {package} failed: {status}");
    Ok(target_folder()?.join("release").join(program))
}

/// A program as the tests run it, built with them: a smaller selection would build dependencies
/// anew.
pub(crate) fn tested_program(program: &str) -> anyhow::Result<PathBuf> {
    let status = workspace::cargo(&["test", "--workspace", "--no-run"]).status()?;
    ensure!(status.success(), "cargo test --workspace --no-run failed: {status}");
    Ok(target_folder()?.join("debug").join(program))
}

/// Where cargo puts what it builds.
pub(crate) fn target_folder() -> anyhow::Result<PathBuf> {
    let output = workspace::cargo(&["metadata", "--no-deps", "--format-version=1"]).output()?;
    let metadata: Metadata =
        serde_json::from_slice(&output.stdout).context("cannot read the output of cargo metadata")?;
    Ok(metadata.target_directory)
}
