//! Which fields does a CSV record have?

use csv_core::ReadRecordResult;

/// Splits records, reusing its memory.
pub(crate) struct CsvRecord {
    automaton: csv_core::Reader,
    fields: Vec<u8>,
    ends: Vec<usize>,
    count: usize,
}

/// The memory to begin with; records that need more double it.
const FIRST_BYTES: usize = 4 * 1024;
const FIRST_FIELDS: usize = 32;

impl CsvRecord {
    /// Splits at `delimiter`.
    pub(crate) fn new(delimiter: u8) -> CsvRecord {
        let automaton = csv_core::ReaderBuilder::new().delimiter(delimiter).build();
        CsvRecord { automaton, fields: vec![0; FIRST_BYTES], ends: vec![0; FIRST_FIELDS], count: 0 }
    }

    /// Splits one record, with or without its line break.
    pub(crate) fn split(&mut self, record: &[u8]) {
        self.automaton.reset();
        let (mut read, mut written, mut ended) = (0, 0, 0);
        loop {
            let (result, more_read, more_written, more_ended) = self.automaton.read_record(
                &record[read..],
                &mut self.fields[written..],
                &mut self.ends[ended..],
            );
            read += more_read;
            written += more_written;
            ended += more_ended;
            match result {
                // An empty input is the automaton's sign for the end, so it is simply called again.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.fields.resize(self.fields.len() * 2, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::Record | ReadRecordResult::End => break,
            }
        }
        self.count = ended;
    }

    /// How many fields the record has.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// A field of the record, quotes taken off.
    pub(crate) fn field(&self, index: usize) -> Option<&[u8]> {
        let end = *self.ends[..self.count].get(index)?;
        let start = if index == 0 { 0 } else { self.ends[index - 1] };
        self.fields.get(start..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_of_any_size_are_split() {
        let mut record = CsvRecord::new(b',');
        let long = "x".repeat(100_000);
        let many = vec!["y"; 1000].join(",");
        record.split(format!("a,\"b\"\"\n,\",{long},{many}\r\n").as_bytes());
        assert_eq!(record.len(), 1003);
        assert_eq!(record.field(0), Some(&b"a"[..]));
        assert_eq!(record.field(1), Some(&b"b\"\n,"[..]));
        assert_eq!(record.field(2), Some(long.as_bytes()));
        assert_eq!(record.field(1002), Some(&b"y"[..]));
        assert_eq!(record.field(1003), None);
        record.split(b"only");
        assert_eq!((record.len(), record.field(0)), (1, Some(&b"only"[..])));
    }
}
