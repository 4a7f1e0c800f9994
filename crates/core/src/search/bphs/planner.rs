//! Which G and g? The paper's cost model.
//!
//! With n = 2^d fingerprints of b bits, G blocks of which g lead, and t = min(g b / G, d) bits
//! matched by the search for a run, a query takes (equation 9)
//!
//! ```text
//! time = C(G, g) (permute + t * random + 2^(d - t) * compare) with the cost of each step memory =
//! C(G, g) n b / 8 (equation 10)
//! ```
//!
//! Both grow with G, so that G = g + h is best for a given g (equations 11 to 13); and g beyond d h
//! / (b - d) adds tables without shortening runs (equation 15). It remains to compare the few g
//! that fit into memory. Direct addressing replaces the t random steps of the binary search by one.
//! Skewed fingerprints have runs longer than 2^(d - t) by the measured factor.
//!
//! The batch mode (equation 17) takes T m (permute + log2 m) + n times the time of a query to m
//! fingerprints.
//!
//! The paper's discussion of its Figure 7 says that runs grow from `gb/(b+h)` on; by equation 14 it
//! is `gb/(g+h)`, which gives the printed 25.6 for g = 2.

use super::index::Find;
use super::tables::BlockTables;

/// Bits of a fingerprint.
const BITS: f64 = 64.0;

/// Nanoseconds of the three steps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Costs {
    /// Permuting a fingerprint for a table.
    pub permute: f64,
    /// A random access.
    pub random: f64,
    /// Comparing an entry of a run.
    pub compare: f64,
}

impl Default for Costs {
    /// In the proportion of a cache miss to a comparison; [`Costs::from_measurements`] derives them
    /// from timings of two designs.
    fn default() -> Self {
        Costs { permute: 4.0, random: 60.0, compare: 0.5 }
    }
}

impl Costs {
    /// The costs that explain the query times (in nanoseconds) of two measured designs, given the
    /// cost of `permute`. For an index that times itself when it is built; the two designs must
    /// have unlike runs.
    pub fn from_measurements(
        length: usize,
        find: Find,
        permute: f64,
        measured: [(Design, f64); 2],
    ) -> Option<Costs> {
        // Two equations a * random + b * compare = rest.
        let row = |(design, nanoseconds): (Design, f64)| {
            let tables = design.tables();
            let (steps, run) = design.steps(length, find, 1.0);
            (tables * steps, tables * run, nanoseconds - tables * permute)
        };
        let [(a, b, rest), (c, d, other)] = measured.map(row);
        let determinant = a * d - b * c;
        let costs = Costs {
            permute,
            random: (rest * d - b * other) / determinant,
            compare: (a * other - rest * c) / determinant,
        };
        (costs.random > 0.0 && costs.compare > 0.0).then_some(costs)
    }
}

/// A choice of G and g.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Design {
    /// The number of blocks G.
    pub blocks: u32,
    /// The number of leading blocks g.
    pub leading: u32,
}

impl Design {
    /// C(G, g).
    pub fn tables(self) -> f64 {
        (0..self.leading).map(|i| f64::from(self.blocks - i) / f64::from(i + 1)).product()
    }

    /// Its tables.
    pub fn block_tables(self) -> BlockTables {
        BlockTables::with_leading(self.blocks, self.leading)
    }

    /// Random accesses and entries of a run, for each table.
    fn steps(self, length: usize, find: Find, skew: f64) -> (f64, f64) {
        let d = (length.max(1) as f64).log2();
        let t = (f64::from(self.leading) * BITS / f64::from(self.blocks)).min(d);
        let random = if find == Find::BinarySearch { t } else { 1.0 };
        (random, (d - t).exp2() * skew)
    }

    /// The entries that a query compares in all tables.
    pub fn entries(self, length: usize, skew: f64) -> f64 {
        self.tables() * self.steps(length, Find::DirectAddress, skew).1
    }

    /// Nanoseconds of a query (equation 9). `skew` is the value of
    /// [`Skew::work`](crate::search::multi_index::Skew::work); 1 is uniform.
    pub fn time(self, length: usize, find: Find, skew: f64, costs: Costs) -> f64 {
        let (random, run) = self.steps(length, find, skew);
        self.tables() * (costs.permute + random * costs.random + run * costs.compare)
    }

    /// Nanoseconds of a batch of `queries` against `length` stored fingerprints on disk (equation
    /// 17).
    pub fn batch_time(self, queries: usize, length: usize, find: Find, skew: f64, costs: Costs) -> f64 {
        let sort = costs.permute + (queries.max(1) as f64).log2() * costs.compare;
        self.tables() * queries as f64 * sort + length as f64 * self.time(queries, find, skew, costs)
    }

    /// Bytes (equation 10, and the positions).
    pub fn memory(self, length: usize) -> f64 {
        self.tables() * length as f64 * (BITS / 8.0 + 4.0)
    }
}

/// The fastest design for a radius that fits into `memory` bytes; `None` if not even the smallest
/// does.
pub fn plan(
    length: usize,
    radius: u32,
    memory: usize,
    find: Find,
    skew: f64,
    costs: Costs,
) -> Option<Design> {
    let d = (length.max(1) as f64).log2();
    // Equation 15, rounded up, because blocks have whole bits; at least one block leads.
    let most = (d * f64::from(radius) / (BITS - d).max(1.0)).ceil().max(1.0) as u32;
    let designs = (1..=most).map(|leading| Design { blocks: radius + leading, leading });
    let fitting = designs.filter(|design| design.blocks <= 64 && design.memory(length) <= memory as f64);
    let time = |design: &Design| design.time(length, find, skew, costs);
    fitting.min_by(|a, b| time(a).total_cmp(&time(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLENTY: usize = usize::MAX;

    #[test]
    fn larger_collections_want_more_tables_and_memory_limits_them() {
        let g = |length, memory| {
            plan(length, 3, memory, Find::BinarySearch, 1.0, Costs::default()).map(|design| design.leading)
        };
        assert_eq!(g(1 << 16, PLENTY), Some(1));
        assert_eq!(g(1 << 30, PLENTY), Some(2));
        assert_eq!(g(1 << 30, (5 * 12) << 30), Some(1), "ten tables do not fit");
        assert_eq!(g(1 << 30, (3 * 12) << 30), None, "not even four do");
    }

    #[test]
    fn skew_makes_short_runs_worth_more_tables() {
        let g = |skew| plan(1 << 20, 3, PLENTY, Find::DirectAddress, skew, Costs::default()).unwrap().leading;
        assert!(g(1.0) < g(300.0), "{} {}", g(1.0), g(300.0));
    }

    #[test]
    fn runs_grow_from_gb_over_g_plus_h_on() {
        // The point that the paper prints for g = 2: 25.6 bits.
        let design = Design { blocks: 5, leading: 2 };
        let run = |d: f64| design.steps(d.exp2() as usize, Find::BinarySearch, 1.0).1;
        assert!((run(25.0) - 1.0).abs() < 0.01 && run(27.0) > 2.0);
    }

    #[test]
    fn the_batch_mode_is_dominated_by_the_stream() {
        let design = Design { blocks: 4, leading: 1 };
        let time = |m, n| design.batch_time(m, n, Find::BinarySearch, 1.0, Costs::default());
        let ratio = time(1 << 16, 1 << 26) / time(1 << 16, 1 << 25);
        assert!((1.9..2.1).contains(&ratio), "{ratio}");
    }

    #[test]
    fn costs_are_recovered_from_what_they_explain() {
        let (length, find) = (1 << 22, Find::BinarySearch);
        let costs = Costs { permute: 5.0, random: 70.0, compare: 0.7 };
        let designs = [Design { blocks: 4, leading: 1 }, Design { blocks: 5, leading: 2 }];
        let measured = designs.map(|design| (design, design.time(length, find, 1.0, costs)));
        let found = Costs::from_measurements(length, find, 5.0, measured).unwrap();
        assert!((found.random - 70.0).abs() < 1e-6 && (found.compare - 0.7).abs() < 1e-6, "{found:?}");
        let nonsense = [(designs[0], 1.0), (designs[1], 1e9)];
        assert_eq!(Costs::from_measurements(length, find, 5.0, nonsense), None);
    }
}
