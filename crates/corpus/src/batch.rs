//! What is the unit of work that travels from the reader to a worker thread?

use crate::error::CorpusError;
use crate::format::Format;
use crate::options::ReadOptions;
use crate::parse;
use crate::parse::columns::TableBatch;
use crate::parse::file::FileBatch;
use crate::parse::json_string::{Room, TextBuffer};
use crate::position::Position;
use crate::row::Row;
use crate::row_error::RowError;
use crate::row_file::RowPlace;
use crate::source::Source;
use crate::span::SpanBatch;
use crate::write::{RowWriter, push_json_string};

/// Some consecutive rows, raw. Rows have an order and a number from 0 that [`Batch::parse`] and
/// [`Batch::write_selected`] share.
#[derive(Debug)]
pub struct Batch {
    pub(crate) content: Content,
}

#[derive(Debug)]
pub(crate) enum Content {
    /// A text format: bytes of one source.
    Spans(SpanBatch),
    /// A columnar format: rows of one source.
    Table(TableBatch),
    /// One row per file.
    Files(FileBatch),
}

impl Batch {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        match &self.content {
            Content::Spans(batch) => batch.rows.len(),
            Content::Table(batch) => batch.rows.num_rows(),
            Content::Files(batch) => batch.files.len(),
        }
    }

    /// Whether there are none: blank lines and records that are no documents travel in batches too.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the source holds here besides documents: how many records of a web archive, by reason
    /// (`request records`, `records of image/png`).
    pub fn others(&self) -> impl Iterator<Item = (&str, u64)> {
        let others = match &self.content {
            Content::Spans(batch) => Some(&batch.others),
            Content::Table(_) | Content::Files(_) => None,
        };
        others.into_iter().flatten().map(|(reason, count)| (reason.as_str(), *count))
    }

    /// The source of the rows; of the first row where each row is a file.
    pub fn source(&self) -> &Source {
        match &self.content {
            Content::Spans(batch) => &batch.source,
            Content::Table(batch) => &batch.source,
            Content::Files(batch) => &batch.files[0].source,
        }
    }

    /// The memory that the rows take.
    pub fn raw_bytes(&self) -> usize {
        match &self.content {
            Content::Spans(batch) => batch.bytes.len(),
            Content::Table(batch) => batch.bytes,
            Content::Files(batch) => batch.files.iter().map(|file| file.bytes.len()).sum(),
        }
    }

    /// The bytes of the source that the batch was cut from, unpacked; `None` where rows are no
    /// stretches of bytes. The bytes of all batches of a source, one after another, are the
    /// unpacked source.
    pub fn unpacked(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Spans(batch) => Some(&batch.bytes),
            Content::Table(_) | Content::Files(_) => None,
        }
    }

    /// Where a row lies in its unpacked source, if it can be [read again](crate::RowFile) by
    /// itself.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn place(&self, row: usize) -> Option<RowPlace> {
        match &self.content {
            Content::Spans(batch) if batch.source.format.rows_stand_alone() => Some(batch.place(row)),
            _ => None,
        }
    }

    /// Where a row stands, known without parsing it.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn position(&self, row: usize) -> Position {
        match &self.content {
            Content::Spans(batch) => batch.position(row),
            Content::Table(batch) => batch.position(row),
            Content::Files(batch) => Position::whole_file(&batch.files[row].source),
        }
    }

    /// Parses the rows. The costly step: call it on worker threads. It always gives the same rows.
    pub fn parse(&self, options: &ReadOptions) -> Vec<Result<Row<'_>, RowError>> {
        self.parse_into(options, Room::default())
    }

    /// The same with memory for texts that are not in the batch as they are, which is reused: for a
    /// thread that parses many batches.
    pub fn parse_with<'b>(
        &'b self,
        options: &ReadOptions,
        buffer: &'b mut TextBuffer,
    ) -> Vec<Result<Row<'b>, RowError>> {
        let room = match &self.content {
            Content::Spans(batch) if batch.source.format == Format::Jsonl => buffer.room(batch.bytes.len()),
            _ => Room::default(),
        };
        self.parse_into(options, room)
    }

    fn parse_into<'b>(&'b self, options: &ReadOptions, mut room: Room<'b>) -> Vec<Result<Row<'b>, RowError>> {
        match &self.content {
            Content::Spans(batch) => match batch.source.format {
                Format::Csv | Format::Tsv => parse::delimited::parse(batch, options),
                Format::Lines => parse::lines::parse(batch, options),
                Format::Warc => parse::warc::parse(batch, options),
                _ => parse::jsonl::parse(batch, options, &mut room),
            },
            Content::Table(batch) => parse::columns::parse(batch, options),
            Content::Files(batch) => parse::file::parse(batch, options),
        }
    }

    /// A row as one line of JSON: the line itself, a table's row as an object of its columns, and
    /// any other document as an object with its `text`.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row_json(&self, row: usize) -> Result<String, CorpusError> {
        let text = |text: String| {
            let mut json = String::from("{\"text\":");
            push_json_string(&mut json, &text);
            json.push('}');
            json
        };
        Ok(match &self.content {
            Content::Table(batch) => parse::columns::row_json(batch, row)?,
            Content::Files(batch) => text(batch.files[row].text()),
            Content::Spans(batch) => match batch.source.format {
                Format::Csv | Format::Tsv => parse::delimited::row_json(batch, row),
                Format::Jsonl => String::from_utf8_lossy(batch.line(row)).into_owned(),
                Format::Warc => text(parse::warc::text(batch, row)),
                _ => text(String::from_utf8_lossy(batch.line(row)).into_owned()),
            },
        })
    }

    /// Writes the rows whose `keep` is true as they came, and everything that is no document.
    ///
    /// # Panics
    /// If `keep` is not as long as the batch.
    pub fn write_selected(&self, keep: &[bool], out: &mut RowWriter) -> Result<(), CorpusError> {
        assert_eq!(keep.len(), self.len(), "one decision per row");
        match &self.content {
            Content::Spans(batch) => out.write_spans(batch, keep),
            Content::Table(batch) => out.write_table(batch, keep),
            Content::Files(batch) => out.write_files(batch, keep),
        }
    }
}
