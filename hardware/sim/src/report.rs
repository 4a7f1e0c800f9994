//! What a run took, and what that would be on FPGAs.

use std::fmt;

use twindex_hardware::{Form, Run};

/// What the paper says about four FPGAs with eight engines each, in GB/s, and where.
const PAPER: [(&str, f64); 3] = [
    ("the paper, as stated (32 bytes a cycle)", 4.8),
    ("the paper, by its Table II (17 GB in 1.67 s)", 10.2),
    ("the paper, by its structure (256 bytes a cycle)", 38.4),
];

/// Bytes per core and cycle below which the cores were idle for most of the time.
const BUSY: f64 = 0.5;

pub(crate) struct Report<'a> {
    pub(crate) form: &'a Form,
    pub(crate) run: &'a Run,
    /// Bytes that the engine was fed with.
    pub(crate) bytes: u64,
    /// Bytes of the documents before.
    pub(crate) text_bytes: u64,
    /// Documents with another fingerprint than the software's.
    pub(crate) differ: u64,
    /// In MHz.
    pub(crate) clock: f64,
    /// What one thread needed to prepare the texts for the engine.
    pub(crate) host_seconds: f64,
    /// What one thread needed for the fingerprints.
    pub(crate) software_seconds: f64,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, output: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cycles = self.run.cycles as f64;
        let per_cycle = self.bytes as f64 / cycles;
        let cores = self.form.cores as f64;
        writeln!(
            output,
            "{} documents, {} bytes ({} bytes of text), {} differ from the software",
            self.run.answers.len(),
            self.bytes,
            self.text_bytes,
            self.differ
        )?;
        writeln!(
            output,
            "{} cycles, {per_cycle:.3} bytes per cycle and engine, {:.3} per core; {} beats, refused in {} cycles \
             ({:.1} %)\n",
            self.run.cycles,
            per_cycle / cores,
            self.run.beats,
            self.run.refused,
            100.0 * self.run.refused as f64 / cycles
        )?;
        if per_cycle / cores < BUSY {
            writeln!(
                output,
                "The {cores} cores were idle for most of the time: documents that are so few or so short do not show \
                 the rates of a stream.\n"
            )?;
        }
        let engine = per_cycle * self.clock / 1e3;
        writeln!(output, "| {:<47} |     GB/s |", format!("at {} MHz", self.clock))?;
        writeln!(output, "|{}|---------:|", "-".repeat(49))?;
        let mut row = |name: &str, rate: f64| writeln!(output, "| {name:<47} | {rate:>8.3} |");
        row("1 core", engine / cores)?;
        row("1 engine", engine)?;
        row("8 engines: one FPGA", 8.0 * engine)?;
        row("4 x 8 engines: four FPGAs", 32.0 * engine)?;
        for (name, rate) in PAPER {
            row(name, rate)?;
        }
        let text = self.text_bytes as f64 / 1e9;
        row("our software, one thread of this machine", text / self.software_seconds)?;
        row("preparing texts for the engine, one thread", text / self.host_seconds)
    }
}
