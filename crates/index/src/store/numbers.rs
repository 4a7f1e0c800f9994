//! The numbers of documents and paragraphs.

/// The next numbers to give. Every smaller number belongs to a stored document or paragraph, or to
/// a removed one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct NextNumbers {
    pub(crate) document: u64,
    pub(crate) paragraph: u64,
}
