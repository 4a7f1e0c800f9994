//! `POST /v1/check`

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use twindex_index::Query;

use super::{checked_limit, json};
use crate::body::JsonBody;
use crate::problem::Problem;
use crate::state::Service;
use crate::wire::{Answer, Check};

/// Have we seen this text, or something like it?
#[utoipa::path(
    post,
    path = "/v1/check",
    request_body = Check,
    responses(
        (status = 200, description = "What is like the text", body = Answer),
        (status = "default", description = "A problem", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn check(State(service): State<Arc<Service>>, body: JsonBody) -> Result<Response, Problem> {
    let (index, now) = (service.index()?, service.now());
    service
        .quick
        .run(move || {
            let Check { text, markup, limit, after } = body.parse()?;
            let query = Query { text: &text, markup: markup.into(), limit: checked_limit(limit)?, after };
            json(StatusCode::OK, &Answer::from(index.check(&query, now)?))
        })
        .await
}
