//! Runs of characters, for text without spaces between words.

use std::time::Duration;

use twindex_core::Markup;
use twindex_core::feature::{Shingler, Unit};
use twindex_core::fingerprint::{Margins, Simhasher};
use twindex_core::hash::WordHash;
use twindex_core::kernel::{Kernel, grams};
use twindex_core::text::{Analyzer, Scratch, TextOptions};

use super::{documents, naive, times};
use crate::measure::{Options, Report, Row, best_cpu_time};

/// Characters of a run.
const SIZE: usize = 3;
/// Without the pack, this much is made of a sentence.
const QUICK_REPETITIONS: usize = 2_000;
const SENTENCE: &str = "学而时习之，不亦说乎？有朋自远方来，不亦乐乎？Confucius，论语 1:1。";

pub(super) fn measure(options: &Options, report: &mut Report) -> anyhow::Result<()> {
    let texts = match documents::texts(options, "bulk_zh_xinwenlianbo")? {
        Some(texts) => texts,
        None if options.quick => vec![SENTENCE.repeat(QUICK_REPETITIONS), SENTENCE.to_owned()],
        None => return Ok(()),
    };
    let bytes: usize = texts.iter().map(String::len).sum();
    report.heading(&format!("zh: {} documents, {:.1} MB", texts.len(), bytes as f64 / 1e6));
    let rate = |time: Duration| bytes as f64 / 1e9 / time.as_secs_f64();
    let times = times(options);

    let vote = |grams: &[u64]| {
        let mut sums = [0; 64];
        grams.iter().for_each(|&gram| naive::vote(gram, &mut sums));
        Margins(sums)
    };
    let expect = |characters: &str| {
        let mut hashes = vec![];
        grams::naive(characters, SIZE, &mut hashes);
        vote(&hashes)
    };
    let mut expected = vec![];
    let time = best_cpu_time(times.min(3), || expected = texts.iter().map(|text| expect(text)).collect());
    let naive = rate(time);
    report.row(Row::new("naive+grams", "zh").metric("GB/s", naive).checked(true));

    let shingler = Shingler::new(Unit::Character, SIZE, WordHash::Chunks);
    for kernel in Kernel::available() {
        let hasher = Simhasher::new(kernel);
        let (mut units, mut hashes, mut found) = (vec![], vec![], vec![]);
        let mut fingerprint = |units: &[u64]| {
            hashes.clear();
            shingler.shingles(units, |hash| hashes.push(hash));
            hasher.margins(&hashes)
        };
        let time = best_cpu_time(times, || {
            let mut one = |text: &String| {
                units.clear();
                grams::characters(text, &mut units);
                fingerprint(&units)
            };
            found = texts.iter().map(&mut one).collect();
        });
        let row = Row::new(format!("{}+grams", kernel.name()), "zh").metric("GB/s", rate(time));
        report.row(row.against("naive+grams", rate(time) / naive).checked(found == expected));

        let analyzer = Analyzer::new(&TextOptions::default())?;
        let mut scratch = Scratch::default();
        let time = best_cpu_time(times, || {
            let mut one = |text: &String| {
                units.clear();
                analyzer.character_hashes(text, Markup::None, &mut scratch, &mut units);
                fingerprint(&units)
            };
            found = texts.iter().map(&mut one).collect();
        });
        let normal = |text: &String| expect(analyzer.characters(text, Markup::None, &mut Scratch::default()));
        let checked = found.iter().eq(texts.iter().map(normal).collect::<Vec<_>>().iter());
        let row = Row::new(format!("{}+normalise+grams", kernel.name()), "zh").metric("GB/s", rate(time));
        report.row(row.against("naive+grams", rate(time) / naive).checked(checked));
    }
    Ok(())
}
