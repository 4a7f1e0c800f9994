//! `twindex man`

use std::io::Write;

use anyhow::{Context, Result};
use clap::CommandFactory;

use crate::arguments::{Arguments, ManOptions};

/// Prints the manual page, or writes one for every command.
pub(crate) fn run(options: &ManOptions) -> Result<()> {
    // `--version` adds the kernel of this CPU, which does not belong into a manual page.
    let command = Arguments::command().version(env!("CARGO_PKG_VERSION"));
    match &options.output {
        None => {
            let mut page = Vec::new();
            clap_mangen::Man::new(command).render(&mut page)?;
            std::io::stdout().write_all(&page)?;
        }
        Some(folder) => {
            let cannot = || format!("cannot write manual pages into {}", folder.display());
            std::fs::create_dir_all(folder).with_context(cannot)?;
            clap_mangen::generate_to(command, folder).with_context(cannot)?;
            eprintln!("wrote the manual pages into {}", folder.display());
        }
    }
    Ok(())
}
