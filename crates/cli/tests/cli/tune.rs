//! A recipe is measured against labels or against the cosine, and the one that is recommended can
//! be used at once.

use crate::folder::Folder;
use crate::planted;

fn collection() -> Folder {
    let folder = Folder::new();
    let documents = planted::collection(7, 60);
    folder.write("docs.jsonl", planted::jsonl(&documents));
    let truth: String = planted::pairs(&documents)
        .into_iter()
        .map(|(left, right)| format!("{}\t{}\n", documents[left].id, documents[right].id))
        .collect();
    folder.write("truth.tsv", format!("left\tright\n{truth}"));
    folder
}

#[test]
fn a_recommended_recipe_can_be_used_at_once() {
    let folder = collection();
    // Nothing but copies to the letter passes at 1, so that a lower threshold has to be found.
    let line = "tune docs.jsonl --truth truth.tsv --threshold 1 --output mine.toml --report tune.html --json";
    let findings = folder.done(line).json();
    let best = &findings["labels"]["by_threshold"]["best"];
    assert!(best["recall"].as_f64().unwrap() > 0.9, "{best}");
    assert!(!findings["recommendation"]["changes"].as_array().unwrap().is_empty());
    let strict = folder.done("pairs docs.jsonl --threshold 1").stdout.lines().count();
    let tuned = folder.done("pairs docs.jsonl --recipe mine.toml").stdout.lines().count();
    assert!(tuned > strict, "{tuned} > {strict}");

    let page = folder.text("tune.html");
    for part in ["<svg", "Most similar rejected pairs", "Injected copies", "mine.toml"] {
        assert!(page.contains(part), "{part}");
    }
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("<script"));
}

#[test]
fn without_labels_it_shows_what_it_can_know_and_recommends_nothing() {
    let folder = collection();
    let ended = folder.done("tune docs.jsonl --threshold 1 --output same.toml");
    for part in ["no labels", "removed 0.9", "injected copies", "recommendation: nothing: without labels"] {
        assert!(ended.stdout.contains(part), "{part}: {}", ended.stdout);
    }
    assert!(!ended.stdout.contains("precision"), "{}", ended.stdout);
    assert!(folder.text("same.toml").contains("threshold = 1.0"));
    let findings = folder.done("tune docs.jsonl --json").json();
    // As a job removes, at the recipe's coverage: the search misses nothing here.
    let row = findings["decisions"].as_array().unwrap().iter().find(|row| row["threshold"] == 0.5).unwrap();
    let summary = folder.done("dedup docs.jsonl --json").json();
    assert_eq!(
        (&row["removed"][3], &row["pairs"]),
        (&summary["removed"], &folder.done("pairs docs.jsonl --json --output p.tsv").json()["pairs"])
    );
    let labelled = |recipe: &str| {
        folder.done(&format!("tune docs.jsonl --truth truth.tsv --recipe {recipe} --json")).json()["labels"]
            .clone()
    };
    assert_ne!(labelled("web")["by_distance"], labelled("default")["by_distance"], "weights move distances");
    let untouched = &findings["injected"][0];
    assert_eq!((untouched["found"].as_f64(), untouched["distance"].as_f64()), (Some(1.0), Some(0.0)));
}

#[test]
fn little_is_not_enough() {
    let folder = Folder::new();
    folder.write("empty.jsonl", "");
    let ended = folder.done("tune empty.jsonl");
    assert!(ended.stdout.contains("0 documents of 0") && !ended.stdout.contains("1.000"), "{}", ended.stdout);
    folder.write("two.jsonl", planted::rows(&[("a", "one two three four"), ("b", "one two three five")]));
    folder.write("truth.tsv", "a\tb\n");
    let ended = folder.done("tune two.jsonl --truth truth.tsv --threshold 0.9");
    assert!(ended.stdout.contains("recommendation: not enough: 1 labelled pairs"), "{}", ended.stdout);
}

#[test]
fn a_sample_is_the_same_with_any_number_of_threads() {
    let folder = collection();
    let run = |threads: &str| {
        folder.done(&format!("tune docs.jsonl --sample 50 --json --threads {threads}")).stdout
    };
    assert_eq!(run("1"), run("3"));
}

#[test]
fn bad_labels_and_outputs_are_named() {
    let folder = collection();
    folder.write("bad.tsv", "a\n");
    folder.fails("tune docs.jsonl --truth bad.tsv", 1, &["bad.tsv", "line 1", "two ids"]);
    folder.fails("tune docs.jsonl --truth none.tsv", 1, &["none.tsv"]);
    folder.fails("tune docs.jsonl --output docs.jsonl", 2, &["docs.jsonl", "name another file"]);
    folder.fails("tune docs.jsonl --output a --report a", 2, &["--output", "--report"]);
    folder.fails("tune docs.jsonl --sample 1", 2, &["--sample"]);
}
