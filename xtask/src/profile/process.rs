//! Runs a program and reads what the kernel has counted for it, before the process is reaped.

use std::fs;
use std::io::Read;
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};
use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};

use crate::measured::line;

/// What a process used.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Used {
    /// CPU time of all threads, user and system.
    pub(super) seconds: f64,
    /// Bytes that it read and wrote by system calls, from and to anything.
    pub(super) bytes_read: u64,
    pub(super) bytes_written: u64,
    pub(super) page_faults: u64,
}

/// Runs to the end and returns what was printed.
pub(super) fn run(command: &mut Command) -> anyhow::Result<(Vec<u8>, Used)> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().with_context(|| format!("cannot start `{}`", line(command)))?;
    let mut output = vec![];
    child.stdout.take().context("no output")?.read_to_end(&mut output)?;
    let id = Pid::from_child(&child);
    waitid(WaitId::Pid(id), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)?;
    let folder = format!("/proc/{}", id.as_raw_nonzero());
    let read = |name: &str| {
        fs::read_to_string(format!("{folder}/{name}"))
            .with_context(|| format!("the kernel does not tell {folder}/{name}"))
    };
    let used = parse(&read("stat")?, &read("io")?).context("the kernel's counts are not as expected")?;
    let status = child.wait()?;
    ensure!(status.success(), "`{}` failed: {status}; run it to see why", line(command));
    Ok((output, used))
}

/// Fields of `/proc/PID/stat` behind the name of the program, as proc(5) numbers them.
const AFTER_NAME: usize = 3;
const MINOR_FAULTS: usize = 10;
const MAJOR_FAULTS: usize = 12;
const USER_TICKS: usize = 14;
const SYSTEM_TICKS: usize = 15;

fn parse(stat: &str, io: &str) -> Option<Used> {
    let (_, fields) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
    let field = |number: usize| fields.get(number - AFTER_NAME)?.parse::<u64>().ok();
    let count = |name: &str| io.lines().find_map(|line| line.strip_prefix(name)?.trim().parse().ok());
    let ticks = field(USER_TICKS)? + field(SYSTEM_TICKS)?;
    Some(Used {
        seconds: ticks as f64 / rustix::param::clock_ticks_per_second() as f64,
        bytes_read: count("rchar:")?,
        bytes_written: count("wchar:")?,
        page_faults: field(MINOR_FAULTS)? + field(MAJOR_FAULTS)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_behind_any_name() {
        let stat = "7 (a) b) S 1 2 3 4 5 6 70 0 3 0 40 60 0 0 20 0";
        let io = "rchar: 12\nwchar: 34\nsyscr: 5\nread_bytes: 6\n";
        let ticks = rustix::param::clock_ticks_per_second() as f64;
        let expected = Used { seconds: 100.0 / ticks, bytes_read: 12, bytes_written: 34, page_faults: 73 };
        assert_eq!(parse(stat, io), Some(expected));
        assert_eq!(parse("7 (a) S 1", io), None);
    }

    #[test]
    fn a_process_is_counted_to_its_end() {
        let (output, used) = run(Command::new("sh").args(["-c", "echo word"])).unwrap();
        assert_eq!(output, b"word\n");
        assert!(used.bytes_written >= 5 && used.page_faults > 0, "{used:?}");
        let error = run(Command::new("sh").args(["-c", "exit 3"])).unwrap_err().to_string();
        assert!(error.contains("`sh -c exit 3` failed"), "{error}");
    }
}
