//! `/v1/documents`: adding, reading and removing.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use twindex_index::{AddOptions, IndexError, NewDocument};

use super::{checked_limit, json};
use crate::body::JsonBody;
use crate::problem::Problem;
use crate::state::Service;
use crate::wire::{Add, AddBatch, BatchRow, BatchVerdicts, Outcome, Refused, Stored, Verdict};

/// Add a document and get what it duplicates. The document is durable before the response.
#[utoipa::path(
    post,
    path = "/v1/documents",
    request_body = Add,
    responses(
        (status = 201, description = "The document is in the index now", body = Verdict),
        (status = 200, description = "It was there, or was left out; `outcome` says which", body = Verdict),
        (status = 507, description = "No space is left", body = Problem, content_type = "application/problem+json"),
        (status = "default", description = "A problem", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn add(State(service): State<Arc<Service>>, body: JsonBody) -> Result<Response, Problem> {
    let (index, now) = (service.index()?, service.now());
    service
        .slow
        .run(move || {
            let document: Add = body.parse()?;
            let options = AddOptions {
                only_unseen: document.only_unseen,
                matches: checked_limit(document.limit)?,
                ..AddOptions::default()
            };
            let document = NewDocument::from(document);
            validate(&document)?;
            let verdicts = index.add(&[document], options, now)?;
            let verdict = Verdict::from(verdicts.into_iter().next().ok_or_else(Problem::internal)?);
            let fresh = matches!(verdict.outcome, Outcome::Added | Outcome::Replaced);
            json(if fresh { StatusCode::CREATED } else { StatusCode::OK }, &verdict)
        })
        .await
}

/// The index would name the place in a batch, which a single document does not have.
fn validate(document: &NewDocument) -> Result<(), Problem> {
    document.validate(0).map_err(|error| match error {
        IndexError::InvalidDocument { reason, .. } => Problem::invalid(reason),
        other => other.into(),
    })
}

/// Matches of all documents of a batch together: each may list fewer than requested, and says
/// so by `more`.
const MOST_BATCH_MATCHES: usize = 10_000;

/// Add many documents at once. Each gets its own verdict; a bad document does not affect the
/// others.
#[utoipa::path(
    post,
    path = "/v1/documents/batch",
    request_body = AddBatch,
    responses(
        (status = 200, description = "What became of each document, in order", body = BatchVerdicts),
        (status = 507, description = "No space is left", body = Problem, content_type = "application/problem+json"),
        (status = "default", description = "A problem", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn add_batch(
    State(service): State<Arc<Service>>,
    body: JsonBody,
) -> Result<Response, Problem> {
    let (index, now, most) = (service.index()?, service.now(), service.config.batch_limit);
    service
        .slow
        .run(move || {
            let batch: AddBatch = body.parse()?;
            if batch.documents.len() > most {
                let found = batch.documents.len();
                return Err(Problem::too_large(format!("{found} documents, and a batch has at most {most}")));
            }
            let most_of_each = MOST_BATCH_MATCHES / batch.documents.len().max(1);
            let matches = checked_limit(batch.limit)?.min(most_of_each.max(1));
            let options = AddOptions { only_unseen: batch.only_unseen, matches, ..AddOptions::default() };
            let documents: Vec<NewDocument> = batch.documents.into_iter().map(NewDocument::from).collect();
            let problems: Vec<Option<Problem>> =
                documents.iter().map(|document| validate(document).err()).collect();
            let mut refused = vec![];
            let mut taken = vec![];
            for (document, problem) in documents.into_iter().zip(&problems) {
                match problem {
                    Some(problem) => refused.push(Refused { id: document.id, problem: problem.clone() }),
                    None => taken.push(document),
                }
            }
            let mut refused = refused.into_iter();
            let mut verdicts = index.add(&taken, options, now)?.into_iter();
            let row = |problem: &Option<Problem>| match problem {
                Some(_) => refused.next().map(BatchRow::Refused),
                None => verdicts.next().map(|verdict| BatchRow::Verdict(verdict.into())),
            };
            let results = problems.iter().filter_map(row).collect();
            json(StatusCode::OK, &BatchVerdicts { results })
        })
        .await
}

type Id = Result<Path<String>, PathRejection>;

fn id(path: Id) -> Result<String, Problem> {
    path.map(|Path(id)| id).map_err(|_| Problem::invalid("the id in the path is not UTF-8"))
}

fn unknown() -> Problem {
    Problem::not_found("no document of that id is in the index, or it has expired")
}

/// What is known of a document.
#[utoipa::path(
    get,
    path = "/v1/documents/{id}",
    params(("id" = String, Path, description = "The id, percent-encoded")),
    responses(
        (status = 200, description = "The document", body = Stored),
        (status = 404, description = "There is none", body = Problem, content_type = "application/problem+json"),
        (status = "default", description = "A problem", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn get(State(service): State<Arc<Service>>, path: Id) -> Result<Response, Problem> {
    let (index, now, id) = (service.index()?, service.now(), id(path)?);
    service
        .quick
        .run(move || {
            let stored = index.get(&id, now)?.ok_or_else(unknown)?;
            json(StatusCode::OK, &Stored::from(stored))
        })
        .await
}

/// Remove a document. The removal is durable before the response.
#[utoipa::path(
    delete,
    path = "/v1/documents/{id}",
    params(("id" = String, Path, description = "The id, percent-encoded")),
    responses(
        (status = 204, description = "The document is gone"),
        (status = 404, description = "There is none", body = Problem, content_type = "application/problem+json"),
        (status = "default", description = "A problem", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn remove(State(service): State<Arc<Service>>, path: Id) -> Result<Response, Problem> {
    let (index, id) = (service.index()?, id(path)?);
    service
        .slow
        .run(move || match index.remove(&id)? {
            true => Ok(StatusCode::NO_CONTENT.into_response()),
            false => Err(unknown()),
        })
        .await
}
