//! What the service counts, and how Prometheus reads it.

pub(crate) mod histogram;
mod text;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::http::StatusCode;
use histogram::{Histogram, Snapshot};
pub(crate) use text::Text;

/// The paths of the service that are counted one by one, with their methods; everything else is
/// `other`.
pub(crate) const ROUTES: [(&str, &str); 12] = [
    ("POST", "/v1/check"),
    ("POST", "/v1/documents"),
    ("POST", "/v1/documents/batch"),
    ("GET", "/v1/documents/{id}"),
    ("DELETE", "/v1/documents/{id}"),
    ("POST", "/v1/compare"),
    ("GET", "/v1/stats"),
    ("GET", "/metrics"),
    ("GET", "/openapi.json"),
    ("GET", "/healthz"),
    ("GET", "/readyz"),
    ("GET", "/"),
];

/// Where `/v1/check` is among the routes: the page shows its figures.
pub(crate) const CHECK: usize = 0;

/// Counters of one route.
#[derive(Debug, Default)]
struct RouteCounters {
    latency: Histogram,
    /// Responses by the first digit of their status.
    classes: [AtomicU64; 5],
}

/// All counters.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    routes: [RouteCounters; ROUTES.len() + 1],
    /// Requests that were rejected because the queue was full.
    shed: AtomicU64,
    /// Connections that are open.
    pub(crate) connections: AtomicU64,
    /// Connections that were rejected.
    pub(crate) refused_connections: AtomicU64,
}

/// The number of a route; the last is `other`.
pub(crate) fn route_of(method: &str, path: &str) -> usize {
    ROUTES.iter().position(|route| *route == (method, path)).unwrap_or(ROUTES.len())
}

impl Metrics {
    /// Counts a response.
    pub(crate) fn record(&self, route: usize, status: StatusCode, duration: Duration) {
        let counters = &self.routes[route];
        counters.latency.record(duration);
        let class = usize::from(status.as_u16() / 100).clamp(1, 5) - 1;
        counters.classes[class].fetch_add(1, Ordering::Relaxed);
        if status == StatusCode::SERVICE_UNAVAILABLE {
            self.shed.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The latencies of a route.
    pub(crate) fn latency(&self, route: usize) -> Snapshot {
        self.routes[route].latency.snapshot()
    }

    /// Everything, as Prometheus reads it.
    pub(crate) fn write(&self, text: &mut Text) {
        let name = |route: usize| match ROUTES.get(route) {
            Some((method, path)) => format!("{method} {path}"),
            None => "other".to_owned(),
        };
        text.family("twindex_requests_total", "counter", "Responses, by route and class of status.");
        for (route, counters) in self.routes.iter().enumerate() {
            for (class, count) in counters.classes.iter().enumerate() {
                let count = count.load(Ordering::Relaxed);
                if count > 0 {
                    let labels = format!("route=\"{}\",status=\"{}xx\"", name(route), class + 1);
                    text.sample("twindex_requests_total", &labels, count as f64);
                }
            }
        }
        text.family("twindex_request_seconds", "histogram", "Time to answer, by route.");
        for (route, counters) in self.routes.iter().enumerate() {
            let snapshot = counters.latency.snapshot();
            if snapshot.count() > 0 {
                text.histogram("twindex_request_seconds", &format!("route=\"{}\"", name(route)), &snapshot);
            }
        }
        for (name, kind, help, value) in [
            ("twindex_shed_total", "counter", "Requests rejected (503).", &self.shed),
            ("twindex_connections", "gauge", "Open connections.", &self.connections),
            (
                "twindex_refused_connections_total",
                "counter",
                "Connections rejected because there were too many.",
                &self.refused_connections,
            ),
        ] {
            text.single(name, kind, help, value.load(Ordering::Relaxed) as f64);
        }
    }
}

/// The memory that the process has, in bytes; `None` where the system does not report it.
pub(crate) fn resident_bytes() -> Option<u64> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = statm.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}
