//! `cargo xtask hardware synth`: area on two Xilinx families, clock on a Lattice ECP5.
//!
//! It takes most of an hour on one core. Results are kept in `target/hardware/synthesis` for as
//! long as the RTL and the tools stay as they are, so an interrupted run goes on where it was.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::Context;
use clap::Args;

use super::area::{self, Area};
use super::clock::{self, GRADES, SEEDS};
use super::toolchain::{Toolchain, inside, is_newer};
use crate::machine::Machine;
use crate::table::Table;
use crate::workspace;

#[derive(Args)]
pub(crate) struct Options {
    /// Leave out place and route, which takes most of the time
    #[arg(long)]
    area_only: bool,
    /// Designs that are placed and routed at a time, each on one core
    #[arg(long, value_name = "N", default_value_t = 1)]
    jobs: usize,
    /// Where the tables go
    #[arg(long, value_name = "FILE", default_value = "benchmarks/results/hardware.md")]
    output: PathBuf,
}

/// A design: a module with its parameters.
struct Design {
    name: &'static str,
    top: &'static str,
    /// As `hierarchy -chparam` takes them.
    parameters: &'static str,
    /// How many of it make the paper's FPGA.
    on_the_chip: u64,
    /// Whether it is placed and routed as well.
    clock: bool,
}

const DESIGNS: &[Design] = &[
    Design {
        name: "core, direct, 64-bit counters (the paper)",
        top: "simhash_core",
        parameters: "-chparam TwoLevel 0 -chparam CounterWidth 64",
        on_the_chip: 64,
        clock: true,
    },
    Design {
        name: "core, direct, 24-bit counters",
        top: "simhash_core",
        parameters: "-chparam TwoLevel 0",
        on_the_chip: 64,
        clock: true,
    },
    Design {
        name: "core, two levels, small counters of 4 bits",
        top: "simhash_core",
        parameters: "-chparam LowWidth 4",
        on_the_chip: 64,
        clock: false,
    },
    Design {
        name: "core, two levels, small counters of 3 bits",
        top: "simhash_core",
        parameters: "-chparam TwoLevel 1",
        on_the_chip: 64,
        clock: true,
    },
    Design {
        name: "core, two levels, small counters of 2 bits",
        top: "simhash_core",
        parameters: "-chparam LowWidth 2",
        on_the_chip: 64,
        clock: false,
    },
    Design {
        name: "engine of eight, direct, 24-bit counters",
        top: "fingerprint_engine",
        parameters: "-chparam TwoLevel 0",
        on_the_chip: 8,
        clock: false,
    },
    Design {
        name: "engine of eight, two levels, 3 bits",
        top: "fingerprint_engine",
        parameters: "-chparam TwoLevel 1",
        on_the_chip: 8,
        clock: true,
    },
];

/// Look-up tables of the paper's FPGA, a Virtex-6 LX760.
const LX760: u64 = 474_240;

/// The families of Xilinx, as Yosys and as people call them.
const FAMILIES: [(&str, &str); 2] = [("xc6v", "Virtex-6"), ("xcup", "UltraScale+")];

pub(super) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let tools = Toolchain::prepare()?;
    let folder = workspace::root().join("target/hardware/synthesis");
    fs::create_dir_all(&folder).context("cannot make target/hardware/synthesis")?;
    let sources = sources()?;
    let mut areas = vec![];
    for (number, design) in DESIGNS.iter().enumerate() {
        eprintln!("synthesis of {}/{}: {}", number + 1, DESIGNS.len(), design.name);
        let area = |(family, _): &(&str, &str)| -> anyhow::Result<Area> {
            let file = folder.join(format!("{number}.{family}.json"));
            if is_newer(&file, &sources) {
                return area::read(&file);
            }
            tools.yosys(&format!(
                "{}; synth_xilinx -family {family} -flatten -nowidelut -noiopad -noclkbuf -top {}; \
                 tee -q -o {} stat -json",
                read(design),
                design.top,
                inside(&file).display()
            ))?;
            area::read(&file)
        };
        areas.push(FAMILIES.iter().map(area).collect::<anyhow::Result<Vec<Area>>>()?);
    }
    let mut text = format!(
        "# The fingerprint engine: area and clock\n\n`cargo xtask hardware synth` on {}. {}\n\n## Area\n\n\
         Look-up tables (LUT) with those used as RAM (in brackets), flip-flops (FF), blocks of RAM, as Yosys maps them; \
         *LX760*: {} engines of eight cores, in LUTs of the paper's FPGA.\n\n{}",
        Machine::this(),
        versions()?,
        8,
        area_table(&areas)
    );
    if !options.area_only {
        let clocks = clocks(&tools, &folder, &sources, options.jobs.max(1))?;
        text += &format!(
            "\n## Clock\n\nMHz on a Lattice ECP5 (LFE5U-45) after place and route by nextpnr, out of context, for the placement \
             seeds {}, and their median.\n\n{}",
            SEEDS.map(|seed| seed.to_string()).join(", "),
            clock_table(&clocks)
        );
    }
    print!("{text}");
    let output = workspace::root().join(&options.output);
    if let Some(parent) = output.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::write(&output, text).with_context(|| format!("cannot write {}", output.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// The commands of Yosys that read a design.
fn read(design: &Design) -> String {
    format!(
        "read_verilog -sv -DSYNTHESIS -Ihardware/rtl hardware/rtl/*.sv; hierarchy -top {} {}",
        design.top, design.parameters
    )
}

/// What results depend on: the RTL and the versions of the tools.
fn sources() -> anyhow::Result<Vec<PathBuf>> {
    let folder = workspace::root().join("hardware");
    let mut sources = vec![folder.join("requirements.txt")];
    for entry in fs::read_dir(folder.join("rtl")).context("cannot list hardware/rtl")? {
        sources.push(entry?.path());
    }
    Ok(sources)
}

/// The packages that `hardware/requirements.txt` pins.
fn versions() -> anyhow::Result<String> {
    let text = fs::read_to_string(workspace::root().join("hardware/requirements.txt"))?;
    let pinned: Vec<&str> = text.lines().filter(|line| line.contains("==") && !line.contains("z3")).collect();
    Ok(format!("Tools: {}.", pinned.join(", ").replace("==", " ")))
}

fn area_table(areas: &[Vec<Area>]) -> Table {
    let mut header = vec!["design".to_owned()];
    for (_, family) in FAMILIES {
        header.extend([format!("{family} LUT"), "FF".to_owned(), "RAM".to_owned()]);
    }
    header.push("LX760".to_owned());
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut table = Table::new(&header);
    for (design, areas) in DESIGNS.iter().zip(areas) {
        let mut row = vec![design.name.to_owned()];
        for area in areas {
            row.push(format!("{} ({})", area.tables(), area.memory));
            row.push(area.flip_flops.to_string());
            row.push(area.blocks.to_string());
        }
        let share = (areas[0].tables() * design.on_the_chip) as f64 / LX760 as f64;
        row.push(format!("{:.1} %", 100.0 * share));
        table.row(row);
    }
    table
}

/// Frequencies by design, grade and seed.
type Clocks = HashMap<(usize, u32, u32), f64>;

/// Places and routes, several at a time.
fn clocks(tools: &Toolchain, folder: &Path, sources: &[PathBuf], jobs: usize) -> anyhow::Result<Clocks> {
    let mut work = vec![];
    // The engine first: its clock is the one that counts.
    for (number, design) in DESIGNS.iter().enumerate().rev().filter(|(_, design)| design.clock) {
        let netlist = folder.join(format!("{number}.ecp5"));
        if !is_newer(&netlist, sources) {
            tools.yosys(&format!(
                "{}; synth_ecp5 -top {} -json {}",
                read(design),
                design.top,
                inside(&netlist).display()
            ))?;
        }
        for (grade, seed) in GRADES.iter().flat_map(|&grade| SEEDS.map(|seed| (grade, seed))) {
            work.push((number, netlist.clone(), grade, seed));
        }
    }
    let (next, clocks) = (AtomicUsize::new(0), Mutex::new(Clocks::new()));
    let worker = || -> anyhow::Result<()> {
        while let Some((number, netlist, grade, seed)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            let frequency = clock::measure(tools, netlist, *grade, *seed)?;
            eprintln!("{}, speed {grade}, seed {seed}: {frequency:.1} MHz", DESIGNS[*number].name);
            if let Ok(mut clocks) = clocks.lock() {
                clocks.insert((*number, *grade, *seed), frequency);
            }
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..jobs).map(|_| scope.spawn(worker)).collect();
        running
            .into_iter()
            .try_for_each(|one| one.join().unwrap_or_else(|_| anyhow::bail!("a worker panicked")))
    })?;
    clocks.into_inner().ok().context("a worker panicked")
}

fn clock_table(clocks: &Clocks) -> Table {
    let seeds = SEEDS.map(|seed| format!("seed {seed}"));
    let mut header = vec!["design", "speed"];
    header.extend(seeds.iter().map(String::as_str));
    header.push("median");
    let mut table = Table::new(&header);
    for (number, design) in DESIGNS.iter().enumerate().filter(|(_, design)| design.clock) {
        for grade in GRADES {
            let values: Vec<f64> =
                SEEDS.iter().filter_map(|&seed| clocks.get(&(number, grade, seed)).copied()).collect();
            let mut row = vec![design.name.to_owned(), grade.to_string()];
            row.extend(values.iter().map(|value| format!("{value:.1}")));
            row.push(format!("**{:.1}**", clock::median(&values)));
            table.row(row);
        }
    }
    table
}
