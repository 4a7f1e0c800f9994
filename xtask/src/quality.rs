//! `cargo xtask quality`: how right is twindex, and how does it compare with its peers?
//!
//! Every labelled pack goes through `twindex pairs` with a recipe and nothing else: no flag is
//! fitted to a pack. The pack's own scorer judges the pairs. Packs without labels measure speed and
//! memory only. The candidate recall compares those pairs with all that the same rule accepts when
//! every two documents with a common shingle are compared.

mod baseline;
mod index;
mod measure;
pub(crate) mod pack;
mod report;
mod weights;

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use clap::Args;

use self::baseline::Baseline;
use self::measure::Programs;
use self::report::Report;
use crate::debian::{self, Tool};
use crate::machine::Machine;
use crate::{build, workspace};

#[derive(Args)]
pub(crate) struct Options {
    /// The folder with score.py, BASELINE.md and dev/ [default: shared/packs beside the project]
    #[arg(long, value_name = "DIR")]
    packs: Option<PathBuf>,
    /// Run this recipe instead of the default one (may be given more than once)
    #[arg(long, value_name = "NAME")]
    recipe: Vec<String>,
    /// Compare the weights of simhash on the Chinese packs instead
    #[arg(long, conflicts_with_all = ["recipe", "json"])]
    weights: bool,
    /// Compare the answers of an index with the pairs instead
    #[arg(long, conflicts_with_all = ["recipe", "json", "weights", "write"])]
    index: bool,
    /// Print one JSON object per line instead of tables
    #[arg(long)]
    json: bool,
    /// Write the tables to benchmarks/quality.md (weights.md) as well
    #[arg(long)]
    write: bool,
}

/// score.py decompresses with the program.
const TOOLS: [Tool; 2] =
    [Tool { program: "python3", package: "python3" }, Tool { program: "zstd", package: "zstd" }];

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let folder = options.packs.clone().unwrap_or_else(workspace::usual_packs);
    let packs = pack::list(&folder.join("dev"))?;
    if packs.is_empty() {
        eprintln!("warning: there are no packs in {}: NOTHING was measured", folder.join("dev").display());
        eprintln!("hint: --packs DIR names a folder with score.py, BASELINE.md and dev/");
        println!("SKIPPED: quality (no packs)");
        return Ok(ExitCode::SUCCESS);
    }
    debian::ensure(&TOOLS)?;
    let baseline = Baseline::read(&folder.join("BASELINE.md"))?;
    let programs = Programs {
        twindex: build::release_program("twindex-cli", "twindex")?,
        rule: build::release_program("twindex-benchmarks", "rule")?,
        scorer: folder.join("score.py"),
    };
    if options.weights {
        let comparison = weights::run(&programs.twindex, &packs, &programs.scorer)?;
        print!("{comparison}");
        return write(options, "weights.md", &comparison);
    }
    if options.index {
        print!("{}", index::run(&programs.twindex, &packs, &programs.scorer)?);
        return Ok(ExitCode::SUCCESS);
    }
    let recipes: Vec<Option<&str>> = match &options.recipe[..] {
        [] => vec![None],
        names => names.iter().map(|name| Some(name.as_str())).collect(),
    };
    let mut report = Report::new(Machine::this(), options.recipe.clone());
    for recipe in recipes {
        for pack in &packs {
            eprintln!("{} ({})", pack.name, recipe.unwrap_or("default recipe"));
            let run =
                measure::run(&programs, pack, recipe).with_context(|| format!("the pack {}", pack.name))?;
            let peers = baseline.peers(&pack.name);
            report.add(recipe, pack, run, peers);
        }
    }
    if options.json {
        print!("{}", report.json_lines())
    } else {
        print!("{}", report.markdown())
    }
    write(options, "quality.md", &report.markdown())
}

/// Writes a result into the folder of benchmarks, if requested.
fn write(options: &Options, name: &str, text: &str) -> anyhow::Result<ExitCode> {
    if options.write {
        let path = workspace::root().join("benchmarks").join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))?;
        eprintln!("wrote benchmarks/{name}");
    }
    Ok(ExitCode::SUCCESS)
}
