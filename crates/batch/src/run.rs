//! A job from its first to its last stage.

use std::sync::Arc;
use std::time::Instant;

use twindex_core::Engine;
use twindex_core::recipe::RecipeError;
use twindex_corpus::{Pending, Source};

use crate::error::{BatchError, Result};
use crate::indexes::Indexes;
use crate::job::{Job, Mode};
use crate::memory::working_memory;
use crate::outputs::{self, Begun};
use crate::plan::Plan;
use crate::progress::Progress;
use crate::report::{Clusters, gather, skipped};
use crate::sources::{self, Role};
use crate::stage::candidates::Search;
use crate::stage::containers::Containers;
use crate::stage::exact::Exact;
use crate::stage::list::{Listed, Listing};
use crate::stage::read::{Read, ReadState};
use crate::stage::remember::Remember;
use crate::stage::verify::Verification;
use crate::stage::write::{Rows, Writing};
use crate::stage::{count, exact, known, read};
use crate::summary::{Stage, Summary, cpu_seconds};
use crate::work::{Documents, Existing, Places, Ranks, WorkFolder, unpacked};

/// Estimates what a job will cost, without what can be read only once: reading it would use it up.
pub fn plan(job: &Job) -> Result<Plan> {
    let engine = Engine::new(&job.recipe, job.kernel)?;
    let against = job.against_files();
    sources::check_streams(&against, &job.inputs)?;
    outputs::check_names(job, &sources::known_formats(&job.inputs, &job.read)?)?;
    let mut sources = sources::files(&against, &job.read)?;
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
        Err(error) => {
            let may_go_on = work.was_resumed() || error.may_pass() || work.must_be_finished();
            work.has_checkpoint() && may_go_on
        }
    };
    if !is_worth_keeping {
        // The result stands even if files cannot be removed.
        let _ = work.remove();
    }
    result
}

/// Refuses to resume a job that fills an index, has outputs and no checkpoint.
///
/// It was killed after its outputs appeared, or never began. Begun again after that, it would find
/// its own documents in the index, remove all of them and replace its outputs.
fn must_not_be_finished(job: &Job, work: &WorkFolder) -> Result<()> {
    let begins = matches!(job.existing, Existing::Resume) && !work.was_resumed();
    let mut outputs = [&job.outputs.kept, &job.outputs.removed].into_iter().flatten();
    match outputs.find(|path| path.is_file()) {
        Some(output) if begins && job.remember.is_some() => {
            Err(BatchError::MayBeFinished { output: output.clone() })
        }
        _ => Ok(()),
    }
}

/// A running job.
struct Run<'a> {
    job: &'a Job,
    progress: &'a dyn Progress,
    engine: Engine,
    work: &'a WorkFolder,
    indexes: Indexes,
    /// Files, then what was found in indexes.
    against: Vec<Source>,
    inputs: Vec<Source>,
    outputs: Begun,
    started: Instant,
    stages: Vec<Stage>,
}

impl<'a> Run<'a> {
    fn start(job: &'a Job, progress: &'a dyn Progress, work: &'a WorkFolder) -> Result<Self> {
        let started = Instant::now();
        let engine = Engine::new(&job.recipe, job.kernel)?;
        must_not_be_finished(job, work)?;
        let files = job.against_files();
        sources::check_streams(&files, &job.inputs)?;
        outputs::check_names(job, &sources::known_formats(&job.inputs, &job.read)?)?;
        let against = sources::all(Role::Against, &files, &job.read, work)?;
        let inputs = sources::all(Role::Input, &job.inputs, &job.read, work)?;
        let stamp = |source: &Source| {
            if !work.holds(&source.path) {
                return source.stamp();
            }
            // The copy of a stream is new in each run: only its size identifies it.
            format!("{}, {} bytes", source.name, source.bytes)
        };
        let stamps: Vec<String> = [(Role::Against, &against), (Role::Input, &inputs)]
            .into_iter()
            .flat_map(|(role, sources)| {
                let role = role.name();
                sources.iter().map(move |source| format!("{role} {}, {}", stamp(source), source.format))
            })
            .collect();
        let indexes = Indexes::open(job)?;
        let of_indexes = indexes.against.iter().map(|(name, _)| format!("against the index {name}"));
        let stamps: Vec<String> = of_indexes.chain(stamps).collect();
        work.describe(&job.description(&stamps))?;
        let outputs = Begun::new(job, &inputs, work)?;
        Ok(Run { job, progress, engine, work, indexes, against, inputs, outputs, started, stages: vec![] })
    }

    /// Runs a stage and records its time.
    fn timed<T>(&mut self, name: &'static str, stage: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        let (started, cpu_before) = (Instant::now(), cpu_seconds());
        let result = stage(self)?;
        let seconds = started.elapsed().as_secs_f64();
        self.stages.push(Stage { name, seconds, cpu_seconds: cpu_seconds() - cpu_before });
        Ok(result)
    }

    fn finish(mut self) -> Result<Summary> {
        if self.job.recipe.needs_frequencies() {
            let frequencies = match self.job.frequencies.clone().or_else(|| self.indexes.frequencies()) {
                Some(given) => given,
                None if self.job.recipe.decides_by_frequencies() => {
                    return Err(RecipeError::NeedsFrequencies.into());
                }
                None => Arc::new(self.timed("count", |run| {
                    count::run(run.job, &run.against, &run.inputs, &run.engine, run.work, run.progress)
                })?),
            };
            self.engine.set_frequencies(frequencies);
        }
        if !self.indexes.against.is_empty() {
            let found = self.timed("index", Run::known)?;
            self.against.extend(found);
        }
        let mut done = self.timed("read", |run| {
            read::run(run.job, &run.against, &run.inputs, &run.engine, run.work, run.progress)
        })?;
        self.decide(&mut done)
    }

    /// The documents of indexes that match documents of the inputs.
    fn known(&mut self) -> Result<Vec<Source>> {
        let Run { job, inputs, engine, work, progress, .. } = &*self;
        let indexes = self.indexes.against.iter().enumerate();
        let found = indexes.map(|(number, (name, index))| {
            known::run(job, (number, name, index), inputs, engine, work, *progress)
        });
        found.collect()
    }

    /// Where the rows of documents stand.
    fn places<'p>(&'p self, documents: &'p Documents) -> Places<'p> {
        let of_indexes = self.indexes.against.len();
        Places { documents, against: &self.against, of_indexes, inputs: &self.inputs }
    }

    /// All stages after reading.
    fn decide(&mut self, done: &mut Read) -> Result<Summary> {
        let mut memory = working_memory(self.job, &self.engine, u64::from(done.state.documents))?;
        memory -= done.documents.hold(memory)?;
        let (read, documents) = (&done.state, &done.documents);
        let Exact { representative, repeated_ids } = self.timed("exact", |run| {
            exact::run(run.job, run.places(documents), read, memory, run.work, run.progress)
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
            other_records: read.others.clone(),
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
        summary.skipped = skipped::first(self.work)?;
        let mut kept_rows = None;
        let mut pending = self.timed("write", |run| {
            // Borrows apart from the outputs, which are begun meanwhile.
            let (against, inputs) = (&run.against, &run.inputs);
            let of_indexes = run.indexes.against.len();
            let writing = Writing {
                job: run.job,
                places: Places { documents, against, of_indexes, inputs },
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
            let (kept, removed) = (run.outputs.kept(run.job, &run.inputs)?, run.outputs.removed(run.job)?);
            let Rows { mut pending, kept } = writing.rows(kept, removed, run.progress)?;
            kept_rows = kept;
            pending.extend(run.outputs.pairs(run.job)?.map(|table| writing.pairs(table)).transpose()?);
            let table = run.outputs.clusters(run.job)?;
            pending.extend(table.map(|table| writing.clusters(table, clusters)).transpose()?);
            if let Some(path) =
                run.job.outputs.skipped.as_ref().filter(|_| read.skipped > skipped::LISTED as u64)
            {
                let (list, name) = skipped::write(run.work, path)?;
                pending.push(list);
                summary.skipped_file = Some(name.display().to_string());
            }
            Ok(pending)
        })?;
        if let Some(index) = self.indexes.remember.clone() {
            summary.remembered = self.timed("remember", |run| {
                let sources = unpacked::for_another_pass(
                    run.work,
                    run.against.len() as u32,
                    &run.inputs,
                    &read.unpacked,
                )?;
                let (against, against_rows) = (read.against, read.against_rows);
                let (job, work, index) = (run.job, run.work, &*index);
                Remember { job, index, sources, against, against_rows, work }.run(run.progress)
            })?;
        }
        // The rows that were written, rather than those that should have been.
        summary.kept = kept_rows.unwrap_or(summary.kept);
        summary.must_add_up()?;
        summary.stages = std::mem::take(&mut self.stages);
        summary.took(self.started.elapsed());
        if let Some(file) = self.outputs.report(self.job)? {
            let places = self.places(documents);
            let report = gather::report(self.job, places, &self.engine, self.work, clusters, summary)?;
            pending.push(gather::write(file, &report)?);
        }
        let started = Instant::now();
        Pending::commit_all(pending)?;
        if let Some(write) = summary.stages.iter_mut().find(|stage| stage.name == "write") {
            write.seconds += started.elapsed().as_secs_f64();
        }
        summary.took(self.started.elapsed());
        Ok(())
    }
}
