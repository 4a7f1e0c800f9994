//! Paths in a list of tokens.

use std::collections::BTreeMap;

use proc_macro2::{Delimiter, Spacing, TokenTree};

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Used {
    /// A name at the root of the crate: a module, or an item that the root has or imports.
    Name(String),
    /// `crate::*`, or the same by `super`.
    EveryModule,
}

/// The identifier, if the token is one.
pub(crate) fn ident(token: &TokenTree) -> Option<String> {
    match token {
        TokenTree::Ident(ident) => Some(ident.to_string()),
        _ => None,
    }
}

pub(crate) fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

/// What follows a `::` at the start of the tokens.
pub(crate) fn after_colons(tokens: &[TokenTree]) -> Option<&[TokenTree]> {
    match tokens {
        [TokenTree::Punct(first), TokenTree::Punct(second), rest @ ..] => {
            let colons = first.as_char() == ':' && second.as_char() == ':';
            (colons && first.spacing() == Spacing::Joint).then_some(rest)
        }
        _ => None,
    }
}

/// Follows a path that is written in the module `base`, and reports what it leads to.
pub(crate) fn follow(tokens: &[TokenTree], base: &[String], report: &mut impl FnMut(Used)) {
    match tokens.first() {
        Some(TokenTree::Ident(segment)) => {
            let segment = segment.to_string();
            let next = match segment.as_str() {
                "crate" => &[],
                "self" => base,
                "super" => base.split_last().map_or(base, |(_, parent)| parent),
                _ => return report(Used::Name(base.first().unwrap_or(&segment).clone())),
            };
            match after_colons(&tokens[1..]) {
                Some(rest) => follow(rest, next, report),
                // `use super::{self, name}` imports the module itself.
                None => next.first().into_iter().for_each(|module| report(Used::Name(module.clone()))),
            }
        }
        Some(TokenTree::Group(group)) if group.delimiter() == Delimiter::Brace => {
            for_each_part(group, |part| follow(part, base, report));
        }
        Some(TokenTree::Punct(punct)) if punct.as_char() == '*' => {
            report(base.first().map_or(Used::EveryModule, |module| Used::Name(module.clone())));
        }
        _ => {}
    }
}

/// Notes the names that a `use` of the root imports, each with the first segment of its path.
pub(crate) fn imports(tokens: &[TokenTree], first: Option<&str>, names: &mut BTreeMap<String, String>) {
    match tokens.first() {
        Some(TokenTree::Ident(segment)) => {
            let segment = segment.to_string();
            let rest = &tokens[1..];
            if let Some(rest) = after_colons(rest) {
                let is_prefix = segment == "crate" || segment == "self";
                return imports(rest, first.or((!is_prefix).then_some(segment.as_str())), names);
            }
            let is_renamed = rest.first().and_then(ident).as_deref() == Some("as");
            let name = rest.get(1).and_then(ident).filter(|_| is_renamed).unwrap_or(segment.clone());
            names.insert(name, first.unwrap_or(&segment).to_owned());
        }
        Some(TokenTree::Group(group)) => for_each_part(group, |part| imports(part, first, names)),
        Some(TokenTree::Punct(punct)) if punct.as_char() == '*' => {
            let from_here = matches!(first, Some("std" | "core" | "alloc"));
            assert!(from_here, "a glob import in the root hides which module a name is from: {first:?}");
        }
        _ => {}
    }
}

/// Calls for each part of a group between commas.
fn for_each_part(group: &proc_macro2::Group, call: impl FnMut(&[TokenTree])) {
    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
    inner.split(|token| is_punct(Some(token), ',')).for_each(call);
}
