//! The indexes of a job: those whose documents can be witnesses, and the one that remembers what is
//! kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use twindex_core::Recipe;
use twindex_core::feature::DocumentFrequencies;
use twindex_index::{Evidence, Index, OpenOptions, Settings};

use crate::error::{BatchError, Result};
use crate::job::Job;

/// The open indexes of a job. While it runs no other process can open them.
#[derive(Debug, Default)]
pub(crate) struct Indexes {
    /// With the names that were typed.
    pub(crate) against: Vec<(String, Arc<Index>)>,
    pub(crate) remember: Option<Arc<Index>>,
}

impl Job {
    /// The collections of witnesses that are no indexes.
    pub fn against_files(&self) -> Vec<String> {
        self.against.iter().filter(|name| !self.is_index(name)).cloned().collect()
    }

    /// Whether a collection of witnesses is an index, or the one that this job makes.
    fn is_index(&self, name: &str) -> bool {
        let folder = Path::new(name);
        Index::is_at(folder) || self.remember.as_deref() == Some(folder)
    }
}

impl Indexes {
    /// Opens the indexes of a job; the one that remembers is made if there is none.
    pub(crate) fn open(job: &Job) -> Result<Indexes> {
        if let Some(folder) = job.remember.as_ref().filter(|folder| !Index::is_at(folder)) {
            let frequencies = job.frequencies.clone();
            Index::create(folder, &Settings { frequencies, ..Settings::new(job.recipe.clone()) })?;
        }
        let mut indexes = Indexes::default();
        for name in job.against.iter().filter(|name| job.is_index(name)) {
            let index = indexes.open_or_share(Path::new(name))?;
            must_be_of_the_recipe(job, &index)?;
            must_fit(job, &index)?;
            indexes.against.push((name.clone(), index));
        }
        if let Some(folder) = &job.remember {
            let index = indexes.open_or_share(folder)?;
            must_be_of_the_recipe(job, &index)?;
            indexes.remember = Some(index);
        }
        Ok(indexes)
    }

    /// An index may be named twice, and can be open once.
    fn open_or_share(&self, folder: &Path) -> Result<Arc<Index>> {
        let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| PathBuf::from(path));
        let open = self.against.iter().map(|(_, index)| index).find(|it| real(it.path()) == real(folder));
        match open {
            Some(index) => Ok(Arc::clone(index)),
            None => Ok(Arc::new(Index::open(folder, OpenOptions::default())?)),
        }
    }

    /// The document frequencies that the indexes weigh by.
    pub(crate) fn frequencies(&self) -> Option<Arc<DocumentFrequencies>> {
        self.against.iter().find_map(|(_, index)| index.settings().frequencies.clone())
    }
}

/// Whether an index was made with the recipe of the job, under whatever name.
fn must_be_of_the_recipe(job: &Job, index: &Index) -> Result<()> {
    let found = &index.settings().recipe;
    if (Recipe { name: found.name.clone(), ..job.recipe.clone() }) != *found {
        let (found, expected) = (found.name.clone(), job.recipe.name.clone());
        return Err(BatchError::OtherRecipe { path: index.path().to_owned(), found, expected });
    }
    Ok(())
}

/// Whether the documents of an index can be compared with those of the job.
fn must_fit(job: &Job, index: &Index) -> Result<()> {
    let (settings, path) = (index.settings(), index.path().to_owned());
    if settings.evidence != Evidence::Text {
        return Err(BatchError::NoTexts { path });
    }
    let differs = job.frequencies.as_ref().is_some_and(|given| settings.frequencies.as_ref() != Some(given));
    if job.recipe.needs_frequencies() && (settings.frequencies.is_none() || differs) {
        return Err(BatchError::OtherFrequencies { path });
    }
    Ok(())
}
