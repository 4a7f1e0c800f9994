//! The tables of docs/recipes.md, made from the code: keys, values and effects are doc comments,
//! defaults are [`Recipe::default`], ranges are [`RANGES`].
//!
//! Doc comments are read from the source. schemars would derive them, but it brings serde_json into
//! the tests of this crate, whose `impl PartialEq<Value> for usize` leaves the type of an empty
//! list in `search::scan::tests` open.

use super::range::{Least, RANGES};
use super::{PRESETS, Recipe};

const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/recipes.md");
/// Rewrites the page instead of comparing it.
const UPDATE: &str = "TWINDEX_UPDATE_DOCS";
/// A cell of a table lists no more values than this.
const FEW_VALUES: usize = 8;

/// Where [`Recipe`] and the types of its fields are declared.
const SOURCES: [&str; 8] = [
    include_str!("mod.rs"),
    include_str!("options.rs"),
    include_str!("../text/options.rs"),
    include_str!("../text/stem.rs"),
    include_str!("../text/stop.rs"),
    include_str!("../feature/shingle.rs"),
    include_str!("../feature/weight.rs"),
    include_str!("../hash/mod.rs"),
];

/// A field of a struct, or a variant of an enum.
#[derive(Clone)]
struct Member {
    name: String,
    /// The type of a field.
    kind: String,
    /// The first paragraph of its doc comment, in one line.
    comment: String,
}

/// The members of the struct or enum of this name, in order; none for types of the language.
fn members(name: &str) -> Vec<Member> {
    let mut members = vec![];
    let heads = [format!("pub struct {name} {{"), format!("pub enum {name} {{")];
    for source in SOURCES {
        let mut comment = vec![];
        let body = source.lines().map(str::trim).skip_while(|line| !heads.iter().any(|head| head == line));
        for line in body.skip(1).take_while(|line| *line != "}") {
            if let Some(text) = line.strip_prefix("///") {
                comment.push(text.trim());
            } else if let Some(member) = line.strip_suffix(',') {
                let member = member.strip_prefix("pub ").unwrap_or(member);
                let (name, kind) = member.split_once(": ").unwrap_or((member, ""));
                let paragraph = comment.split(|line| line.is_empty()).next().unwrap_or_default().join(" ");
                assert!(!paragraph.is_empty(), "{name} has no doc comment");
                members.push(Member { name: name.to_owned(), kind: kind.to_owned(), comment: paragraph });
                comment.clear();
            }
        }
        if name == "StopList" {
            members.extend(stop_lists(source));
        }
    }
    members
}

/// The variants that a macro declares, each by a line such as `Ar "ar" "Arabic"`.
fn stop_lists(source: &str) -> impl Iterator<Item = Member> {
    let lines = source.lines().skip_while(|line| *line != "stop_lists! {");
    lines.skip(1).take_while(|line| *line != "}").map(|line| {
        let mut parts = line.split('"');
        let name = parts.next().unwrap_or_default().trim().to_owned();
        Member { name, kind: String::new(), comment: format!("{}.", parts.nth(2).unwrap_or_default()) }
    })
}

/// A key of a recipe.
struct Key {
    /// Empty for the keys before the first section.
    section: String,
    field: Member,
    /// As TOML.
    default: String,
}

/// Every key, in the order in which `twindex recipe show` prints them.
fn keys() -> Vec<Key> {
    let top = members("Recipe");
    let mut section = String::new();
    let mut fields = top.clone();
    let mut keys = vec![];
    for line in Recipe::default().to_toml().lines() {
        if let Some(name) = line.strip_prefix('[').and_then(|line| line.strip_suffix(']')) {
            section = name.to_owned();
            fields = members(&field(&top, name).kind);
        } else if let Some((name, default)) = line.split_once(" = ") {
            let field = field(&fields, name).clone();
            keys.push(Key { section: section.clone(), field, default: default.to_owned() });
        }
    }
    // An option that is absent by default would not be printed.
    let of = |field: &Member| {
        if keys.iter().any(|key| key.section == field.name) { members(&field.kind).len() } else { 1 }
    };
    assert_eq!(keys.len(), top.iter().map(of).sum::<usize>(), "`recipe show` leaves keys out");
    keys
}

fn field<'a>(fields: &'a [Member], name: &str) -> &'a Member {
    fields.iter().find(|field| field.name == name).unwrap_or_else(|| panic!("no field {name} in the source"))
}

impl Key {
    fn path(&self) -> String {
        let name = &self.field.name;
        if self.section.is_empty() { name.clone() } else { format!("{}.{name}", self.section) }
    }

    /// The type of its value, or of each if it is a list.
    fn kind(&self) -> &str {
        let kind = &self.field.kind;
        kind.strip_prefix("Vec<").and_then(|kind| kind.strip_suffix('>')).unwrap_or(kind)
    }

    fn is_list(&self) -> bool {
        self.kind() != self.field.kind
    }

    /// The cell that says which values it may have.
    fn values(&self) -> String {
        let choices = members(self.kind());
        let range = RANGES.iter().find(|range| range.key == self.path());
        match (self.kind(), range) {
            _ if self.is_list() => "a list; see below".to_owned(),
            _ if choices.len() > FEW_VALUES => "see below".to_owned(),
            _ if !choices.is_empty() => list(choices.iter().map(|choice| format!("`{}`", value(choice)))),
            ("bool", _) => "`true`, `false`".to_owned(),
            ("String", _) => "text".to_owned(),
            (_, Some(range)) => match range.least {
                Least::Value(least) => format!("{least} to {}", range.most),
                Least::Above(other) => format!("`{}` + 1 to {}", other.key, range.most),
            },
            ("u16" | "u32" | "usize", None) => "0 or more".to_owned(),
            (kind, None) => panic!("{}: a value of the type {kind} has no range", self.path()),
        }
    }
}

/// A variant as a recipe spells it.
fn value(variant: &Member) -> String {
    let mut value = String::new();
    for letter in variant.name.chars() {
        if letter.is_uppercase() && !value.is_empty() {
            value.push('-');
        }
        value.extend(letter.to_lowercase());
    }
    value
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join(", ")
}

/// A table and the meanings of values for each section.
fn key_tables() -> String {
    let sections = members("Recipe");
    let mut text = String::new();
    let mut explained = vec![];
    for keys in keys().chunk_by(|left, right| left.section == right.section) {
        match keys[0].section.as_str() {
            "" => text.push_str("### Before the first section\n\n"),
            name => text.push_str(&format!("### `[{name}]`\n\n{}\n\n", field(&sections, name).comment)),
        }
        text.push_str("| key | values | default | effect |\n|---|---|---|---|\n");
        for key in keys {
            let (name, effect) = (&key.field.name, key.field.comment.replace('|', "\\|"));
            text.push_str(&format!("| `{name}` | {} | `{}` | {effect} |\n", key.values(), key.default));
        }
        text.push('\n');
        for key in keys {
            text.push_str(&meanings(key, &mut explained));
        }
    }
    text
}

/// The meanings of a key's values, unless they are those of a key in `explained`, types with the
/// keys that have them.
fn meanings(key: &Key, explained: &mut Vec<(String, String)>) -> String {
    let (name, choices) = (&key.field.name, members(key.kind()));
    if choices.is_empty() {
        return String::new();
    }
    if let Some((_, other)) = explained.iter().find(|(kind, _)| kind == key.kind()) {
        return format!("Values of `{name}`: those of `{other}`.\n\n");
    }
    explained.push((key.kind().to_owned(), key.path()));
    let is_language = |choice: &&Member| choices.len() > FEW_VALUES && language(choice).is_some();
    let (languages, others): (Vec<_>, Vec<_>) = choices.iter().partition(is_language);
    let mut text = format!("Values of `{name}`:\n\n");
    for choice in others {
        text.push_str(&format!("- `{}`: {}\n", value(choice), choice.comment));
    }
    if !languages.is_empty() {
        let named = |choice: &&Member| match (value(choice), language(choice).unwrap_or_default()) {
            (value, name) if name.to_lowercase() == value => format!("`{value}`"),
            (value, name) => format!("`{value}` {name}"),
        };
        text.push_str(&format!("- {} languages: {}\n", languages.len(), list(languages.iter().map(named))));
    }
    text.push('\n');
    text
}

/// The language that a value stands for: its comment begins with that one word.
fn language(choice: &Member) -> Option<&str> {
    let (name, _) = choice.comment.split_once(['.', ',', ':'])?;
    (!name.contains(' ')).then_some(name)
}

fn preset_table() -> String {
    let mut text =
        "| preset | for what | method | measure and threshold | coverage |\n|---|---|---|---|---|\n"
            .to_owned();
    for preset in PRESETS {
        // The table does not depend on what is compiled in.
        let recipe: Recipe = toml::from_str(preset.toml).unwrap();
        let (method, rule) = (recipe.method.name(), recipe.rule);
        let decides = format!("`{}` {} | {}", rule.measure.name(), rule.threshold, rule.coverage);
        text.push_str(&format!("| `{}` | {} | `{method}` | {decides} |\n", preset.name, recipe.about));
    }
    text
}

/// The page with `text` between the markers of `name`.
fn with_generated(page: &str, name: &str, text: &str) -> String {
    let begin = format!("<!-- generated: {name} -->\n");
    let (before, rest) = page.split_once(&begin).unwrap_or_else(|| panic!("docs/recipes.md lacks {begin}"));
    let (_, after) = rest.split_once("<!-- end -->\n").expect("docs/recipes.md lacks <!-- end -->");
    format!("{before}{begin}\n{}\n\n<!-- end -->\n{after}", text.trim_end())
}

#[test]
fn the_page_of_recipes_is_up_to_date() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let expected = with_generated(&page, "presets", &preset_table());
    let expected = with_generated(&expected, "keys", &key_tables());
    if std::env::var_os(UPDATE).is_some_and(|value| value == "1") {
        std::fs::write(PAGE, expected).unwrap();
        return;
    }
    let mut lines = page.lines().zip(expected.lines());
    let (found, right) = lines.find(|(found, right)| found != right).unwrap_or_default();
    assert!(
        page == expected,
        "docs/recipes.md is not what the code says\nexpected: {right}\nfound:    {found}\n\
         hint: `{UPDATE}=1 cargo test -p twindex-core --lib recipe` rewrites it; read what changed"
    );
}

#[test]
fn a_recipe_takes_every_value_of_the_page() {
    for key in keys() {
        for choice in members(key.kind()) {
            let value = format!("\"{}\"", value(&choice));
            let value = if key.is_list() { format!("[{value}]") } else { value };
            let name = &key.field.name;
            let section = if key.section.is_empty() { String::new() } else { format!("[{}]\n", key.section) };
            toml::from_str::<Recipe>(&format!("{section}{name} = {value}")).unwrap();
        }
    }
}

#[test]
fn the_page_says_where_each_preset_comes_from() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let (_, origins) = page.split_once("### Where they come from\n").unwrap();
    let (origins, _) = origins.split_once("\n#").unwrap();
    for preset in PRESETS {
        assert!(origins.contains(&format!("`{}`", preset.name)), "{}", preset.name);
    }
}
