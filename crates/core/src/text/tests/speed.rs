//! Speeds for people, and growth on hostile texts. Not part of the suite, because a busy machine is
//! not a defect:
//!
//! ```text
//! cargo test --release -p twindex-core text::tests::speed -- \
//!     --ignored --nocapture --test-threads=1
//! ```

use std::sync::LazyLock;
use std::time::Instant;

use crate::document::Markup;
use crate::text::{Analyzer, Scratch, Stem, StopList, TextOptions};

const ENGLISH: &str = "It was the best of times, it was the worst of times, it was the age of wisdom, it was the \
    age of foolishness; all happy families are alike, but every unhappy family is unhappy in its own way. \"Call me \
    Ishmael.\" Some years ago - never mind how long precisely - having little money in my purse, I thought I'd sail.";
const GERMAN: &str = "Jemand mußte Josef K. verleumdet haben, denn ohne daß er etwas Böses getan hätte, wurde er \
    eines Morgens verhaftet. Die Köchin der Frau Grubach, die ihm jeden Tag früh das Frühstück brachte, kam nicht.";
const RUSSIAN: &str = "Все счастливые семьи похожи друг на друга, каждая несчастливая семья несчастлива по-своему. \
    Всё смешалось в доме Облонских. Жена узнала, что муж был в связи с бывшею в их доме француженкою-гувернанткой.";
const CHINESE: &str = "滚滚长江东逝水，浪花淘尽英雄。是非成败转头空。青山依旧在，几度夕阳红。话说天下大势， \
    分久必合，合久必分：周末七国分争，并入于秦。及秦灭之后，楚、汉分争，又并入于汉。";
const JAPANESE: &str = "吾輩は猫である。 名前はまだ無い。 どこで生れたかとんと見当がつかぬ。 何でも薄暗いじめじめした所で \
    ニャーニャー 泣いていた事だけは記憶している。";
const HINDI: &str = "सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें बुद्धि और अन्तरात्मा की देन \
    प्राप्त है और परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए।";
const KOREAN: &str = "모든 인간은 태어날 때부터 자유로우며 그 존엄과 권리에 있어 동등하다. 인간은 천부적으로 이성과 양심을 부여받았으며";
const VIETNAMESE: &str =
    "Tất cả mọi người sinh ra đều được tự do và bình đẳng về nhân phẩm và quyền lợi. Mọi con người";
const THAI: &str = "มนุษย์ทั้งหลายเกิดมามีอิสระและเสมอภาคกันในเกียรติศักดิ์และสิทธิ ต่างมีเหตุผลและมโนธรรม น้ำ ทำ";

/// About `size` bytes of the words of `sample`, in an order that no branch predictor learns.
fn shuffled(sample: &str, size: usize) -> String {
    let words: Vec<&str> = sample.split(' ').filter(|word| !word.is_empty()).collect();
    let mut state = 1u64;
    let mut text = String::new();
    while text.len() < size {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        text.push_str(words[(state >> 33) as usize % words.len()]);
        text.push(' ');
    }
    text
}

/// The time that this thread has had on a CPU, where the system reports it; otherwise the time of
/// day.
fn cpu_seconds() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    std::fs::read_to_string("/proc/thread-self/schedstat")
        .ok()
        .and_then(|line| line.split(' ').next()?.parse::<f64>().ok())
        .map_or_else(|| START.elapsed().as_secs_f64(), |nanoseconds| nanoseconds / 1e9)
}

fn best_of(runs: usize, mut work: impl FnMut() -> usize) -> (f64, usize) {
    let mut best = f64::MAX;
    let mut count = 0;
    for _ in 0..runs {
        let start = cpu_seconds();
        count = work();
        best = best.min(cpu_seconds() - start);
    }
    (best, count)
}

fn report(name: &str, options: &TextOptions, markup: Markup, text: &str) {
    let analyzer = Analyzer::new(options).unwrap();
    let mut scratch = Scratch::default();
    let (seconds, bytes) = best_of(7, || {
        let mut bytes = 0;
        analyzer.tokens(text, markup, &mut scratch, &mut |token| bytes += token.len());
        bytes
    });
    let (character_seconds, _) = best_of(7, || analyzer.characters(text, markup, &mut scratch).len());
    let rate = |seconds: f64| text.len() as f64 / 1e6 / seconds;
    println!(
        "{name:28} tokens {:6.0} MB/s  characters {:6.0} MB/s  ({bytes})",
        rate(seconds),
        rate(character_seconds)
    );
}

#[test]
#[ignore = "measures"]
fn speed_of_languages() {
    let options = TextOptions::default();
    let start = cpu_seconds();
    report("warm up", &options, Markup::None, "é");
    println!("first use {:.1} ms", (cpu_seconds() - start) * 1e3);
    let size = 16 << 20;
    let english = shuffled(ENGLISH, size);
    report("english", &options, Markup::None, &english);
    report("english, one é", &options, Markup::None, &format!("{english}é"));
    for (name, sample) in [
        ("german", GERMAN),
        ("russian", RUSSIAN),
        ("chinese", CHINESE),
        ("japanese", JAPANESE),
        ("korean", KOREAN),
        ("hindi", HINDI),
        ("thai", THAI),
        ("vietnamese", VIETNAMESE),
    ] {
        report(name, &options, Markup::None, &shuffled(sample, size));
    }
    let decomposed = icu_normalizer::DecomposingNormalizer::new_nfd().normalize(VIETNAMESE).into_owned();
    report("vietnamese, decomposed", &options, Markup::None, &shuffled(&decomposed, size));
    let stops = TextOptions { stop_words: vec![StopList::En], ..options.clone() };
    report("english, stop words", &stops, Markup::None, &english);
    let stems = TextOptions { stem: Stem::English, ..stops };
    report("english, stop words, stems", &stems, Markup::None, &english);
    let page = english.replace(". ", ".</p>\n<p class=\"text\">").replace("of ", "<b>of</b> ");
    report("english, html", &options, Markup::Html, &page);
}

#[test]
#[ignore = "measures"]
fn growth_on_hostile_texts() {
    type Make = fn(usize) -> String;
    let hostile: &[(&str, Markup, Make)] = &[
        ("one word", Markup::None, |n| "a".repeat(n)),
        ("one word with é", Markup::None, |n| "aé".repeat(n / 3)),
        ("marks", Markup::None, |n| "e".to_owned() + &"\u{301}".repeat(n / 2)),
        ("marks out of order", Markup::None, |n| "e".to_owned() + &"\u{301}\u{323}".repeat(n / 4)),
        ("viramas", Markup::None, |n| "\u{94d}".repeat(n / 3)),
        ("joiners", Markup::None, |n| "\u{200d}".repeat(n / 3)),
        ("ligatures", Markup::None, |n| "\u{fdfa}".repeat(n / 3)),
        ("jamo", Markup::None, |n| "\u{1100}\u{1161}\u{11a8}".repeat(n / 9)),
        ("nested", Markup::Html, |n| "<div>".repeat(n / 5)),
        ("nested, other ends", Markup::Html, |n| "<div>".repeat(n / 10) + &"</p>".repeat(n / 8)),
        ("nested, hidden", Markup::Html, |n| "<template>x".repeat(n / 11)),
        ("mixed nesting", Markup::Html, |n| "<p><li><td><b>x</i></td>".repeat(n / 24)),
        ("svg", Markup::Html, |n| "<svg><math>".repeat(n / 11)),
        ("angle soup", Markup::Html, |n| "<".repeat(n)),
        ("tag soup", Markup::Html, |n| "<a ".repeat(n / 3)),
        ("attributes", Markup::Html, |n| "<a".to_owned() + &" b=c".repeat(n / 4) + ">x"),
        ("comments", Markup::Html, |n| "<!--".repeat(n / 4)),
        ("script ends", Markup::Html, |n| "<script>".to_owned() + &"</scrip".repeat(n / 7)),
        ("ampersands", Markup::Html, |n| "&am".repeat(n / 3)),
        ("breaks", Markup::Html, |n| "<br>x".repeat(n / 5)),
    ];
    let options =
        TextOptions { stop_words: vec![StopList::En], stem: Stem::English, ..TextOptions::default() };
    let analyzer = Analyzer::new(&options).unwrap();
    for (name, markup, make) in hostile {
        let seconds = [4_000_000, 40_000_000].map(|size| {
            let text = make(size);
            let mut scratch = Scratch::default();
            best_of(1, || {
                let mut count = 0;
                analyzer.tokens(&text, *markup, &mut scratch, &mut |_| count += 1);
                count
            })
            .0
        });
        println!("{name:20} {:7.1} ms, ten times as much {:7.1} ms", seconds[0] * 1e3, seconds[1] * 1e3);
    }
}
