//! The routes, put together.

use std::sync::Arc;

use axum::Router;
use axum::extract::Path;
use axum::http::StatusCode;
use axum::middleware::from_fn_with_state;
use axum::response::Response;
use axum::routing::{get, post};
use utoipa::OpenApi;

use crate::guard;
use crate::problem::Problem;
use crate::route::{check, compare, documents, health, json, metrics, page, stats};
use crate::state::Service;

/// The service as a function from requests to responses; a server, or a test, calls it.
pub fn app(service: Arc<Service>) -> Router {
    Router::new()
        .route("/v1/documents", post(documents::add))
        .route(
            "/v1/documents/batch",
            // A document may have the name of a path.
            post(documents::add_batch)
                .get(|state| documents::get(state, Ok(Path("batch".to_owned()))))
                .delete(|state| documents::remove(state, Ok(Path("batch".to_owned())))),
        )
        .route("/v1/documents/{id}", get(documents::get).delete(documents::remove))
        .route("/v1/check", post(check::check))
        .route("/v1/compare", post(compare::compare))
        .route("/v1/stats", get(stats::stats))
        .route("/metrics", get(metrics::metrics))
        .route("/healthz", get(health::health))
        .route("/readyz", get(health::ready))
        .route("/openapi.json", get(openapi))
        .route("/", get(page::html))
        .route("/page.css", get(page::style))
        .route("/page.js", get(page::script))
        .method_not_allowed_fallback(async || Problem::method_not_allowed())
        .fallback(async || {
            Problem::not_found("there is nothing at this path; /openapi.json lists what there is")
        })
        // The last layer sees a request first: unauthorized requests are counted, too.
        .layer(from_fn_with_state(Arc::clone(&service), guard::authorize))
        .layer(from_fn_with_state(Arc::clone(&service), guard::observe))
        .with_state(service)
}

/// What the service offers, for programs.
#[derive(OpenApi)]
#[openapi(
    info(
        title = "twindex",
        description = "Have we seen this document, or something like it? Every answer names the documents that match, \
                       what was compared, and the scores.",
    ),
    paths(
        documents::add,
        documents::add_batch,
        documents::get,
        documents::remove,
        check::check,
        compare::compare,
        stats::stats,
        metrics::metrics,
        health::health,
        health::ready,
    )
)]
pub(crate) struct Description;

async fn openapi() -> Result<Response, Problem> {
    json(StatusCode::OK, &description())
}

/// The description with the tokens that it may need.
pub(crate) fn description() -> utoipa::openapi::OpenApi {
    use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityRequirement, SecurityScheme};
    let mut description = Description::openapi();
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).build();
    let components = description.components.get_or_insert_default();
    components.add_security_scheme("token", SecurityScheme::Http(bearer));
    let none: [&str; 0] = [];
    description.security = Some(vec![SecurityRequirement::new("token", none)]);
    description
}
