//! Which search fits: tables, bytes, probes, time. Nothing is read; bits are taken for uniform.

use serde::Serialize;
use twindex_core::search::bphs::Find;
use twindex_core::search::bphs::planner::{self, Costs, Design};
use twindex_core::search::hamming::LARGEST_RADIUS;
use twindex_core::search::join::Plan;
use twindex_core::search::multi_index::Layout;
use twindex_core::search::psm::Settings;

use super::method::FEWER_HEADER_BITS;

/// Nanoseconds to compare a fingerprint in a scan of many queries at once.
const SCAN: f64 = 0.03;

/// Flips that found 95 % of the matches of 2^20 to 2^26 fingerprints within 3 bits.
const USUAL_FLIPS: f64 = 9.0;

/// Leading blocks of the tables that are listed beside the fastest: 4, 10 and 20 tables for a
/// radius of 3.
const LEADING: [u32; 3] = [1, 2, 3];

/// What a search of a collection would cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct SearchPlan {
    /// The option: `exact`, `bphs`, `psm`, or `pairs` for all pairs at once.
    pub search: &'static str,
    /// What it is.
    pub design: String,
    /// Sorted copies.
    pub tables: u64,
    /// Bytes of memory.
    pub bytes: u64,
    /// Whether they fit.
    pub fits: bool,
    /// Buckets, or runs, that a query reads.
    pub probes: f64,
    /// Fingerprints that it is compared with.
    pub compared: f64,
    /// Microseconds of a query on one thread, by the model; of `pairs` for each fingerprint.
    pub microseconds: f64,
    /// Whether every match is found.
    pub is_exact: bool,
}

/// What `documents` fingerprints, a radius and `memory` bytes allow, the fastest that fits first.
pub fn plan(documents: u64, radius: u32, memory: u64) -> Vec<SearchPlan> {
    let length = usize::try_from(documents).unwrap_or(usize::MAX);
    let n = documents as f64;
    let mut plans = vec![];
    let mut add = |search, design: String, tables: f64, bytes: f64, probes, compared, nanoseconds: f64| {
        plans.push(SearchPlan {
            search,
            design,
            tables: tables.round() as u64,
            bytes: bytes as u64,
            fits: bytes <= memory as f64,
            probes,
            compared,
            microseconds: nanoseconds / 1e3,
            is_exact: search != "psm",
        });
    };
    if radius <= LARGEST_RADIUS {
        let layout = Layout::new(length, radius);
        let radii = layout.radii(length, radius);
        let probes: f64 = layout.look_ups(&radii).map(|(_, count)| count).sum();
        let compared =
            layout.look_ups(&radii).map(|(header, count)| count * n / f64::from(header.bits).exp2());
        let compared = compared.sum();
        let headers: Vec<String> = layout.headers().iter().map(|header| header.bits.to_string()).collect();
        let design = format!("multi-index, headers of {} bits", headers.join(", "));
        let (tables, bytes) = (layout.headers().len() as f64, layout.bytes(length) as f64);
        add("exact", design, tables, bytes, probes, compared, layout.cost(length, &radii));
        let bits = Settings::header_bits(length, FEWER_HEADER_BITS);
        let bucket = n / f64::from(bits).exp2();
        let psm_bytes = 12.0 * n + 4.0 * f64::from(bits).exp2();
        let costs = Costs::default();
        let probes = 1.0 + USUAL_FLIPS;
        let nanoseconds = probes * (costs.random + bucket * costs.compare);
        let design = format!("header of {bits} bits, {USUAL_FLIPS} flips");
        add("psm", design, 1.0, psm_bytes, probes, probes * bucket, nanoseconds);
    } else {
        add("exact", "scan".to_owned(), 0.0, 8.0 * n, 0.0, n, n * SCAN);
    }
    let limit = usize::try_from(memory).unwrap_or(usize::MAX);
    let best = planner::plan(length, radius, limit, Find::DirectAddress, 1.0, Costs::default());
    let mut designs: Vec<Design> =
        LEADING.iter().map(|&leading| Design { blocks: radius + leading, leading }).collect();
    designs.extend(best.filter(|best| !LEADING.contains(&best.leading)));
    for design in designs.into_iter().filter(|design| design.blocks <= u64::BITS) {
        let name = format!("{} of {} blocks equal", design.leading, design.blocks);
        let time = design.time(length, Find::DirectAddress, 1.0, Costs::default());
        let compared = design.entries(length, 1.0);
        add("bphs", name, design.tables(), design.memory(length), design.tables(), compared, time);
    }
    plans.sort_by(|a, b| {
        (!a.fits, a.microseconds).partial_cmp(&(!b.fits, b.microseconds)).unwrap_or(std::cmp::Ordering::Equal)
    });
    let join = Plan::new(length, u64::BITS, radius);
    // Memory is what is given: beyond it the join reads the fingerprints several times.
    plans.push(SearchPlan {
        search: "pairs",
        design: format!("join, {} of {} blocks equal", join.chosen, join.blocks),
        tables: join.tables().round() as u64,
        bytes: (8 * documents).min(memory),
        fits: true,
        probes: join.tables(),
        compared: join.tables() * n / 2.0 / (64.0 * f64::from(join.chosen) / f64::from(join.blocks)).exp2(),
        microseconds: join.cost(length, u64::BITS) / n.max(1.0) / 1e3,
        is_exact: true,
    });
    plans
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of<'p>(plans: &'p [SearchPlan], search: &str) -> &'p SearchPlan {
        plans.iter().find(|plan| plan.search == search).unwrap()
    }

    #[test]
    fn little_memory_leaves_probabilistic_matching() {
        let plans = plan(114_000_000, 3, 8_000_000_000);
        assert!(plans[0].fits && plans[0].microseconds <= plans[1].microseconds);
        assert_eq!(of(&plans, "exact").tables, 3);
        let plans = plan(114_000_000, 3, 2_000_000_000);
        let fitting: Vec<&str> = plans.iter().filter(|plan| plan.fits).map(|plan| plan.search).collect();
        assert_eq!(fitting, ["psm", "pairs"]);
        assert!(of(&plans, "psm").bytes < 2_000_000_000 && !of(&plans, "psm").is_exact);
    }

    #[test]
    fn tables_of_blocks_are_those_of_the_papers() {
        let plans = plan(1 << 26, 3, u64::MAX);
        let mut tables: Vec<u64> =
            plans.iter().filter(|plan| plan.search == "bphs").map(|plan| plan.tables).collect();
        tables.sort_unstable();
        assert_eq!(tables, [4, 10, 20]);
        // 16 bits of 2^26 leave 1024 entries in a run.
        let four = plans.iter().find(|plan| plan.tables == 4 && plan.search == "bphs").unwrap();
        assert_eq!((four.compared, four.bytes), (4096.0, (4 * 12) << 26));
    }

    #[test]
    fn every_size_and_radius_has_a_plan() {
        for documents in [0, 1, 1_000, 1 << 20, 1 << 32] {
            for radius in 0..=16 {
                let plans = plan(documents, radius, 1 << 30);
                assert!(plans.len() >= 4, "{documents} {radius}");
                assert!(plans.iter().all(|plan| plan.microseconds.is_finite()));
            }
        }
    }
}
