//! The recipes that ship with twindex.

/// A recipe that ships with twindex.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// The name by which `--recipe` finds it.
    pub name: &'static str,
    /// Its TOML, with comments.
    pub toml: &'static str,
}

/// Every preset, the default first.
pub const PRESETS: &[Preset] = &[
    Preset { name: "default", toml: include_str!("../../recipes/default.toml") },
    Preset { name: "simhash", toml: include_str!("../../recipes/simhash.toml") },
    Preset { name: "article", toml: include_str!("../../recipes/article.toml") },
    Preset { name: "strict", toml: include_str!("../../recipes/strict.toml") },
    Preset { name: "strict-26x11", toml: include_str!("../../recipes/strict-26x11.toml") },
    Preset { name: "thirteen", toml: include_str!("../../recipes/thirteen.toml") },
];
