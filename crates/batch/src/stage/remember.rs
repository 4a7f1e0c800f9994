//! After stage seven: the kept documents go into an index.
//!
//! The outputs are complete then, and have no names yet; the job has a checkpoint. A job that is
//! killed here adds everything again when it is resumed, which changes nothing: a document is named
//! by its id, or by its id and the hash of its text where the id belongs to another.

use twindex_corpus::{Reader, Source};
use twindex_index::{AddOptions, Index, LONGEST_ID, NewDocument, TakenId, Timestamp};

use crate::error::{BatchError, Result};
use crate::job::{BATCH_BYTES, Job};
use crate::join::Records;
use crate::progress::{Progress, Unit};
use crate::work::{ScoredPair, WorkFolder, row_status};

/// The parameters of the stage.
pub(crate) struct Remember<'a> {
    pub(crate) job: &'a Job,
    pub(crate) index: &'a Index,
    /// Where the rows of the inputs are read: maybe from unpacked copies.
    pub(crate) sources: Vec<Source>,
    /// Documents below this can only be witnesses.
    pub(crate) against: u32,
    /// Rows of the collections that hold them, bad ones included.
    pub(crate) against_rows: u64,
    pub(crate) work: &'a WorkFolder,
}

impl Remember<'_> {
    /// Adds the kept documents; how many.
    pub(crate) fn run(&self, progress: &dyn Progress) -> Result<u64> {
        // From here on the index has documents of this job: it must not begin again and find them.
        self.work.checkpoint_of_no_return()?;
        let rows = self.work.file("rows");
        let statuses = std::fs::read(&rows).map_err(BatchError::work(&rows))?;
        let mut statuses = statuses.iter().skip(usize::try_from(self.against_rows).unwrap_or(usize::MAX));
        let mut removals = Records::<ScoredPair>::open(&self.work.file("removed"))?.peekable();
        let mut reader = Reader::open(&self.sources, &self.job.read)?;
        progress.begin("remember", self.sources.iter().map(|source| source.bytes).sum(), Unit::Bytes);
        let mut document = self.against;
        let mut kept = 0;
        while let Some(batch) = reader.next_batch(BATCH_BYTES)? {
            let mut documents = vec![];
            for row in batch.parse(&self.job.read) {
                if statuses.next() != Some(&row_status::DOCUMENT) {
                    continue;
                }
                let removal =
                    removals.next_if(|next| next.as_ref().map_or(true, |pair| pair.left == document));
                document += 1;
                let row = row?;
                if removal.transpose()?.is_none() && !row.is_null {
                    let id = match &row.id {
                        Some(id) if (1..=LONGEST_ID).contains(&id.len()) => id.clone().into_owned(),
                        _ => row.position.to_string(),
                    };
                    let (text, markup) = (row.text.into_owned(), row.markup);
                    documents.push(NewDocument { id, text, markup, ttl: None });
                }
            }
            let options = AddOptions { only_unseen: false, matches: 0, taken_id: TakenId::Rename };
            self.index.add(&documents, options, Timestamp::now())?;
            kept += documents.len() as u64;
            progress.position(reader.compressed_bytes_read());
        }
        progress.end();
        Ok(kept)
    }
}
