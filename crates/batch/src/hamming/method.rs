//! Which search, and how much memory does it take?

use twindex_core::kernel::Kernel;
use twindex_core::search::bphs::planner::{self, Costs, Design};
use twindex_core::search::bphs::{BlockTables, Find};
use twindex_core::search::hamming::LARGEST_RADIUS;
use twindex_core::search::psm::Settings;
use twindex_core::search::{BlockIndex, HammingSearch, MultiIndex, Psm, Scan};

use crate::error::{BatchError, Result};
use crate::memory::megabytes;

/// How stored fingerprints are searched.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SearchMethod {
    /// Everything within the radius, by the fastest structure: a multi-index, or a scan where that
    /// is faster.
    Exact,
    /// Everything within the radius, by block-permuted tables; how many, or those that the planner
    /// finds fastest.
    Blocks(Option<u32>),
    /// By probabilistic matching, which needs the queries' margins and the least memory; the share
    /// of all matches that is to be found.
    Psm(f64),
}

impl SearchMethod {
    /// Its name, as options and summaries have it.
    pub fn name(self) -> &'static str {
        match self {
            SearchMethod::Exact => "exact",
            SearchMethod::Blocks(_) => "bphs",
            SearchMethod::Psm(_) => "psm",
        }
    }

    /// The largest radius that it serves.
    pub fn largest_radius(self) -> u32 {
        match self {
            SearchMethod::Exact | SearchMethod::Blocks(_) => super::LARGEST_MATCH_RADIUS,
            SearchMethod::Psm(_) => LARGEST_RADIUS,
        }
    }
}

/// Fewer fingerprints are scanned: an index costs more than it saves.
const WORTH_AN_INDEX: usize = 1 << 12;

/// A header has two bits less than the logarithm of the collection's size: four entries a bucket.
/// One bit more or less changes the speed by a few hundredths.
pub(super) const FEWER_HEADER_BITS: u32 = 2;

/// The largest index of `length` fingerprints, in bytes each.
pub(super) fn bytes_each(method: SearchMethod, length: usize, radius: u32) -> u64 {
    match method {
        SearchMethod::Exact if radius > LARGEST_RADIUS || length < WORTH_AN_INDEX => 8,
        // Four tables of tags with lines, or of whole fingerprints; and what is sorted at a time.
        SearchMethod::Exact => 64,
        SearchMethod::Blocks(tables) => 8 + 16 + 13 * u64::from(tables.unwrap_or(radius + 1)),
        SearchMethod::Psm(_) => 8 + 16 + 13,
    }
}

/// An index that can be searched by many threads.
pub(crate) enum Searcher {
    Scan(Scan),
    Multi(Box<MultiIndex>),
    Blocks(BlockIndex),
    Psm(Box<Psm>),
}

impl Searcher {
    /// Everything within the radius, exactly.
    pub(crate) fn exact(values: Vec<u64>, radius: u32, kernel: Kernel) -> Self {
        if radius > LARGEST_RADIUS || values.len() < WORTH_AN_INDEX {
            return Searcher::Scan(Scan::new(values, kernel));
        }
        Searcher::Multi(Box::new(MultiIndex::build(values, radius, kernel)))
    }

    /// Likewise by tables; `memory` is that of the tables.
    pub(crate) fn blocks(
        values: &[u64],
        radius: u32,
        tables: Option<u32>,
        memory: u64,
        kernel: Kernel,
    ) -> Result<Self> {
        let design = tables_for(values.len(), radius, tables, memory)?;
        Ok(Searcher::Blocks(BlockIndex::build(design, values, Find::DirectAddress, kernel)))
    }

    /// Probabilistic, with calibrated settings.
    pub(crate) fn psm(values: &[u64], settings: Settings, kernel: Kernel) -> Self {
        Searcher::Psm(Box::new(Psm::build(values, settings, kernel)))
    }

    pub(crate) fn search(&self) -> &(dyn HammingSearch + Sync) {
        match self {
            Searcher::Scan(search) => search,
            Searcher::Multi(search) => &**search,
            Searcher::Blocks(search) => search,
            Searcher::Psm(search) => search.as_ref(),
        }
    }

    /// Bytes of memory.
    pub(crate) fn bytes(&self) -> u64 {
        let bytes = match self {
            Searcher::Scan(search) => size_of_val(search.fingerprints()),
            Searcher::Multi(search) => search.bytes(),
            Searcher::Blocks(search) => search.bytes(),
            Searcher::Psm(search) => search.bytes(),
        };
        bytes as u64
    }

    /// How many tables it has.
    pub(crate) fn tables(&self) -> u64 {
        match self {
            Searcher::Scan(_) => 0,
            Searcher::Multi(search) => search.layout().headers().len() as u64,
            Searcher::Blocks(search) => search.design().len() as u64,
            Searcher::Psm(_) => 1,
        }
    }
}

/// The tables that were asked for, or the fastest that fit into memory.
pub(super) fn tables_for(
    length: usize,
    radius: u32,
    tables: Option<u32>,
    memory: u64,
) -> Result<BlockTables> {
    if let Some(count) = tables {
        return BlockTables::of_count(count, radius).ok_or(BatchError::FewTables { count, radius });
    }
    let memory_limit = usize::try_from(memory).unwrap_or(usize::MAX);
    let design = planner::plan(length, radius, memory_limit, Find::DirectAddress, 1.0, Costs::default());
    let least = || Design { blocks: radius + 1, leading: 1 };
    design.map(Design::block_tables).ok_or_else(|| BatchError::TooLarge {
        what: format!("the least number of tables, {},", radius + 1),
        given: megabytes(memory),
        needed: megabytes(least().memory(length) as u64),
    })
}
