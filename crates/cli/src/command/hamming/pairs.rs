//! `twindex hamming pairs`

use anyhow::Result;
use twindex_batch::hamming::{Forecast, PairsJob, PairsSummary};

use super::{add_left_out, failure, is_standard, output, print_skipped, wrote};
use crate::arguments::HammingPairsOptions;
use crate::command::job::print_json;
use crate::progress::Bars;
use crate::say::{self, Figures};
use crate::{size, words};

/// A shorter run is not worth a forecast.
const FORECAST_SECONDS: f64 = 1.0;

/// Lists all pairs within the radius.
pub(super) fn run(options: &HammingPairsOptions) -> Result<()> {
    let printing = &options.printing;
    let output = if options.dry_run && options.output.is_none() {
        "-".into()
    } else {
        output(options.output.as_ref(), printing.json, "pairs")?
    };
    let job = PairsJob {
        input: options.read.input(&options.inputs, options.notation),
        radius: options.radius,
        output,
        resources: options.resources.resources()?,
    };
    let mut forecast = None;
    let summary = job.run(&Bars::new(printing.quiet || is_standard(&job.output)), &mut |expected| {
        forecast = Some(expected.clone());
        if !printing.quiet && (options.dry_run || expected.seconds >= FORECAST_SECONDS) {
            print_forecast(expected);
        }
        !options.dry_run
    });
    let Some(summary) = summary.map_err(failure)? else {
        if printing.json {
            print_json(&forecast)?;
        }
        return Ok(());
    };
    if printing.json {
        print_json(&summary)?;
    }
    if !printing.quiet {
        print_summary(&job, &summary);
    }
    Ok(())
}

fn print_forecast(expected: &Forecast) {
    eprintln!(
        "{} within {}: expect {} for {} ({} of {} blocks equal), {} of memory, {} of disk",
        words::count(expected.fingerprints, "fingerprint"),
        words::count(expected.radius.into(), "bit"),
        words::duration(expected.seconds),
        words::count(expected.tables, "table"),
        expected.equal_blocks,
        expected.blocks,
        size::print(expected.memory_bytes),
        size::print(expected.disk_bytes),
    );
    if expected.pairs_by_chance > expected.fingerprints {
        say::note(&format!(
            "about {} are expected in a collection whose bits are spread as in a sample of this one; \
             a smaller --radius lists fewer by chance",
            words::count(expected.pairs_by_chance, "pair")
        ));
    }
}

fn print_summary(job: &PairsJob, summary: &PairsSummary) {
    print_skipped(&summary.skipped);
    let mut figures = Figures::default();
    let among = format!(
        "within {} among {}",
        words::count(summary.radius.into(), "bit"),
        words::count(summary.fingerprints, "fingerprint")
    );
    figures.add("pairs", words::number(summary.pairs), among);
    add_left_out(&mut figures, summary.without, summary.skipped_rows);
    let threads = words::count(job.resources.threads as u64, "thread");
    let kernel = job.resources.kernel.name();
    figures.add("time", words::duration(summary.seconds), format!("{threads}, kernel {kernel}"));
    figures.print();
    wrote(&job.output);
}
