//! Tests of the whole stage.

mod analyzer;
mod languages;
mod properties;
#[cfg(all(feature = "html", feature = "stem"))]
mod speed;

use super::*;

fn tokens_with(options: &TextOptions, text: &str) -> Vec<String> {
    let analyzer = Analyzer::new(options).unwrap();
    let mut tokens = Vec::new();
    analyzer.tokens(text, Markup::None, &mut Scratch::default(), &mut |token| tokens.push(token.to_owned()));
    tokens
}

fn tokens(text: &str) -> Vec<String> {
    tokens_with(&TextOptions::default(), text)
}
