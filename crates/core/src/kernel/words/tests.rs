//! The suite that every kernel runs: the hashes of the definition, for any text at any address.

use proptest::prelude::*;

use super::{Kernel, WordRule, naive};

/// Texts lie at each of these offsets from a cache line.
const ALIGNMENTS: usize = 64;

/// Compares every kernel with the definition.
fn check(text: &[u8], ends: &[usize]) {
    for rule in WordRule::ALL {
        let (mut expected, mut expected_ends) = (vec![7], vec![]);
        naive(rule, text, ends, &mut expected, &mut expected_ends);
        for kernel in Kernel::available() {
            let (mut found, mut found_ends) = (vec![7], vec![]);
            kernel.words(rule, text, ends, &mut found, &mut found_ends);
            assert_eq!(
                (found_ends, found),
                (expected_ends.clone(), expected.clone()),
                "{}, {rule:?}, ends {ends:?}, text {:?}",
                kernel.name(),
                String::from_utf8_lossy(text)
            );
        }
    }
}

/// The text as one document, in an allocation of its own length, so that tools detect reads beyond
/// it.
fn check_alone(text: &[u8]) {
    let text: Box<[u8]> = text.into();
    check(&text, &[text.len()]);
}

/// Pseudo-random bytes in which words of 1 to 20 letters are as frequent as in a text.
fn prose(length: usize, mut state: u64) -> Vec<u8> {
    let mut text = Vec::with_capacity(length + 32);
    while text.len() < length {
        state = crate::hash::mix(state.wrapping_add(1));
        let letters = [1, 2, 3, 3, 4, 5, 7, 8, 9, 12, 16, 17][state as usize % 12];
        text.extend((0..letters).map(|i| b"etaoinEsHrdlU"[(state >> (8 + 3 * i)) as usize % 13]));
        text.extend(&b" , \n. - "[..1 + (state >> 60) as usize % 3]);
    }
    text.truncate(length);
    text
}

#[test]
fn every_length_at_every_alignment() {
    const LONGEST: usize = 300;
    // Around the text lie letters, which would join its first and last word if they were read.
    let mut memory = vec![b'x'; ALIGNMENTS + LONGEST + ALIGNMENTS];
    for length in 0..=LONGEST {
        let text = prose(length, length as u64);
        check_alone(&text);
        for offset in 0..ALIGNMENTS {
            memory.fill(b'x');
            memory[offset..offset + length].copy_from_slice(&text);
            check(&memory[offset..offset + length], &[length]);
        }
    }
}

#[test]
fn words_of_every_length_at_every_offset() {
    for letter in [b'a', b'Z', 0xFF] {
        for length in 1..=140 {
            for offset in 0..70 {
                let mut text = vec![b' '; offset];
                text.extend(vec![letter; length]);
                check_alone(&text);
                text.extend(b" b");
                check_alone(&text);
            }
        }
    }
}

#[test]
fn words_longer_than_every_limit() {
    for length in [255, 256, 4_095, 4_096, 8_192, 65_535, 65_536, 65_537, 200_000] {
        for (before, after) in [("", ""), ("in front ", " behind"), ("x ", " y")] {
            let word = prose(length, 1).into_iter().map(|byte| byte | 0x40).collect::<Vec<_>>();
            check_alone(&[before.as_bytes(), &word, after.as_bytes()].concat());
        }
    }
}

#[test]
fn every_byte_between_letters() {
    for byte in 0..=0xFF {
        for place in 0..130 {
            let mut text = [b'q'; 130];
            text[place] = byte;
            check_alone(&text);
            let mut text = [b' '; 130];
            text[place] = byte;
            check_alone(&text);
        }
    }
}

#[test]
fn only_separators_and_only_words() {
    for length in [1, 63, 64, 65, 1_000, 70_000] {
        for byte in [0, b' ', b'\n', b'.', 0x7F, 0x80, 0xFF] {
            check_alone(&vec![byte; length]);
        }
        // The most words that a text can hold.
        check_alone(&b"a ".repeat(length));
    }
}

#[test]
fn a_batch_larger_than_every_buffer() {
    let mut text = prose(300_000, 5);
    let mut ends = vec![];
    for (at, byte) in text.iter_mut().enumerate() {
        if at % 977 == 976 {
            *byte = b'\n';
            ends.push(at + 1);
        }
    }
    check(&text, &ends);
}

#[test]
fn documents_are_apart_even_without_a_separator() {
    let text = b"onetwo three";
    check(text, &[3, 6, 6, 12]);
    let mut hashes = vec![];
    Kernel::best().words(WordRule::Printable, text, &[3, 6, 12], &mut hashes, &mut vec![]);
    assert_eq!(hashes, [b"one".as_slice(), b"two", b"three"].map(crate::hash::sdbm));
}

/// The FPGA paper starts from such a text.
#[test]
fn of_folded_words_between_blanks_both_sdbm_rules_make_the_same() {
    let text = b"a school is a school if it has students and teachers 2 internationalisations";
    for kernel in Kernel::available() {
        let of = |rule| {
            let mut hashes = vec![];
            kernel.words(rule, text, &[text.len()], &mut hashes, &mut vec![]);
            hashes
        };
        assert_eq!(of(WordRule::Printable), of(WordRule::AlphanumericSdbm));
    }
}

#[test]
fn empty_documents_and_empty_batches() {
    check(b"", &[]);
    check(b"", &[0, 0, 0]);
    check(b"a b", &[]);
    check(b"a b", &[0, 0, 2, 2, 3, 3]);
    // What follows the last end is not read.
    check(b"a bcd", &[3]);
}

#[test]
#[should_panic = "one after the other"]
fn descending_ends_are_refused() {
    Kernel::best().words(WordRule::Printable, b"a b c", &[4, 2], &mut vec![], &mut vec![]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_bytes_cut_anywhere(
        text in prop::collection::vec(prop_oneof![3 => Just(b' '), 9 => b'a'..=b'z', 3 => b'A'..=b'Z', 2 => any::<u8>(), 1 => Just(0xFF)], 0..2000),
        cuts in prop::collection::vec(0.0..=1.0, 0..20),
    ) {
        let mut ends: Vec<usize> = cuts.iter().map(|cut| (cut * text.len() as f64) as usize).collect();
        ends.sort_unstable();
        check(&text, &ends);
    }

    #[test]
    fn lines(lines in prop::collection::vec("[a-zA-Z0-9 ,.éΣ中]{0,90}", 0..60)) {
        let mut text = String::new();
        let mut ends = vec![];
        for line in lines {
            text.push_str(&line);
            text.push('\n');
            ends.push(text.len());
        }
        check(text.as_bytes(), &ends);
    }
}
