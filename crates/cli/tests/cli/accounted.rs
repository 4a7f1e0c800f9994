//! Every row is accounted for: kept, removed or skipped, and told apart by its place.

use std::collections::BTreeSet;

use serde_json::Value;
use twindex_corpus::{Cell, Column, ColumnKind, TableWriter};

use crate::folder::{Ended, Folder};
use crate::random::Random;
use crate::{planted, table};

const BRIDGE: &str = "The council approved the new bridge over the river on Monday after a long debate.";
const BREAD: &str = "Bakers in the old town sell twice as much bread on days when it rains early.";

/// The figures of a summary that a row is counted in, which must add up.
fn figures(ended: &Ended) -> [u64; 4] {
    let summary = ended.json();
    let figures = ["rows", "kept", "removed", "skipped_rows"].map(|name| summary[name].as_u64().unwrap());
    assert_eq!(figures[0], figures[1..].iter().sum::<u64>(), "{summary}");
    figures
}

#[test]
fn rows_whose_text_is_null_pass() {
    let folder = Folder::new();
    let known = planted::rows(&[("known", BRIDGE)]);
    let odd = "{\"id\":\"null\",\"text\":null}\n{\"text\":null,\"date\":\"last week\"}\n{\"id\":\"empty\",\"text\":\"\"}\n{\"id\":\"empty again\",\"text\":\"\"}\n";
    folder.write("in.jsonl", [odd, &known, odd].concat());
    folder.write("old.jsonl", [&known, odd].concat());
    for (options, rows) in [
        // The bad date of a row without a text is nobody's business.
        ("--keep newest:date", [9, 9, 0, 0]),
        ("--dedup-wordless", [9, 6, 3, 0]),
        ("--against old.jsonl", [9, 8, 1, 0]),
        ("--against old.jsonl --dedup-wordless", [9, 4, 5, 0]),
    ] {
        let ended = folder.done(&format!("dedup in.jsonl --json --output kept.jsonl {options}"));
        assert_eq!(figures(&ended), rows, "{options}");
        assert_eq!((&ended.json()["null_texts"], &ended.json()["without_words"]), (&4.into(), &4.into()));
        assert!(ended.stderr.contains("4 rows with null as text"), "{}", ended.stderr);
        let kept = folder.text("kept.jsonl");
        assert_eq!(kept.matches("null").count(), 6, "{options}: {kept}");
    }
    let pairs = folder.done("pairs in.jsonl --against old.jsonl");
    let found: Vec<_> = table::pairs(&pairs.stdout).into_iter().map(|pair| (pair.left, pair.right)).collect();
    assert_eq!(found, [("known".to_owned(), "known".to_owned())]);
}

/// A table of an id and a text, either of which may be null.
fn parquet(folder: &Folder, name: &str, rows: &[(Option<&str>, Option<&str>)]) {
    let columns = [Column::new("id", ColumnKind::Text), Column::new("text", ColumnKind::Text)];
    let mut table = TableWriter::create(&folder.path(name), &columns).unwrap();
    for &(id, text) in rows {
        table.row(&[id.map_or(Cell::Null, Cell::Text), text.map_or(Cell::Null, Cell::Text)]).unwrap();
    }
    table.finish().unwrap().commit().unwrap();
}

#[test]
fn nulls_of_a_table_pass() {
    let folder = Folder::new();
    let row = (Some("a"), Some(BRIDGE));
    parquet(&folder, "in.parquet", &[(Some("n"), None), row, (None, None), row, (Some("n"), None)]);
    for options in ["", "--dedup-wordless"] {
        let ended = folder.done(&format!("dedup in.parquet --json --output kept.parquet {options}"));
        assert_eq!((figures(&ended), &ended.json()["null_texts"]), ([5, 4, 1, 0], &3.into()));
        let again = folder.done("dedup kept.parquet --json");
        assert_eq!((figures(&again), &again.json()["null_texts"]), ([4, 4, 0, 0], &3.into()));
    }
}

/// The other commands see the same rows and lose none without a word.
#[test]
fn nulls_in_other_commands() {
    let folder = Folder::new();
    let rows = format!("{{\"id\":\"n\",\"text\":null}}\n{}", planted::rows(&[("a", BRIDGE), ("e", "")]));
    folder.write("in.jsonl", &rows);
    let ended = folder.done("fingerprint in.jsonl");
    assert_eq!(ended.stdout.lines().nth(1), Some("n\t"));
    assert!(ended.stderr.contains("2 documents without words (1 with null as text)"), "{}", ended.stderr);
    folder.done("index create seen");
    let ended = folder.done("index add seen in.jsonl --json");
    assert_eq!((&ended.json()["added"], &ended.json()["null_texts"]), (&2.into(), &1.into()));
    let ended = folder.done("index query seen in.jsonl --json");
    let found: Vec<_> = table::rows(&ended.stdout)
        .into_iter()
        .map(|answer| (answer["id"].clone(), answer["matches"].as_array().unwrap().len()))
        .collect();
    assert_eq!(found, [("n".into(), 0), ("a".into(), 1), ("e".into(), 0)]);
    for passed in [rows.clone(), rows.replace(&planted::rows(&[("a", BRIDGE)]), "")] {
        let ended = folder.run_with("filter --data filtered", &rows);
        assert_eq!((ended.code, ended.stdout), (Some(0), passed));
        assert!(ended.stderr.contains("1 row with null as text passed"), "{}", ended.stderr);
    }
    folder.done("idf in.jsonl --recipe web --output in.idf");
    folder.done("tune in.jsonl --output mine.toml");
}

/// The values of some columns of JSON Lines.
fn cells<const N: usize>(jsonl: &str, names: [&str; N]) -> Vec<[String; N]> {
    let cell =
        |row: &Value, name: &str| row[name].as_str().unwrap_or_else(|| panic!("{name}: {row}")).to_owned();
    table::rows(jsonl).iter().map(|row| names.map(|name| cell(row, name))).collect()
}

const OUTPUTS: &str = "--output kept.jsonl --removed removed.jsonl --pairs pairs.jsonl --clusters clusters.jsonl --report report.html";

#[test]
fn rows_of_one_id_are_told_apart_by_their_places() {
    let folder = Folder::new();
    let row = |text: &str| planted::rows(&[("page", text)]);
    folder.write("old.jsonl", [row(BREAD), row("of another kind")].concat());
    folder.write("new.jsonl", format!("{}\n\n{}{}{}", row(BRIDGE), row("new"), row(BREAD), row(BRIDGE)));
    let ended = folder.done(&format!("dedup new.jsonl --against old.jsonl --json {OUTPUTS}"));
    assert_eq!(figures(&ended), [4, 2, 2, 0]);
    // Two rows of the old collection have the id first; that the second one repeats it is no row of
    // the input.
    assert_eq!(ended.json()["repeated_ids"], 4);
    assert!(ended.stderr.contains("note: 4 rows repeat an id of an earlier row"), "{}", ended.stderr);
    let removed = cells(&folder.text("removed.jsonl"), ["id", "witness", "place", "witness_place"]);
    let expected = [
        ["page", "page", "new.jsonl:5", "old.jsonl:1"], // two blank lines before it
        ["page", "page", "new.jsonl:6", "new.jsonl:1"],
    ];
    assert_eq!(removed, expected);
    let pairs = cells(&folder.text("pairs.jsonl"), ["left", "right", "left_place", "right_place"]);
    assert_eq!(
        pairs,
        [["page", "page", "old.jsonl:1", "new.jsonl:5"], ["page", "page", "new.jsonl:1", "new.jsonl:6"]]
    );
    let clusters: Vec<Value> = table::rows(&folder.text("clusters.jsonl"));
    let places: Vec<&Value> = clusters.iter().map(|cluster| &cluster["places"]).collect();
    let expected = [
        serde_json::json!(["old.jsonl:1", "new.jsonl:5"]),
        serde_json::json!(["new.jsonl:1", "new.jsonl:6"]),
    ];
    assert_eq!(places, [&expected[0], &expected[1]]);
    assert_eq!(table::clusters(&folder.text("clusters.jsonl")), [["page"; 2]; 2]);
    let report = table::report(&folder.text("report.html"));
    let shown: BTreeSet<&str> =
        report["pairs"].as_array().unwrap().iter().filter_map(|pair| pair["left"]["id"].as_str()).collect();
    assert_eq!(shown, BTreeSet::from([]), "equal texts are in no pair of the report");
    // The rows of one id are not one document: each leaves as it came.
    assert_eq!(folder.text("kept.jsonl"), format!("{}\n\n{}", row(BRIDGE), row("new")));

    let header = folder.done("dedup new.jsonl --removed removed.tsv --removed-rows");
    assert!(header.stderr.contains("note: 3 rows repeat an id"), "{}", header.stderr);
    let columns = "id\twitness\tjaccard\tcontainment_left\tcontainment_right\tcosine\tdistance\trule\tplace\twitness_place\trow";
    assert_eq!(folder.text("removed.tsv").lines().next(), Some(columns));
    folder.write("one.jsonl", row(BRIDGE));
    let one = folder.done("dedup one.jsonl --unique-ids --json");
    assert!(!one.stderr.contains("repeat"), "{}", one.stderr);
    assert_eq!(one.json()["repeated_ids"], 0);
}

/// In the report too, where two rows of one id are alike.
#[test]
fn a_report_names_the_places_of_equal_ids() {
    let folder = Folder::new();
    let almost = BRIDGE.replace("Monday", "Tuesday");
    folder.write("in.jsonl", planted::rows(&[("page", BRIDGE), ("page", &almost), ("other", BREAD)]));
    folder.done("dedup in.jsonl --report report.html");
    let report = table::report(&folder.text("report.html"));
    let pair = &report["pairs"][0];
    assert_eq!(
        (&pair["left"]["id"], &pair["right"]["id"]),
        (&"page (in.jsonl:2)".into(), &"page (in.jsonl:1)".into())
    );
}

/// A place is the file and the line, row or record where people find it, whatever the format.
#[test]
fn places_in_every_format() {
    let folder = Folder::new();
    let record = |kind: &str, id: &str, text: &str| {
        format!(
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <{id}>\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{text}\r\n\r\n",
            text.len()
        )
    };
    folder.write("in.csv", format!("id,text\nx,\"{BREAD}\nand so on\"\nx,{BRIDGE}\nx,{BRIDGE}\n"));
    folder.write("in.tsv", format!("id\ttext\nx\t{BREAD}\nx\t{BRIDGE}\nx\t{BRIDGE}\n"));
    folder.write("in.txt", format!("{BREAD}\n\n{BRIDGE}\n{BRIDGE}\n"));
    folder.write(
        "in.jsonl.gz",
        crate::bad_input::gzip(planted::rows(&[("x", BRIDGE), ("x", BRIDGE)]).as_bytes()),
    );
    let info = record("warcinfo", "info", "nothing");
    let [first, bread, again] = [BRIDGE, BREAD, BRIDGE].map(|text| record("conversion", "x", text));
    folder.write("in.warc", [&info, &first, &info, &bread, &again].map(String::as_str).concat());
    parquet(
        &folder,
        "in.parquet",
        &[(Some("x"), Some(BRIDGE)), (Some("x"), None), (Some("x"), Some(BRIDGE))],
    );
    for (number, text) in [BREAD, BRIDGE, "something else", BRIDGE].iter().enumerate() {
        folder.write(&format!("texts/{number}.txt"), text);
    }
    for (input, place, witness) in [
        ("in.csv", "in.csv:5", "in.csv:4"),
        ("in.tsv", "in.tsv:4", "in.tsv:3"),
        ("in.txt --format lines", "in.txt:4", "in.txt:3"),
        ("in.jsonl.gz", "in.jsonl.gz:2", "in.jsonl.gz:1"),
        ("in.warc", "in.warc:5", "in.warc:2"),
        ("in.parquet", "in.parquet:3", "in.parquet:1"),
        ("texts", "texts/3.txt", "texts/1.txt"),
    ] {
        folder.done(&format!("dedup {input} --removed removed.jsonl"));
        let removed = cells(&folder.text("removed.jsonl"), ["place", "witness_place"]);
        assert_eq!(removed, [[place, witness]], "{input}");
    }
    // The same files on both sides, in another order.
    folder.done(
        "dedup texts/0.txt texts/1.txt --against texts/1.txt --against texts/0.txt --removed removed.jsonl",
    );
    let removed = cells(&folder.text("removed.jsonl"), ["id", "place", "witness_place"]);
    let expected = ["texts/0.txt", "texts/1.txt"].map(|name| [name; 3]);
    assert_eq!(removed, expected);
    // A stream has places, too.
    let input = planted::rows(&[("x", BRIDGE), ("x", BRIDGE)]);
    assert_eq!(folder.run_with("filter --removed removed.jsonl", &input).code, Some(0));
    assert_eq!(cells(&folder.text("removed.jsonl"), ["place"]), [["stdin:2"]]);
    assert_eq!(table::rows(&folder.text("removed.jsonl"))[0]["witness_place"], Value::Null);
}

/// Bad rows beyond those that a summary lists.
const BAD: usize = 1_500;

#[test]
fn every_skipped_row_is_listed() {
    let folder = Folder::new();
    let bad = "{\"no\ttext\":\"and a tab\"}\n";
    folder.write(
        "in.jsonl",
        [&planted::rows(&[("a", BRIDGE)]), &*bad.repeat(BAD), &planted::rows(&[("b", BREAD)])].concat(),
    );
    let list = |name: &str| {
        let text = folder.text(name);
        let lines: Vec<&str> = text.lines().skip(1).collect();
        assert_eq!(lines.len(), BAD, "{name}");
        for (number, line) in lines.iter().enumerate() {
            assert!(line.starts_with(&format!("in.jsonl:{}: ", number + 2)), "{line}");
        }
    };
    let run = |line: &str, name: &str| {
        let ended = folder.done(&format!("{line} --on-error skip --json"));
        assert_eq!(figures(&ended), [BAD as u64 + 2, 2, 0, BAD as u64]);
        assert_eq!(ended.json()["skipped"].as_array().map(Vec::len), Some(1_000));
        assert_eq!(ended.json()["skipped_file"], name);
        let listed = format!("bad rows, all listed in {name}, the first above");
        assert_eq!(ended.figure("skipped"), Some((BAD as u64, listed)), "{}", ended.stderr);
        list(name);
    };
    run("dedup in.jsonl --output kept.jsonl", "kept.jsonl.skipped.txt");
    run("pairs in.jsonl --output pairs.tsv", "pairs.tsv.skipped.txt");
    run("dedup in.jsonl", "twindex-skipped.txt");
    // Again: the list of an earlier run is replaced, and a file of somebody else is not.
    run("dedup in.jsonl --output kept.jsonl", "kept.jsonl.skipped.txt");
    folder.write("kept.jsonl.skipped.txt", "notes of somebody");
    run("dedup in.jsonl --output kept.jsonl", "kept.jsonl.skipped-2.txt");
    assert_eq!(folder.text("kept.jsonl.skipped.txt"), "notes of somebody");

    // As many as the summary lists need no file.
    let few = Folder::new();
    few.write("in.jsonl", bad.repeat(1_000));
    let ended = few.done("dedup in.jsonl --on-error skip --json --output kept.jsonl");
    assert_eq!((figures(&ended), &ended.json()["skipped_file"]), ([1_000, 0, 0, 1_000], &Value::Null));
    assert_eq!(few.names(), ["in.jsonl", "kept.jsonl"]);
}

/// A row of any kind: text, a copy, no words, null, or bad in one way or another.
fn any_row(random: &mut Random, number: usize) -> String {
    let id = ["a", "b", "c"][random.below(3)];
    let text =
        |seed: usize| format!("{BRIDGE} {seed} times {seed} is what the minutes of {seed} say about it");
    match random.below(10) {
        0 => "\n".to_owned(), // no row at all
        1 => format!("{{\"id\":\"{id}\",\"text\":null}}\n"),
        2 => format!("{{\"id\":\"{id}\",\"text\":\"\"}}\n"),
        3 => "{\"text\":\"!?\"}\n".to_owned(),
        4 => ["nonsense\n", "{\"id\":1}\n", "{\"text\":7}\n", "{\"text\":\"x\",\"id\":[]}\n"]
            [random.below(4)]
        .to_owned(),
        5 => format!("{{\"text\":\"{} {number}\",\"date\":\"never\"}}\n", BREAD),
        6 | 7 => format!("{{\"id\":\"{id}\",\"text\":\"{}\"}}\n", text(random.below(20))),
        _ => format!("{{\"id\":\"{number}\",\"text\":\"{}\"}}\n", text(number)),
    }
}

#[test]
fn kept_removed_and_skipped_rows_are_all_rows() {
    let mut random = Random::new(301);
    let mut seen = [0; 4];
    for round in 0..12 {
        let folder = Folder::new();
        let mut rows =
            |count: usize| (0..count).map(|number| any_row(&mut random, number)).collect::<String>();
        let (input, old) = (rows(20 * round), rows(30));
        folder.write("in.jsonl", &input);
        folder.write("old.jsonl", old);
        let against = if round % 2 == 0 { "--against old.jsonl" } else { "" };
        let options =
            ["", "--dedup-wordless", "--keep newest:date", "--keep longest --dedup-wordless"][round % 4];
        let line = format!("dedup in.jsonl {against} {options} --on-error skip --json");
        let ended = folder.done(&format!("{line} --output kept.jsonl --removed removed.jsonl"));
        let figures = figures(&ended);
        let [all, kept, removed, skipped] = figures;
        let is_row = |line: &&str| !line.is_empty();
        let lines = |text: &str| text.lines().filter(is_row).count() as u64;
        assert_eq!(all, lines(&input), "{line}");
        assert_eq!(kept, lines(&folder.text("kept.jsonl")), "{line}");
        assert_eq!(removed, lines(&folder.text("removed.jsonl")), "{line}");
        let listed = ended.json()["skipped"].as_array().unwrap().len() as u64;
        assert_eq!(skipped + ended.json()["against_skipped_rows"].as_u64().unwrap(), listed, "{line}");
        // The three are different rows, and together all of them.
        let kept_text = folder.text("kept.jsonl");
        let mut left: Vec<&str> = input.lines().filter(is_row).collect();
        for row in kept_text.lines().filter(is_row) {
            let at = left.iter().position(|known| *known == row).unwrap_or_else(|| panic!("{row} is new"));
            left.remove(at);
        }
        assert_eq!(left.len() as u64, removed + skipped, "{line}");
        // Rows without a text are kept, all of them.
        assert_eq!(input.matches("null").count(), kept_text.matches("null").count(), "{line}");
        let said =
            ["kept", "removed", "skipped"].map(|label| ended.figure(label).map_or(0, |figure| figure.0));
        assert_eq!(said, [kept, removed, skipped], "{}", ended.stderr);
        // Without outputs the figures are the same.
        assert_eq!(self::figures(&folder.done(&line)), figures, "{line}");
        let line = format!("pairs in.jsonl {against} --on-error skip --json --output pairs.tsv");
        let pairs = folder.done(&line);
        assert_eq!(self::figures(&pairs)[0], all);
        seen = std::array::from_fn(|figure| seen[figure] + figures[figure]);
    }
    assert!(seen.iter().all(|&figure| figure > 100), "{seen:?}");
}
