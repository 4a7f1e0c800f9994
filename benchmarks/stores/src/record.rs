//! What an index writes of a document: random ids, and bytes that nothing compresses.

/// The bytes of a record without its evidence, and of a sketch of 64 hashes with its sizes.
const RECORD_BYTES: usize = 53;
const EVIDENCE_BYTES: usize = 528;

pub(crate) struct Record {
    pub(crate) number: u32,
    pub(crate) id: String,
    pub(crate) record: Vec<u8>,
    pub(crate) evidence: Vec<u8>,
}

/// The record of a number, always the same.
pub(crate) fn record(number: u64) -> Record {
    let seed = random(number.wrapping_add(1 << 40));
    let bytes = |from: u64, length: usize| -> Vec<u8> {
        (0..).flat_map(|at| random(seed ^ (from + at)).to_le_bytes()).take(length).collect()
    };
    Record {
        number: number as u32,
        id: format!("{seed:016x}"),
        record: bytes(1 << 20, RECORD_BYTES),
        evidence: bytes(1 << 30, EVIDENCE_BYTES),
    }
}

/// The finaliser of SplitMix64.
pub(crate) fn random(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}
