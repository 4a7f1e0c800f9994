//! Two texts, and everything that is known of them.

use serde::Deserialize;
use utoipa::ToSchema;

use super::document::Markup;

/// Two documents to be compared by the recipe of the index.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"left": {"text": "the quick brown fox"}, "right": {"id": "news-1"}}))]
pub(crate) struct Compare {
    /// One of them.
    pub(crate) left: Named,
    /// The other.
    pub(crate) right: Named,
}

/// A text, or the id of a document whose text the index keeps.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Named {
    /// The id of a document.
    pub(crate) id: Option<String>,
    /// Or the text as it is, markup included.
    pub(crate) text: Option<String>,
    /// How the text is written.
    #[serde(default)]
    pub(crate) markup: Markup,
}

/// How the core's [`Comparison`](twindex_core::compare::Comparison) looks; a test compares the two.
#[derive(ToSchema)]
#[schema(as = Comparison)]
#[expect(dead_code, reason = "only describes what the core writes")]
pub(crate) struct ComparisonSchema {
    /// The left document.
    left: SideSchema,
    /// The right document.
    right: SideSchema,
    /// The name of the recipe.
    recipe: String,
    /// Whether the texts are the same, byte for byte.
    equal: bool,
    /// Whether the rule calls them duplicates.
    duplicates: bool,
    /// The same in words, with the reason.
    verdict: String,
    /// The reason alone, as in results.
    rule: String,
    /// Whether the left document may be removed on account of the right one.
    left_may_go: bool,
    /// The reason.
    left_rule: String,
    /// Whether the right document may be removed on account of the left one.
    right_may_go: bool,
    /// The reason.
    right_rule: String,
    /// The shared part of all shingles.
    jaccard: f64,
    /// The shared part of the left document's shingles.
    containment_left: f64,
    /// The shared part of the right document's shingles.
    containment_right: f64,
    /// The cosine of the word counts.
    cosine: f64,
    /// Bits in which the simhashes differ.
    distance: Option<u32>,
    /// The Jaccard that the MinHash signatures estimate.
    minhash_estimate: Option<f64>,
    /// The Jaccard that the bottom-k sketches estimate.
    bottom_k_estimate: Option<f64>,
    /// Whether the search would have found the pair: `method`, `proposes`.
    #[schema(value_type = Object)]
    search: (),
    /// What was compared: `unit`, `size`.
    #[schema(value_type = Object)]
    shingle: (),
    /// The paragraphs of the left document, each with the one on the right that is most like it.
    paragraphs: Vec<ParagraphSchema>,
    /// The visible texts, as what is the same, removed and added.
    difference: Vec<PieceSchema>,
}

/// One of two compared documents.
#[derive(ToSchema)]
#[schema(as = ComparedSide)]
#[expect(dead_code, reason = "only describes what the core writes")]
pub(crate) struct SideSchema {
    /// What it is called.
    name: String,
    /// How it is written.
    markup: Markup,
    /// The size of the text.
    bytes: usize,
    /// Words, or characters where the recipe compares those.
    units: u64,
    /// Distinct shingles.
    features: usize,
    /// How many paragraphs it has.
    paragraphs: usize,
    /// Its simhash, 16 hexadecimal digits; null without words.
    simhash: Option<String>,
}

/// A paragraph and the one that is most like it.
#[derive(ToSchema)]
#[schema(as = ComparedParagraph)]
#[expect(dead_code, reason = "only describes what the core writes")]
pub(crate) struct ParagraphSchema {
    /// The paragraph of the left document.
    left: PlaceSchema,
    /// The best match by Jaccard; null if none has a shingle in common.
    right: Option<PlaceSchema>,
    /// Their measures, if there is a match, as those of the whole texts.
    jaccard: Option<f64>,
    /// The shared part of the left paragraph's shingles.
    containment_left: Option<f64>,
    /// The shared part of the right paragraph's shingles.
    containment_right: Option<f64>,
    /// The cosine of the word counts.
    cosine: Option<f64>,
    /// What the left paragraph begins with.
    beginning: String,
}

/// Where a paragraph stands.
#[derive(ToSchema)]
#[schema(as = ComparedPlace)]
#[expect(dead_code, reason = "only describes what the core writes")]
pub(crate) struct PlaceSchema {
    /// The number of the paragraph, from 1.
    number: usize,
    /// The line where it begins, from 1; only of plain text.
    line: Option<usize>,
    /// Where it begins in the visible text, in bytes of UTF-8.
    start: usize,
    /// The byte after its last.
    end: usize,
}

/// A stretch of two texts: one of the three.
#[derive(ToSchema)]
#[schema(as = Piece)]
#[expect(dead_code, reason = "only describes what the core writes")]
pub(crate) struct PieceSchema {
    /// Both texts have it.
    same: Option<String>,
    /// Only the left text has it.
    removed: Option<String>,
    /// Only the right text has it.
    added: Option<String>,
}
