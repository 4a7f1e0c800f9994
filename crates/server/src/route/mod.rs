//! What each path does.

pub(crate) mod check;
pub(crate) mod compare;
pub(crate) mod documents;
pub(crate) mod health;
pub(crate) mod metrics;
pub(crate) mod page;
pub(crate) mod stats;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::problem::Problem;
use crate::wire::MOST_MATCHES;

const JSON: HeaderValue = HeaderValue::from_static("application/json");

/// A JSON response, written on the thread that made the value.
pub(crate) fn json(status: StatusCode, value: &impl Serialize) -> Result<Response, Problem> {
    let body = serde_json::to_vec(value).map_err(|error| {
        tracing::error!(%error, "a response has no JSON form");
        Problem::internal()
    })?;
    Ok((status, [(header::CONTENT_TYPE, JSON)], body).into_response())
}

/// How many matches may be listed.
fn checked_limit(limit: usize) -> Result<usize, Problem> {
    if limit > MOST_MATCHES {
        return Err(Problem::invalid(format!(
            "limit is {limit}, and at most {MOST_MATCHES} matches are listed"
        )));
    }
    Ok(limit)
}
