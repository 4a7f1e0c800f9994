//! A recipe is measured against labels or against the cosine, and the one that is recommended can be used at once.

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
    let best = &findings["by_threshold"]["best"];
    assert!(best["recall"].as_f64().unwrap() > 0.9, "{best}");
    assert!(!findings["recommendation"]["reasons"].as_array().unwrap().is_empty());
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
fn without_labels_the_cosine_is_the_reference() {
    let folder = collection();
    let ended = folder.done("tune docs.jsonl");
    for part in ["cosine of at least 0.9", "precision", "injected copies", "recommendation"] {
        assert!(ended.stdout.contains(part), "{}", ended.stdout);
    }
    let findings = folder.done("tune docs.jsonl --json").json();
    let web = folder.done("tune docs.jsonl --recipe web --json").json();
    assert_ne!(web["by_distance"], findings["by_distance"], "weights move distances");
    let untouched = &findings["injected"][0];
    assert_eq!((untouched["found"].as_f64(), untouched["distance"].as_f64()), (Some(1.0), Some(0.0)));
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
