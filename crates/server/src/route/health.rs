//! `GET /healthz` and `/readyz`

use std::sync::Arc;

use axum::extract::State;

use crate::problem::Problem;
use crate::state::Service;

/// Is the process alive?
#[utoipa::path(get, path = "/healthz", responses((status = 200, description = "It is", body = String)))]
pub(crate) async fn health() -> &'static str {
    "ok\n"
}

/// Should requests come here? Not while the index is being opened, nor while the service is
/// shutting down.
#[utoipa::path(
    get,
    path = "/readyz",
    responses(
        (status = 200, description = "Yes", body = String),
        (status = 503, description = "Not now", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn ready(State(service): State<Arc<Service>>) -> Result<&'static str, Problem> {
    match service.is_ready() {
        true => Ok("ready\n"),
        false => Err(Problem::unavailable("the index is being opened, or the service is shutting down")),
    }
}
