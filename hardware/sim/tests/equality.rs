//! Every fingerprint of every form that is built equals that of the software, whatever the lengths,
//! the alignment and the stalls.

use twindex_core::Markup;
use twindex_hardware::{
    Alignment, Form, Host, Pace, Run, Slip, Software, built, reference, run, run_after_reset,
};

/// A generator of numbers that is the same everywhere.
fn mix(seed: u64) -> u64 {
    let mixed = seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mixed = (mixed ^ mixed >> 31).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed ^ mixed >> 29
}

/// Letters with separators between them, about one in `words`.
fn document(seed: u64, length: usize, words: u64) -> Vec<u8> {
    (0..length as u64)
        .map(|at| {
            let number = mix(seed << 20 | at);
            match number % words {
                0 => b" \n\t.,-_\0'"[(number >> 32) as usize % 9],
                1 => 0x80 | (number >> 40) as u8,
                _ => b'a' + ((number >> 40) % 26) as u8,
            }
        })
        .collect()
}

fn check(form: &Form, documents: &[Vec<u8>], pace: Pace) -> Run {
    let result = run(form, documents, pace).unwrap();
    for (number, (document, answer)) in documents.iter().zip(&result.answers).enumerate() {
        let expected = reference(form, document, Slip::None);
        assert_eq!(*answer, expected, "{}: document {number}, {} bytes", form.name, document.len());
    }
    result
}

fn stalling(seed: u64) -> Pace {
    Pace {
        seed,
        source_stalls: 60,
        sink_stalls: 120,
        ragged: 40,
        initial: seed as u32 + 1,
        alignment: Alignment::Chance,
    }
}

/// Figure 3 of the paper, in its own separators and in odd ones.
#[test]
fn the_papers_example() {
    let bits = "0011101010100100001000111100010101011000001101010000111111110100";
    let expected = u64::from_str_radix(bits, 2).unwrap();
    for form in built() {
        for text in ["school school students teachers", "\n\0school, school--students\tteachers. "] {
            let answers = run(&form, &[text.as_bytes()], Pace::full()).unwrap().answers;
            assert_eq!(answers[0].fingerprint(), Some(expected), "{}: {text:?}", form.name);
            assert!(!answers[0].overflow);
        }
    }
}

/// Eight copies of each length, so that the first byte of one stands at each place of a beat.
#[test]
fn every_length_at_every_alignment() {
    for form in built() {
        let documents: Vec<Vec<u8>> =
            (0..=200).flat_map(|length| (0..8).map(move |round| document(round, length, 6))).collect();
        for pace in [Pace::full(), Pace { ragged: 128, ..Pace::full() }] {
            for shift in 0..8 {
                check(&form, &documents, Pace { alignment: Alignment::Turn(shift), ..pace });
            }
        }
    }
}

#[test]
fn documents_without_words_are_marked_and_agree_with_the_software() {
    let mut software = Software::new().unwrap();
    for form in built() {
        let texts = ["", " ", "...", "\n\n\n", "a", "", "-", "b c"];
        let documents: Vec<Vec<u8>> = (0..500).map(|i| texts[i % 8].as_bytes().to_vec()).collect();
        let result = check(&form, &documents, Pace::full());
        for (i, answer) in result.answers.iter().enumerate() {
            assert_eq!(answer.fingerprint(), software.fingerprint(texts[i % 8], Markup::None));
            assert!(!answer.empty || answer.fingerprint == u64::MAX);
        }
    }
}

/// The first beat of each core comes a cycle after that of the core before, so documents end in the
/// same cycle if each is a byte shorter (`mutants.rs` shows that they do).
#[test]
fn eight_documents_that_end_in_one_cycle() {
    for form in built() {
        for beats in 1..=8 {
            let length = |number: usize| 8 * beats - number / form.engines;
            let documents: Vec<Vec<u8>> =
                (0..form.engines * form.cores).map(|at| document(at as u64, length(at), 5)).collect();
            check(&form, &documents, Pace::full());
            check(&form, &documents, Pace { sink_stalls: 250, ..Pace::full() });
        }
    }
}

/// Documents of equal length end a cycle apart, and the sink stops for so long that all of them
/// wait.
#[test]
fn documents_that_end_one_after_another() {
    for form in built() {
        for length in [1, 7, 8, 9, 15, 16, 64] {
            let documents: Vec<Vec<u8>> = (0..64).map(|seed| document(seed, length, 5)).collect();
            check(&form, &documents, Pace::full());
            check(&form, &documents, Pace { sink_stalls: 250, ..Pace::full() });
        }
    }
}

#[test]
fn documents_of_one_byte_at_full_rate() {
    for form in built() {
        let documents: Vec<Vec<u8>> = (0..20_000).map(|seed| document(seed, 1, 4)).collect();
        check(&form, &documents, Pace::full());
    }
}

/// Each byte between two others, at the beginning and at the end: it is part of a word, as it is or
/// as a small letter, or it ends one.
#[test]
fn every_byte() {
    for form in built() {
        let texts = |byte: u8| [vec![byte], vec![b'q', byte, b'r'], vec![byte, b'q', b'r', byte]];
        let documents: Vec<Vec<u8>> = (0..=255).flat_map(texts).collect();
        check(&form, &documents, Pace::full());
    }
}

/// Words of one letter wait, and nothing is lost, where they are faster than the small counters can
/// take them: if 2^low_width is not above half of a round's steps.
#[test]
fn the_shortest_words() {
    for form in built() {
        let text = |seed: u64| -> Vec<u8> {
            (0..2_000).map(|i| if i % 2 == 1 { b' ' } else { b'a' + (mix(seed + i) % 26) as u8 }).collect()
        };
        let documents: Vec<Vec<u8>> = (0..40).map(text).collect();
        let result = check(&form, &documents, Pace::full());
        let rate = 80_000.0 / result.cycles as f64 / (form.engines * form.cores) as f64;
        let keeps_up = !form.two_level || 1 << form.low_width > 64 / form.lanes / 2;
        let (least, most) = match form.low_width {
            _ if keeps_up => (0.99, 1.0),
            3 => (0.77, 0.78),
            _ => (0.33, 0.34),
        };
        println!("{}: {rate:.4} bytes per core and cycle", form.name);
        assert!((least..=most).contains(&rate), "{}: {rate:.4}", form.name);
    }
}

#[test]
fn a_hundred_thousand_documents_with_stalls() {
    for form in built() {
        let documents: Vec<Vec<u8>> = (0..100_000u64)
            .map(|seed| {
                document(seed, (mix(seed) % [3, 20, 90, 200][seed as usize % 4]) as usize, 2 + seed % 7)
            })
            .collect();
        check(&form, &documents, stalling(7));
    }
}

/// The flag rises with the word at which a counter can leave its range, and never before.
#[cfg(feature = "all-forms")]
#[test]
fn overflow_is_flagged_exactly() {
    for form in built().iter().filter(|form| form.counter_width == 8) {
        let documents: Vec<Vec<u8>> = (0..300).map(|words| b"ab ".repeat(words)).collect();
        let result = check(form, &documents, Pace::full());
        for (words, answer) in result.answers.iter().enumerate() {
            assert_eq!(answer.overflow, words >= 128, "{} words", words);
        }
    }
}

#[test]
fn an_unknown_initial_state_does_not_matter() {
    for form in built() {
        let documents: Vec<Vec<u8>> = (0..300).map(|seed| document(seed, seed as usize, 6)).collect();
        for initial in 1..=6 {
            check(&form, &documents, Pace { initial, ..Pace::full() });
        }
    }
}

/// A reset after every number of cycles: in a word, between words, in a last round, with answers
/// waiting.
#[test]
fn a_reset_in_the_middle_of_a_document() {
    for form in built() {
        let others: Vec<Vec<u8>> = (0..600).map(|seed| document(seed, 120, 4)).collect();
        let documents: Vec<Vec<u8>> = (0..24).map(|seed| document(seed + 900, seed as usize, 4)).collect();
        for cycles in 1..200 {
            let pace = Pace { sink_stalls: if cycles % 2 == 0 { 0 } else { 200 }, ..Pace::full() };
            let result = run_after_reset(&form, &others, cycles, &documents, pace).unwrap();
            for (document, answer) in documents.iter().zip(&result.answers) {
                assert_eq!(*answer, reference(&form, document, Slip::None), "{}: {cycles}", form.name);
            }
        }
    }
}

/// Texts in many scripts through host and engine, against recipe `fpga` on the text itself.
#[test]
fn texts_agree_with_the_recipe() {
    let texts = [
        "A School is a school, if it has STUDENTS and teachers.",
        "Straße STRASSE ﬁn — “quoted” don’t\u{a0}stop",
        "東京は日本の首都です。Tokyo 2024",
        "Ελληνικά Σίσυφος, русский текст; עברית العربية",
        "cafe\u{301} CAFÉ naïve 🙂🙃 emoji",
        "",
        "—…—",
    ];
    let (mut host, mut software) = (Host::new().unwrap(), Software::new().unwrap());
    let documents: Vec<Vec<u8>> = texts.iter().map(|text| host.prepare(text, Markup::None)).collect();
    for form in built().iter().filter(|form| form.counter_width > 8) {
        let result = check(form, &documents, stalling(3));
        for (text, answer) in texts.iter().zip(&result.answers) {
            assert_eq!(answer.fingerprint(), software.fingerprint(text, Markup::None), "{text}");
        }
    }
}

/// Bytes per core and cycle without stalls: 0.85 for messages, 0.99 for pages, 0.999 for chapters.
#[test]
fn throughput() {
    for form in built().iter().filter(|form| form.engines == 1 && form.counter_width > 8) {
        for (length, count, least) in [(45, 20_000, 0.85), (4096, 400, 0.99), (100_000, 40, 0.999)] {
            let documents: Vec<Vec<u8>> = (0..count).map(|seed| document(seed, length, 6)).collect();
            let cycles = check(form, &documents, Pace::full()).cycles;
            let rate = (length as u64 * count) as f64 / cycles as f64 / form.cores as f64;
            println!("{}: {length} bytes: {rate:.4} bytes per core and cycle", form.name);
            assert!(rate >= least, "{}: {length} bytes: {rate:.4}", form.name);
        }
    }
}

/// Each mistake in the reference is noticed: the comparison can fail.
#[test]
fn a_wrong_reference_is_noticed() {
    let form = built().into_iter().find(|form| form.counter_width == 8).unwrap_or(built()[0]);
    let mut documents: Vec<Vec<u8>> = (0..200).map(|seed| document(seed, 200, 6)).collect();
    documents.push(b"ab ".repeat(200));
    documents.push(vec![]);
    let result = run(&form, &documents, Pace::full()).unwrap();
    let differ = |slip| {
        documents.iter().zip(&result.answers).any(|(text, answer)| reference(&form, text, slip) != *answer)
    };
    assert!(!differ(Slip::None));
    for slip in [Slip::Above, Slip::LastWordDropped, Slip::HashNotReset, Slip::BlanksOnly, Slip::NoEmpty] {
        assert!(differ(slip), "{slip:?}");
    }
    assert_eq!(differ(Slip::NoOverflow), form.counter_width == 8);
}
