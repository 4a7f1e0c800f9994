//! Packages from PyPI, in a virtual environment under `target/`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use crate::debian::{self, Tool};
use crate::{measured, workspace};

/// The folder of programs of an environment with what `requirements` (a file of the workspace)
/// pins. It is made where `folder` (below `target/`) has none, or one with other requirements.
pub(crate) fn environment(requirements: &str, folder: &str) -> anyhow::Result<PathBuf> {
    debian::ensure(&[Tool { program: "python3", package: "python3-venv" }])?;
    let root = workspace::root();
    let folder = root.join("target").join(folder);
    let (programs, stamp) = (folder.join("bin"), folder.join("requirements.txt"));
    let pinned = root.join(requirements);
    let wanted = fs::read(&pinned).with_context(|| format!("cannot read {requirements}"))?;
    if fs::read(&stamp).is_ok_and(|made| made == wanted) {
        return Ok(programs);
    }
    eprintln!("installing what {requirements} names from PyPI into {}", folder.display());
    measured::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))
        .context("on Debian the module venv is in the package python3-venv")?;
    measured::run(Command::new(programs.join("pip")).args(["install", "--quiet", "-r"]).arg(&pinned))?;
    fs::write(&stamp, wanted).with_context(|| format!("cannot write into {}", folder.display()))?;
    Ok(programs)
}
