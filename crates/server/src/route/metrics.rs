//! `GET /metrics`

use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse, Response};

use super::stats::figures;
use crate::metrics::{Text, resident_bytes};
use crate::problem::Problem;
use crate::state::Service;

const PROMETHEUS: HeaderValue = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");

/// Counters and gauges as Prometheus reads them.
#[utoipa::path(
    get,
    path = "/metrics",
    responses(
        (status = 200, description = "Metrics", body = String, content_type = "text/plain"),
        (status = "default", description = "A problem", body = Problem, content_type = "application/problem+json"),
    ),
)]
pub(crate) async fn metrics(State(service): State<Arc<Service>>) -> Result<Response, Problem> {
    let mut text = Text::default();
    service.metrics.write(&mut text);
    for (name, help, workers) in [
        ("twindex_questions_waiting", "Questions that wait for a thread.", &service.quick),
        ("twindex_changes_waiting", "Changes and comparisons that wait for a thread.", &service.slow),
    ] {
        text.single(name, "gauge", help, workers.waiting() as f64);
    }
    let held = service.config.body_memory.saturating_sub(service.body_memory.available_permits());
    text.single("twindex_body_bytes", "gauge", "Bytes of bodies that are held.", held as f64);
    if let Some(bytes) = resident_bytes() {
        text.single("process_resident_memory_bytes", "gauge", "Memory of the process.", bytes as f64);
    }
    // There are metrics while the index is being opened, too.
    if let Ok(index) = service.index() {
        let figures = service.slow.run(move || figures(&index)).await?;
        for (name, help, value) in [
            ("twindex_expired_total", "Expired documents that were removed.", figures.expired),
            ("twindex_merges_total", "Merges of segments.", figures.merges),
            (
                "twindex_merged_fingerprints_total",
                "Fingerprints that merges wrote.",
                figures.merged_fingerprints,
            ),
        ] {
            text.single(name, "counter", help, value as f64);
        }
        let failed = u64::from(figures.maintenance_failure.is_some());
        for (name, help, value) in [
            (
                "twindex_maintenance_failed",
                "1 if segments could not be sealed, merged or saved lately.",
                failed,
            ),
            ("twindex_paragraphs", "Fingerprints of paragraphs in memory.", figures.paragraphs),
            ("twindex_documents", "Documents in the index.", figures.documents),
            ("twindex_removed", "Removed documents that are still in memory.", figures.removed),
            ("twindex_fingerprints", "Fingerprints in memory.", figures.fingerprints),
            ("twindex_buffered", "Fresh fingerprints, which are scanned.", figures.buffered),
            ("twindex_segments", "Sealed segments.", figures.segments),
            ("twindex_index_memory_bytes", "Memory of the fingerprints.", figures.memory_bytes),
            ("twindex_index_disk_bytes", "Bytes of the files.", figures.disk_bytes),
        ] {
            text.single(name, "gauge", help, value as f64);
        }
    }
    Ok(([(header::CONTENT_TYPE, PROMETHEUS)], text.into_string()).into_response())
}
