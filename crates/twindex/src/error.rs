//! What can go wrong with texts in memory.

use twindex_core::group::KeepError;
use twindex_core::recipe::RecipeError;

/// Why texts in memory cannot be compared.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The recipe is not valid, or needs a table of document frequencies.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The keep policy reads a field, which a text in memory does not have.
    #[error("the keep policy reads the field {field}, and a text in memory has none")]
    NeedsField {
        /// The field.
        field: String,
    },
    /// The keep policy cannot be applied.
    #[error(transparent)]
    Keep(#[from] KeepError),
    /// Documents are numbered by 32 bits.
    #[error("{0} texts are too many to be compared in memory")]
    TooMany(usize),
}
