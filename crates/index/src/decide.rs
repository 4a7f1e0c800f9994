//! Is a document that is near really a match?

use twindex_core::verify::Scores;
use twindex_core::{Markup, PipelineScratch};

use crate::answer::{DecidedBy, Match, MatchScores, ParagraphMatch, Place};
use crate::error::Result;
use crate::evidence::Kept;
use crate::question::{Pipelines, Question};
use crate::store::{Documents, Record};

/// A paragraph of the question, and one of the document that is near it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Both {
    /// The number of the paragraph in the question, and in the document.
    pub(crate) left: usize,
    pub(crate) right: usize,
    /// Where it is in the document.
    pub(crate) place: Place,
    pub(crate) distance: u32,
}

/// The whole texts as verification sees them.
struct Whole {
    decided_by: DecidedBy,
    passes: bool,
    scores: Option<MatchScores>,
}

/// The match, if the rule accepts the whole texts or a paragraph. `near` is the distance of the whole texts, if they are
/// near; `both` are the paragraphs that are.
pub(crate) fn decide(
    question: &Question<'_>,
    number: u32,
    near: Option<u32>,
    both: &[Both],
    record: Record,
    documents: &impl Documents,
    pipelines: &Pipelines,
) -> Result<Option<Match>> {
    let distance = record.fingerprint.distance(question.probe.fingerprint);
    if near.is_some_and(|near| near != distance) {
        return Err(documents.damaged(number, "fingerprint"));
    }
    let stored = documents.evidence(number)?;
    let decode =
        |bytes: Vec<u8>| Kept::decode(&bytes, number).ok_or_else(|| documents.damaged(number, "evidence"));
    let kept = stored.map(decode).transpose()?;
    let paragraphs = paragraphs(question, both, &record, kept.as_ref(), pipelines);
    // Before the whole texts are compared: many documents share a paragraph nearly, and few of them by the rule.
    if near.is_none() && paragraphs.is_empty() {
        return Ok(None);
    }
    let whole = whole(question, near.is_some(), !both.is_empty(), &record, kept.as_ref(), pipelines);
    if !whole.passes && paragraphs.is_empty() {
        return Ok(None);
    }
    Ok(Some(Match {
        id: record.id,
        distance: (record.has_words == question.has_words).then_some(distance),
        verified: whole.decided_by != DecidedBy::Fingerprint,
        evidence: whole.decided_by,
        whole: whole.passes,
        scores: whole.scores,
        paragraphs,
        expires: record.expires,
    }))
}

/// Texts that are not within the radius are no duplicates of each other, whatever their scores: so does `pairs`.
fn whole(
    question: &Question<'_>,
    is_near: bool,
    with_scores: bool,
    record: &Record,
    kept: Option<&Kept>,
    pipelines: &Pipelines,
) -> Whole {
    let verifier = pipelines.document.verifier();
    let equal = record.content == Some(question.content);
    match kept {
        Some(Kept::Text(text)) => {
            let scores = if equal && *text == question.text {
                Scores::EQUAL
            } else {
                let right =
                    pipelines.document.evidence(text, record.markup(), &mut PipelineScratch::default());
                let left = question.evidence(pipelines);
                if !with_scores {
                    match verifier.verify(left, &right) {
                        Some(scores) => scores,
                        None => return Whole { decided_by: DecidedBy::Text, passes: false, scores: None },
                    }
                } else {
                    verifier.scores(left, &right)
                }
            };
            let passes = is_near && (scores == Scores::EQUAL || verifier.passes(&scores));
            Whole { decided_by: DecidedBy::Text, passes, scores: Some(scores.into()) }
        }
        _ if equal => {
            Whole { decided_by: DecidedBy::ContentHash, passes: is_near, scores: Some(Scores::EQUAL.into()) }
        }
        Some(Kept::Sketch(right, _)) => {
            let scores = question.sketch(pipelines).scores(right);
            Whole {
                decided_by: DecidedBy::Sketch,
                passes: is_near && verifier.passes(&scores),
                scores: Some(MatchScores { cosine: None, ..scores.into() }),
            }
        }
        // Fingerprints that stand for texts without words say nothing about other texts.
        None => {
            let passes = is_near && record.has_words && question.has_words;
            Whole { decided_by: DecidedBy::Fingerprint, passes, scores: None }
        }
    }
}

fn paragraphs(
    question: &Question<'_>,
    both: &[Both],
    record: &Record,
    kept: Option<&Kept>,
    pipelines: &Pipelines,
) -> Vec<ParagraphMatch> {
    let verifier = pipelines.visible.verifier();
    let matched = |both: &Both, scores: Option<MatchScores>| ParagraphMatch {
        left: question.paragraphs[both.left].place,
        right: both.place,
        distance: both.distance,
        scores,
    };
    let mut found = vec![];
    match kept {
        Some(Kept::Text(text)) if !both.is_empty() => {
            let visible = pipelines.document.analyzer().visible(text, record.markup());
            let mut scratch = PipelineScratch::default();
            for both in both {
                let right = pipelines.visible.evidence(both.place.of(&visible), Markup::None, &mut scratch);
                let scores = verifier.verify(question.paragraph_evidence(both.left, pipelines), &right);
                found.extend(scores.map(|scores| matched(both, Some(scores.into()))));
            }
        }
        Some(Kept::Sketch(_, right)) => {
            for both in both {
                let Some(right) = right.get(both.right) else { continue };
                let scores = question.paragraph_sketch(both.left, pipelines).scores(right);
                if verifier.passes(&scores) {
                    found.push(matched(both, Some(MatchScores { cosine: None, ..scores.into() })));
                }
            }
        }
        _ => found.extend(both.iter().map(|both| matched(both, None))),
    }
    found
}
