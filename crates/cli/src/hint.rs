//! What can be done about an error, in terms of the command line.
//!
//! Libraries report facts in typed errors; the options that help are known here only. Every error
//! in the chain of causes may add a hint.

use std::error::Error;
use std::io::ErrorKind;

use twindex_batch::BatchError;
use twindex_core::feature::FrequencyError;
use twindex_core::recipe::RecipeError;
use twindex_corpus::{CorpusError, FieldRole, List, RowError};
use twindex_index::IndexError;
use twindex_server::{ConfigError, RunError};
use twindex_tune::TruthError;

use crate::command::index::OpenError;

/// An error with a hint that depends on the command rather than on the error.
#[derive(Debug)]
pub(crate) struct Hinted {
    pub(crate) error: anyhow::Error,
    pub(crate) hint: String,
}

impl std::fmt::Display for Hinted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.error.fmt(f)
    }
}

impl Error for Hinted {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(self.error.as_ref())
    }
}

/// A bad row, in a command that can skip such rows.
pub(crate) fn of_bad_row(error: RowError) -> Hinted {
    Hinted { error: error.into(), hint: SKIP.to_owned() }
}

const SKIP: &str = "--on-error skip leaves such rows out and lists them";

/// The hints for an error and its causes. The cause comes first: it is the more specific one.
pub(crate) fn hints(error: &anyhow::Error) -> Vec<String> {
    let mut hints: Vec<String> = error.chain().filter_map(hint).collect();
    hints.reverse();
    hints
}

/// The hint for one error, without its causes.
fn hint(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(hinted) = error.downcast_ref::<Hinted>() {
        return Some(hinted.hint.clone());
    }
    let fixed = None
        .or_else(|| error.downcast_ref().and_then(of_batch))
        .or_else(|| error.downcast_ref().and_then(of_corpus))
        .or_else(|| error.downcast_ref().and_then(of_row))
        .or_else(|| error.downcast_ref().and_then(of_recipe))
        .or_else(|| error.downcast_ref().and_then(of_frequencies))
        .or_else(|| error.downcast_ref().and_then(of_truth))
        .or_else(|| error.downcast_ref().and_then(of_config));
    fixed
        .map(str::to_owned)
        .or_else(|| error.downcast_ref().and_then(of_index))
        .or_else(|| error.downcast_ref().and_then(of_index_of_batch))
        .or_else(|| error.downcast_ref().and_then(of_open))
        .or_else(|| error.downcast_ref().and_then(of_run))
}

// Transparent variants hide their content from the chain, so that it is looked at here.

fn of_batch(error: &BatchError) -> Option<&'static str> {
    Some(match error {
        BatchError::Corpus(CorpusError::RowTooLong { .. }) => {
            "a row takes eight times its length: allow more with --memory, or split the row"
        }
        BatchError::LongRow { .. } => {
            "allow more with --memory, split the row, or leave it out with --on-error skip"
        }
        BatchError::Corpus(error) => return of_corpus(error),
        BatchError::Recipe(error) => return of_recipe(error),
        BatchError::Row(_) | BatchError::Keep { .. } => SKIP,
        BatchError::EqualIds { .. } => {
            "name a field with unique values with --id-field, or make the ids unique"
        }
        BatchError::Work { source, .. } => match source.kind() {
            ErrorKind::StorageFull => {
                "free some space, or name a work folder on a larger disk with --work; --resume then goes on"
            }
            ErrorKind::PermissionDenied => "name a work folder that you may write with --work",
            _ => return None,
        },
        BatchError::Damaged { .. } => "start over with --fresh",
        BatchError::Unfinished { .. } => {
            "--resume goes on with it, --fresh throws it away, --work names another folder"
        }
        BatchError::MayBeFinished { .. } => {
            "if that is not its result, run it without --resume; if it is, another run would find \
             its own documents in the index and replace it"
        }
        BatchError::HalfRemembered { .. } => {
            "--resume goes on with it; started over, it would find its own documents in the index and \
             remove them. To do so all the same, restore the index and remove that folder"
        }
        BatchError::NotOurs { .. } => "name a folder that is empty or does not exist with --work",
        BatchError::InWorkFolder { .. } => "name another folder with --work",
        BatchError::InputChanged { .. } => "run again when nothing writes to it",
        BatchError::AgainstStandardInput => "name a file with --against",
        BatchError::InUse { .. } => "wait for it, or name another folder with --work",
        BatchError::OtherJob { .. } => "run the command as before, or start over with --fresh",
        BatchError::Memory { .. } => "allow more with --memory",
        BatchError::Unaccounted { .. } => "this is a defect of twindex; please report it with the command",
        BatchError::TooMany => "split the collection",
        BatchError::NoTexts { .. } => "make an index with --evidence text for it",
        BatchError::OtherFrequencies { .. } => "name its table with --idf",
        BatchError::BadFingerprint { .. } => {
            "--fingerprint-field names another field, --notation hex, decimal or binary another notation"
        }
        BatchError::NoMargins { .. } => {
            "`twindex fingerprint --margins` writes them; --search exact needs none"
        }
        BatchError::BadMargins { .. } => "`twindex fingerprint --margins` writes both",
        BatchError::NotRaw { .. } => "`twindex fingerprint --method bottom-k` writes sketches",
        BatchError::NoStore { .. } => "`twindex hamming store` makes one, in a new or an empty folder",
        BatchError::Overwrites { .. } => "name another file with --output",
        BatchError::FewTables { .. } => "leave --tables out for the fastest number",
        BatchError::TooLarge { .. } => "allow more with --memory",
        BatchError::Index(_)
        | BatchError::OtherRecipe { .. }
        | BatchError::KeepField(_)
        | BatchError::NotUnicode { .. }
        | BatchError::StandardInputTwice => {
            return None;
        }
    })
}

fn of_index_of_batch(error: &BatchError) -> Option<String> {
    match error {
        BatchError::Index(error) => of_index(error),
        BatchError::OtherRecipe { found, .. } => Some(format!("--recipe {found}, or another index")),
        _ => None,
    }
}

fn of_recipe(error: &RecipeError) -> Option<&'static str> {
    match error {
        RecipeError::NeedsFrequencies => Some("`twindex idf` makes a table, and --idf names it"),
        RecipeError::UnknownPreset(_) => {
            Some("`twindex recipe list` describes them; a recipe may also be the path of a TOML file")
        }
        _ => None,
    }
}

fn of_frequencies(error: &FrequencyError) -> Option<&'static str> {
    Some(match error {
        FrequencyError::NoTable => "`twindex idf` makes a table",
        FrequencyError::Damaged => "make it again with `twindex idf`",
        FrequencyError::OtherVocabulary => "make it again with `twindex idf` and this recipe",
    })
}

fn of_index(error: &IndexError) -> Option<String> {
    match error {
        IndexError::Recipe(error) => of_recipe(error).map(str::to_owned),
        IndexError::NoIndex { path } => Some(format!("`twindex index create {}` makes one", path.display())),
        IndexError::Locked { .. } => {
            let hint = "stop that process, query it (`twindex serve` answers over HTTP), \
                        or use a copy that `twindex index backup` made before it was started";
            Some(hint.to_owned())
        }
        IndexError::Io { source, .. }
            if matches!(source.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) =>
        {
            Some("even to be queried, an index needs a folder that you may write: name or copy it".to_owned())
        }
        IndexError::Damaged { .. } => {
            Some("`twindex index verify` lists all damage; restore a backup".to_owned())
        }
        _ => None,
    }
}

fn of_open(error: &OpenError) -> Option<String> {
    match error {
        OpenError::Index(error) => of_index(error),
        OpenError::Contradiction { .. } => None,
    }
}

fn of_corpus(error: &CorpusError) -> Option<&'static str> {
    match error {
        CorpusError::UnknownExtension { .. } => Some("name the format with --format"),
        CorpusError::OutputInUse { .. } => Some("wait for it, or name another output"),
        CorpusError::OutputReplaced { .. } => Some("run again with another output"),
        // One column whose name holds what others separate fields with.
        CorpusError::MissingColumn { present: List(names), .. } if matches!(&names[..], [one] if one.contains(';')) => {
            Some("the header looks separated by semicolons: --delimiter ';'")
        }
        CorpusError::MissingColumn { present: List(names), .. } if matches!(&names[..], [one] if one.contains('\t')) => {
            Some(
                "the header looks separated by tabs: --format tsv, or --delimiter '\\t' if fields are quoted",
            )
        }
        CorpusError::MissingColumn { present: List(names), .. } if matches!(&names[..], [one] if one.contains('|')) => {
            Some("the header looks separated by bars: --delimiter '|'")
        }
        CorpusError::MissingColumn { role, .. } | CorpusError::WrongColumn { role, .. } => Some(match role {
            FieldRole::Text => "name the right column with --text-field",
            FieldRole::Fingerprint => "name the right column with --fingerprint-field",
            FieldRole::Id => "name the right column with --id-field",
        }),
        _ => None,
    }
}

fn of_row(error: &RowError) -> Option<&'static str> {
    match error {
        RowError::MissingField { role: FieldRole::Text, .. } | RowError::NotText { .. } => {
            Some("name the right field with --text-field")
        }
        RowError::MissingField { role: FieldRole::Fingerprint, .. } => {
            Some("name the right field with --fingerprint-field")
        }
        RowError::MissingField { role: FieldRole::Id, .. } | RowError::NotAnId { .. } => {
            Some("name the right field with --id-field")
        }
        _ => None,
    }
}

fn of_truth(error: &TruthError) -> Option<&'static str> {
    Some(match error {
        TruthError::Columns { .. } => "`twindex pairs` writes such a file",
        TruthError::Empty => "without labels leave --truth out",
    })
}

fn of_config(error: &ConfigError) -> Option<&'static str> {
    match error {
        ConfigError::OpenToAll { .. } => Some(
            "name a file with tokens (--tokens FILE), listen on 127.0.0.1, or allow it with --open-to-all",
        ),
        _ => None,
    }
}

fn of_run(error: &RunError<OpenError>) -> Option<String> {
    match error {
        RunError::Listen { .. } => {
            Some("if another service uses this address, name another with --listen".to_owned())
        }
        RunError::Index(error) => of_open(error),
        RunError::System(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn every_cause_may_add_a_hint() {
        let empty = || anyhow::Error::from(TruthError::Empty).context("the pairs x are not as expected");
        assert_eq!(hints(&empty()), ["without labels leave --truth out"]);
        let hinted = Hinted { error: empty(), hint: "--resume goes on".to_owned() };
        assert_eq!(hinted.to_string(), "the pairs x are not as expected");
        assert_eq!(hints(&hinted.into()), ["without labels leave --truth out", "--resume goes on"]);
        assert!(hints(&anyhow::anyhow!("other")).is_empty());
    }

    #[test]
    fn a_transparent_variant_does_not_hide_the_hint() {
        let error = || CorpusError::UnknownExtension { path: "notes.docx".into() };
        let batch = Err::<(), _>(BatchError::from(error())).context("cannot go on").unwrap_err();
        assert_eq!(hints(&batch), ["name the format with --format"]);
        assert_eq!(hints(&batch), hints(&error().into()));

        let locked = || IndexError::Locked { path: "x".into() };
        let served = hints(&RunError::Index(OpenError::Index(locked())).into());
        assert_eq!(served, hints(&locked().into()));
        assert!(served[0].contains("twindex serve"), "{served:?}");
        let forbidden = IndexError::Io {
            path: "x".into(),
            source: std::sync::Arc::new(ErrorKind::PermissionDenied.into()),
        };
        assert!(hints(&BatchError::from(forbidden).into())[0].contains("that you may write"));
        assert_eq!(hints(&BatchError::Recipe(RecipeError::NeedsFrequencies).into()).len(), 1);
    }
}
