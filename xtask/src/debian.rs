//! Programs that a check needs and a fresh Debian machine may lack: installed here, or named.

use std::env;
use std::process::{Command, Stdio};

use anyhow::{Context, bail, ensure};

/// A program and the Debian package that has it.
pub(crate) struct Tool {
    pub(crate) program: &'static str,
    pub(crate) package: &'static str,
}

/// Makes sure that the programs can be started, and installs the packages of those that cannot.
pub(crate) fn ensure(tools: &[Tool]) -> anyhow::Result<()> {
    let missing: Vec<&str> =
        tools.iter().filter(|tool| !is_installed(tool.program)).map(|tool| tool.package).collect();
    if missing.is_empty() {
        return Ok(());
    }
    install_all(&missing)
}

/// Installs a package that has no program.
pub(crate) fn install(package: &str) -> anyhow::Result<()> {
    let mut status = Command::new("dpkg");
    status.args(["--status", package]).stdout(Stdio::null()).stderr(Stdio::null());
    if status.status().is_ok_and(|status| status.success()) {
        return Ok(());
    }
    install_all(&[package])
}

fn install_all(missing: &[&str]) -> anyhow::Result<()> {
    let packages = missing.join(" ");
    let by_hand = format!("hint: install them by hand, on Debian with `apt-get install {packages}`");
    if !is_installed("apt-get") {
        bail!("these packages are needed and this machine has no apt-get: {packages}\n{by_hand}");
    }
    ensure!(is_root(), "these packages are needed and only root can install them: {packages}\n{by_hand}");
    eprintln!("installing the Debian packages that the checks need: {packages}");
    let update = ["apt-get update --quiet", "apt-get install --quiet --yes --no-install-recommends"];
    for (number, command) in update.iter().enumerate() {
        let mut words: Vec<&str> = command.split(' ').collect();
        if number == 1 {
            words.extend(missing);
        }
        let status = Command::new(words[0])
            .args(&words[1..])
            .env("DEBIAN_FRONTEND", "noninteractive")
            .stdout(Stdio::null())
            .status()
            .with_context(|| format!("cannot start `{}`", words.join(" ")))?;
        ensure!(status.success(), "`{}` failed: {status}\n{by_hand}", words.join(" "));
    }
    Ok(())
}

fn is_installed(program: &str) -> bool {
    let Some(path) = env::var_os("PATH") else { return false };
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// From `id`, because the standard library has no such function.
fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_found_and_needs_no_installation() {
        assert!(is_installed("sh"));
        assert!(!is_installed("no-such-program-anywhere"));
        ensure(&[Tool { program: "sh", package: "dash" }]).unwrap();
    }
}
