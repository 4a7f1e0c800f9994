//! `GET /v1/stats`

use std::sync::Arc;

use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use twindex_index::{Evidence, Index, Search};

use super::json;
use crate::metrics::histogram::{Snapshot, bounds};
use crate::metrics::{CHECK, resident_bytes, route_of};
use crate::problem::Problem;
use crate::state::Service;
use crate::wire::{IndexFigures, Latency, Rules, Stats};

/// How the service is doing.
#[utoipa::path(
    get,
    path = "/v1/stats",
    responses(
        (status = 200, description = "Figures", body = Stats),
        (status = "default", description = "A problem", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn stats(State(service): State<Arc<Service>>) -> Result<Response, Problem> {
    let index = service.index()?;
    let (check, add) =
        (service.metrics.latency(CHECK), service.metrics.latency(route_of("POST", "/v1/documents")));
    service
        .slow
        .run(move || {
            let stats = Stats {
                version: env!("CARGO_PKG_VERSION"),
                index: figures(&index)?,
                rules: rules(&index),
                check: check.into(),
                add: add.into(),
                resident_bytes: resident_bytes(),
            };
            json(StatusCode::OK, &stats)
        })
        .await
}

pub(crate) fn figures(index: &Index) -> Result<IndexFigures, Problem> {
    let stats = index.stats()?;
    Ok(IndexFigures {
        documents: stats.documents,
        removed: stats.removed,
        fingerprints: stats.fingerprints,
        paragraphs: stats.paragraphs,
        buffered: stats.buffered,
        segments: stats.segments,
        search: match stats.search {
            Search::Exact => "exact",
            Search::Psm => "psm",
        },
        share_of_candidates: stats.share_of_candidates,
        memory_bytes: stats.memory_bytes,
        disk_bytes: stats.disk_bytes,
        merges: stats.merges,
        merged_fingerprints: stats.merged_fingerprints,
        expired: stats.expired,
        maintenance_failure: stats.maintenance_failure,
    })
}

fn rules(index: &Index) -> Rules {
    let settings = index.settings();
    let recipe = &settings.recipe;
    Rules {
        recipe: recipe.name.clone(),
        rule: format!("{} >= {}", recipe.rule.measure.name(), recipe.rule.threshold),
        radius: (!settings.is_keyed()).then_some(recipe.simhash.radius),
        evidence: match settings.evidence {
            Evidence::Text => "text",
            Evidence::Features => "features",
            Evidence::Sketch => "sketch",
            Evidence::None => "none",
        },
        paragraphs: settings.paragraphs,
        ttl: settings.ttl.map(|ttl| ttl.0),
    }
}

impl From<Snapshot> for Latency {
    fn from(snapshot: Snapshot) -> Latency {
        Latency {
            count: snapshot.count(),
            p50: snapshot.quantile(0.5),
            p99: snapshot.quantile(0.99),
            bounds: bounds().to_vec(),
            counts: snapshot.counts.to_vec(),
        }
    }
}
