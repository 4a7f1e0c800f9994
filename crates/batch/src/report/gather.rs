//! Gathers what the report shows.

use std::path::Path;

use twindex_core::Engine;
use twindex_core::verify::{self, Verdict};
use twindex_corpus::{CompressedWriter, Pending};

use super::clusters::Clusters;
use super::selection::Selection;
use super::{ClusterRow, PairRow, Report, Scores, Side, StageTime, Totals};
use crate::error::Result;
use crate::job::{Job, Mode};
use crate::summary::Summary;
use crate::work::{Places, ScoredPair, TextScratch, WorkFolder};

/// Characters of a text that the report shows.
const TEXT_LIMIT: usize = 40_000;

/// Clusters that the report lists, members of each, and characters of the example.
const CLUSTERS: usize = 20;
const MEMBERS: usize = 20;
const EXAMPLE_LIMIT: usize = 400;

/// Bad rows that the report quotes.
const SKIPPED: usize = 10;

/// Writes the page to `path`, when it is committed.
pub(crate) fn write(mut file: CompressedWriter, report: &Report) -> Result<Pending> {
    file.put(super::render(report).as_bytes())?;
    Ok(file.finish()?)
}

/// Everything the report shows.
pub(crate) fn report(
    job: &Job,
    places: Places<'_>,
    engine: &Engine,
    work: &WorkFolder,
    clusters: &Clusters,
    summary: &Summary,
) -> Result<Report> {
    let rule = job.recipe.rule;
    let selection = Selection::of(&work.file("accepted"), &work.file("rejected"), rule.measure)?;
    let mut texts = Texts { places, engine, scratch: TextScratch::default() };
    let pairs = selection
        .pairs
        .iter()
        .map(|(pair, accepted)| texts.pair(job, pair, *accepted))
        .collect::<Result<_>>()?;
    let largest_clusters = clusters
        .largest(CLUSTERS)
        .into_iter()
        .map(|cluster| texts.cluster(cluster))
        .collect::<Result<_>>()?;
    Ok(Report {
        title: title(job),
        command: job.command.clone(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        recipe: job.recipe.to_toml(),
        totals: Totals {
            documents: summary.documents,
            bytes: summary.bytes,
            kept: summary.kept,
            removed: summary.removed,
            exact_duplicates: summary.exact_duplicates,
            pairs: summary.pairs,
            clusters: summary.clusters,
            skipped_rows: summary.skipped_rows,
            seconds: summary.seconds,
            against: summary.against,
        },
        mode: match job.mode {
            Mode::Dedup(_) => super::Mode::Dedup,
            Mode::Pairs => super::Mode::Pairs,
        },
        measure: rule.measure.name().to_owned(),
        threshold: rule.threshold,
        histogram: selection.histogram,
        cluster_sizes: clusters.sizes(),
        largest_clusters,
        pairs,
        stages: summary
            .stages
            .iter()
            .map(|stage| StageTime { name: stage.name.to_owned(), seconds: stage.seconds })
            .collect(),
        notes: notes(job, summary),
    })
}

fn title(job: &Job) -> String {
    let names: Vec<&str> = job
        .inputs
        .iter()
        .map(|input| Path::new(input).file_name().and_then(|name| name.to_str()).unwrap_or(input))
        .collect();
    names.join(", ")
}

fn notes(job: &Job, summary: &Summary) -> Vec<String> {
    let mut notes = vec![];
    if let Some(coverage) = summary.coverage {
        let [least, mean] = coverage.rounded_down();
        notes.push(format!(
            "Of every removed document, equal texts aside, at least {least} is in its witness, {mean} on average."
        ));
    }
    if let Some(why) = summary.why_kept(job.recipe.rule) {
        notes.push(format!("{} near-duplicates stay, {why}.", summary.kept_by_coverage));
    }
    if summary.hot_pairs_left_out > 0 {
        notes.push(format!(
            "Some buckets were hot: {} candidate pairs were left out, because each document is compared with at most \
             {} documents of a bucket (candidates.bucket_limit).",
            summary.hot_pairs_left_out, job.recipe.candidates.bucket_limit
        ));
    }
    if summary.null_texts > 0 {
        notes.push(format!("{} rows whose text is null were kept.", summary.null_texts));
    }
    if summary.repeated_ids > 0 {
        notes.push(format!("{} rows repeat the id of an earlier row.", summary.repeated_ids));
    }
    if summary.skipped_rows > 0 {
        notes.push(format!("{} bad rows were left out.", summary.skipped_rows));
        notes.extend(summary.skipped.iter().take(SKIPPED).cloned());
    }
    notes
}

/// The verdict on a pair, with the side that may go for the other.
fn who_may_go(verdict: &Verdict) -> String {
    let reason = |side| verdict.removal_reason(side);
    if verdict.may_go(verify::Side::Left) {
        format!("left may go: {}", reason(verify::Side::Left))
    } else if verdict.may_go(verify::Side::Right) {
        format!("right may go: {}", reason(verify::Side::Right))
    } else {
        format!("both stay: {}", reason(verify::Side::Left))
    }
}

struct Texts<'a> {
    places: Places<'a>,
    engine: &'a Engine,
    scratch: TextScratch,
}

impl Texts<'_> {
    fn pair(&mut self, job: &Job, pair: &ScoredPair, accepted: bool) -> Result<PairRow> {
        let verdict = pair.verdict(job.recipe.rule);
        let scores = verdict.measured.scores();
        let why = match job.mode {
            Mode::Dedup(_) if accepted => who_may_go(&verdict),
            Mode::Dedup(_) => verdict.reason(),
            Mode::Pairs => verdict.reason(),
        };
        Ok(PairRow {
            left: self.side(pair.left, pair.right)?,
            right: self.side(pair.right, pair.left)?,
            scores: Scores {
                jaccard: scores.jaccard,
                containment_left: scores.containment_left,
                containment_right: scores.containment_right,
                cosine: Some(scores.cosine),
                distance: pair.distance(),
            },
            accepted,
            exact: verdict.measured.equal,
            why,
        })
    }

    /// One side of a pair. If both have the same id, the place is added.
    fn side(&mut self, document: u32, other: u32) -> Result<Side> {
        let mut id = self.places.documents.id(document)?;
        if id == self.places.documents.id(other)? {
            id = format!("{id} ({})", self.places.of(document)?);
        }
        Ok(Side::new(id, &self.visible(document)?, TEXT_LIMIT))
    }

    fn cluster(&mut self, cluster: &[(u32, u32)]) -> Result<ClusterRow> {
        let shown = &cluster[..cluster.len().min(MEMBERS)];
        let example: String = self.visible(cluster[0].0)?.chars().take(EXAMPLE_LIMIT).collect();
        Ok(ClusterRow {
            size: cluster.len() as u64,
            members: shown
                .iter()
                .map(|&(_, member)| self.places.documents.id(member))
                .collect::<Result<_>>()?,
            more: (cluster.len() - shown.len()) as u64,
            example_text: example,
        })
    }

    fn visible(&mut self, document: u32) -> Result<String> {
        let (text, markup) = self.places.documents.text(document, &mut self.scratch)?;
        Ok(self.engine.analyzer().visible(&text, markup).into_owned())
    }
}
