//! How every benchmark takes and reports a figure.
//!
//! Machines are noisy, so that a figure is the best of several runs and most meaningful as a ratio
//! to a baseline of the same process. A single thread is timed by its CPU time, which other
//! programs do not affect; several threads by wall time. A benchmark compares its results with an
//! oracle and reports that in each row; a difference fails the run.

mod machine;
mod report;
mod row;
mod timing;

use std::path::{Path, PathBuf};

use clap::Args;

pub use self::machine::{Machine, stolen_time};
pub use self::report::Report;
pub use self::row::Row;
pub use self::timing::{best_cpu_time, best_wall_time};

/// The options of every benchmark.
#[derive(Args, Clone, Debug, Default)]
// The options of a benchmark have the same name and contain these: clap needs unique group names.
#[group(skip)]
pub struct Options {
    /// Print one JSON object per line instead of a table
    #[arg(long)]
    pub json: bool,
    /// Small sizes: shows that the benchmark works and that its results are right, not how fast the
    /// machine is
    #[arg(long)]
    pub quick: bool,
    /// The folder with the packs (score.py, dev/) for the rows on real text [default: shared/packs
    /// beside the project]
    #[arg(long, value_name = "DIR")]
    pub packs: Option<PathBuf>,
}

impl Options {
    /// The folder of a pack. Prints a notice if it is missing: its rows are then skipped.
    pub fn pack(&self, name: &str) -> Option<PathBuf> {
        let usual = Path::new("..").join("shared").join("packs");
        let folder = self.packs.as_deref().unwrap_or(&usual).join("dev").join(name);
        if folder.is_dir() {
            return Some(folder);
        }
        eprintln!(
            "SKIPPED: the rows on {name}: there is no folder {} (--packs DIR names it)",
            folder.display()
        );
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pack_is_a_folder_in_dev() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("dev/books")).unwrap();
        let options = Options { packs: Some(folder.path().to_owned()), ..Options::default() };
        assert_eq!(options.pack("books"), Some(folder.path().join("dev").join("books")));
        assert_eq!(options.pack("songs"), None);
    }
}
