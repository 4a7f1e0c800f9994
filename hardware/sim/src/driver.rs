//! Feeds documents to a model and collects fingerprints, one clock cycle after another.
//!
//! Every core has a document at a time, and the input takes one beat of each in turn, as in the
//! paper. The driver keeps the rule of AXI4-Stream that what was offered stays until it is taken,
//! and checks that the engine keeps it.

use std::collections::VecDeque;

use anyhow::{Context, bail, ensure};

use crate::form::Form;
use crate::model::{Model, Ports};
use crate::stream::{Beat, beats};

/// What an engine says about a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    /// The signs of the 64 sums.
    pub fingerprint: u64,
    /// Too many words for the counters.
    pub overflow: bool,
    /// No words.
    pub empty: bool,
}

impl Answer {
    /// The fingerprint as the software has it: none without words.
    pub fn fingerprint(&self) -> Option<u64> {
        (!self.empty).then_some(self.fingerprint)
    }
}

/// How source and sink behave. Chances are in 256ths, drawn from `seed`.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Seed of the chances.
    pub seed: u64,
    /// The source has nothing to offer.
    pub source_stalls: u8,
    /// The sink does not take a fingerprint.
    pub sink_stalls: u8,
    /// A beat without bytes comes before the next one, or a byte of a beat moves to a beat of its
    /// own.
    pub ragged: u8,
    /// Seed of the registers' state before reset; 0 for zeros.
    pub initial: u32,
    /// Where documents begin.
    pub alignment: Alignment,
}

/// The place of a document's first byte in its first beat.
#[derive(Debug, Clone, Copy)]
pub enum Alignment {
    /// The first.
    First,
    /// Any, where beats are ragged.
    Chance,
    /// The document's number and this, modulo 8.
    Turn(usize),
}

impl Pace {
    /// No stalls, full beats.
    pub fn full() -> Pace {
        Pace { seed: 1, source_stalls: 0, sink_stalls: 0, ragged: 0, initial: 0, alignment: Alignment::First }
    }
}

/// What came out, and what it took.
#[derive(Debug, Clone)]
pub struct Run {
    /// One for each document, in their order.
    pub answers: Vec<Answer>,
    /// Clock cycles from the first beat to the last fingerprint.
    pub cycles: u64,
    /// Beats that were taken.
    pub beats: u64,
    /// Cycles of an engine in which a beat was offered and not taken.
    pub refused: u64,
}

/// Cycles without any progress after which an engine hangs: far more than a last round takes.
const PATIENCE: u64 = 10_000;

/// Numbers on the wire: two bytes.
const IDS: usize = 1 << 16;

/// Runs documents through a new model.
///
/// An error if the engine hangs, answers what was not in flight or out of a core's order, or
/// changes an answer before it was taken.
pub fn run<Document: AsRef<[u8]>>(form: &Form, documents: &[Document], pace: Pace) -> anyhow::Result<Run> {
    let mut model = Model::new(form, pace.initial);
    reset(&mut model, form);
    drive(&mut model, form, documents, pace, u64::MAX)?.context("there is no limit")
}

/// Runs documents through a model that was reset after `cycles` cycles of others.
///
/// What was in flight is lost, as it must be; nothing of it may show in the answers.
pub fn run_after_reset<Document: AsRef<[u8]>>(
    form: &Form,
    others: &[Document],
    cycles: u64,
    documents: &[Document],
    pace: Pace,
) -> anyhow::Result<Run> {
    let mut model = Model::new(form, pace.initial);
    reset(&mut model, form);
    let interrupted = drive(&mut model, form, others, pace, cycles)?;
    ensure!(interrupted.is_none(), "the other documents need less than {cycles} cycles");
    reset(&mut model, form);
    drive(&mut model, form, documents, pace, u64::MAX)?.context("there is no limit")
}

/// Holds the reset for a few cycles.
fn reset(model: &mut Model, form: &Form) {
    let mut ports = vec![Ports::default(); form.engines];
    for _ in 0..4 {
        model.cycle(&mut ports, true);
    }
}

/// Runs documents through a model that was reset; none if `limit` cycles are not enough.
fn drive<Document: AsRef<[u8]>>(
    model: &mut Model,
    form: &Form,
    documents: &[Document],
    pace: Pace,
    limit: u64,
) -> anyhow::Result<Option<Run>> {
    let mut chance = Chance(pace.seed);
    let mut ports = vec![Ports::default(); form.engines];
    let mut sources: Vec<Source> = (0..form.engines).map(|_| Source::new(form.cores)).collect();
    let mut in_flight: Vec<Option<(usize, usize)>> = vec![None; IDS];
    let mut order = vec![VecDeque::new(); form.engines * form.cores];
    let mut answers = vec![None; documents.len()];
    // What an engine offered in the cycle before, if it was not taken.
    let mut kept: Vec<Option<(u64, u16, u8)>> = vec![None; form.engines];
    let (mut next, mut answered, mut idle) = (0, 0, 0);
    let mut run = Run { answers: vec![], cycles: 0, beats: 0, refused: 0 };
    while answered < documents.len() {
        if run.cycles == limit {
            return Ok(None);
        }
        for (engine, source) in sources.iter_mut().enumerate() {
            let port = &mut ports[engine];
            if source.offered.is_none() && !chance.strikes(pace.source_stalls) {
                source.offer(|core| {
                    let document = documents.get(next)?;
                    let id = next % IDS;
                    // A number is free again when its fingerprint was read.
                    if in_flight[id].is_some() {
                        return None;
                    }
                    let place = engine * form.cores + core;
                    in_flight[id] = Some((next, place));
                    order[place].push_back(id as u16);
                    next += 1;
                    let offset = match pace.alignment {
                        Alignment::First => 0,
                        Alignment::Chance if chance.strikes(pace.ragged) => chance.below(8),
                        Alignment::Chance => 0,
                        Alignment::Turn(shift) => (next + shift) % 8,
                    };
                    let beats = beats(document.as_ref(), offset);
                    Some((id as u16, chance.rag(beats, pace.ragged)))
                });
            }
            port.in_valid = u8::from(source.offered.is_some());
            if let Some((core, id, beat)) = source.offered {
                (port.in_data, port.in_keep, port.in_last) = (beat.data, beat.keep, u8::from(beat.last));
                // The number counts on the last beat only.
                port.in_id = if beat.last { id } else { chance.below(IDS) as u16 };
                port.in_dest = core as u8;
            }
            port.out_ready = u8::from(!chance.strikes(pace.sink_stalls));
        }
        model.cycle(&mut ports, false);
        run.cycles += 1;
        idle += 1;
        for (engine, source) in sources.iter_mut().enumerate() {
            let port = &ports[engine];
            if port.in_valid == 1 {
                if port.in_ready == 1 {
                    source.offered = None;
                    run.beats += 1;
                    idle = 0;
                } else {
                    run.refused += 1;
                }
            }
            let answer = (port.out_valid == 1).then_some((port.out_data, port.out_id, port.out_user));
            ensure!(
                kept[engine].is_none() || kept[engine] == answer,
                "the engine changes an answer before it is taken"
            );
            kept[engine] = answer.filter(|_| port.out_ready == 0);
            if port.out_valid == 1 && port.out_ready == 1 {
                idle = 0;
                let (document, place) = in_flight[usize::from(port.out_id)]
                    .take()
                    .with_context(|| format!("the engine answers {}, not in flight", port.out_id))?;
                ensure!(
                    order[place].pop_front() == Some(port.out_id),
                    "the engine answers {document} before a document that came earlier"
                );
                answers[document] = Some(Answer {
                    fingerprint: port.out_data,
                    overflow: port.out_user & 1 != 0,
                    empty: port.out_user & 2 != 0,
                });
                answered += 1;
            }
        }
        if idle > PATIENCE {
            bail!("the engine hangs after {answered} of {} documents", documents.len());
        }
    }
    run.answers = answers.into_iter().collect::<Option<_>>().context("every document was answered")?;
    Ok(Some(run))
}

/// What one engine is fed with: a document for each core.
struct Source {
    /// Number and remaining beats of each core's document.
    lanes: Vec<Option<(u16, VecDeque<Beat>)>>,
    turn: usize,
    /// Core, number and beat on the wire.
    offered: Option<(usize, u16, Beat)>,
}

impl Source {
    fn new(cores: usize) -> Source {
        Source { lanes: vec![None; cores], turn: 0, offered: None }
    }

    /// Puts the next beat of the next core that has one on the wire.
    fn offer(&mut self, mut next: impl FnMut(usize) -> Option<(u16, VecDeque<Beat>)>) {
        for _ in 0..self.lanes.len() {
            let core = self.turn;
            self.turn = (self.turn + 1) % self.lanes.len();
            if self.lanes[core].is_none() {
                self.lanes[core] = next(core);
            }
            let Some((id, beats)) = &mut self.lanes[core] else { continue };
            if let Some(beat) = beats.pop_front() {
                self.offered = Some((core, *id, beat));
            }
            if beats.is_empty() {
                self.lanes[core] = None;
            }
            return;
        }
    }
}

/// A small generator (splitmix64), so that a failure can be repeated.
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    fn strikes(&mut self, in_256: u8) -> bool {
        in_256 != 0 && self.below(256) < usize::from(in_256)
    }

    /// Tears beats apart and puts empty ones between them.
    fn rag(&mut self, beats: Vec<Beat>, in_256: u8) -> VecDeque<Beat> {
        let mut torn = VecDeque::with_capacity(beats.len());
        for beat in beats {
            if self.strikes(in_256) {
                torn.push_back(Beat { data: self.next(), keep: 0, last: false });
            }
            if self.strikes(in_256) {
                // The lower bytes first, in a beat of their own; perhaps all, so that the end is
                // alone.
                let lower = (1u16 << self.below(9)).wrapping_sub(1) as u8;
                torn.push_back(Beat { keep: beat.keep & lower, last: false, ..beat });
                torn.push_back(Beat { keep: beat.keep & !lower, ..beat });
            } else {
                torn.push_back(beat);
            }
        }
        torn
    }
}
