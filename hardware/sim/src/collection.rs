//! The documents of a user, all in memory: a simulation is not for gigabytes.

use anyhow::ensure;
use twindex_core::Markup;
use twindex_corpus::{ReadOptions, Reader, resolve};

/// Bytes of a batch, of which only one is in memory besides the documents.
const BATCH_BYTES: usize = 1 << 20;

pub(crate) struct Collection {
    pub(crate) ids: Vec<String>,
    pub(crate) documents: Vec<(String, Markup)>,
}

impl Collection {
    pub(crate) fn read(inputs: &[String], text_field: &str) -> anyhow::Result<Collection> {
        let options =
            ReadOptions { text_field: text_field.parse()?, whole_rows: false, ..ReadOptions::default() };
        let mut reader = Reader::open(&resolve(inputs, &options)?, &options)?;
        let mut collection = Collection { ids: vec![], documents: vec![] };
        while let Some(batch) = reader.next_batch(BATCH_BYTES)? {
            for row in batch.parse(&options) {
                let row = row?;
                collection.ids.push(row.id_or_position().into_owned());
                collection.documents.push((row.text.into_owned(), row.markup));
            }
        }
        ensure!(!collection.ids.is_empty(), "there is no document in {}", inputs.join(", "));
        Ok(collection)
    }
}
