//! The papers' experiments on tiny inputs, and their committed pages.

use std::fs;
use std::path::{Path, PathBuf};

use twindex_benchmarks::measure;
use twindex_benchmarks::papers::definition::{Definition, Size};
use twindex_benchmarks::papers::{Setting, measure_one, page, with_records};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn definitions() -> Vec<Definition> {
    Definition::read_all(&folder().join("definitions")).expect("definitions")
}

/// The figures that a sentence names, in braces.
fn named_in(text: &str) -> impl Iterator<Item = &str> {
    text.split('{').skip(1).filter_map(|rest| rest.split_once('}')).map(|(named, _)| named)
}

#[test]
fn every_experiment_is_right_on_tiny_inputs_and_measures_what_its_definition_names() {
    let results = tempfile::tempdir().unwrap();
    let packs = measure::Options { packs: Some("nowhere".into()), ..measure::Options::default() };
    let setting = Setting::new(Size::Tiny, packs, results.path().to_owned());
    let definitions = definitions();
    for definition in &definitions {
        let record = measure_one(definition, &setting).unwrap();
        let name = &definition.name;
        for check in &record.outcome.checks {
            assert!(check.passed, "{name}: {}", check.what);
        }
        for value in &definition.values {
            let missing = value.figure.is_some() && value.ours(&record.outcome).is_none();
            assert!(
                !missing,
                "{name} has no figure {:?}, only {:?}",
                value.figure,
                record.outcome.figures.keys()
            );
        }
        let sentences = definition.values.iter().filter_map(|value| value.because.as_ref());
        for named in sentences.chain([&definition.headline]).flat_map(|text| named_in(text)) {
            let figures = &record.outcome.figures;
            assert!(
                figures.contains_key(named),
                "{name}: a sentence names `{named}`, not one of {figures:?}"
            );
        }
        assert!(record.outcome.figures.values().all(|figure| figure.is_finite()), "{name}: {record:?}");
        record.write(results.path(), name).unwrap();
    }
    let done = with_records(&definitions, results.path()).unwrap();
    let contents = page::contents(&done);
    assert!(!contents.contains('{') && !contents.contains("not run"), "{contents}");
    for paper in &page::PAPERS {
        let text = page::page(paper, &done);
        assert!(!text.contains("NaN") && !text.contains("FAILED"), "{text}");
    }
}

/// Nothing on a page is typed in: it is what the committed figures and definitions give.
#[test]
fn committed_pages_are_those_of_the_committed_figures() {
    let (folder, definitions) = (folder(), definitions());
    let results = folder.join("results");
    let done = with_records(&definitions, &results).unwrap();
    for (path, text) in page::all(&done, &results, &folder.join("README.md")).unwrap() {
        let committed = fs::read_to_string(&path).unwrap_or_default();
        assert!(committed == text, "{} is not up to date: cargo xtask papers --pages", path.display());
    }
}
