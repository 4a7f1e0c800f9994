//! The measure of the default recipe, written again with the standard library alone, because it
//! judges the program.

use std::collections::HashSet;

/// Words of a shingle in the default recipe.
const SIZE: usize = 3;

/// The Jaccard of two texts over their sets of three-word shingles, for texts in ASCII and Han.
pub(crate) fn of(left: &str, right: &str) -> f64 {
    let (left, right) = (words(left), words(right));
    let (left, right) = (shingles(&left), shingles(&right));
    let common = left.intersection(&right).count();
    common as f64 / (left.len() + right.len() - common) as f64
}

/// A score as the program prints it: six decimals.
pub(crate) fn printed(left: &str, right: &str) -> f64 {
    (of(left, right) * 1e6).round() / 1e6
}

fn shingles(words: &[String]) -> HashSet<&[String]> {
    match words.len() {
        0 => HashSet::new(),
        length => words.windows(SIZE.min(length)).collect(),
    }
}

/// Lower-case runs of letters and digits; every Han character is a word.
fn words(text: &str) -> Vec<String> {
    let mut spaced = String::new();
    for character in text.chars() {
        match character {
            '\u{4e00}'..='\u{9fff}' => spaced.extend([' ', character, ' ']),
            _ if character.is_ascii_alphanumeric() => spaced.push(character.to_ascii_lowercase()),
            _ => spaced.push(' '),
        }
    }
    spaced.split_whitespace().map(str::to_owned).collect()
}

#[test]
fn a_worked_example() {
    // abc bcd cde against abc bcd bcx: two of four.
    assert_eq!(of("A b c d e", "a b, c d x"), 0.5);
    assert_eq!(of("中文字典", "中文字"), 0.5);
}
