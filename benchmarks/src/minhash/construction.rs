//! The article's first table: from long texts to sketches.

use twindex_core::fingerprint::Sketcher;
use twindex_core::hash;
use twindex_core::kernel::Kernel;
use twindex_core::kernel::words::WordRule;

use super::article::{self, Alphanumeric, K, N, SetHeap, Sort, TableHeap};
use crate::measure::{Report, Row, best_cpu_time};

/// A long text in both encodings.
pub(crate) struct Text {
    pub(super) utf8: String,
    pub(super) utf16: Vec<u16>,
}

type Variant = (&'static str, fn(&Alphanumeric, &[u16]) -> Vec<u32>, fn(&[u16]) -> Vec<u32>, &'static str);

/// Name, function, oracle, and the article's own figure.
const VARIANTS: [Variant; 8] = [
    ("naive, printed", article::naive::<true>, article::expected_naive_printed, "article: 52.7"),
    ("pipeline+sort, printed", article::pipeline::<true, Sort>, article::expected::<true>, "article: 96.3"),
    (
        "pipeline+set+heap, printed",
        article::pipeline::<true, SetHeap>,
        article::expected::<true>,
        "article: 179.2",
    ),
    (
        "pipeline+table+heap, printed",
        article::pipeline::<true, TableHeap>,
        article::expected::<true>,
        "article: 278.1",
    ),
    ("naive", article::naive::<false>, article::expected::<false>, "corrected"),
    ("pipeline+sort", article::pipeline::<false, Sort>, article::expected::<false>, "corrected"),
    ("pipeline+set+heap", article::pipeline::<false, SetHeap>, article::expected::<false>, "corrected"),
    ("pipeline+table+heap", article::pipeline::<false, TableHeap>, article::expected::<false>, "corrected"),
];

/// Runs of each row; the best counts.
const TIMES: usize = 5;

/// Measures every variant on the same texts.
pub(crate) fn run(texts: &[Text], report: &mut Report) {
    let characters: usize = texts.iter().map(|text| text.utf16.len()).sum();
    report.heading(&format!(
        "sketches of {} texts, {:.1} million characters, K = {K}, N = {N}",
        texts.len(),
        characters as f64 / 1e6
    ));
    let speed = |seconds: f64| characters as f64 / 1e6 / seconds;
    let table = Alphanumeric::new();
    let (mut naive, mut best) = ([0.0, 0.0], [0.0, 0.0]);
    for (position, (name, sketch, oracle, note)) in VARIANTS.into_iter().enumerate() {
        let right = texts.iter().all(|text| sketch(&table, &text.utf16) == oracle(&text.utf16));
        let time = best_cpu_time(TIMES, || {
            texts.iter().map(|text| sketch(&table, &text.utf16).len()).sum::<usize>()
        });
        let speed = speed(time.as_secs_f64());
        let form = position / 4;
        if position % 4 == 0 {
            naive[form] = speed;
        }
        best[form] = f64::max(best[form], speed);
        let baseline = ["naive, printed", "naive"][form];
        report.row(
            Row::new(name, "sketch")
                .metric("Mchar/s", speed)
                .against(baseline, speed / naive[form])
                .checked(right)
                .note(note),
        );
    }
    for kernel in Kernel::available() {
        let sketcher = Sketcher::new(N, K, kernel);
        let right = texts
            .iter()
            .all(|text| ours(kernel, sketcher, &text.utf8, &mut Buffers::default()) == plain(&text.utf8));
        let mut buffers = Buffers::default();
        let time = best_cpu_time(TIMES, || {
            texts.iter().map(|text| ours(kernel, sketcher, &text.utf8, &mut buffers).len()).sum::<usize>()
        });
        let speed = speed(time.as_secs_f64());
        let name =
            if kernel == Kernel::best() { "ours".to_owned() } else { format!("ours, {}", kernel.name()) };
        for (baseline, of) in
            [("pipeline+table+heap", best[1]), ("pipeline+table+heap, printed", best[0]), ("naive", naive[1])]
        {
            report.row(
                Row::new(name.clone(), "sketch")
                    .metric("Mchar/s", speed)
                    .against(baseline, speed / of)
                    .checked(right)
                    .note(format!("kernel {}, from UTF-8 bytes", kernel.name())),
            );
        }
    }
}

#[derive(Default)]
struct Buffers {
    words: Vec<u64>,
    ends: Vec<usize>,
    sketch: Vec<u64>,
}

fn ours<'b>(kernel: Kernel, sketcher: Sketcher, text: &str, buffers: &'b mut Buffers) -> &'b [u64] {
    buffers.words.clear();
    buffers.ends.clear();
    kernel.words(
        WordRule::Alphanumeric,
        text.as_bytes(),
        &[text.len()],
        &mut buffers.words,
        &mut buffers.ends,
    );
    sketcher.sketch_into(&buffers.words, &mut buffers.sketch);
    &buffers.sketch
}

/// The definition of ours: every word, every shingle, sorted.
fn plain(text: &str) -> Vec<u64> {
    let rule = WordRule::Alphanumeric;
    let words = text.as_bytes().split(|&byte| !rule.is_word(byte)).filter(|word| !word.is_empty());
    let words: Vec<u64> = words
        .map(|word| rule.hash().hash(&word.iter().map(|&byte| rule.fold(byte)).collect::<Vec<_>>()))
        .collect();
    let mut hashes: Vec<u64> =
        words.windows(K).map(|shingle| hash::shingle(shingle.iter().copied())).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes.truncate(N);
    hashes
}
