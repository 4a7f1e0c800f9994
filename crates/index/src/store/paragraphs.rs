//! The paragraphs of a document: where they are, and their fingerprints.

use twindex_core::fingerprint::Simhash;

use super::record::{opened, sealed, take};
use crate::document::Place;

/// The paragraphs of one document. Their numbers are consecutive; the row is stored under the
/// first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Row {
    /// The number of the document.
    pub(crate) document: u32,
    /// Every paragraph, in order.
    pub(crate) places: Vec<(Place, Simhash)>,
}

impl Row {
    pub(crate) fn encode(&self, first: u32) -> Vec<u8> {
        let mut bytes = self.document.to_le_bytes().to_vec();
        for (place, fingerprint) in &self.places {
            bytes.extend(place.start.to_le_bytes());
            bytes.extend(place.end.to_le_bytes());
            bytes.extend(fingerprint.0.to_le_bytes());
        }
        sealed(bytes, u64::from(first))
    }

    /// `None` if the bytes are not what was written under this number.
    pub(crate) fn decode(stored: &[u8], first: u32) -> Option<Row> {
        let mut bytes = opened(stored, u64::from(first))?;
        let document = u32::from_le_bytes(take(&mut bytes)?);
        let mut places = vec![];
        while !bytes.is_empty() {
            let [start, end] = [take(&mut bytes)?, take(&mut bytes)?].map(u32::from_le_bytes);
            places.push((Place { start, end }, Simhash(u64::from_le_bytes(take(&mut bytes)?))));
        }
        Some(Row { document, places })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_survives_and_a_change_is_noticed() {
        let place = |start, end| Place { start, end };
        let row = Row {
            document: 7,
            places: vec![(place(0, 90), Simhash(1)), (place(92, 300), Simhash(u64::MAX))],
        };
        let bytes = row.encode(3);
        assert_eq!(Row::decode(&bytes, 3), Some(row));
        assert_eq!(Row::decode(&bytes, 4), None);
        for byte in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[byte] ^= 0x40;
            assert_eq!(Row::decode(&changed, 3), None);
        }
    }
}
