//! Engines with one defect each: the comparison notices every one of them.
#![cfg(feature = "mutants")]

use twindex_hardware::{Alignment, Form, Pace, Slip, mutants, reference, run};

/// Words of all lengths, with punctuation of all kinds between them.
fn documents() -> Vec<Vec<u8>> {
    let word = |seed: usize| -> Vec<u8> {
        (0..1 + seed % 9).map(|place| b'a' + ((seed * 7 + place * 5) % 26) as u8).collect()
    };
    (0..400usize)
        .map(|number| {
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
        })
        .collect()
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
    assert!(mutants().len() >= 13, "a defect for every stage");
    for mutant in mutants() {
        let how = noticed(&mutant, Pace::full()).or_else(|| noticed(&mutant, slow));
        println!("{}: {}", mutant.name, how.as_deref().unwrap_or("NOT NOTICED"));
        assert!(how.is_some(), "{}: {:?}", mutant.name, mutant.defect);
    }
}
