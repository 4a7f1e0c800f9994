//! `cargo xtask quality --index`: does an index answer what `pairs` lists?
//!
//! Every labelled pack is added to an index, which is then queried with each of its documents, page
//! by page. With exact evidence the matches are the pairs; sketches only estimate.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, ensure};

use super::measure;
use super::pack::Pack;
use crate::machine::Machine;
use crate::measured;
use crate::table::Table;

/// Matches of a page.
const LIMIT: &str = "1000";

/// Two documents, the smaller id first.
type Pairs = BTreeSet<(String, String)>;

/// The comparison on all labelled packs, as Markdown.
pub(crate) fn run(program: &Path, packs: &[Pack], scorer: &Path) -> anyhow::Result<String> {
    let mut table = Table::new(&[
        "pack",
        "documents",
        "pairs",
        "F1 of pairs",
        "F1, texts",
        "missing",
        "others",
        "F1, sketches",
    ]);
    for pack in packs.iter().filter(|pack| pack.is_labelled) {
        eprintln!("{}", pack.name);
        table.row(one_pack(program, pack, scorer).with_context(|| format!("the pack {}", pack.name))?);
    }
    Ok(format!(
        "`cargo xtask quality --index` on {}. Missing and others: pairs that only `twindex pairs` lists, and that only the \
         index has.\n\n{table}",
        Machine::this()
    ))
}

fn one_pack(program: &Path, pack: &Pack, scorer: &Path) -> anyhow::Result<Vec<String>> {
    let folder = tempfile::tempdir()?;
    let listed = folder.path().join("pairs.tsv");
    let documents = pack.documents_file();
    let twindex = |arguments: &[&str], file: Option<&Path>, output: Option<&Path>| {
        let mut command = Command::new(program);
        command.args(arguments).args(file);
        output.iter().for_each(|output| _ = command.arg("--output").arg(output));
        measured::run(command.stdout(Stdio::null()))
    };
    twindex(&["pairs", "--quiet"], Some(&documents), Some(&listed))?;
    let expected = pairs(&listed)?;
    let f1 = |pairs: &Path| -> anyhow::Result<String> {
        Ok(format!("{:.3}", measure::score(scorer, pack, pairs)?.f1))
    };
    let of_evidence = |evidence: &str| -> anyhow::Result<(Pairs, String)> {
        let index = folder.path().join(evidence);
        let found = folder.path().join(format!("{evidence}.tsv"));
        let name = index.to_str().context("the temporary folder has a name that is not UTF-8")?;
        twindex(&["index", "create", name, "--evidence", evidence], None, None)?;
        twindex(&["index", "add", name], Some(&documents), None)?;
        twindex(&["index", "query", name, "--all", "--limit", LIMIT], Some(&documents), Some(&found))?;
        let matches = pairs(&found)?;
        let rows: String = matches.iter().map(|(left, right)| format!("{left}\t{right}\n")).collect();
        fs::write(&found, rows)?;
        Ok((matches, f1(&found)?))
    };
    let (found, of_texts) = of_evidence("text")?;
    let (_, of_sketches) = of_evidence("sketch")?;
    Ok(vec![
        pack.name.clone(),
        pack.documents.to_string(),
        expected.len().to_string(),
        f1(&listed)?,
        of_texts,
        expected.difference(&found).count().to_string(),
        found.difference(&expected).count().to_string(),
        of_sketches,
    ])
}

/// The first two columns of a table below its header; a document with itself is no pair.
fn pairs(table: &Path) -> anyhow::Result<Pairs> {
    let text = fs::read_to_string(table).with_context(|| format!("cannot read {}", table.display()))?;
    let mut pairs = Pairs::new();
    for line in text.lines().skip(1) {
        let mut cells = line.split('\t');
        let (left, right) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
        ensure!(!right.is_empty(), "{}: \"{line}\" is no pair", table.display());
        if left != right {
            pairs.insert((left.min(right).to_owned(), left.max(right).to_owned()));
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_have_no_direction_and_no_document_with_itself() {
        let folder = tempfile::tempdir().unwrap();
        let table = folder.path().join("found.tsv");
        fs::write(&table, "id\tmatch\tjaccard\nb\ta\t0.6\na\tb\t0.6\na\ta\t1\n").unwrap();
        assert_eq!(pairs(&table).unwrap(), Pairs::from([("a".to_owned(), "b".to_owned())]));
        fs::write(&table, "id\nb\n").unwrap();
        assert!(pairs(&table).is_err());
    }
}
