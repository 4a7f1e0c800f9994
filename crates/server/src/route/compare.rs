//! `POST /v1/compare`

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use twindex_core::Document;
use twindex_core::compare::compare as compare_documents;
use twindex_core::kernel::Kernel;
use twindex_index::{Index, Timestamp};

use super::json;
use crate::body::JsonBody;
use crate::problem::Problem;
use crate::state::Service;
use crate::wire::{Compare, ComparisonSchema, Named};

/// Compare two texts: every measure, the verdict, paragraph by paragraph, and what differs.
#[utoipa::path(
    post,
    path = "/v1/compare",
    request_body = Compare,
    responses(
        (status = 200, description = "How alike they are", body = ComparisonSchema),
        (status = 404, description = "A text is not there", body = Problem, content_type = "application/problem+json"),
        (status = "default", description = "A problem", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn compare(
    State(service): State<Arc<Service>>,
    body: JsonBody,
) -> Result<Response, Problem> {
    let (index, now) = (service.index()?, service.now());
    service
        .slow
        .run(move || {
            let Compare { left, right } = body.parse()?;
            let [left, right] =
                [document(left, "left", &index, now)?, document(right, "right", &index, now)?];
            let settings = index.settings();
            let comparison = compare_documents(
                &settings.recipe,
                settings.frequencies.as_ref(),
                Kernel::best(),
                &left,
                &right,
            );
            let comparison = comparison.map_err(|error| {
                tracing::error!(%error, "the recipe of the index cannot be used");
                Problem::internal()
            })?;
            json(StatusCode::OK, &comparison)
        })
        .await
}

fn document(named: Named, side: &str, index: &Index, now: Timestamp) -> Result<Document, Problem> {
    match named {
        Named { id: None, text: Some(text), markup } => {
            Ok(Document { id: side.to_owned(), text, markup: markup.into() })
        }
        Named { id: Some(id), text: None, .. } => {
            let missing = || Problem::not_found(format!("{side}: no document of that id is in the index"));
            let stored = index.get(&id, now)?.ok_or_else(missing)?;
            let no_text = || Problem::not_found(format!("{side}: the index does not keep the text"));
            let markup = if stored.html { twindex_core::Markup::Html } else { twindex_core::Markup::None };
            Ok(Document { id, text: stored.text.ok_or_else(no_text)?, markup })
        }
        _ => Err(Problem::invalid(format!("{side}: expected either a text or an id"))),
    }
}
