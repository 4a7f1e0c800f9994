//! Every kernel gives what going byte by byte gives.

use proptest::prelude::*;

use super::{ESCAPED, Unescaped, is_mark};
use crate::kernel::Kernel;

/// The definition, byte by byte.
fn naive(string: &[u8], room: usize) -> (Unescaped, Vec<u8>) {
    let (mut read, mut text) = (0, vec![]);
    while text.len() < room {
        match string[read..] {
            [b'\\', letter, ..] if ESCAPED[usize::from(letter)] != 0 => {
                text.push(ESCAPED[usize::from(letter)]);
                read += 2;
            }
            [b'"' | b'\\' | ..b' ', ..] | [] => break,
            [byte, ..] => {
                text.push(byte);
                read += 1;
            }
        }
    }
    (Unescaped { read, written: text.len() }, text)
}

fn check(string: &[u8], room: usize) {
    let (expected, expected_text) = naive(string, room);
    for kernel in Kernel::available() {
        let first = string.iter().position(|&byte| is_mark(byte)).unwrap_or(string.len());
        assert_eq!(kernel.to_mark(string), first, "{}: {string:?}", kernel.name());
        let mut text = vec![0xaa; room];
        let done = kernel.unescape(string, &mut text);
        assert_eq!(done, expected, "{}: {string:?}, room for {room}", kernel.name());
        assert_eq!(text[..done.written], expected_text, "{}: {string:?}", kernel.name());
    }
}

/// Each byte, alone and escaped, at each place of a block and beside its ends.
#[test]
fn every_byte_everywhere() {
    for byte in 0..=u8::MAX {
        for before in 0..140 {
            let mut string = vec![b'a'; before];
            string.push(byte);
            string.extend([b'z'; 70]);
            check(&string, 256);
            string.insert(before, b'\\');
            check(&string, 256);
        }
    }
}

/// Runs of backslashes of every length, at every place.
#[test]
fn runs_of_backslashes() {
    for before in 0..70 {
        for run in 0..140 {
            for last in [b'n', b'u', b'"', b'x', 0xe4] {
                let mut string = vec![b'a'; before];
                string.resize(before + run, b'\\');
                string.push(last);
                string.extend([b'z'; 65]);
                check(&string, 300);
            }
        }
    }
}

/// What does not fit stays; a string may end inside an escape.
#[test]
fn every_length_and_room() {
    let string: Vec<u8> = br#"ab\n\t\"\\cdefghij\/"#.iter().copied().cycle().take(200).collect();
    for length in 0..string.len() {
        for room in (0..=length).step_by(7).chain([length, length + 64]) {
            check(&string[..length], room);
        }
    }
}

proptest! {
    #[test]
    fn any_mixture(string in prop::collection::vec(
        prop_oneof![
            4 => Just(b'a'), 4 => Just(b'\\'), 3 => Just(b'n'), 2 => Just(b't'), 2 => 0x80u8..,
            1 => Just(b'u'), 1 => Just(b'"'), 1 => any::<u8>(),
        ],
        0..300,
    ), cut in 0usize..64) {
        // From many starts, because a stop hides what follows it.
        for start in (0..string.len()).step_by(5) {
            check(&string[start..], string.len() - start);
            check(&string[start..], (string.len() - start).saturating_sub(cut));
        }
    }
}
