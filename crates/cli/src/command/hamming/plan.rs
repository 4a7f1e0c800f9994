//! `twindex hamming plan`

use std::io::Write;

use anyhow::Result;
use twindex_batch::hamming::{self, Resources};

use crate::arguments::HammingPlanOptions;
use crate::command::job::print_json;
use crate::{size, words};

/// Prints what a collection of that size would cost.
pub(super) fn run(options: &HammingPlanOptions) -> Result<()> {
    let memory = options.memory.unwrap_or_else(|| Resources::default().memory);
    let plans = hamming::plan(options.documents, options.radius, memory);
    if options.json {
        return print_json(&plans);
    }
    let rows: Vec<[String; 8]> = plans
        .iter()
        .map(|plan| {
            [
                plan.search.to_owned(),
                words::number(plan.tables),
                size::print(plan.bytes),
                if plan.fits { "yes" } else { "no" }.to_owned(),
                if plan.is_exact { "all" } else { "95 %" }.to_owned(),
                format!("{:.0}", plan.probes),
                words::number(plan.compared.round() as u64),
                format!("{:.2} us  {}", plan.microseconds, plan.design),
            ]
        })
        .collect();
    let head = ["search", "tables", "memory", "fits", "finds", "probes", "compared", "a query"];
    let mut out = std::io::stdout().lock();
    let all = std::iter::once(head.map(str::to_owned)).chain(rows);
    let lines: Vec<[String; 8]> = all.collect();
    for line in &lines {
        let mut text = String::new();
        for (column, cell) in line.iter().enumerate() {
            let width = lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
            let is_text = column == 0 || column == line.len() - 1;
            text += &if is_text { format!("{cell:width$}  ") } else { format!("{cell:>width$}  ") };
        }
        writeln!(out, "{}", text.trim_end())?;
    }
    Ok(())
}
