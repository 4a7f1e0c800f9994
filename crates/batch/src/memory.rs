//! How much of the allowed memory is taken by fixed costs, and how much is left?

use twindex_core::feature::{FREQUENCY_BYTES, Unit};
use twindex_core::{Engine, Markup};
use twindex_corpus::{ReadOptions, Row};

use crate::error::{BatchError, Result};
use crate::job::Job;

/// Program, buffers, and for each thread its batches in flight: measured on collections of short
/// and long documents.
const FIXED_BYTES: u64 = 48 << 20;
const THREAD_BYTES: u64 = 24 << 20;

/// Memory for every document: its representative, its rank, the document of a rank, whether it is
/// removed, and the larger of keep order and clusters while they are computed.
const DOCUMENT_BYTES: u64 = 4 + 4 + 4 + 2 + 16;

/// A job does not start with less working memory than this.
const LEAST_WORKING_BYTES: u64 = 16 << 20;

/// How many times its own length a row takes while it is read: the row, its text, the features of
/// its document, and the same of the row that is read meanwhile. Rows of 10 MB under 150 MB of
/// memory peaked at 141 MB, rows of 98 MB under 1 GB at 989 MB.
const PER_ROW_BYTE: u64 = 8;

/// What each word of a long row takes besides: hashes and shingles while they are gathered, sorted
/// and counted: 52 bytes were measured, beside what the text takes. 20 MB of English are three
/// million words, and of single letters ten million.
const PER_WORD: u64 = 64;

/// Rows shorter than this are not counted: many of them fit into the fixed costs.
const LONG_ROW: usize = 1 << 20;

/// Refuses a row whose words take more memory than is allowed, before they are hashed.
pub(crate) fn check_words(job: &Job, row: &Row<'_>) -> Result<()> {
    let bytes = row.text.len() as u64;
    let needed = |words: u64| FIXED_BYTES + bytes * PER_ROW_BYTE + words * PER_WORD;
    // No text has more words than bytes: counting is for rows that come near to the limit.
    if row.text.len() < LONG_ROW || needed(bytes) <= job.memory {
        return Ok(());
    }
    let words = match job.recipe.feature.unit {
        Unit::Word => count_words(&row.text, row.markup),
        Unit::Character => row.text.chars().count() as u64,
    };
    let needed = needed(words);
    if needed <= job.memory {
        return Ok(());
    }
    Err(BatchError::LongRow {
        position: row.position.clone(),
        words,
        needed: megabytes(needed),
        given: megabytes(job.memory),
    })
}

/// About how many words a text has; never far too few. Every letter counts in scripts that are
/// written without spaces, and so do their neighbours.
fn count_words(text: &str, markup: Markup) -> u64 {
    /// The first byte of characters from U+0E00 on.
    const WITHOUT_SPACES: u8 = 0xe0;
    let (mut words, mut in_word, mut in_tag) = (0, false, false);
    for &byte in text.as_bytes() {
        match byte {
            b'<' if markup == Markup::Html => in_tag = true,
            b'>' => in_tag = false,
            _ => {}
        }
        let is_letter = byte.is_ascii_alphanumeric() || !byte.is_ascii();
        let begins = is_letter && !in_word || byte >= WITHOUT_SPACES;
        words += u64::from(begins && !in_tag);
        in_word = is_letter && !in_tag;
    }
    words
}

/// How a job reads: no row is longer than what the allowed memory can hold.
pub(crate) fn within_memory(job: &Job) -> ReadOptions {
    ReadOptions { longest_row: longest_row(job), ..job.read.clone() }
}

fn longest_row(job: &Job) -> usize {
    let left = job.memory.saturating_sub(FIXED_BYTES).max(LEAST_WORKING_BYTES);
    usize::try_from(left / PER_ROW_BYTE).unwrap_or(usize::MAX).min(job.read.longest_row)
}

/// Memory besides sort buffers and caches.
pub(crate) fn held_bytes(job: &Job, engine: &Engine, documents: u64) -> u64 {
    FIXED_BYTES
        + job.threads as u64 * THREAD_BYTES
        + documents * DOCUMENT_BYTES
        + engine.join_bytes(documents as usize) as u64
        + if job.recipe.needs_frequencies() { FREQUENCY_BYTES as u64 } else { 0 }
}

/// How much of the allowed memory is left for sorting and caching.
pub(crate) fn working_memory(job: &Job, engine: &Engine, documents: u64) -> Result<usize> {
    let taken = held_bytes(job, engine, documents);
    match job.memory.checked_sub(taken).filter(|&left| left >= LEAST_WORKING_BYTES) {
        Some(left) => Ok(left as usize),
        None => Err(BatchError::Memory {
            given: megabytes(job.memory),
            documents,
            needed: megabytes(taken + LEAST_WORKING_BYTES),
        }),
    }
}

/// In millions of bytes, rounded up.
pub(crate) fn megabytes(bytes: u64) -> String {
    if bytes < 1_000_000 { format!("{bytes}") } else { format!("{}M", bytes.div_ceil(1_000_000)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_without_tokens() {
        assert_eq!(count_words("One two-3, caf\u{e9} na\u{ef}ve!", Markup::None), 5);
        assert_eq!(count_words("\u{4e2d}\u{6587} and \u{e01}", Markup::None), 4);
        let page = "<p class=\"a b\">one <b>two</b>three";
        assert_eq!(count_words(page, Markup::Html), 3);
        assert!(count_words(page, Markup::None) > 3);
        assert_eq!(count_words("", Markup::None), 0);
    }
}
