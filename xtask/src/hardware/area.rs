//! How large a design is, by Yosys' count of cells.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context;
use serde::Deserialize;

/// Cells of a design on a Xilinx family.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Area {
    /// Look-up tables that compute, inverters among them.
    pub(super) logic: u64,
    /// Look-up tables that are memory.
    pub(super) memory: u64,
    pub(super) flip_flops: u64,
    /// Blocks of RAM.
    pub(super) blocks: u64,
}

impl Area {
    pub(super) fn tables(&self) -> u64 {
        self.logic + self.memory
    }
}

#[derive(Deserialize)]
struct Statistics {
    design: Design,
}

#[derive(Deserialize)]
struct Design {
    num_cells_by_type: BTreeMap<String, u64>,
}

/// Reads what `stat -json` wrote.
pub(super) fn read(file: &Path) -> anyhow::Result<Area> {
    let text = fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let statistics: Statistics =
        serde_json::from_str(&text).with_context(|| format!("{} is no statistics", file.display()))?;
    Ok(count(&statistics.design.num_cells_by_type))
}

fn count(cells: &BTreeMap<String, u64>) -> Area {
    let mut area = Area::default();
    for (name, &number) in cells {
        if name.starts_with("LUT") || name == "INV" {
            area.logic += number;
        } else if name.starts_with("RAMB") {
            area.blocks += number;
        } else if let Some(tables) = tables_of_memory(name) {
            area.memory += tables * number;
        } else if name.starts_with("FD") {
            area.flip_flops += number;
        }
    }
    area
}

/// Look-up tables that a primitive of distributed RAM takes.
fn tables_of_memory(name: &str) -> Option<u64> {
    let tables = match name {
        "RAM32M" | "RAM64M" => 4,
        "RAM32M16" | "RAM64M8" => 8,
        "RAM32X1D" | "RAM64X1D" => 2,
        "RAM128X1D" => 4,
        _ if name.starts_with("SRL") => 1,
        _ => return None,
    };
    Some(tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_in_look_up_tables_counts_as_look_up_tables() {
        let cells = [("LUT2", 10), ("LUT6", 5), ("INV", 1), ("RAM32M", 3), ("SRL16E", 2), ("FDRE", 7)];
        let mut cells: BTreeMap<String, u64> =
            cells.into_iter().map(|(name, number)| (name.to_owned(), number)).collect();
        cells.insert("CARRY4".to_owned(), 9);
        cells.insert("RAMB18E1".to_owned(), 2);
        let area = count(&cells);
        assert_eq!(area, Area { logic: 16, memory: 14, flip_flops: 7, blocks: 2 });
        assert_eq!(area.tables(), 30);
    }
}
