//! Runs a program and says what it cost.

use std::ffi::OsString;
use std::process::{Command, ExitCode, ExitStatus, Stdio};
use std::time::Instant;

use anyhow::{Context, ensure};
use clap::Args;
use wait4::Wait4;

/// What a run cost. The kernel starts a child's peak at the peak of the process that spawned it; as
/// long as this program is a few megabytes, that does not show. [`peak_bytes`] is for where it is
/// not.
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

/// A command whose peak memory is printed, in bytes: what [`peak_bytes`] starts.
#[derive(Args)]
pub(crate) struct Options {
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, required = true)]
    words: Vec<OsString>,
}

pub(crate) fn print_peak(options: &Options) -> anyhow::Result<ExitCode> {
    let mut command = Command::new(&options.words[0]);
    let cost = run(command.args(&options.words[1..]).stdout(Stdio::null()).stderr(Stdio::null()))?;
    println!("{}", cost.peak_bytes);
    Ok(ExitCode::SUCCESS)
}

/// The peak memory of a command that a new process of this program starts, however large this one
/// has become.
pub(crate) fn peak_bytes(command: &Command) -> anyhow::Result<u64> {
    let mut measuring = Command::new(std::env::current_exe()?);
    measuring.arg("measured").arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        measuring.current_dir(folder);
    }
    let output = measuring.stdin(Stdio::null()).output()?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "`{}` failed: {said}", line(command));
    let printed = String::from_utf8_lossy(&output.stdout);
    printed.trim().parse().with_context(|| format!("expected a number of bytes, found \"{printed}\""))
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
