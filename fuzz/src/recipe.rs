//! User input: recipes, settings, tokens.

use std::io::Write;

use twindex_core::Recipe;
use twindex_server::{Config, Tokens};

/// Parses the bytes as each of them. Accepted ones are written and read again.
pub fn recipe(data: &[u8]) {
    if let Ok(text) = str::from_utf8(data)
        && let Ok(recipe) = Recipe::from_toml(text)
    {
        assert_eq!(Recipe::from_toml(&recipe.to_toml()).expect("what was written can be read"), recipe);
    }
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(data).expect("a temporary file can be written");
    if let Ok(config) = Config::from_file(file.path()) {
        let _ = config.validate();
        assert!(!config.to_toml().is_empty());
    }
    if let Ok(tokens) = Tokens::from_file(file.path()) {
        assert!(tokens.role(b"").is_none(), "an empty token opens nothing");
    }
}
