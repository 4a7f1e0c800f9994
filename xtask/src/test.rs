//! `cargo xtask test`: every check that a change must pass, in the order of what fails soonest.

use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};
use std::{env, fs};

use anyhow::{Context, ensure};
use clap::{Args, ValueEnum};
use twindex_testing::{ALLOW_SKIPS, CI, Need, SKIP_LOG, SmallDisk};

use crate::debian::{self, Tool};
use crate::emulate::{self, arm};
use crate::measured::line;
use crate::table::Table;
use crate::{comments, hardware, licences, robustness, workspace};

#[derive(Args)]
pub(crate) struct Options {
    /// Run only this check (may be given more than once)
    #[arg(long, value_enum, value_name = "NAME")]
    only: Vec<Check>,
}

/// One check. Everything compiles with the dev profile and the whole workspace selected, so that no
/// dependency is built twice: a smaller selection may unify features differently and would start
/// over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Check {
    /// Is the code formatted?
    Format,
    /// Does every comment line fit into 100 columns?
    Comments,
    /// Does every dependency have an allowed licence and source?
    Licences,
    /// Is clippy silent?
    Lint,
    /// Does the core compile without its cargo features?
    Features,
    /// Does the documentation build without a warning?
    Documentation,
    /// Do all tests pass with the best kernel of this machine?
    Tests,
    /// Do they pass with the scalar kernel, which is the definition of correct?
    Scalar,
    /// Are hostile inputs read or refused, and is Parquet passed on as other libraries read it?
    Robustness,
    /// Do the kernels' tests pass on an emulated 64-bit ARM CPU?
    Arm,
    /// Does the simulated fingerprint engine of `hardware/` equal the software?
    Hardware,
}

/// Programs that the tests of the page and of the README need.
const PROGRAMS: [Tool; 3] = [
    Tool { program: "chromium", package: "chromium" },
    Tool { program: "chromedriver", package: "chromium-driver" },
    Tool { program: "curl", package: "curl" },
];

/// Examples in the documentation use the best kernel whatever the variable says, so they are left
/// out. So are the three longest tests, two thirds of the time, which are about verdicts and
/// connections and not about kernels.
const SCALAR: &[&str] = &[
    "test",
    "--workspace",
    "--lib",
    "--bins",
    "--tests",
    "--",
    "--skip",
    "of_labelled_packs",
    "--skip",
    "ten_thousand_idle_connections",
];

/// Read by tests, never by the library.
const KERNEL_OF_TESTS: &str = "TWINDEX_TEST_KERNEL";

impl Check {
    fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// The command line; none for what is done right here.
    fn command(self) -> Option<Command> {
        if self == Self::Arm {
            return Some(arm::tests("twindex-core", &["kernel".to_owned()], emulate::CASES));
        }
        let mut command = workspace::cargo(match self {
            Self::Format => &["fmt", "--all", "--check"],
            Self::Comments | Self::Licences | Self::Robustness | Self::Arm | Self::Hardware => return None,
            Self::Lint => &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
            Self::Features => &["check", "-p", "twindex-core", "--no-default-features"],
            Self::Documentation => &["doc", "--workspace", "--no-deps"],
            Self::Tests => &["test", "--workspace"],
            Self::Scalar => SCALAR,
        });
        match self {
            Self::Documentation => command.env("RUSTDOCFLAGS", "-Dwarnings"),
            Self::Scalar => command.env(KERNEL_OF_TESTS, "scalar"),
            _ => command.env_remove(KERNEL_OF_TESTS),
        };
        Some(command)
    }

    fn hint(self) -> &'static str {
        match self {
            Self::Format => {
                "`cargo fmt --all` formats it (`rustup component add rustfmt` if cargo has no fmt)"
            }
            Self::Lint => {
                "the message above says where (`rustup component add clippy` if cargo has no clippy)"
            }
            Self::Comments => "wrap the lines above",
            Self::Features => "what needs a cargo feature must say so, by `#[cfg(feature = ...)]`",
            Self::Licences => "take another crate, or allow it in deny.toml with the reason",
            Self::Documentation => "the message above says where",
            Self::Tests => "the name of the failed test is above; `cargo test NAME` runs it alone",
            Self::Scalar => {
                "the scalar kernel differs: `TWINDEX_TEST_KERNEL=scalar cargo test NAME` runs it alone"
            }
            Self::Robustness => "the lines above say which input; xtask/src/robustness makes it",
            Self::Arm => "`cargo xtask emulate --cpu aarch64 NAME` runs one of them alone",
            Self::Hardware => "the message above says where; hardware/README.md has the rest",
        }
    }

    fn description(self) -> String {
        match self {
            Self::Comments => "no comment line is too wide".to_owned(),
            Self::Robustness => "inputs that went wrong once, memory, Parquet of other libraries".to_owned(),
            Self::Hardware => "one form of the engine, by Verilator".to_owned(),
            _ => self
                .command()
                .map_or_else(|| "every package against deny.toml".to_owned(), |command| line(&command)),
        }
    }

    /// Runs the check and returns what it left out.
    fn run(self) -> anyhow::Result<Vec<String>> {
        if self == Self::Hardware {
            return simulate();
        }
        if self == Self::Robustness {
            return robustness::check(is_ci());
        }
        let Some(mut command) = self.command() else {
            let check = if self == Self::Comments { comments::check } else { licences::check };
            return check().map(|()| vec![]);
        };
        if self == Self::Arm
            && let Err(error) = arm::ensure()
        {
            return Ok(vec![format!("the kernels for 64-bit ARM were not even compiled: {error:#}")]);
        }
        if !matches!(self, Self::Tests | Self::Scalar) {
            return succeed(&mut command).map(|()| vec![]);
        }
        install_programs()?;
        let log = tempfile::NamedTempFile::new().context("cannot make a file for skipped tests")?;
        command.env(SKIP_LOG, log.path()).env(ALLOW_SKIPS, allowed_skips()?);
        succeed(&mut command)?;
        let skipped = fs::read_to_string(log.path()).context("cannot read which tests were skipped")?;
        Ok(skipped.lines().map(str::to_owned).collect())
    }
}

fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status()?;
    ensure!(status.success(), "`{}` failed: {status}", line(command));
    Ok(())
}

/// The engine is left out only where Verilator cannot be had, and never in continuous integration.
fn simulate() -> anyhow::Result<Vec<String>> {
    if let Err(error) = hardware::ensure() {
        let what = "there is no Verilator to simulate the engine with";
        if is_ci() {
            return Err(error.context(what));
        }
        return Ok(vec![format!("{what}: {error:#}")]);
    }
    hardware::quick().map(|()| vec![])
}

fn is_ci() -> bool {
    env::var(CI).is_ok_and(|value| value == "true")
}

/// Without them the tests of the page are skipped, and that of the README fails.
fn install_programs() -> anyhow::Result<()> {
    let Err(error) = debian::ensure(&PROGRAMS) else { return Ok(()) };
    let what = "there are programs missing to test the page and the README with";
    if is_ci() {
        return Err(error.context(what));
    }
    eprintln!("warning: {what}: {error:#}");
    Ok(())
}

/// What tests may lack even in continuous integration. The rights to mount and to give up other
/// rights are not for a check to have: a container may forbid them, and the summary says what was
/// skipped.
fn allowed_skips() -> anyhow::Result<String> {
    let mut allowed: Vec<String> = env::var(ALLOW_SKIPS).into_iter().collect();
    allowed.push(Need::Permissions.name().to_owned());
    let folder = tempfile::tempdir().context("cannot make a folder to mount at")?;
    if SmallDisk::try_mount(&folder.path().join("disk"), 1).is_err() {
        allowed.push(Need::Mount.name().to_owned());
    }
    Ok(allowed.join(","))
}

/// How a check went.
struct Outcome {
    passed: bool,
    elapsed: Duration,
    /// What it left out, one line each.
    skipped: Vec<String>,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let checks: Vec<Check> = Check::value_variants()
        .iter()
        .copied()
        .filter(|check| options.only.is_empty() || options.only.contains(check))
        .collect();
    let mut results = Vec::new();
    for (number, check) in checks.iter().enumerate() {
        eprintln!("=== {}/{} {}: {}", number + 1, checks.len(), check.name(), check.description());
        let started = Instant::now();
        let result = check.run();
        let elapsed = started.elapsed();
        eprintln!("=== {} took {:.1} s", check.name(), elapsed.as_secs_f64());
        let passed = result.is_ok();
        let skipped = result.unwrap_or_else(|error| {
            eprintln!("error: the check `{}` failed: {error:#}\nhint: {}", check.name(), check.hint());
            vec![]
        });
        results.push(Outcome { passed, elapsed, skipped });
        if !passed {
            break;
        }
    }
    let (summary, all_passed) = summary(&checks, &results);
    print!("{summary}");
    Ok(if all_passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The table, what was left out, and the line of totals; fewer results than checks means that the
/// last result is a failure.
fn summary(checks: &[Check], results: &[Outcome]) -> (String, bool) {
    let mut table = Table::new(&["check", "result", "skipped", "seconds"]);
    let mut skips = String::new();
    for (number, check) in checks.iter().enumerate() {
        let Some(Outcome { passed, elapsed, skipped }) = results.get(number) else {
            table.row([check.name(), "not run".to_owned(), String::new(), String::new()]);
            continue;
        };
        let count = if skipped.is_empty() { String::new() } else { skipped.len().to_string() };
        let result = if *passed { "passed" } else { "FAILED" };
        table.row([check.name(), result.to_owned(), count, format!("{:.1}", elapsed.as_secs_f64())]);
        for line in skipped {
            skips.push_str(&format!("{}: {line}\n", check.name()));
        }
    }
    if !skips.is_empty() {
        skips.insert(0, '\n');
    }
    let passed = results.iter().filter(|result| result.passed).count();
    let failed = results.len() - passed;
    (format!("\n{table}{skips}\n{passed} passed, {failed} failed\n"), failed == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_says_what_was_not_run() {
        let outcome = |passed, skipped: &[&str]| Outcome {
            passed,
            elapsed: Duration::from_secs(1),
            skipped: skipped.iter().map(|&line| line.to_owned()).collect(),
        };
        let checks = [Check::Format, Check::Lint, Check::Tests];
        let (text, passed) = summary(&checks, &[outcome(true, &[]), outcome(false, &[])]);
        assert!(!passed);
        assert!(text.contains("| format |  passed |         |     1.0 |"), "{text}");
        assert!(text.contains("| lint   |  FAILED |         |     1.0 |"), "{text}");
        assert!(text.contains("| tests  | not run |         |         |"), "{text}");
        assert!(text.ends_with("\n1 passed, 1 failed\n"), "{text}");
        let results = [outcome(true, &[]), outcome(true, &[]), outcome(true, &["one", "another"])];
        let (text, passed) = summary(&checks, &results);
        assert!(
            text.contains("| tests  | passed |       2 |     1.0 |\n\ntests: one\ntests: another\n"),
            "{text}"
        );
        assert!(passed && text.ends_with("\n3 passed, 0 failed\n"), "{text}");
    }

    #[test]
    fn only_the_scalar_check_forces_a_kernel() {
        for check in Check::value_variants() {
            let forced = check.description().contains(KERNEL_OF_TESTS);
            assert_eq!(forced, *check == Check::Scalar, "{}", check.description());
        }
    }
}
