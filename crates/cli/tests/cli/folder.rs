//! A folder of its own for every test, and the program run in it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Where a test runs the program: `here` is its current folder, `temporary` what it takes for the
/// system's.
pub(crate) struct Folder {
    root: tempfile::TempDir,
}

/// A run that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// The program under test; a path in this variable takes the place of the one that cargo built.
const PROGRAM: &str = "TWINDEX_TEST_PROGRAM";

/// Forces a kernel, so that the whole suite can be run again with the scalar one.
const KERNEL: &str = "TWINDEX_TEST_KERNEL";

impl Folder {
    pub(crate) fn new() -> Folder {
        let root = tempfile::tempdir().unwrap();
        for name in ["here", "temporary"] {
            fs::create_dir(root.path().join(name)).unwrap();
        }
        Folder { root }
    }

    /// A path below the current folder of the program.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join("here").join(name)
    }

    /// Writes a file, and the folders above it.
    pub(crate) fn write(&self, name: &str, contents: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, contents).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// Everything that is in the current folder of the program, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        names_below(&self.path(""))
    }

    /// What the program left in the system's temporary folder.
    pub(crate) fn temporary_names(&self) -> Vec<String> {
        names_below(&self.root.path().join("temporary"))
    }

    /// The program with the arguments of `line`, which are separated by blanks.
    pub(crate) fn command(&self, line: &str) -> Command {
        let program = std::env::var_os(PROGRAM).unwrap_or_else(|| env!("CARGO_BIN_EXE_twindex").into());
        let mut command = Command::new(program);
        command.args(line.split_whitespace());
        let is_job = line.starts_with("dedup") || line.starts_with("pairs");
        if is_job
            && !line.contains("--kernel")
            && let Ok(kernel) = std::env::var(KERNEL)
        {
            command.args(["--kernel", &kernel]);
        }
        command.current_dir(self.path("")).env("TMPDIR", self.root.path().join("temporary"));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, line: &str) -> Ended {
        Ended::of(self.command(line).spawn().unwrap())
    }

    /// Runs the program to its end with this on standard input.
    pub(crate) fn run_with(&self, line: &str, input: &str) -> Ended {
        let mut process = self.command(line).stdin(Stdio::piped()).spawn().unwrap();
        process.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        Ended::of(process)
    }

    /// Runs the program, which must succeed.
    pub(crate) fn done(&self, line: &str) -> Ended {
        let ended = self.run(line);
        assert_eq!(ended.code, Some(0), "twindex {line}\n{}", ended.stderr);
        ended
    }

    /// Runs the program, which must fail with `code`, say each of `parts`, print nothing and leave
    /// the folder as it was.
    pub(crate) fn fails(&self, line: &str, code: i32, parts: &[&str]) {
        let before = self.names();
        let ended = self.run(line);
        assert_eq!(ended.code, Some(code), "twindex {line}\n{}", ended.stderr);
        for part in parts {
            assert!(ended.stderr.contains(part), "twindex {line}\nexpected {part:?} in:\n{}", ended.stderr);
        }
        assert!(ended.stderr.contains("error: "), "twindex {line}\n{}", ended.stderr);
        assert!(!ended.stderr.contains("panicked"), "twindex {line}\n{}", ended.stderr);
        assert_eq!(ended.stdout, "", "twindex {line}");
        let mut left = self.names();
        left.retain(|name| !before.contains(name));
        assert_eq!(left, [""; 0], "twindex {line} left something behind");
        assert_eq!(self.names(), before, "twindex {line} removed something");
        assert_eq!(self.temporary_names(), [""; 0], "twindex {line} left something behind");
    }
}

impl Ended {
    /// Waits for a process.
    pub(crate) fn of(process: std::process::Child) -> Ended {
        let output = process.wait_with_output().unwrap();
        Ended {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    /// The number and the rest of the line of the summary that begins with `label`.
    pub(crate) fn figure(&self, label: &str) -> Option<(u64, String)> {
        let rest = self.stderr.lines().find_map(|line| line.strip_prefix(label)?.strip_prefix("  "))?;
        let (number, meaning) = rest.trim_start().split_once("  ").unwrap_or((rest.trim(), ""));
        Some((number.replace(',', "").parse().ok()?, meaning.to_owned()))
    }

    /// The one JSON object on standard output.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {}", self.stdout))
    }
}

fn names_below(folder: &Path) -> Vec<String> {
    let mut names = vec![];
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            names.push(path.strip_prefix(folder).unwrap().to_string_lossy().into_owned());
            if path.is_dir() {
                open.push(path);
            }
        }
    }
    names.sort();
    names
}
