//! `cargo xtask test`: every check that a change must pass, in the order of what fails soonest.

use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::ensure;
use clap::{Args, ValueEnum};

use crate::debian::{self, Tool};
use crate::measured::line;
use crate::table::Table;
use crate::{licences, workspace};

#[derive(Args)]
pub(crate) struct Options {
    /// Run only this check (may be given more than once)
    #[arg(long, value_enum, value_name = "NAME")]
    only: Vec<Check>,
}

/// One check. Everything compiles with the dev profile and the whole workspace selected, so that no dependency is
/// built twice: a smaller selection may unify features differently and would start over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Check {
    /// Is the code formatted?
    Format,
    /// Does every dependency have an allowed licence and source?
    Licences,
    /// Is clippy silent?
    Lint,
    /// Does the documentation build without a warning?
    Documentation,
    /// Do all tests pass with the best kernel of this machine?
    Tests,
    /// Do they pass with the scalar kernel, which is the definition of correct?
    Scalar,
}

/// What the tests of the page are driven with, and what the README asks the service with.
const PROGRAMS: [Tool; 3] = [
    Tool { program: "chromium", package: "chromium" },
    Tool { program: "chromedriver", package: "chromium-driver" },
    Tool { program: "curl", package: "curl" },
];

/// Examples in the documentation use the best kernel whatever the variable says, so they are left out. So are the
/// three longest tests, two thirds of the time, which are about verdicts and connections and not about kernels.
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
    fn command(self) -> Option<std::process::Command> {
        let mut command = workspace::cargo(match self {
            Self::Format => &["fmt", "--all", "--check"],
            Self::Licences => return None,
            Self::Lint => &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"],
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
            Self::Licences => "take another crate, or allow it in deny.toml with the reason",
            Self::Documentation => "the message above says where",
            Self::Tests => "the name of the failed test is above; `cargo test NAME` runs it alone",
            Self::Scalar => {
                "the scalar kernel differs: `TWINDEX_TEST_KERNEL=scalar cargo test NAME` runs it alone"
            }
        }
    }

    fn announcement(self) -> String {
        self.command().map_or_else(|| "every package against deny.toml".to_owned(), |command| line(&command))
    }

    fn run(self) -> anyhow::Result<()> {
        let Some(mut command) = self.command() else { return licences::check() };
        if matches!(self, Self::Tests | Self::Scalar)
            && let Err(error) = debian::ensure(&PROGRAMS)
        {
            // The tests of the page say that they are skipped, and that of the README fails without curl.
            eprintln!("warning: there are programs missing to test the page and the README with: {error:#}");
        }
        let status = command.status()?;
        ensure!(status.success(), "`{}` failed: {status}", line(&command));
        Ok(())
    }
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let checks: Vec<Check> = Check::value_variants()
        .iter()
        .copied()
        .filter(|check| options.only.is_empty() || options.only.contains(check))
        .collect();
    let mut results = Vec::new();
    for (number, check) in checks.iter().enumerate() {
        eprintln!("=== {}/{} {}: {}", number + 1, checks.len(), check.name(), check.announcement());
        let started = Instant::now();
        let result = check.run();
        let elapsed = started.elapsed();
        eprintln!("=== {} took {:.1} s", check.name(), elapsed.as_secs_f64());
        let failed = result.is_err();
        if let Err(error) = result {
            eprintln!("error: the check `{}` failed: {error:#}\nhint: {}", check.name(), check.hint());
        }
        results.push((!failed, elapsed));
        if failed {
            break;
        }
    }
    let (summary, all_passed) = summary(&checks, &results);
    print!("{summary}");
    Ok(if all_passed { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The table and the line of totals; fewer results than checks means that the last result is a failure.
fn summary(checks: &[Check], results: &[(bool, Duration)]) -> (String, bool) {
    let mut table = Table::new(&["check", "result", "seconds"]);
    for (number, check) in checks.iter().enumerate() {
        let (result, seconds) = match results.get(number) {
            None => ("not run", String::new()),
            Some((true, elapsed)) => ("passed", format!("{:.1}", elapsed.as_secs_f64())),
            Some((false, elapsed)) => ("FAILED", format!("{:.1}", elapsed.as_secs_f64())),
        };
        table.row([check.name(), result.to_owned(), seconds]);
    }
    let passed = results.iter().filter(|(passed, _)| *passed).count();
    let failed = results.len() - passed;
    (format!("\n{table}\n{passed} passed, {failed} failed\n"), failed == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_says_what_was_not_run() {
        let second = Duration::from_secs(1);
        let checks = [Check::Format, Check::Lint, Check::Tests];
        let (text, passed) = summary(&checks, &[(true, second), (false, second)]);
        assert!(!passed);
        assert!(text.contains("| format |  passed |     1.0 |"), "{text}");
        assert!(text.contains("| lint   |  FAILED |     1.0 |"), "{text}");
        assert!(text.contains("| tests  | not run |         |"), "{text}");
        assert!(text.ends_with("\n1 passed, 1 failed\n"), "{text}");
        let (text, passed) = summary(&checks, &[(true, second); 3]);
        assert!(passed && text.ends_with("\n3 passed, 0 failed\n"), "{text}");
    }

    #[test]
    fn only_the_scalar_check_forces_a_kernel() {
        for check in Check::value_variants() {
            let forced = check.announcement().contains(KERNEL_OF_TESTS);
            assert_eq!(forced, *check == Check::Scalar, "{}", check.announcement());
        }
    }
}
