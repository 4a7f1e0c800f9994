//! Where does the row of a document stand?
//!
//! Ids may repeat: a page that was crawled twice has one id and two rows. A place, `docs.jsonl:17`,
//! distinguishes rows. It is stored in eight bytes: the number of the source, and the number of the
//! row in it.

use twindex_corpus::{Position, Source};

use super::Documents;
use crate::error::{BatchError, Result};

/// The place of a row, as it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    /// The number of the source: those of `against` come first.
    pub(crate) source: u32,
    /// The number of the line, row or record, from 1; `None` where the file is the row.
    pub(crate) number: Option<u32>,
}

impl Place {
    /// Its size on disk.
    pub(crate) const BYTES: usize = 8;

    /// The place of row number `row` of a batch whose first row is of the source number `first`.
    /// Where files are rows, a batch has consecutive ones.
    pub(crate) fn of_row(first: u32, row: usize, position: &Position) -> Result<Self> {
        let too_many = |_| BatchError::TooMany;
        match position.number() {
            Some(number) => {
                Ok(Place { source: first, number: Some(u32::try_from(number).map_err(too_many)?) })
            }
            None => Ok(Place { source: first + u32::try_from(row).map_err(too_many)?, number: None }),
        }
    }

    pub(crate) fn encode(self) -> [u8; Place::BYTES] {
        let mut bytes = [0; Place::BYTES];
        bytes[..4].copy_from_slice(&self.source.to_le_bytes());
        bytes[4..].copy_from_slice(&self.number.unwrap_or(0).to_le_bytes());
        bytes
    }

    pub(crate) fn decode(bytes: [u8; Place::BYTES]) -> Self {
        let [source, number] =
            [[bytes[0], bytes[1], bytes[2], bytes[3]], [bytes[4], bytes[5], bytes[6], bytes[7]]]
                .map(u32::from_le_bytes);
        Place { source, number: (number > 0).then_some(number) }
    }
}

/// The places of a job's documents, as text.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    pub(crate) documents: &'a Documents,
    pub(crate) against: &'a [Source],
    /// How many of these, the last ones, were found in indexes.
    pub(crate) of_indexes: usize,
    pub(crate) inputs: &'a [Source],
}

impl Places<'_> {
    /// The place of a document: `docs.jsonl:17`. Of one of an index, the index.
    pub(crate) fn of(&self, document: u32) -> Result<String> {
        let Place { source, number } = self.documents.place(document)?;
        let source = source as usize;
        let found = match source.checked_sub(self.against.len()) {
            None => self.against.get(source),
            Some(input) => self.inputs.get(input),
        };
        let missing = || BatchError::Damaged {
            path: "places".into(),
            what: format!("document {document} is in a source that is not there"),
        };
        let files = self.against.len() - self.of_indexes;
        let is_of_index = (files..self.against.len()).contains(&source);
        let number = number.filter(|_| !is_of_index);
        Ok(found.ok_or_else(missing)?.row_name(number.map(u64::from)).to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_survive_the_disk() {
        for number in [None, Some(1), Some(u32::MAX)] {
            let place = Place { source: 7, number };
            assert_eq!(Place::decode(place.encode()), place);
        }
    }
}
