//! The index that a command works with: opened, or made.

use std::path::{Path, PathBuf};

use anyhow::Result;
use twindex_index::{ErrorKind, Index, IndexError, OpenOptions, Settings};

use crate::arguments::{IndexArguments, NewIndexArguments};
use crate::command::{choice, idf};
use crate::exit::UsageError;

/// The settings of a new index.
pub(crate) fn settings(new: &NewIndexArguments) -> Result<Settings> {
    let recipe = choice::find_recipe(new.recipe.as_deref().unwrap_or("default"))?;
    let frequencies = idf::given(&recipe, new.idf.as_deref())?;
    let settings = Settings {
        frequencies,
        evidence: new.evidence.map(Into::into).unwrap_or_default(),
        ttl: new.ttl,
        renew_on_sight: new.renew_on_sight,
        paragraphs: new.paragraphs,
        ..Settings::new(recipe)
    };
    settings.validate().map_err(UsageError::from_cause)?;
    Ok(settings)
}

/// How to open the index of a command.
pub(crate) struct Opening {
    path: PathBuf,
    pub(crate) options: OpenOptions,
    /// The settings of a new index.
    pub(crate) settings: Settings,
    /// Which settings were given; an existing index may contradict them.
    wanted: Wanted,
}

struct Wanted {
    recipe: bool,
    idf: bool,
    evidence: bool,
    paragraphs: bool,
    ttl: bool,
    renew_on_sight: bool,
}

/// Why an index cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    /// The index says.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The index was made with other settings.
    #[error(
        "{option}: the index {path} was made with another setting, and keeps to it\nhint: leave the option out, or make a new index in another folder"
    )]
    Contradiction { option: &'static str, path: String },
}

impl Opening {
    pub(crate) fn new(arguments: &IndexArguments) -> Result<Opening> {
        let new = &arguments.new;
        let options = OpenOptions {
            durability: arguments.durability.into(),
            search: arguments.search.into(),
            ..OpenOptions::default()
        };
        let wanted = Wanted {
            recipe: new.recipe.is_some(),
            idf: new.idf.is_some(),
            evidence: new.evidence.is_some(),
            paragraphs: new.paragraphs,
            ttl: new.ttl.is_some(),
            renew_on_sight: new.renew_on_sight,
        };
        Ok(Opening { path: arguments.data.clone(), options, settings: settings(new)?, wanted })
    }

    /// Opens the index, or makes it.
    pub(crate) fn open(&self) -> Result<Index, OpenError> {
        let Opening { path, options, .. } = self;
        match Index::open(path, *options) {
            Ok(index) => {
                self.check(index.settings(), path)?;
                Ok(index)
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                Index::create(path, &self.settings)?;
                Ok(Index::open(path, *options)?)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Refuses an index whose settings differ from the given ones.
    fn check(&self, found: &Settings, path: &Path) -> Result<(), OpenError> {
        let (wanted, new) = (&self.wanted, &self.settings);
        for (option, is_given, equal) in [
            ("--recipe", wanted.recipe, new.recipe == found.recipe),
            ("--idf", wanted.idf, new.frequencies == found.frequencies),
            ("--evidence", wanted.evidence, new.evidence == found.evidence),
            ("--paragraphs", wanted.paragraphs, new.paragraphs == found.paragraphs),
            ("--ttl", wanted.ttl, new.ttl == found.ttl),
            ("--renew-on-sight", wanted.renew_on_sight, new.renew_on_sight == found.renew_on_sight),
        ] {
            if is_given && !equal {
                return Err(OpenError::Contradiction { option, path: path.display().to_string() });
            }
        }
        Ok(())
    }
}
