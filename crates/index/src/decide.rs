//! Is a document that is near really a match?

use twindex_core::verify::{Measured, Side, Verdict};
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
    may_go: bool,
    rule: Option<String>,
    scores: Option<MatchScores>,
}

impl Whole {
    /// Texts that are not within the radius are no duplicates of each other, whatever their scores: so does `pairs`.
    fn decided(decided_by: DecidedBy, is_near: bool, verdict: Verdict) -> Whole {
        let scores = MatchScores::from(verdict.measured.scores());
        Whole {
            decided_by,
            passes: is_near && verdict.is_accepted(),
            may_go: is_near && verdict.may_go(Side::Left),
            // Of texts beyond the radius the search proposes nothing: their reason would contradict the answer.
            rule: (is_near || !verdict.is_accepted()).then(|| verdict.removal_reason(Side::Left)),
            scores: Some(match decided_by {
                DecidedBy::Sketch => MatchScores { cosine: None, ..scores },
                _ => scores,
            }),
        }
    }
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
        may_go: whole.may_go,
        rule: whole.rule,
        scores: whole.scores,
        paragraphs,
        expires: record.expires,
    }))
}

fn whole(
    question: &Question<'_>,
    is_near: bool,
    with_scores: bool,
    record: &Record,
    kept: Option<&Kept>,
    pipelines: &Pipelines,
) -> Whole {
    let verifier = pipelines.document.verifier();
    let rule = verifier.rule();
    // The fingerprint of a text without words is a part of its content hash: to be near it means nothing.
    let is_near = is_near && record.has_words;
    let equal = record.content == Some(question.content);
    match kept {
        Some(Kept::Text(text)) => {
            let verdict = if equal && *text == question.text {
                Some(Verdict::new(rule, Measured::EQUAL))
            } else {
                let right =
                    pipelines.document.evidence(text, record.markup(), &mut PipelineScratch::default());
                let left = question.evidence(pipelines);
                if with_scores { Some(verifier.verdict(left, &right)) } else { verifier.accept(left, &right) }
            };
            let rejected =
                Whole { decided_by: DecidedBy::Text, passes: false, may_go: false, rule: None, scores: None };
            verdict.map_or(rejected, |verdict| Whole::decided(DecidedBy::Text, is_near, verdict))
        }
        _ if equal => Whole::decided(DecidedBy::ContentHash, is_near, Verdict::new(rule, Measured::EQUAL)),
        Some(Kept::Sketch(right, _)) => {
            let measured = question.sketch(pipelines).measure(right);
            Whole::decided(DecidedBy::Sketch, is_near, Verdict::new(rule, measured))
        }
        None => {
            // How much of the text is in the document, a fingerprint cannot tell.
            let may_go = is_near && rule.coverage == 0.0 && rule.most_lost == 0;
            Whole { decided_by: DecidedBy::Fingerprint, passes: is_near, may_go, rule: None, scores: None }
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
                let verdict = verifier.accept(question.paragraph_evidence(both.left, pipelines), &right);
                found.extend(verdict.map(|verdict| matched(both, Some(verdict.measured.scores().into()))));
            }
        }
        Some(Kept::Sketch(_, right)) => {
            for both in both {
                let Some(right) = right.get(both.right) else { continue };
                let measured = question.paragraph_sketch(both.left, pipelines).measure(right);
                if Verdict::new(verifier.rule(), measured).is_accepted() {
                    found.push(matched(both, Some(MatchScores { cosine: None, ..measured.scores().into() })));
                }
            }
        }
        _ => found.extend(both.iter().map(|both| matched(both, None))),
    }
    found
}
