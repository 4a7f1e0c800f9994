//! README.md and docs/: every console block of the README does what it shows, every link leads
//! somewhere, and every command and option that the pages name exists.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::folder::{Ended, Folder};
use crate::serving::Serving;

/// A person reads the README in one go.
const README_WORDS: usize = 1_000;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn read(page: &str) -> String {
    fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// The pages for users, by their paths from the root.
fn pages() -> Vec<String> {
    let docs = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().file_name());
    let docs = docs.map(|name| format!("docs/{}", name.to_string_lossy()));
    let mut pages: Vec<String> = docs.filter(|name| name.ends_with(".md")).collect();
    pages.push("README.md".to_owned());
    pages.sort();
    assert!(pages.len() > 8, "{pages:?}");
    pages
}

/// The bodies of the fenced blocks of a language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let mut blocks = vec![];
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(found) = line.trim_start().strip_prefix("```") {
            let body: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != "```").collect();
            if found == language {
                blocks.push(body.join("\n"));
            }
        }
    }
    blocks
}

/// The commands of a console block, each with what it prints.
fn commands(block: &str) -> Vec<(String, String)> {
    let mut commands: Vec<(String, String)> = vec![];
    for line in block.lines() {
        match line.strip_prefix("$ ") {
            Some(command) => commands.push((command.to_owned(), String::new())),
            None => {
                let last = commands.last_mut().unwrap_or_else(|| panic!("{line:?} has no command"));
                last.1 += line;
                last.1.push('\n');
            }
        }
    }
    commands
}

/// What is printed, without what differs from run to run and from machine to machine: times,
/// speeds, sizes, threads, kernels.
fn masked(text: &str) -> String {
    const UNITS: [&str; 11] =
        ["ms", "s", "min", "MB/s", "GB/s", "documents/s", "queries/s", "kB", "MB", "thread", "threads"];
    let is_number = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let mut lines = String::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split([' ', '\t']).filter(|word| !word.is_empty()).collect();
        let end = |word: &str| word.trim_end_matches([',', ';', ':']).to_owned();
        for (place, word) in words.iter().enumerate() {
            let next = words.get(place + 1).map(|next| end(next)).unwrap_or_default();
            let before = place.checked_sub(1).map(|before| words[before]);
            let is_measured = is_number(word) && UNITS.contains(&&*next) || before == Some("kernel");
            let unit_of_measured = before.is_some_and(is_number) && UNITS.contains(&&*end(word));
            lines += match (is_measured, unit_of_measured) {
                (true, _) => "#",
                (_, true) => "unit",
                _ => word,
            };
            lines.push(' ');
        }
        lines.push('\n');
    }
    lines
}

/// Runs a command of the README in the folder, with `twindex` being the program under test.
fn run(folder: &Folder, command: &str) -> Ended {
    let program = folder.command("").get_program().to_owned();
    let programs = Path::new(&program).parent().unwrap();
    let path = std::env::join_paths(
        std::iter::once(programs.to_owned()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    );
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("{{ {command}\n}} 2>&1")]).current_dir(folder.path(""));
    shell.env("PATH", path.unwrap()).stdout(std::process::Stdio::piped());
    Ended::of(shell.stderr(std::process::Stdio::piped()).spawn().unwrap())
}

#[test]
fn every_console_block_of_the_readme_prints_what_it_shows() {
    let readme = read("README.md");
    let folder = Folder::new();
    for name in ["news.jsonl", "letters/anna.txt", "letters/bert.txt", "letters/clara.txt"] {
        folder.write(&format!("examples/{name}"), read(&format!("examples/{name}")));
    }
    let blocks = blocks(&readme, "console");
    assert!(blocks.len() >= 5, "{}", blocks.len());
    for block in blocks {
        let mut serving: Option<Serving> = None;
        for (command, expected) in commands(&block) {
            let command = command.replace("cargo run --release --", "twindex");
            if let Some(service) = command.strip_suffix(" &") {
                assert_eq!(service, "twindex serve --data index");
                serving = Some(Serving::start(&folder, ""));
                serving.as_ref().unwrap().wait_until_ready();
                continue;
            }
            let command = match &serving {
                Some(serving) => command.replace("localhost:7700", &serving.address.to_string()),
                None => command,
            };
            let ended = run(&folder, &command);
            assert_eq!(ended.code, Some(0), "{command}\n{}", ended.stdout);
            assert_eq!(masked(&ended.stdout), masked(&expected), "{command}\n{}", ended.stdout);
        }
    }
}

#[test]
fn every_console_block_about_fingerprints_prints_what_it_shows() {
    let folder = Folder::new();
    folder.write("examples/news.jsonl", read("examples/news.jsonl"));
    let blocks = blocks(&read("docs/fingerprints.md"), "console");
    assert!(blocks.len() >= 5, "{}", blocks.len());
    for (command, expected) in blocks.iter().flat_map(|block| commands(block)) {
        let ended = run(&folder, &command);
        assert_eq!(ended.code, Some(0), "{command}\n{}", ended.stdout);
        assert_eq!(masked(&ended.stdout), masked(&expected), "{command}\n{}", ended.stdout);
    }
}

#[test]
fn the_readme_is_short() {
    let words = read("README.md").split_whitespace().count();
    assert!(words <= README_WORDS, "{words} words");
}

/// The headings of a page as links name them.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    headings
        .map(|line| line.trim_start_matches('#').trim().to_lowercase())
        .map(|title| title.chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect())
        .collect()
}

#[test]
fn every_link_leads_somewhere() {
    let mut links = 0;
    let mut pages = pages();
    pages.extend(
        ["ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "examples/README.md"].map(str::to_owned),
    );
    let measured = ["README", "quality", "removals", "speed", "weights"];
    pages.extend(measured.map(|name| format!("benchmarks/{name}.md")));
    for page in pages {
        let text = read(&page);
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        let pictures = ["srcset=\"", "src=\""]
            .into_iter()
            .flat_map(|key| text.split(key).skip(1).filter_map(|rest| rest.split('"').next()));
        for target in targets.chain(pictures).filter(|target| !target.contains("://")) {
            let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
            let file = if path.is_empty() {
                root().join(&page)
            } else {
                root().join(&page).parent().unwrap().join(path)
            };
            assert!(file.exists(), "{page} links to {target}, which does not exist");
            if !anchor.is_empty() {
                let found = anchors(&fs::read_to_string(&file).unwrap());
                assert!(found.contains(anchor), "{page} links to {target}; there are {found:?}");
            }
            links += 1;
        }
    }
    assert!(links > 50, "only {links} links");
}

/// The words of a text that look like long options.
fn options(text: &str) -> BTreeSet<String> {
    let parts = text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    let is_option = |part: &&str| part.len() > 3 && part.starts_with("--") && !part[2..].starts_with('-');
    parts.filter(is_option).map(str::to_owned).collect()
}

fn help(folder: &Folder, command: &str) -> String {
    folder.done(&format!("{command} --help")).stdout
}

/// The commands; those of `hamming`, `index`, `recipe` and `sketch` have two words.
fn all_commands(folder: &Folder) -> Vec<String> {
    let listed = |command: &str| -> Vec<String> {
        let help = help(folder, command);
        let after = help.split_once("Commands:\n").map(|(_, after)| after.to_owned()).unwrap_or_default();
        let lines = after.lines().take_while(|line| line.starts_with(' '));
        let names =
            lines.filter(|line| !line.starts_with("    ")).filter_map(|line| line.split_whitespace().next());
        names.filter(|name| *name != "help").map(str::to_owned).collect()
    };
    let mut commands = listed("");
    for outer in ["hamming", "index", "recipe", "sketch"] {
        commands.extend(listed(outer).iter().map(|inner| format!("{outer} {inner}")));
    }
    assert!(commands.len() > 20, "{commands:?}");
    commands
}

#[test]
fn every_command_and_option_of_the_pages_exists() {
    let folder = Folder::new();
    let commands = all_commands(&folder);
    let of = |command: &str| options(&help(&folder, command));
    let mut known: BTreeSet<String> = commands.iter().flat_map(|command| of(command)).collect();
    // Of cargo, of its tasks, of curl, and of other tools that a page compares with.
    let others = "--release --path --shape --case --json --column --output --profile";
    known.extend(others.split(' ').map(str::to_owned));
    let mut seen = 0;
    for page in pages() {
        let text = read(&page);
        for option in options(&text) {
            assert!(known.contains(&option), "{page}: no command has {option}");
        }
        let lines = blocks(&text, "console").join("\n");
        for part in lines.split(['\n', '|', ';']).filter_map(|line| line.split_once("twindex ")) {
            let line = part.1.split(" #").next().unwrap();
            let named = commands
                .iter()
                .filter(|command| line == **command || line.starts_with(&format!("{command} ")));
            let command = named.max_by_key(|command| command.len());
            let command = command.unwrap_or_else(|| panic!("{page}: there is no command in {line:?}"));
            let known = of(command);
            for option in options(line) {
                assert!(known.contains(&option), "{page}: {option} is no option of {command}");
            }
            seen += 1;
        }
    }
    assert!(seen > 20, "only {seen} commands");
}

#[test]
fn every_column_and_key_is_described() {
    let folder = Folder::new();
    folder.write("in.jsonl", read("examples/news.jsonl"));
    let line = "dedup in.jsonl --removed r.tsv --pairs p.tsv --clusters c.tsv --json --quiet";
    let summary = folder.done(line).json();
    folder.done("index create seen");
    folder.done("index add seen in.jsonl");
    folder.done("index query seen in.jsonl --output q.tsv");
    folder.done("fingerprint in.jsonl --output f.tsv");
    let page = read("docs/outputs.md");
    let tables = ["r.tsv", "p.tsv", "c.tsv", "q.tsv", "f.tsv"].map(|name| folder.text(name));
    let columns = tables.iter().flat_map(|table| table.lines().next().unwrap().split('\t'));
    let keys = summary.as_object().unwrap().keys().map(String::as_str);
    for name in columns.chain(keys) {
        assert!(page.contains(&format!("`{name}`")), "docs/outputs.md does not describe {name}");
    }
}

#[test]
fn masks_hide_what_differs_and_nothing_else() {
    let first =
        masked("kept     51  of 65 rows\ntime   3 ms  19 MB/s, 21,729 documents/s; 2 threads, kernel avx2\n");
    let second =
        masked("kept     51  of 65 rows\ntime  1.2 s  1.9 GB/s, 9 documents/s; 1 thread, kernel scalar\n");
    assert_eq!(first, second);
    assert_ne!(
        first,
        masked("kept     50  of 65 rows\ntime   3 ms  19 MB/s, 21,729 documents/s; 2 threads, kernel avx2\n")
    );
}
