//! The files of a crate, from its root on.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::ROOT;
use crate::path::{Used, after_colons, follow, ident, imports, is_punct};

/// Words with which an item begins whose commas do not end it.
const ITEMS: [&str; 10] =
    ["async", "enum", "extern", "fn", "impl", "macro_rules", "mod", "struct", "trait", "unsafe"];

/// An item tells its kind within this many tokens: `pub`, `(crate)` and two words.
const ENOUGH: usize = 4;

/// What the sources of a crate say.
#[derive(Default)]
pub(crate) struct Sources {
    /// The top-level modules.
    pub(crate) modules: BTreeSet<String>,
    /// Names that the root imports, each with the first segment of its path.
    pub(crate) imports: BTreeMap<String, String>,
    /// A top-level module or the root, and what it uses.
    pub(crate) uses: BTreeSet<(String, Used)>,
}

impl Sources {
    /// Reads the crate whose root is in a folder.
    pub(crate) fn read(folder: &Path) -> Sources {
        let mut sources = Sources::default();
        let root = ["lib.rs", "main.rs"].map(|name| folder.join(name)).into_iter().find(|it| it.exists());
        let root = root.unwrap_or_else(|| panic!("{} has neither lib.rs nor main.rs", folder.display()));
        sources.file(&root, &[], folder);
        sources
    }

    /// Reads a file; `folder` is where the files of its modules are.
    fn file(&mut self, path: &Path, module: &[String], folder: &Path) {
        let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let tokens: TokenStream = text.parse().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        self.tokens(&tokens.into_iter().collect::<Vec<_>>(), module, folder);
    }

    fn tokens(&mut self, tokens: &[TokenTree], module: &[String], folder: &Path) {
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let rest = &tokens[at..];
            at += match token {
                TokenTree::Punct(_) if is_test_file(rest) => return,
                TokenTree::Punct(_) => attribute(rest).map_or(1, |(group, length)| {
                    if is_test(group) { length + item_length(&rest[length..]) } else { 1 }
                }),
                TokenTree::Group(group) => {
                    self.tokens(&inside(group), module, folder);
                    1
                }
                TokenTree::Ident(word) if word == "mod" => self.module(rest, module, folder),
                TokenTree::Ident(word) if word == "use" && module.is_empty() => {
                    imports(&rest[1..], None, &mut self.imports);
                    if !is_public(&tokens[..at]) {
                        self.follow(&rest[1..], module);
                    }
                    length_up_to(rest, &[';'])
                }
                TokenTree::Ident(_) => self.path(rest, module),
                TokenTree::Literal(_) => 1,
            };
        }
    }

    /// Follows the path at the start of the tokens, if there is one that may leave the module; the
    /// tokens that are done. Groups are read again by the caller, which changes nothing.
    fn path(&mut self, tokens: &[TokenTree], module: &[String]) -> usize {
        let leaves = |word: &str| module.is_empty() || ["crate", "self", "super"].contains(&word);
        let is_path = |token: &TokenTree| ident(token).is_some_and(|word| leaves(&word));
        if !tokens.first().is_some_and(is_path) || after_colons(&tokens[1..]).is_none() {
            return 1;
        }
        self.follow(tokens, module);
        // The segments up to a group or the end: none of them begins another path.
        let mut done = 1;
        while after_colons(&tokens[done..]).is_some_and(|rest| rest.first().and_then(ident).is_some()) {
            done += 3;
        }
        done
    }

    fn follow(&mut self, tokens: &[TokenTree], module: &[String]) {
        let user = module.first().map_or(ROOT, String::as_str);
        follow(tokens, module, &mut |used| {
            self.uses.insert((user.to_owned(), used));
        });
    }

    /// Reads `mod name;` or `mod name { ... }`; the tokens that are done.
    fn module(&mut self, tokens: &[TokenTree], parent: &[String], folder: &Path) -> usize {
        let Some(name) = tokens.get(1).and_then(ident) else { return 1 };
        let mut module = parent.to_vec();
        module.push(name.clone());
        if parent.is_empty() {
            self.modules.insert(name.clone());
        }
        let inner = folder.join(&name);
        match tokens.get(2) {
            Some(TokenTree::Group(group)) => self.tokens(&inside(group), &module, &inner),
            _ => {
                let files = [folder.join(format!("{name}.rs")), inner.join("mod.rs")];
                let file = files.iter().find(|path| path.exists());
                let file = file.unwrap_or_else(|| panic!("{} has no file for mod {name}", folder.display()));
                self.file(file, &module, &inner);
            }
        }
        3
    }
}

fn inside(group: &Group) -> Vec<TokenTree> {
    group.stream().into_iter().collect()
}

/// The attribute `#[...]` at the start of the tokens, and its length.
fn attribute(tokens: &[TokenTree]) -> Option<(&Group, usize)> {
    match tokens {
        [hash, TokenTree::Group(group), ..] if is_punct(Some(hash), '#') => Some((group, 2)),
        _ => None,
    }
}

/// Whether `#![cfg(test)]` is at the start of the tokens.
fn is_test_file(tokens: &[TokenTree]) -> bool {
    let [hash, exclamation, TokenTree::Group(group), ..] = tokens else { return false };
    is_punct(Some(hash), '#') && is_punct(Some(exclamation), '!') && is_test(group)
}

/// Whether what has this attribute is compiled for tests alone.
fn is_test(attribute: &Group) -> bool {
    match inside(attribute).as_slice() {
        [TokenTree::Ident(word)] => word == "test",
        [TokenTree::Ident(word), TokenTree::Group(condition)] => word == "cfg" && needs_test(condition),
        _ => false,
    }
}

/// Whether a condition of `cfg` is never true outside of tests.
fn needs_test(condition: &Group) -> bool {
    let tokens = inside(condition);
    tokens.split(|token| is_punct(Some(token), ',')).any(|part| match part {
        [TokenTree::Ident(word)] => word == "test",
        [TokenTree::Ident(word), TokenTree::Group(all)] => word == "all" && needs_test(all),
        _ => false,
    })
}

/// How many tokens the item at their start has, its other attributes included.
fn item_length(tokens: &[TokenTree]) -> usize {
    if let Some((_, length)) = attribute(tokens) {
        return length + item_length(&tokens[length..]);
    }
    let words = tokens.iter().take(ENOUGH).filter_map(ident).filter(|word| word != "pub");
    let words: Vec<String> = words.take(2).collect();
    let ends: &[char] = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["const", "fn" | "unsafe" | "async"] => &[';', '{'],
        ["use" | "const" | "static" | "type" | "let", ..] => &[';'],
        [word, ..] if ITEMS.contains(word) => &[';', '{'],
        // A field, a variant, an arm of a match, an expression.
        _ => &[';', '{', ','],
    };
    length_up_to(tokens, ends)
}

/// Up to the first of some characters; `{` stands for a whole block.
fn length_up_to(tokens: &[TokenTree], ends: &[char]) -> usize {
    let is_end = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace && ends.contains(&'{'),
        TokenTree::Punct(punct) => ends.contains(&punct.as_char()),
        _ => false,
    };
    tokens.iter().position(is_end).map_or(tokens.len(), |end| end + 1)
}

/// Whether the tokens end with `pub`, or `pub(...)`.
fn is_public(tokens: &[TokenTree]) -> bool {
    let before = match tokens {
        [before @ .., TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => before,
        tokens => tokens,
    };
    before.last().and_then(ident).as_deref() == Some("pub")
}
