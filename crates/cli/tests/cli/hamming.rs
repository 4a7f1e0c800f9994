//! `twindex hamming`: fingerprints of any origin.

use crate::folder::Folder;
use crate::random::Random;

/// Hashes of which some are copies with a few bits flipped.
fn hashes(count: usize) -> Vec<u64> {
    let mut random = Random::new(27);
    let mut hashes: Vec<u64> = vec![];
    for number in 0..count {
        let hash = if number % 4 == 3 {
            (0..random.below(6)).fold(hashes[number / 2], |hash, _| hash ^ 1 << random.below(64))
        } else {
            random.next()
        };
        hashes.push(hash);
    }
    hashes
}

fn table(hashes: &[u64], prefix: &str) -> String {
    let lines = hashes.iter().enumerate().map(|(number, hash)| format!("{prefix}{number}\t{hash:016x}\n"));
    "id\tfingerprint\n".to_owned() + &lines.collect::<String>()
}

/// Every pair within the radius, by comparing everything with everything.
fn naive_pairs(hashes: &[u64], radius: u32) -> String {
    let mut lines = "left\tright\tdistance\n".to_owned();
    for (a, left) in hashes.iter().enumerate() {
        for (b, right) in hashes.iter().enumerate().skip(a + 1) {
            let distance = (left ^ right).count_ones();
            if distance <= radius {
                lines += &format!("h{a}\th{b}\t{distance}\n");
            }
        }
    }
    lines
}

#[test]
fn pairs_are_those_of_comparing_everything() {
    let folder = Folder::new();
    let hashes = hashes(1_000);
    folder.write("hashes.tsv", table(&hashes, "h"));
    for radius in [0, 3, 12, 16] {
        let expected = naive_pairs(&hashes, radius);
        for threads in [1, 2] {
            let line = format!("hamming pairs hashes.tsv --radius {radius} --threads {threads}");
            assert_eq!(folder.done(&line).stdout, expected, "{line}");
        }
    }
    let ended = folder.done("hamming pairs hashes.tsv --output pairs.jsonl --json");
    let summary = ended.json();
    assert_eq!(summary["pairs"], naive_pairs(&hashes, 3).lines().count() - 1);
    assert_eq!(ended.figure("pairs").unwrap().0, summary["pairs"].as_u64().unwrap());
    assert!(ended.stderr.contains("wrote pairs.jsonl"), "{}", ended.stderr);
    assert_eq!(folder.temporary_names(), [""; 0]);
}

#[test]
fn a_forecast_says_what_a_large_radius_means() {
    let folder = Folder::new();
    folder.write("hashes.tsv", table(&hashes(20_000), "h"));
    let ended = folder.done("hamming pairs hashes.tsv --radius 16 --dry-run --json");
    let forecast = ended.json();
    // 2e8 pairs, of which 3.9e-5 are within 16 bits.
    assert!((6_500..10_000).contains(&forecast["pairs_by_chance"].as_u64().unwrap()), "{forecast}");
    assert_eq!(forecast["fingerprints"], 20_000);
    assert!(ended.stderr.contains("20,000 fingerprints within 16 bits: expect "), "{}", ended.stderr);
}

#[test]
fn matches_of_every_search_are_those_of_comparing_everything() {
    let folder = Folder::new();
    let stored = hashes(6_000);
    let queries: Vec<u64> = stored.iter().step_by(40).map(|hash| hash ^ 0x11).collect();
    folder.write("stored.tsv", table(&stored, "h"));
    folder.write("queries.tsv", table(&queries, "q"));
    let mut expected = "id\tmatch\tdistance\n".to_owned();
    for (number, query) in queries.iter().enumerate() {
        let mut found: Vec<(u32, usize)> =
            stored.iter().enumerate().map(|(place, hash)| ((hash ^ query).count_ones(), place)).collect();
        found.retain(|(distance, _)| *distance <= 3);
        found.sort_unstable();
        for (distance, place) in found {
            expected += &format!("q{number}\th{place}\t{distance}\n");
        }
    }
    for search in ["", "--search bphs", "--search bphs --tables 10", "--threads 1"] {
        let line = format!("hamming match queries.tsv --in stored.tsv {search}");
        assert_eq!(folder.done(&line).stdout, expected, "{line}");
    }
    let summary =
        folder.done("hamming match queries.tsv --in stored.tsv --first --output m.tsv --json").json();
    assert_eq!((&summary["matches"], &summary["matched"]), (&150.into(), &150.into()));
}

/// Texts with a few words changed: their simhashes with margins, matched as `twindex fingerprint`
/// writes them, in every format.
#[test]
fn what_fingerprint_writes_can_be_matched_with_margins() {
    let folder = Folder::new();
    let mut random = Random::new(5);
    let (mut old, mut new) = (String::new(), String::new());
    for number in 0..400 {
        let mut words: Vec<String> = (0..80).map(|_| format!("w{}", random.below(5_000))).collect();
        old += &format!("{{\"id\": \"old{number}\", \"text\": \"{}\"}}\n", words.join(" "));
        words[number % 80] = "changed".to_owned();
        new += &format!("{{\"id\": \"new{number}\", \"text\": \"{}\"}}\n", words.join(" "));
    }
    folder.write("old.jsonl", old + "{\"id\": \"none\", \"text\": \"\"}\n");
    folder.write("new.jsonl", new);
    let mut results = vec![];
    for format in ["tsv", "jsonl", "parquet"] {
        folder.done(&format!("fingerprint old.jsonl --output a.{format}"));
        folder.done(&format!("fingerprint new.jsonl --margins --output b.{format}"));
        let line = format!("hamming match b.{format} --in a.{format} --search psm --output m.tsv --json");
        let summary = folder.done(&line).json();
        assert_eq!(
            (&summary["queries"], &summary["stored"], &summary["without"]),
            (&400.into(), &400.into(), &1.into())
        );
        let recall = summary["recall"]["measured"].as_f64().unwrap();
        assert!(recall >= 0.95, "{summary}");
        results.push(folder.text("m.tsv"));
        let exact = folder.done(&format!("hamming match b.{format} --in a.{format}")).stdout;
        let missing = exact.lines().count() - results[0].lines().count();
        assert!(exact.lines().count() > 50 && missing * 10 < exact.lines().count());
    }
    assert!(results.iter().all(|result| *result == results[0]));
    folder.fails(
        "hamming match a.tsv --in a.tsv --search psm",
        1,
        &["a.tsv:2: there are no margins", "hint: `twindex fingerprint --margins` writes them"],
    );
}

#[test]
fn wrong_input_is_named_with_what_to_do() {
    let folder = Folder::new();
    folder.write("good.tsv", table(&hashes(10), "h"));
    folder.write("bad.tsv", "id\tfingerprint\na\t0123456789abcdef\nb\t12345\n");
    folder.write("cut.u64", [1; 12]);
    folder.fails(
        "hamming pairs bad.tsv",
        1,
        &["bad.tsv:3: \"12345\" is no fingerprint: expected 16 hexadecimal digits", "hint: ", "--notation"],
    );
    let skipped = folder.done("hamming pairs bad.tsv --on-error skip");
    assert!(skipped.stderr.contains("skipped: bad.tsv:3: "), "{}", skipped.stderr);
    assert_eq!(skipped.figure("skipped").unwrap().0, 1);
    folder.fails("hamming pairs cut.u64", 1, &["cut.u64 is truncated", "4 of the 8 bytes"]);
    folder.fails("hamming pairs none.tsv", 1, &["cannot open none.tsv"]);
    folder.fails("hamming pairs good.tsv --fingerprint-field hash", 1, &["hash", "--fingerprint-field"]);
    folder.fails("hamming pairs good.tsv --output good.tsv", 2, &["is an input", "hint: name another file"]);
    folder.fails("hamming pairs good.tsv --output p.docx", 1, &["p.docx"]);
    folder.fails("hamming pairs good.tsv --json", 2, &["--json and the pairs"]);
    folder.fails("hamming pairs good.tsv --radius 17", 2, &["17", "0..=16"]);
    folder.fails("hamming pairs good.tsv --memory 1M", 1, &["1M are allowed", "--memory"]);
    folder.fails("hamming match good.tsv --in good.tsv --tables 10", 2, &["--tables is for --search bphs"]);
    folder.fails("hamming match good.tsv --in good.tsv --recall 0.9", 2, &["--recall is for --search psm"]);
    folder.fails(
        "hamming store good.tsv good.tsv",
        1,
        &["good.tsv is no store", "hint: `twindex hamming store`"],
    );
    folder.fails(
        "hamming match good.tsv --in good.tsv --search bphs --tables 3",
        2,
        &["3 tables cannot guarantee a radius of 3: expected at least 4"],
    );
    folder.fails("hamming match good.tsv --in good.tsv --search psm --radius 13", 2, &["up to 12 bits"]);
}

#[test]
fn raw_numbers_and_standard_input_are_read() {
    let folder = Folder::new();
    let hashes = hashes(500);
    folder.write("h.u64", hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect::<Vec<u8>>());
    let named = naive_pairs(&hashes, 3);
    let pairs = folder.done("hamming pairs h.u64").stdout;
    assert_eq!(pairs.lines().count(), named.lines().count());
    assert!(pairs.contains("h.u64:1\t") || pairs.contains("h.u64:"), "{pairs}");
    let ended = folder.run_with("hamming pairs - --format tsv", &table(&hashes, "h"));
    assert_eq!((ended.code, ended.stdout.as_str()), (Some(0), named.as_str()), "{}", ended.stderr);
}
