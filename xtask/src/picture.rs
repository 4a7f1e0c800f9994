//! `cargo xtask picture`: the report of the shipped example as README.md shows it, light and dark.

use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, ensure};
use clap::Args;

use crate::debian::{self, Tool};
use crate::measured;
use crate::{build, workspace};

#[derive(Args)]
pub(crate) struct Options {}

/// A browser, and a font for the Chinese half of the example.
const TOOLS: [Tool; 2] = [
    Tool { program: "chromium", package: "chromium" },
    Tool { program: "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc", package: "fonts-wqy-microhei" },
];

/// The part of the report that is shown: the figures, the charts and the first pair with its
/// differences.
const WINDOW: &str = "--window-size=1200,1290";

/// The names of the pictures, and what Chromium calls the scheme that a reader prefers.
const SCHEMES: [(&str, &str); 2] = [("light", "1"), ("dark", "0")];

pub(crate) fn run(_: &Options) -> anyhow::Result<ExitCode> {
    debian::ensure(&TOOLS)?;
    let program = build::release_program("twindex-cli", "twindex")?;
    let folder = tempfile::tempdir()?;
    let report = folder.path().join("report.html");
    let mut dedup = Command::new(program);
    dedup.current_dir(workspace::root()).args(["dedup", "examples/news.jsonl", "--quiet", "--report"]);
    measured::run(dedup.arg(&report))?;
    let pictures = workspace::root().join("docs/images");
    std::fs::create_dir_all(&pictures)?;
    for (name, scheme) in SCHEMES {
        let picture = pictures.join(format!("report-{name}.png"));
        photograph(&report, &picture, scheme, &folder.path().join(name))?;
        eprintln!("wrote {}", picture.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn photograph(page: &Path, picture: &Path, scheme: &str, profile: &Path) -> anyhow::Result<()> {
    let mut chromium = Command::new("chromium");
    chromium
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync", WINDOW])
        .arg(format!("--blink-settings=preferredColorScheme={scheme}"))
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(format!("--screenshot={}", picture.display()))
        .arg(page)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    measured::run(&mut chromium)?;
    let bytes = std::fs::metadata(picture).context("chromium made no picture")?.len();
    ensure!(bytes > 10_000, "{} has only {bytes} bytes: is it blank?", picture.display());
    Ok(())
}
