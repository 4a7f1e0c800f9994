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
    Preset { name: "web", toml: include_str!("../../recipes/web.toml") },
    Preset { name: "posts", toml: include_str!("../../recipes/posts.toml") },
    Preset { name: "ocr", toml: include_str!("../../recipes/ocr.toml") },
    Preset { name: "reuse", toml: include_str!("../../recipes/reuse.toml") },
    Preset { name: "zh", toml: include_str!("../../recipes/zh.toml") },
    Preset { name: "article", toml: include_str!("../../recipes/article.toml") },
    Preset { name: "fpga", toml: include_str!("../../recipes/fpga.toml") },
    Preset { name: "irlbot", toml: include_str!("../../recipes/irlbot.toml") },
    Preset { name: "yu2016", toml: include_str!("../../recipes/yu2016.toml") },
    Preset { name: "datatrove", toml: include_str!("../../recipes/datatrove.toml") },
    Preset { name: "strict", toml: include_str!("../../recipes/strict.toml") },
    Preset { name: "strict-26x11", toml: include_str!("../../recipes/strict-26x11.toml") },
    Preset { name: "thirteen", toml: include_str!("../../recipes/thirteen.toml") },
];
