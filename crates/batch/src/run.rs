//! A job from its first to its last stage.

use std::sync::Arc;
use std::time::Instant;

use twindex_core::Engine;
use twindex_core::recipe::RecipeError;
use twindex_corpus::{Pending, Source};

use crate::error::Result;
use crate::job::{Job, Mode};
use crate::memory::working_memory;
use crate::outputs;
use crate::plan::Plan;
use crate::progress::Progress;
use crate::report::{Clusters, gather, skipped};
use crate::sources;
use crate::stage::candidates::Search;
use crate::stage::containers::Containers;
use crate::stage::exact::Exact;
use crate::stage::list::{Listed, Listing};
use crate::stage::read::{Read, ReadState};
use crate::stage::verify::Verification;
use crate::stage::write::{Rows, Writing};
use crate::stage::{count, exact, read};
use crate::summary::{Stage, Summary};
use crate::work::{Documents, Places, Ranks, WorkFolder, unpacked};

/// Estimates what a job will cost, without standard input: reading it would use it up.
pub fn plan(job: &Job) -> Result<Plan> {
    let engine = Engine::new(&job.recipe, job.kernel)?;
    let mut sources = sources::against(&job.against, &job.read)?;
    sources.extend(sources::files(&job.inputs, &job.read)?);
    let plan = Plan::new(job, &sources, &engine)?;
    // Refuse now rather than after the first stage.
    working_memory(job, &engine, plan.documents)?;
    Ok(plan)
}

/// Runs a job to its end. Its outputs appear all together, or not at all.
///
/// If it fails, its work folder stays only if it has a checkpoint, and the same job may succeed
/// later or was resumed.
pub fn run(job: &Job, progress: &dyn Progress) -> Result<Summary> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(job.threads).build();
    // If the system refuses threads, the global pool does the same work.
    match pool {
        Ok(pool) => pool.install(|| run_here(job, progress)),
        Err(_) => run_here(job, progress),
    }
}

fn run_here(job: &Job, progress: &dyn Progress) -> Result<Summary> {
    let work = WorkFolder::open(&job.work, job.existing, Arc::clone(&job.disk))?;
    let result = Run::start(job, progress, &work).and_then(Run::finish);
    let is_worth_keeping = match &result {
        Ok(_) => false,
        Err(error) => work.has_checkpoint() && (work.was_resumed() || error.may_pass()),
    };
    if !is_worth_keeping {
        // The result stands even if files cannot be removed.
        let _ = work.remove();
    }
    result
}

/// A running job.
struct Run<'a> {
    job: &'a Job,
    progress: &'a dyn Progress,
    engine: Engine,
    work: &'a WorkFolder,
    against: Vec<Source>,
    inputs: Vec<Source>,
    started: Instant,
    stages: Vec<Stage>,
}

impl<'a> Run<'a> {
    fn start(job: &'a Job, progress: &'a dyn Progress, work: &'a WorkFolder) -> Result<Self> {
        let started = Instant::now();
        let engine = Engine::new(&job.recipe, job.kernel)?;
        let against = sources::against(&job.against, &job.read)?;
        let inputs = sources::inputs(&job.inputs, &job.read, work)?;
        outputs::check(job, &inputs, work)?;
        let stamp = |source: &Source| {
            // A copy of standard input is new in each run: only its size identifies it.
            if work.holds(&source.path) { format!("stdin, {} bytes", source.bytes) } else { source.stamp() }
        };
        let stamps: Vec<String> = [("against", &against), ("input", &inputs)]
            .into_iter()
            .flat_map(|(role, sources)| {
                sources.iter().map(move |source| format!("{role} {}, {}", stamp(source), source.format))
            })
            .collect();
        work.describe(&job.description(&stamps))?;
        Ok(Run { job, progress, engine, work, against, inputs, started, stages: vec![] })
    }

    /// Runs a stage and records its time.
    fn timed<T>(&mut self, name: &'static str, stage: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let started = Instant::now();
        let result = stage(self)?;
        self.stages.push(Stage { name, seconds: started.elapsed().as_secs_f64() });
        Ok(result)
    }

    fn finish(mut self) -> Result<Summary> {
        if self.job.recipe.needs_frequencies() {
            let frequencies = match &self.job.frequencies {
                Some(given) => Arc::clone(given),
                None if self.job.recipe.decides_by_frequencies() => {
                    return Err(RecipeError::NeedsFrequencies.into());
                }
                None => Arc::new(self.timed("count", |run| {
                    count::run(run.job, &run.against, &run.inputs, &run.engine, run.work, run.progress)
                })?),
            };
            self.engine.set_frequencies(frequencies);
        }
        let mut done = self.timed("read", |run| {
            read::run(run.job, &run.against, &run.inputs, &run.engine, run.work, run.progress)
        })?;
        self.decide(&mut done)
    }

    /// All stages after reading.
    fn decide(&mut self, done: &mut Read) -> Result<Summary> {
        let mut memory = working_memory(self.job, &self.engine, u64::from(done.state.documents))?;
        memory -= done.documents.hold(memory)?;
        let (read, documents) = (&done.state, &done.documents);
        let Exact { representative, repeated_ids } = self.timed("exact", |run| {
            let places = Places { documents, against: &run.against, inputs: &run.inputs };
            exact::run(run.job, places, read, memory, run.work, run.progress)
        })?;
        let ranks = Ranks::new(documents, read.against, &representative)?;
        let dedup = matches!(self.job.mode, Mode::Dedup(_));
        let candidates = self.timed("candidates", |run| {
            let limit = dedup.then_some(run.job.recipe.candidates.bucket_limit);
            let search = Search {
                documents,
                ranks: &ranks,
                engine: &run.engine,
                kernel: run.job.kernel,
                bucket_limit: limit,
                memory,
                work: run.work,
            };
            search.run(run.progress)
        })?;
        let verified = self.timed("verify", |run| {
            let verification = Verification {
                documents,
                ranks: &ranks,
                engine: &run.engine,
                witness_rule: dedup,
                keep_rejected: run.job.keeps_rejected(),
                memory,
                pace: run.job.pace,
            };
            verification.run(candidates.pairs, run.work, run.progress)
        })?;
        if dedup {
            self.timed("containers", |run| {
                let containers = Containers { documents, ranks: &ranks, engine: &run.engine, memory };
                containers.run(run.work, run.progress)
            })?;
        }
        drop(ranks);
        let listed = self.timed("list", |run| {
            let listing = Listing {
                engine: &run.engine,
                representative: &representative,
                against: read.against,
                memory,
            };
            if dedup { listing.removals(run.work) } else { listing.all_pairs(run.work) }
        })?;
        drop(representative);

        let clusters = Clusters::of(&self.work.file("pairs"), documents.len())?;
        let mut summary = self.summary(read, &listed);
        summary.candidates = candidates.pairs;
        summary.hot_pairs_left_out = candidates.left_out;
        summary.compared = verified.compared;
        summary.clusters = clusters.len();
        summary.repeated_ids = repeated_ids;
        self.write(documents, read, &clusters, &mut summary)?;
        Ok(summary)
    }

    fn summary(&self, read: &ReadState, listed: &Listed) -> Summary {
        let documents = u64::from(read.documents - read.against);
        let reads_field = matches!(&self.job.mode, Mode::Dedup(policy) if policy.field().is_some());
        Summary {
            version: env!("CARGO_PKG_VERSION"),
            recipe: self.job.recipe.name.clone(),
            without_keep_field: if reads_field { read.without_keep_field } else { 0 },
            rows: read.rows - read.against_rows,
            documents,
            against: u64::from(read.against),
            bytes: read.row_bytes,
            kept: documents - listed.removed,
            removed: listed.removed,
            exact_duplicates: listed.exact,
            pairs: listed.pairs,
            coverage: listed.coverage(),
            kept_by_coverage: listed.kept_by_coverage,
            skipped_rows: read.skipped - read.against_skipped,
            against_skipped_rows: read.against_skipped,
            null_texts: read.null_texts,
            without_words: read.without_words,
            resumed: self.work.was_resumed(),
            ..Summary::default()
        }
    }

    fn write(
        &mut self,
        documents: &Documents,
        read: &ReadState,
        clusters: &Clusters,
        summary: &mut Summary,
    ) -> Result<()> {
        let outputs = &self.job.outputs;
        summary.skipped = skipped::first(self.work)?;
        let mut kept_rows = None;
        let mut pending = self.timed("write", |run| {
            let writing = Writing {
                job: run.job,
                places: Places { documents, against: &run.against, inputs: &run.inputs },
                sources: unpacked::for_another_pass(
                    run.work,
                    run.against.len() as u32,
                    &run.inputs,
                    &read.unpacked,
                )?,
                against: read.against,
                against_rows: read.against_rows,
                work: run.work,
            };
            let Rows { mut pending, kept } = writing.rows(run.progress)?;
            kept_rows = kept;
            pending.extend(outputs.pairs.as_ref().map(|path| writing.pairs(path)).transpose()?);
            pending
                .extend(outputs.clusters.as_ref().map(|path| writing.clusters(path, clusters)).transpose()?);
            if let Some(path) = outputs.skipped.as_ref().filter(|_| read.skipped > skipped::LISTED as u64) {
                let (list, name) = skipped::write(run.work, path)?;
                pending.push(list);
                summary.skipped_file = Some(name.display().to_string());
            }
            Ok(pending)
        })?;
        // The rows that were written, rather than those that should have been.
        summary.kept = kept_rows.unwrap_or(summary.kept);
        summary.must_add_up()?;
        summary.seconds = self.started.elapsed().as_secs_f64();
        summary.megabytes_per_second = summary.bytes as f64 / 1e6 / summary.seconds;
        summary.documents_per_second = (summary.documents + summary.against) as f64 / summary.seconds;
        summary.stages = std::mem::take(&mut self.stages);
        if let Some(path) = &outputs.report {
            let places = Places { documents, against: &self.against, inputs: &self.inputs };
            let report = gather::report(self.job, places, &self.engine, self.work, clusters, summary)?;
            pending.push(gather::write(path, &report)?);
        }
        Ok(Pending::commit_all(pending)?)
    }
}
