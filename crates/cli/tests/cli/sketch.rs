//! `twindex sketch`: bottom-k sketches of any origin.

use std::collections::BTreeSet;

use crate::folder::Folder;
use crate::random::Random;

/// Sketches of k hashes that share some with earlier ones, a few of them shorter.
fn sketches(count: usize, k: usize) -> Vec<BTreeSet<u64>> {
    let mut random = Random::new(11);
    let mut sketches: Vec<BTreeSet<u64>> = vec![];
    for number in 0..count {
        let mut hashes: BTreeSet<u64> = match number % 3 {
            2 => {
                let kept = 1 + random.below(8);
                sketches[number / 2].iter().copied().filter(|_| !random.one_in(1 + kept)).collect()
            }
            _ => BTreeSet::new(),
        };
        let size = if number % 7 == 0 { k / 2 } else { k };
        while hashes.len() < size {
            hashes.insert(random.next() >> 1);
        }
        sketches.push(hashes);
    }
    sketches
}

fn table(sketches: &[BTreeSet<u64>]) -> String {
    let line = |(number, hashes): (usize, &BTreeSet<u64>)| {
        let hashes: Vec<String> = hashes.iter().map(|hash| format!("{hash:016x}")).collect();
        format!("s{number}\t{}\n", hashes.join(","))
    };
    "id\tfingerprint\n".to_owned() + &sketches.iter().enumerate().map(line).collect::<String>()
}

/// Both estimates, by sets.
fn estimates(a: &BTreeSet<u64>, b: &BTreeSet<u64>, k: usize) -> [f64; 2] {
    let union: Vec<&u64> = a.union(b).collect();
    let sketch = a.intersection(b).count() as f64 / union.len() as f64;
    let smallest = &union[..union.len().min(k)];
    let both = smallest.iter().filter(|hash| a.contains(hash) && b.contains(hash)).count();
    [sketch, both as f64 / smallest.len() as f64]
}

#[test]
fn pairs_and_matches_are_those_of_comparing_everything() {
    const K: usize = 32;
    let folder = Folder::new();
    let sketches = sketches(300, K);
    folder.write("s.tsv", table(&sketches));
    for (place, estimator) in ["sketch", "union"].into_iter().enumerate() {
        for threshold in [0.2, 0.5, 0.8] {
            let mut expected = BTreeSet::new();
            for (a, left) in sketches.iter().enumerate() {
                for (b, right) in sketches.iter().enumerate() {
                    if estimates(left, right, K)[place] >= threshold {
                        expected.insert((a, b));
                    }
                }
            }
            let number = |name: &str| name[1..].parse::<usize>().unwrap();
            let options = format!("--threshold {threshold} --estimator {estimator}");
            for threads in [1, 2] {
                let line = format!("sketch match s.tsv --in s.tsv {options} --threads {threads}");
                let found = folder.done(&line).stdout;
                let rows: Vec<Vec<&str>> =
                    found.lines().skip(1).map(|line| line.split('\t').collect()).collect();
                let pairs: Vec<(usize, usize)> =
                    rows.iter().map(|row| (number(row[0]), number(row[1]))).collect();
                assert_eq!(pairs, expected.iter().copied().collect::<Vec<_>>(), "{line}");
                for (row, &(a, b)) in rows.iter().zip(&pairs) {
                    for (cell, score) in row[2..].iter().zip(estimates(&sketches[a], &sketches[b], K)) {
                        assert!((cell.parse::<f64>().unwrap() - score).abs() < 1e-6, "{row:?}");
                    }
                }
            }
            let found = folder.done(&format!("sketch pairs s.tsv {options}")).stdout;
            let pairs: Vec<(usize, usize)> = found
                .lines()
                .skip(1)
                .map(|line| line.split('\t').collect::<Vec<_>>())
                .map(|row| (number(row[0]), number(row[1])))
                .collect();
            let halves: Vec<(usize, usize)> = expected.into_iter().filter(|(a, b)| a < b).collect();
            assert!(halves.len() > 5, "{estimator} {threshold}: {}", halves.len());
            assert_eq!(pairs, halves, "{estimator} {threshold}");
        }
    }
}

#[test]
fn what_fingerprint_writes_is_read_in_every_format() {
    let folder = Folder::new();
    let text = |number: usize| (0..60).map(|word| format!("w{} ", word + number % 5)).collect::<String>();
    let rows: String = (0..40)
        .map(|number| format!("{{\"id\": \"d{number}\", \"text\": \"{}\"}}\n", text(number)))
        .collect();
    folder.write("in.jsonl", rows);
    let mut results = vec![];
    for format in ["tsv", "jsonl", "parquet"] {
        folder.done(&format!("fingerprint in.jsonl --method bottom-k --output s.{format}"));
        results.push(folder.done(&format!("sketch pairs s.{format} --threshold 0.8")).stdout);
    }
    assert!(results[0].lines().count() > 100 && results.iter().all(|result| *result == results[0]));
    folder.write(
        "list.jsonl",
        "{\"id\": 1, \"fingerprint\": [3, 1, 2]}\n{\"id\": 2, \"fingerprint\": [1, 2, 3, 9]}\n",
    );
    let found = folder.done("sketch pairs list.jsonl").stdout;
    assert_eq!(found, "left\tright\tsketch_jaccard\tunion_estimate\n1\t2\t0.75\t0.75\n");
    folder.write("bad.tsv", "id\tfingerprint\na\t12,xy\n");
    folder.fails(
        "sketch pairs bad.tsv",
        1,
        &["bad.tsv:2: \"12,xy\" is no fingerprint: expected hexadecimal hashes"],
    );
    folder.fails("sketch pairs s.tsv --threshold 0", 2, &["above 0"]);
    let summary = folder.done("sketch match s.tsv --in s.tsv --output m.jsonl --json").json();
    assert_eq!((&summary["queries"], &summary["sketches"]), (&40.into(), &40.into()));
}
