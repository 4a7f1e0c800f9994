//! A Linux kernel to boot: Debian's for virtual machines, which has few drivers and starts soonest.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

use crate::measured::line;

/// The package that depends on the newest kernel.
const PACKAGE: &str = "linux-image-cloud-amd64";

/// The kernel's image, fetched at first use and kept in the folder.
pub(super) fn image(folder: &Path) -> anyhow::Result<PathBuf> {
    let unpacked = folder.join("linux");
    if let Ok(image) = find(&unpacked) {
        return Ok(image);
    }
    fs::create_dir_all(&unpacked).with_context(|| format!("cannot make {}", unpacked.display()))?;
    let dependencies = output(Command::new("apt-cache").args(["depends", "--important", PACKAGE]))?;
    let package = dependencies
        .lines()
        .find_map(|line| line.trim().strip_prefix("Depends: "))
        .with_context(|| format!("apt-cache knows no kernel behind {PACKAGE}\nhint: `apt-get update`"))?;
    eprintln!("fetching {package}");
    output(Command::new("apt-get").args(["download", package]).current_dir(&unpacked))?;
    let archive = only(&unpacked, |name| name.ends_with(".deb"))?;
    output(Command::new("dpkg-deb").arg("--extract").arg(archive).arg(&unpacked))?;
    find(&unpacked)
}

fn find(unpacked: &Path) -> anyhow::Result<PathBuf> {
    only(&unpacked.join("boot"), |name| name.starts_with("vmlinuz"))
}

/// The file of a folder whose name is as wanted.
fn only(folder: &Path, wanted: impl Fn(&str) -> bool) -> anyhow::Result<PathBuf> {
    let cannot_read = || format!("cannot read {}", folder.display());
    for entry in fs::read_dir(folder).with_context(cannot_read)? {
        let entry = entry.with_context(cannot_read)?;
        if entry.file_name().to_str().is_some_and(&wanted) {
            return Ok(entry.path());
        }
    }
    anyhow::bail!("{} does not hold what was expected\nhint: remove it and try again", folder.display())
}

pub(super) fn output(command: &mut Command) -> anyhow::Result<String> {
    let output = command.output().with_context(|| format!("cannot start `{}`", line(command)))?;
    let complaint = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`{}` failed: {}\n{complaint}", line(command), output.status);
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
