//! Generates collections and checks the output of twindex on them.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::Context;
use clap::{Args, Parser, Subcommand, ValueEnum};
use twindex_benchmarks::check::{self, Demand, Verdicts};
use twindex_benchmarks::output::{self, Limit, Written};
use twindex_benchmarks::paragraphs::Paragraphs;
use twindex_benchmarks::template::Template;
use twindex_benchmarks::web::Web;
use twindex_benchmarks::{size, truth};

/// Makes collections with planted duplicates, and checks what twindex found in them
#[derive(Parser)]
#[command(name = "twindex-benchmarks")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Writes a collection and the truth about its planted duplicates; the same options give the
    /// same bytes
    Generate(Generate),
    /// Compares the truth with what `twindex dedup` or `twindex pairs` wrote; exits 1 when too much
    /// was missed
    Check(Check),
}

#[derive(Args)]
struct Generate {
    /// Pages of many sites, variants of one template, or documents with shared paragraphs
    #[arg(long, value_enum, default_value_t = Shape::Web)]
    shape: Shape,
    /// Stop at this size (K, M, G: powers of 1000); templates are counted in documents only
    #[arg(long, value_parser = size::parse, default_value = "100M")]
    bytes: u64,
    /// Stop at this number of documents [default: no limit; 200000 for templates]
    #[arg(long)]
    documents: Option<u64>,
    /// The collection is a function of this number
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The share of documents that are copies of earlier ones, from 0 to 1
    #[arg(long, default_value_t = 0.1)]
    duplicates: f64,
    /// Where the rows go: JSON lines
    #[arg(long, value_name = "FILE")]
    output: PathBuf,
    /// Where the planted pairs go: tab-separated
    #[arg(long, value_name = "FILE")]
    truth: PathBuf,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Shape {
    /// Pages with site templates, two languages, planted copies
    Web,
    /// Variants of one text
    Template,
    /// Documents that share paragraphs and are no duplicates
    Paragraphs,
}

/// The largest number of variants that the test of linear time needs.
const VARIANTS: u64 = 200_000;

#[derive(Args)]
struct Check {
    /// The truth that `generate` wrote
    #[arg(long, value_name = "FILE")]
    truth: PathBuf,
    /// What `twindex dedup --removed` wrote (JSON lines)
    #[arg(long, value_name = "FILE", required_unless_present = "pairs", conflicts_with = "pairs")]
    removed: Option<PathBuf>,
    /// What `twindex pairs --output` wrote (tab-separated)
    #[arg(long, value_name = "FILE")]
    pairs: Option<PathBuf>,
    /// Planted pairs from this Jaccard on must be found
    #[arg(long, default_value_t = Demand::default().jaccard)]
    minimum_jaccard: f64,
    /// The share of them that must be found
    #[arg(long, default_value_t = Demand::default().recall)]
    minimum_recall: f64,
    /// How many reported pairs may lie outside every planted family
    #[arg(long, default_value_t = Demand::default().unplanted)]
    maximum_unplanted: u64,
}

fn main() -> anyhow::Result<ExitCode> {
    match Arguments::parse().command {
        Command::Generate(options) => generate(&options),
        Command::Check(options) => check(&options),
    }
}

fn generate(options: &Generate) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    // Written under a temporary name first: a file with the final name is complete.
    let (rows_part, truth_part) = (partial(&options.output), partial(&options.truth));
    let (mut rows, mut truth) = (create(&rows_part)?, create(&truth_part)?);
    let written = write(options, &mut rows, &mut truth)
        .and_then(|written| rows.flush().and_then(|()| truth.flush()).map(|()| written))
        .with_context(|| format!("cannot write {} or {}", rows_part.display(), truth_part.display()))?;
    for (part, whole) in [(&truth_part, &options.truth), (&rows_part, &options.output)] {
        std::fs::rename(part, whole).with_context(|| format!("cannot rename {}", part.display()))?;
    }
    let seconds = started.elapsed().as_secs_f64();
    eprintln!(
        "{} documents, {} bytes, {} planted pairs in {seconds:.1} s ({:.0} MB/s)",
        written.documents,
        written.bytes,
        written.planted,
        written.bytes as f64 / 1e6 / seconds
    );
    Ok(ExitCode::SUCCESS)
}

fn write(options: &Generate, rows: &mut impl Write, truth: &mut impl Write) -> io::Result<Written> {
    let documents = options.documents;
    match options.shape {
        Shape::Web => {
            let limit = Limit { bytes: options.bytes, documents: documents.unwrap_or(u64::MAX) };
            let web = Web::new(options.seed, options.duplicates);
            output::write(|number| output::web_row(&web, number), limit, rows, truth)
        }
        Shape::Paragraphs => {
            let limit = Limit { bytes: options.bytes, documents: documents.unwrap_or(u64::MAX) };
            let paragraphs = Paragraphs::new(options.seed);
            output::write(|number| output::paragraphs_row(&paragraphs, number), limit, rows, truth)
        }
        Shape::Template => {
            let limit = Limit { bytes: u64::MAX, documents: documents.unwrap_or(VARIANTS) };
            let template = Template::new(options.seed);
            output::write(|number| output::template_row(&template, number), limit, rows, truth)
        }
    }
}

fn partial(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}

fn create(path: &Path) -> anyhow::Result<BufWriter<File>> {
    let file = File::create(path).with_context(|| format!("cannot create {}", path.display()))?;
    Ok(BufWriter::with_capacity(1 << 20, file))
}

fn check(options: &Check) -> anyhow::Result<ExitCode> {
    let planted = truth::read(open(&options.truth)?)
        .with_context(|| format!("cannot read the truth in {}", options.truth.display()))?;
    let verdicts = match (&options.removed, &options.pairs) {
        (Some(path), _) => Verdicts::read_removed(open(path)?).with_context(|| path.display().to_string()),
        (None, Some(path)) => Verdicts::read_pairs(open(path)?).with_context(|| path.display().to_string()),
        (None, None) => anyhow::bail!("expected --removed or --pairs"),
    }?;
    let demand = Demand {
        jaccard: options.minimum_jaccard,
        recall: options.minimum_recall,
        unplanted: options.maximum_unplanted,
    };
    let report = check::check(&planted, &verdicts, demand);
    print!("{report}");
    Ok(if report.passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn open(path: &Path) -> anyhow::Result<BufReader<File>> {
    Ok(BufReader::new(File::open(path).with_context(|| format!("cannot open {}", path.display()))?))
}
