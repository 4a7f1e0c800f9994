//! Documents as beats of a stream.

/// Bytes of a beat.
const BYTES: usize = 8;

/// One beat: up to eight bytes of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beat {
    /// Byte 0 is the lowest.
    pub data: u64,
    /// The bytes that exist.
    pub keep: u8,
    /// Whether the document ends here.
    pub last: bool,
}

/// The beats of a document. Byte `offset` of the first beat is its first byte, the bytes before are
/// masked; a document of no bytes is one empty beat.
pub fn beats(document: &[u8], offset: usize) -> Vec<Beat> {
    assert!(offset < BYTES, "a beat has {BYTES} bytes");
    let count = (offset + document.len()).div_ceil(BYTES).max(1);
    let beat = |number: usize| {
        let mut beat = Beat { data: 0, keep: 0, last: number + 1 == count };
        for place in 0..BYTES {
            let Some(&byte) = (number * BYTES + place).checked_sub(offset).and_then(|at| document.get(at))
            else {
                // What is masked may be anything: a letter, so that reading it would be noticed.
                beat.data |= u64::from(b'x') << (8 * place);
                continue;
            };
            beat.data |= u64::from(byte) << (8 * place);
            beat.keep |= 1 << place;
        }
        beat
    };
    (0..count).map(beat).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beats_hold_every_byte_once_and_one_is_last() {
        for length in 0..40u8 {
            for offset in 0..BYTES {
                let document: Vec<u8> = (0..length).collect();
                let beats = beats(&document, offset);
                let kept: Vec<u8> = beats
                    .iter()
                    .flat_map(|beat| (0..BYTES).map(move |place| (beat, place)))
                    .filter(|(beat, place)| beat.keep >> place & 1 == 1)
                    .map(|(beat, place)| (beat.data >> (8 * place)) as u8)
                    .collect();
                assert_eq!(kept, document);
                assert!(beats.iter().rev().skip(1).all(|beat| !beat.last) && beats[beats.len() - 1].last);
            }
        }
    }
}
