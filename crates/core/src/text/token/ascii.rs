//! Tokens of texts that are pure ASCII: one loop over bytes.
//!
//! ASCII is normal but for its upper case, has no marks and no unspaced script, so a byte is a separator or part of
//! a word, and a word without upper case is a slice of the text.

/// For each byte the byte that a token has in its place, zero for separators. Without folding.
const AS_IT_IS: [u8; 256] = table(false);
/// The same with upper case folded.
const FOLDED: [u8; 256] = table(true);

const fn table(fold: bool) -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0u8;
    while byte.is_ascii() {
        if byte.is_ascii_alphanumeric() {
            table[byte as usize] = if fold { byte.to_ascii_lowercase() } else { byte };
        }
        byte += 1;
    }
    table
}

/// Calls `sink` with every token of `text`, which must be pure ASCII. `token` is a buffer.
pub(in crate::text) fn tokens(text: &str, fold: bool, token: &mut String, mut sink: impl FnMut(&str)) {
    debug_assert!(text.is_ascii());
    let table = if fold { &FOLDED } else { &AS_IT_IS };
    let bytes = text.as_bytes();
    let mut start = 0;
    loop {
        let Some(gap) = bytes[start..].iter().position(|&byte| table[byte as usize] != 0) else { break };
        start += gap;
        let mut changed = 0;
        let mut end = start;
        while let Some(&byte) = bytes.get(end)
            && table[byte as usize] != 0
        {
            changed |= byte ^ table[byte as usize];
            end += 1;
        }
        if changed == 0 {
            sink(&text[start..end]);
        } else {
            token.clear();
            token.push_str(&text[start..end]);
            token.make_ascii_lowercase();
            sink(token);
        }
        start = end;
    }
}
