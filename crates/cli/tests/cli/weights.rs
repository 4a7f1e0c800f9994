//! Words weighed by how rare they are: the table of document frequencies, counted or given, and
//! what it changes.

use crate::folder::Folder;
use crate::planted;

fn collection() -> Folder {
    let folder = Folder::new();
    let documents = planted::collection(11, 80);
    let (left, right) = documents.split_at(documents.len() / 2);
    folder.write("docs.jsonl", planted::jsonl(&documents));
    folder.write("left.jsonl", planted::jsonl(left));
    folder.write("right.jsonl", planted::jsonl(right));
    folder
}

#[test]
fn a_table_that_is_given_gives_what_counting_gives() {
    let folder = collection();
    folder.done("idf docs.jsonl --output all.idf --quiet");
    for command in ["pairs docs.jsonl --recipe web", "fingerprint docs.jsonl --recipe web --margins"] {
        let counted = folder.done(command).stdout;
        assert_eq!(folder.done(&format!("{command} --idf all.idf")).stdout, counted, "{command}");
        assert_eq!(folder.done(&format!("{command} --threads 1")).stdout, counted, "{command}");
        assert!(counted.lines().count() > 5, "{counted}");
    }
    let plain = folder.done("fingerprint docs.jsonl --recipe simhash").stdout;
    assert_ne!(
        folder.done("fingerprint docs.jsonl --recipe web").stdout,
        plain,
        "weights change fingerprints"
    );
    let part = folder.done("fingerprint left.jsonl --recipe web --idf all.idf").stdout;
    assert_ne!(folder.done("fingerprint left.jsonl --recipe web").stdout, part, "and so does the collection");
}

#[test]
fn two_documents_are_compared_by_a_table_that_is_given() {
    let folder = collection();
    folder.done("idf docs.jsonl --output all.idf");
    let fingerprints = folder.done("fingerprint docs.jsonl --recipe web --idf all.idf").stdout;
    let documents = planted::collection(11, 80);
    folder.write("a.txt", &documents[0].text);
    folder.write("b.txt", &documents[1].text);
    let alone = folder.done("compare a.txt b.txt --recipe web --json").json();
    let found = folder.done("compare a.txt b.txt --recipe web --idf all.idf --json").json();
    assert_ne!(found["left"]["simhash"], alone["left"]["simhash"]);
    let simhash = found["left"]["simhash"].as_str().unwrap();
    assert!(
        fingerprints.contains(simhash),
        "{simhash} is not the fingerprint of the collection: {fingerprints}"
    );
    folder.fails("compare a.txt b.txt --idf all.idf", 2, &["weighs nothing by rarity", "web"]);
}

#[test]
fn tables_of_parts_add_up_to_the_table_of_the_whole() {
    let folder = collection();
    folder.done("idf docs.jsonl --output all.idf");
    folder.done("idf left.jsonl --output left.idf");
    folder.done("idf right.jsonl --add left.idf --output sum.idf --threads 1");
    assert_eq!(folder.read("sum.idf"), folder.read("all.idf"));
    folder.done("idf right.jsonl --output right.idf");
    let ended = folder.done("idf --add left.idf --add right.idf --output again.idf");
    assert_eq!(folder.read("again.idf"), folder.read("all.idf"));
    assert!(ended.figure("documents").is_some() && ended.stderr.contains("wrote again.idf"));
    let input = folder.text("docs.jsonl");
    assert_eq!(folder.run_with("idf - --output stdin.idf", &input).code, Some(0));
    assert_eq!(folder.read("stdin.idf"), folder.read("all.idf"));
}

#[test]
fn an_index_keeps_the_table_that_it_was_made_with() {
    let folder = collection();
    folder.done("idf docs.jsonl --output all.idf");
    folder.done("index create seen --recipe web --idf all.idf");
    folder.done("index add seen docs.jsonl --quiet");
    std::fs::remove_file(folder.path("all.idf")).unwrap();
    let fingerprints = folder.done("fingerprint docs.jsonl --recipe web").stdout;
    for line in fingerprints.lines().skip(1).take(10) {
        let (id, fingerprint) = line.split_once('\t').unwrap();
        let stored = folder.done(&format!("index get seen {id}")).json();
        assert_eq!(stored["fingerprint"], fingerprint, "{id}");
    }
}

#[test]
fn tables_that_do_not_fit_are_refused() {
    let folder = collection();
    folder.done("idf docs.jsonl --output all.idf --recipe irlbot");
    let parts = ["all.idf", "other options", "twindex idf"];
    folder.fails("pairs docs.jsonl --recipe web --idf all.idf --output p.tsv", 1, &parts);
    folder.done("pairs docs.jsonl --recipe irlbot --idf all.idf --output p.tsv");
    let mut damaged = folder.read("all.idf");
    damaged[100] ^= 1;
    folder.write("damaged.idf", damaged);
    folder.fails(
        "fingerprint docs.jsonl --recipe irlbot --idf damaged.idf",
        1,
        &["damaged.idf", "make it again"],
    );
    folder.fails("idf --add docs.jsonl --output x.idf", 1, &["docs.jsonl", "no table"]);
    folder.fails("pairs docs.jsonl --idf all.idf --output p2.tsv", 2, &["weighs nothing by rarity", "web"]);
    folder.fails("idf docs.jsonl --recipe default --output x.idf", 2, &["weighs nothing by rarity"]);
    folder.fails("idf docs.jsonl --output docs.jsonl", 2, &["inputs are never changed"]);
    folder.fails("fingerprint - --recipe web", 2, &["standard input cannot be read twice", "--idf"]);
}

/// A verdict depends on two texts and a recipe, so weights that decide come from a table that is
/// named.
#[test]
fn a_rule_on_weighted_cosines_needs_a_table() {
    let folder = collection();
    let toml = "name = \"mine\"\nmethod = \"simhash\"\n[feature]\nweight = \"tf-idf\"\n[rule]\nmeasure = \"cosine\"\nthreshold = 0.8\n";
    folder.write("mine.toml", toml);
    let parts = ["tf-idf", "table of document frequencies", "twindex idf"];
    folder.fails("pairs docs.jsonl --recipe mine.toml --output p.tsv", 1, &parts);
    folder.write("a.txt", "one two three four");
    folder.fails("compare a.txt a.txt --recipe mine.toml", 1, &parts);
    folder.done("idf docs.jsonl --recipe mine.toml --output all.idf");
    folder.done("pairs docs.jsonl --recipe mine.toml --idf all.idf --output p.tsv");
}
