//! Runs a program and says what it cost.

use std::process::{Command, ExitStatus};
use std::time::Instant;

use anyhow::{Context, ensure};
use wait4::Wait4;

/// What a run cost. The kernel starts a child's peak at the size of the process that spawned it;
/// this program is a few megabytes, so that does not show.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cost {
    pub(crate) seconds: f64,
    /// Of all threads, user and system.
    pub(crate) cpu_seconds: f64,
    pub(crate) peak_bytes: u64,
}

impl Cost {
    pub(crate) fn peak_megabytes(&self) -> f64 {
        self.peak_bytes as f64 / 1e6
    }

    pub(crate) fn megabytes_per_second(&self, bytes: u64) -> f64 {
        bytes as f64 / 1e6 / self.seconds
    }
}

/// Runs to the end; a failure names the command.
pub(crate) fn run(command: &mut Command) -> anyhow::Result<Cost> {
    let (status, cost) = run_to_status(command)?;
    ensure!(status.success(), "`{}` failed: {status}", line(command));
    Ok(cost)
}

fn run_to_status(command: &mut Command) -> anyhow::Result<(ExitStatus, Cost)> {
    let started = Instant::now();
    let child = command.spawn().with_context(|| format!("cannot start `{}`", line(command)))?;
    let used = child.wait4()?;
    let rusage = used.rusage;
    let cost = Cost {
        seconds: started.elapsed().as_secs_f64(),
        cpu_seconds: (rusage.utime + rusage.stime).as_secs_f64(),
        peak_bytes: rusage.maxrss,
    };
    Ok((used.status, cost))
}

/// A command as a person would type it, without the folder of the program.
pub(crate) fn line(command: &Command) -> String {
    let program = std::path::Path::new(command.get_program());
    let name = program.file_name().unwrap_or(command.get_program());
    let environment = command
        .get_envs()
        .filter_map(|(name, value)| Some(format!("{}={}", name.to_string_lossy(), value?.to_string_lossy())));
    let words =
        std::iter::once(name).chain(command.get_args()).map(|word| word.to_string_lossy().into_owned());
    environment.chain(words).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_costs_time_and_memory() {
        let cost = run(Command::new("sh").args(["-c", "sleep 0.05"])).unwrap();
        assert!(cost.seconds >= 0.05);
        assert!((100_000..500_000_000).contains(&cost.peak_bytes), "{}", cost.peak_bytes);
    }

    #[test]
    fn a_failure_names_the_command() {
        let error = run(Command::new("sh").args(["-c", "exit 3"])).unwrap_err().to_string();
        assert!(error.contains("`sh -c exit 3` failed") && error.contains('3'), "{error}");
        let error = run(&mut Command::new("no-such-program")).unwrap_err().to_string();
        assert_eq!(error, "cannot start `no-such-program`");
    }

    #[test]
    fn a_line_has_the_environment_and_no_folder() {
        let mut command = Command::new("/usr/bin/cargo");
        command.arg("test").env("A", "1").env_remove("B");
        assert_eq!(line(&command), "A=1 cargo test");
    }
}
