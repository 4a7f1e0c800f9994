//! Writes reports of invented runs, to look at the page: `cargo run --example report_demo --
//! DIRECTORY`.

use std::path::Path;

use twindex_batch::report::{
    ClusterRow, Histogram, Mode, PairRow, Report, Scores, Side, StageTime, Totals, render,
};

const ENGLISH: &str = "The lighthouse at Cape Marrow was built in 1871, after the loss of three grain ships in a \
single winter. Its lamp was lit by hand every evening for sixty years.\n\nThe keeper's log is preserved in the \
county archive. It records the weather, the passing ships and, on most Sundays, the price of eggs.\nVisitors may \
climb the tower between May and September; the stairs have 214 steps and no railing.";
const CHINESE: &str = "灯塔建于一八七一年，那年冬天有三艘运粮船沉没。\n六十年间，每晚都由人工点灯。守塔人的日志保存在县档案馆里，\
记录了天气、过往船只，以及大多数星期日的鸡蛋价格。";
const ARABIC: &str = "بُنيت المنارة عام 1871 بعد غرق ثلاث سفن محملة بالحبوب في شتاء واحد.\nكان مصباحها يضاء يدويا كل مساء طوال ستين عاما.";
const HOSTILE: &str = "</script><img src=x onerror=alert(1)><!--<script>";

fn pair(number: usize, left: &str, right: &str, jaccard: f64) -> PairRow {
    let accepted = jaccard >= 0.8;
    let exact = left == right;
    let verb = if accepted { "reaches" } else { "stays below" };
    PairRow {
        left: Side::new(
            format!("news/2024/part-{:02}.jsonl:{}", number % 7, 100 + 37 * number),
            left,
            20_000,
        ),
        right: Side::new(format!("https://example.org/archive/item?id={number}"), right, 20_000),
        scores: Scores {
            jaccard,
            containment_left: (jaccard + 0.06).min(1.0),
            containment_right: (jaccard + 0.03).min(1.0),
            cosine: (!number.is_multiple_of(3)).then_some((jaccard + 0.04).min(1.0)),
            distance: number.is_multiple_of(2).then_some(((1.0 - jaccard) * 20.0) as u32),
        },
        accepted,
        exact,
        why: if exact {
            "byte for byte the same text".to_owned()
        } else {
            format!("jaccard {jaccard:.3} {verb} the threshold 0.8")
        },
    }
}

fn sample(number: usize) -> PairRow {
    let jaccard = [0.802, 0.81, 0.795, 0.84, 0.93, 0.61, 0.999][number % 7] - 0.0001 * number as f64;
    match number % 7 {
        0 => pair(
            number,
            ENGLISH,
            &ENGLISH.replace("county", "national").replace("214", "two hundred"),
            jaccard.max(0.8),
        ),
        1 => pair(
            number,
            CHINESE,
            &CHINESE.replace("三艘", "四艘").replace("县档案馆", "市图书馆"),
            jaccard.max(0.8),
        ),
        2 => pair(
            number,
            ENGLISH,
            &ENGLISH
                .replace("lighthouse", "harbour light")
                .replace("May and September", "June and August")
                .replace("three grain ships", "a ferry"),
            jaccard,
        ),
        3 => pair(number, ARABIC, &ARABIC.replace("ثلاث", "أربع").replace("ستين", "سبعين"), jaccard.max(0.8)),
        4 => pair(
            number,
            &format!("{ENGLISH}\n{HOSTILE}"),
            &format!("Reprinted from the Marrow Gazette.\n\n{ENGLISH}\n{HOSTILE}"),
            jaccard,
        ),
        5 => pair(
            number,
            &ENGLISH.repeat(12),
            &format!("{}{}{}", ENGLISH.repeat(6), CHINESE, ENGLISH.repeat(6)),
            jaccard,
        ),
        _ => pair(number, ENGLISH, ENGLISH, 1.0),
    }
}

fn report(shown: usize, total: u64) -> Report {
    let bins = 40;
    let height = |bin: usize, centre: f64, width: f64, most: f64| {
        let away = (bin as f64 / bins as f64 - centre) / width;
        (most * (-away * away).exp()) as u64
    };
    let scale = total as f64 / 5.0;
    let accepted = (0..bins).map(|bin| if bin < 32 { 0 } else { height(bin, 1.0, 0.12, scale) }).collect();
    let rejected =
        (0..bins).map(|bin| if bin >= 32 { 0 } else { height(bin, 0.45, 0.16, scale * 3.0) }).collect();
    let clusters = |count: u64| {
        if total == 0 {
            vec![]
        } else if total == 1 {
            vec![(2, 1)]
        } else {
            vec![
                (2, count),
                (3, count / 4),
                (4, count / 9),
                (7, count / 40),
                (12, count / 90),
                (31, 12),
                (260, 3),
                (1874, 1),
            ]
        }
    };
    let removed = if total > 1 { 2338 } else { total };
    Report {
        title: if total == 1 { HOSTILE.to_owned() } else { "news/2024".to_owned() },
        command: "twindex dedup news/2024/*.jsonl.zst --recipe pages --output kept.jsonl.zst --removed removed.jsonl --report report.html".to_owned(),
        version: "0.1.0".to_owned(),
        recipe: "[text]\nnormalise = \"nfkc\"\n\n[feature]\nshingle = 3\n\n[verify]\nmeasure = \"jaccard\"\nthreshold = 0.8\n".to_owned(),
        totals: Totals { documents: 12_340, bytes: 48_211_907, kept: 12_340 - removed, removed, exact_duplicates: removed / 3, pairs: total, clusters: removed / 2, skipped_rows: if total > 1 { 3 } else { 0 }, seconds: 83.4, against: if total > 1 { 2_000 } else { 0 } },
        mode: Mode::Dedup,
        measure: "jaccard".to_owned(),
        threshold: 0.8,
        histogram: Histogram { accepted, rejected },
        cluster_sizes: clusters(700),
        largest_clusters: if total > 1 {
            (0..8).map(|number| ClusterRow { size: 1874 >> number, members: (0..20).map(|member| if member == 3 { HOSTILE.to_owned() } else { format!("news/2024/part-{member:02}.jsonl:{}", 17 * member + number) }).collect(), more: (1874u64 >> number).saturating_sub(20), example_text: if number % 2 == 0 { ENGLISH } else { CHINESE }.to_owned() }).collect()
        } else { vec![] },
        pairs: (0..shown).map(sample).collect(),
        stages: [("read and hash", 31.2), ("fingerprints", 12.9), ("candidates", 3.1), ("verify", 33.0), ("write", 3.2)].map(|(name, seconds)| StageTime { name: name.to_owned(), seconds }).into(),
        notes: if total > 1 { vec!["One bucket held 1,874 documents (a shared page template); they were compared with the bucket's kept documents only.".to_owned()] } else { vec![] },
    }
}

fn main() -> std::io::Result<()> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    for (name, shown, total) in [("none", 0, 0), ("one", 1, 1), ("many", 300, 100_000)] {
        let html = render(&report(shown, total));
        println!("{name}.html: {} bytes", html.len());
        std::fs::write(Path::new(&folder).join(format!("{name}.html")), html)?;
    }
    Ok(())
}
