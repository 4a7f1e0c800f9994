//! Engines with one defect each: the comparison notices every one of them.
#![cfg(feature = "mutants")]

use std::collections::HashSet;

use twindex_hardware::{Alignment, Form, Pace, Slip, mutants, reference, run};

/// Words of all lengths, some with a capital letter, with punctuation of all kinds between them.
fn documents() -> Vec<Vec<u8>> {
    let word = |seed: usize| -> Vec<u8> {
        let mut word: Vec<u8> =
            (0..1 + seed % 9).map(|place| b'a' + ((seed * 7 + place * 5) % 26) as u8).collect();
        if seed.is_multiple_of(5) {
            word[0].make_ascii_uppercase();
        }
        word
    };
    let others = (0..400usize).map(|number| {
        let separators = b" :.\n[_";
        let words = (0..number % 40).flat_map(|place| {
            let separator = separators[(number + place) % separators.len()];
            [word(number * 41 + place), vec![separator]].concat()
        });
        let mut document: Vec<u8> = words.collect();
        // Every other one ends with a word.
        if number % 2 == 1 {
            document.pop();
        }
        document
    });
    ending_together(3).into_iter().chain(others).collect()
}

/// A document for each core. Its first beat comes a cycle after that of the core before, and it is
/// a byte shorter.
fn ending_together(beats: usize) -> Vec<Vec<u8>> {
    (0..8).map(|core| vec![b'a'; 8 * beats - core]).collect()
}

/// What the engine answers wrongly; none if it is right about every document.
fn noticed(form: &Form, pace: Pace) -> Option<String> {
    let documents = documents();
    match run(form, &documents, pace) {
        Err(error) => Some(error.to_string()),
        Ok(run) => documents
            .iter()
            .zip(&run.answers)
            .position(|(document, answer)| reference(form, document, Slip::None) != *answer)
            .map(|number| format!("document {number} differs")),
    }
}

/// The defect shows only where all cores have a fingerprint at once: in the cycle in which these
/// documents end, because the sink takes every fingerprint in the cycle in which it is offered.
#[test]
fn documents_do_end_in_one_cycle() {
    let form = mutants().into_iter().find(|form| form.name == "m_all_at_once").unwrap();
    for beats in 1..=8 {
        assert!(run(&form, &ending_together(beats), Pace::full()).is_err(), "{beats} beats");
        let equal = vec![vec![b'a'; 8 * beats]; 8];
        assert!(run(&form, &equal, Pace::full()).is_ok(), "{beats} beats, a cycle apart");
    }
}

#[test]
fn every_defect_is_noticed() {
    let slow = Pace {
        seed: 5,
        source_stalls: 20,
        sink_stalls: 250,
        ragged: 40,
        initial: 3,
        alignment: Alignment::Chance,
    };
    let files: HashSet<_> =
        mutants().iter().filter_map(|mutant| mutant.defect).map(|defect| defect.file).collect();
    for source in std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../rtl")).unwrap() {
        let name = source.unwrap().file_name().into_string().unwrap();
        assert!(files.contains(name.as_str()), "no engine has a defect in {name}");
    }
    for mutant in mutants() {
        let how = noticed(&mutant, Pace::full()).or_else(|| noticed(&mutant, slow));
        println!("{}: {}", mutant.name, how.as_deref().unwrap_or("NOT NOTICED"));
        assert!(how.is_some(), "{}: {:?}", mutant.name, mutant.defect);
    }
}
