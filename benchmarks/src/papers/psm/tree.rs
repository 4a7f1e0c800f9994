//! Figure 2: the order in which the heap visits sets of bits.

use serde::Deserialize;
use twindex_core::search::psm::vosh::Vosh;

use crate::papers::definition::Definition;
use crate::papers::experiment::Setting;
use crate::papers::record::{Outcome, Table};

#[derive(Deserialize)]
struct Parameters {
    trees: Vec<Tree>,
    /// How many bits take part.
    bits: u32,
}

/// A tree of the figure: the sets of each level, as ranks from 1 on.
#[derive(Deserialize)]
struct Tree {
    size: usize,
    levels: Vec<Vec<Vec<u32>>>,
}

pub(in crate::papers) fn run(definition: &Definition, setting: &Setting) -> anyhow::Result<Outcome> {
    let Parameters { trees, bits } = definition.parameters(setting.size)?;
    let mut outcome = Outcome::default();
    let mut table = Table::new(
        "Sets in the order of the heap when each bit is half as likely to flip as the one before",
        &["h", "level 0", "1", "2", "3", "4"],
    );
    let (mut printed, mut found) = (0, 0);
    for Tree { size, levels } in &trees {
        // Odds that halve from bit to bit: a set's probability depends on its level alone.
        let odds = (0..bits).map(|bit| 0.5f64.powi(bit as i32 + 2));
        let probabilities: Vec<f64> = odds.map(|odds| odds / (1.0 + odds)).collect();
        let mut heap = Vosh::default();
        heap.restart(&probabilities, *size);
        let sets = heap.filter(|mask| mask.count_ones() as usize == *size);
        let sets: Vec<Vec<u32>> = sets.map(ranks).collect();
        let count: usize = levels.iter().map(Vec::len).sum();
        let mut visited = sets.iter().take(count);
        let mut row = vec![size.to_string()];
        for level in levels {
            let mut here: Vec<Vec<u32>> = visited.by_ref().take(level.len()).cloned().collect();
            let mut expected = level.clone();
            row.push(here.iter().map(|set| written(set)).collect::<Vec<_>>().join(" "));
            here.sort();
            expected.sort();
            printed += expected.len();
            found += expected.iter().filter(|set| here.contains(set)).count();
        }
        table.row(row);
    }
    outcome.figure("printed sets", printed as f64);
    outcome.figure("sets in their level", found as f64);
    outcome.check("every printed set is visited in its level", printed == found);
    outcome.tables.push(table);
    Ok(outcome)
}

/// The bits of a mask, counted from 1.
fn ranks(mask: u32) -> Vec<u32> {
    (0..u32::BITS).filter(|bit| mask >> bit & 1 == 1).map(|bit| bit + 1).collect()
}

fn written(set: &[u32]) -> String {
    let ranks: Vec<String> = set.iter().map(u32::to_string).collect();
    format!("({})", ranks.join(","))
}
