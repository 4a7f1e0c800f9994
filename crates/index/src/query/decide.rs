//! Is a candidate a match? The evidence decides.

use twindex_core::verify::{Measured, Side, Verdict};
use twindex_core::{EngineScratch, Markup};

use super::answer::{DecidedBy, Match, MatchScores, ParagraphMatch};
use super::text::QueryText;
use crate::document::Place;
use crate::engines::Engines;
use crate::error::Result;
use crate::store::{Documents, Record, StoredEvidence};

/// A paragraph of the query and one of a document, within the radius of each other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ParagraphPair {
    /// The positions of the paragraphs in the query and in the document.
    pub(crate) left: usize,
    pub(crate) right: usize,
    /// Where it is in the document.
    pub(crate) place: Place,
    pub(crate) distance: u32,
}

/// The decision about the whole texts.
struct Whole {
    decided_by: DecidedBy,
    passes: bool,
    may_go: bool,
    covers: bool,
    rule: Option<String>,
    scores: Option<MatchScores>,
}

impl Whole {
    /// `None` is a pair that was rejected early.
    fn of(decided_by: DecidedBy, is_near: bool, verdict: Option<Verdict>) -> Whole {
        let (passes, may_go, covers, rule, scores) = Default::default();
        let rejected = Whole { decided_by, passes, may_go, covers, rule, scores };
        verdict.map_or(rejected, |verdict| Whole::decided(decided_by, is_near, verdict))
    }

    /// As in `twindex pairs`, texts beyond the radius are no duplicates, whatever their scores.
    fn decided(decided_by: DecidedBy, is_near: bool, verdict: Verdict) -> Whole {
        let scores = MatchScores::from(verdict.measured.scores());
        Whole {
            decided_by,
            passes: is_near && verdict.is_accepted(),
            may_go: is_near && verdict.may_go(Side::Left),
            covers: is_near && verdict.may_go(Side::Right),
            // The reason of accepted texts beyond the radius would contradict `passes`.
            rule: (is_near || !verdict.is_accepted()).then(|| verdict.removal_reason(Side::Left)),
            scores: Some(match decided_by {
                DecidedBy::Features | DecidedBy::Sketch => MatchScores { cosine: None, ..scores },
                _ => scores,
            }),
        }
    }
}

/// The match, if the rule accepts the whole texts or a paragraph. `near` is the distance of the
/// whole texts if it is within the radius; `pairs` are the paragraphs within the radius.
pub(crate) fn decide(
    query: &QueryText<'_>,
    number: u32,
    near: Option<u32>,
    pairs: &[ParagraphPair],
    record: Record,
    documents: &impl Documents,
    engines: &Engines,
) -> Result<Option<Match>> {
    let distance = record.fingerprint.distance(query.search.fingerprint);
    if query.keys.is_none() && near.is_some_and(|near| near != distance) {
        return Err(documents.damaged(number, "fingerprint"));
    }
    let stored = documents.evidence(number)?;
    let paragraphs = paragraphs(query, pairs, &record, stored.as_ref(), engines);
    // First the paragraphs: of the many documents with a similar one, the rule accepts few.
    if near.is_none() && paragraphs.is_empty() {
        return Ok(None);
    }
    let whole = whole(query, near.is_some(), !pairs.is_empty(), &record, stored.as_ref(), engines);
    if !whole.passes && paragraphs.is_empty() {
        return Ok(None);
    }
    Ok(Some(Match {
        id: record.id,
        distance: (record.has_words == query.has_words && !engines.is_keyed).then_some(distance),
        verified: whole.decided_by != DecidedBy::Fingerprint,
        evidence: whole.decided_by,
        whole: whole.passes,
        may_go: whole.may_go,
        covers: whole.covers,
        rule: whole.rule,
        scores: whole.scores,
        paragraphs,
        expires: record.expires,
    }))
}

fn whole(
    query: &QueryText<'_>,
    is_near: bool,
    with_scores: bool,
    record: &Record,
    stored: Option<&StoredEvidence>,
    engines: &Engines,
) -> Whole {
    let verifier = engines.document.verifier();
    let rule = verifier.rule();
    // The fingerprint of a text without words is a part of its content hash: distances mean
    // nothing.
    let is_near = is_near && record.has_words;
    let equal = record.content == Some(query.content);
    match stored {
        Some(StoredEvidence::Text(text)) => {
            let verdict = if equal && *text == query.text {
                Some(Verdict::new(rule, Measured::EQUAL))
            } else {
                let right = engines.document.evidence(text, record.markup(), &mut EngineScratch::default());
                let left = query.evidence(engines);
                if with_scores { Some(verifier.verdict(left, &right)) } else { verifier.accept(left, &right) }
            };
            Whole::of(DecidedBy::Text, is_near, verdict)
        }
        _ if equal => Whole::decided(DecidedBy::ContentHash, is_near, Verdict::new(rule, Measured::EQUAL)),
        Some(StoredEvidence::Features(right, _)) => {
            let left = query.evidence(engines);
            let verdict =
                if with_scores { Some(verifier.verdict(left, right)) } else { verifier.accept(left, right) };
            Whole::of(DecidedBy::Features, is_near, verdict)
        }
        Some(StoredEvidence::Sketch(right, _)) => {
            let measured = query.sketch(engines).measure(right);
            Whole::decided(DecidedBy::Sketch, is_near, Verdict::new(rule, measured))
        }
        None => {
            // Fingerprints do not tell how much of the text is in the document.
            let may_go = is_near && rule.coverage == 0.0 && rule.most_lost == 0;
            let decided_by = DecidedBy::Fingerprint;
            Whole { decided_by, passes: is_near, may_go, covers: may_go, rule: None, scores: None }
        }
    }
}

fn paragraphs(
    query: &QueryText<'_>,
    pairs: &[ParagraphPair],
    record: &Record,
    stored: Option<&StoredEvidence>,
    engines: &Engines,
) -> Vec<ParagraphMatch> {
    let verifier = engines.visible.verifier();
    let matched = |pair: &ParagraphPair, scores: Option<MatchScores>| ParagraphMatch {
        left: query.paragraphs[pair.left].place,
        right: pair.place,
        distance: pair.distance,
        scores,
    };
    let mut found = vec![];
    match stored {
        Some(StoredEvidence::Text(text)) if !pairs.is_empty() => {
            let visible = engines.document.analyzer().visible(text, record.markup());
            let mut scratch = EngineScratch::default();
            for pair in pairs {
                let right = engines.visible.evidence(pair.place.of(&visible), Markup::None, &mut scratch);
                let verdict = verifier.accept(query.paragraph_evidence(pair.left, engines), &right);
                found.extend(verdict.map(|verdict| matched(pair, Some(verdict.measured.scores().into()))));
            }
        }
        Some(StoredEvidence::Features(_, right)) => {
            for pair in pairs {
                let Some(right) = right.get(pair.right) else { continue };
                let verdict = verifier.accept(query.paragraph_evidence(pair.left, engines), right);
                let scores =
                    |verdict: Verdict| MatchScores { cosine: None, ..verdict.measured.scores().into() };
                found.extend(verdict.map(|verdict| matched(pair, Some(scores(verdict)))));
            }
        }
        Some(StoredEvidence::Sketch(_, right)) => {
            for pair in pairs {
                let Some(right) = right.get(pair.right) else { continue };
                let measured = query.paragraph_sketch(pair.left, engines).measure(right);
                if Verdict::new(verifier.rule(), measured).is_accepted() {
                    found.push(matched(pair, Some(MatchScores { cosine: None, ..measured.scores().into() })));
                }
            }
        }
        _ => found.extend(pairs.iter().map(|pair| matched(pair, None))),
    }
    found
}
