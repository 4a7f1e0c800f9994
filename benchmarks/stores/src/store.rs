//! The stores, each with the three tables that an add touches: ids, documents, evidence.

use std::path::Path;

use heed::byteorder::BigEndian;
use heed::types::{Bytes, Str, U32};
use heed::{Env, EnvOpenOptions, PutFlags};
use redb::{Database, ReadableDatabase, TableDefinition};

use crate::record::Record;

pub(crate) trait Store {
    /// Adds records; without `commit`, leaves the transaction open for good.
    fn add(&mut self, records: &[Record], commit: bool) -> anyhow::Result<()>;
    /// The evidence of the document with that id.
    fn read(&self, id: &str) -> anyhow::Result<Option<Vec<u8>>>;
}

pub(crate) struct RedbStore {
    database: Database,
    quick_repair: bool,
}

const IDS: TableDefinition<&str, u32> = TableDefinition::new("ids");
const DOCUMENTS: TableDefinition<u32, &[u8]> = TableDefinition::new("documents");
const EVIDENCE: TableDefinition<u32, &[u8]> = TableDefinition::new("evidence");

impl RedbStore {
    pub(crate) fn open(folder: &Path, quick_repair: bool) -> anyhow::Result<Self> {
        Ok(RedbStore { database: Database::create(folder.join("store.redb"))?, quick_repair })
    }
}

impl Store for RedbStore {
    fn add(&mut self, records: &[Record], commit: bool) -> anyhow::Result<()> {
        let mut transaction = self.database.begin_write()?;
        transaction.set_quick_repair(self.quick_repair);
        {
            let mut ids = transaction.open_table(IDS)?;
            let mut documents = transaction.open_table(DOCUMENTS)?;
            let mut evidence = transaction.open_table(EVIDENCE)?;
            for record in records {
                ids.insert(record.id.as_str(), record.number)?;
                documents.insert(record.number, record.record.as_slice())?;
                evidence.insert(record.number, record.evidence.as_slice())?;
            }
        }
        if commit {
            transaction.commit()?;
        } else {
            std::mem::forget(transaction);
        }
        Ok(())
    }

    fn read(&self, id: &str) -> anyhow::Result<Option<Vec<u8>>> {
        let transaction = self.database.begin_read()?;
        let Some(number) = transaction.open_table(IDS)?.get(id)?.map(|number| number.value()) else {
            return Ok(None);
        };
        Ok(transaction.open_table(EVIDENCE)?.get(number)?.map(|evidence| evidence.value().to_vec()))
    }
}

type Number = U32<BigEndian>;

pub(crate) struct HeedStore {
    environment: Env,
    ids: heed::Database<Str, Number>,
    documents: heed::Database<Number, Bytes>,
    evidence: heed::Database<Number, Bytes>,
}

/// LMDB wants to know beforehand how large it may grow.
const MAP_BYTES: usize = 1 << 36;

impl HeedStore {
    pub(crate) fn open(folder: &Path) -> anyhow::Result<Self> {
        let mut options = EnvOpenOptions::new();
        options.map_size(MAP_BYTES).max_dbs(3);
        #[expect(unsafe_code, reason = "LMDB maps its file, and heed has no other way to open it")]
        // SAFETY: nobody else changes the files of this folder.
        let environment = unsafe { options.open(folder)? };
        let mut transaction = environment.write_txn()?;
        let ids = environment.create_database(&mut transaction, Some("ids"))?;
        let documents = environment.create_database(&mut transaction, Some("documents"))?;
        let evidence = environment.create_database(&mut transaction, Some("evidence"))?;
        transaction.commit()?;
        Ok(HeedStore { environment, ids, documents, evidence })
    }
}

impl Store for HeedStore {
    fn add(&mut self, records: &[Record], commit: bool) -> anyhow::Result<()> {
        let mut transaction = self.environment.write_txn()?;
        for record in records {
            self.ids.put(&mut transaction, &record.id, &record.number)?;
            // Numbers only grow: their pages are filled to the end.
            let append = PutFlags::APPEND;
            self.documents.put_with_flags(&mut transaction, append, &record.number, &record.record)?;
            self.evidence.put_with_flags(&mut transaction, append, &record.number, &record.evidence)?;
        }
        if commit {
            transaction.commit()?;
        } else {
            std::mem::forget(transaction);
        }
        Ok(())
    }

    fn read(&self, id: &str) -> anyhow::Result<Option<Vec<u8>>> {
        let transaction = self.environment.read_txn()?;
        let Some(number) = self.ids.get(&transaction, id)? else { return Ok(None) };
        Ok(self.evidence.get(&transaction, &number)?.map(<[u8]>::to_vec))
    }
}
