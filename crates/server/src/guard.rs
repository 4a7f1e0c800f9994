//! What happens to every request before and after its route: authorization, timeout, metrics, log.

use std::sync::Arc;
use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::metrics;
use crate::problem::Problem;
use crate::state::Service;
use crate::tokens::Role;

/// Counts and logs a request, with a timeout.
pub(crate) async fn observe(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().map_or("", MatchedPath::as_str).to_owned();
    let answer = tokio::time::timeout(service.request_time(), next.run(request)).await;
    let mut response =
        answer.unwrap_or_else(|_| Problem::timeout(service.config.request_seconds).into_response());
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    let (status, elapsed) = (response.status(), started.elapsed());
    service.metrics.record(metrics::route_of(method.as_str(), &route), status, elapsed);
    let milliseconds = elapsed.as_secs_f64() * 1e3;
    // The route, not the path: ids and texts of clients do not belong into a log.
    if status.is_server_error() && status != StatusCode::SERVICE_UNAVAILABLE {
        tracing::error!(%method, route, status = status.as_u16(), milliseconds, "request failed");
    } else if elapsed.as_millis() >= u128::from(service.config.slow_milliseconds) {
        tracing::warn!(%method, route, status = status.as_u16(), milliseconds, "slow request");
    } else {
        tracing::debug!(%method, route, status = status.as_u16(), milliseconds, "request");
    }
    response
}

/// Rejects a request without the role that it needs.
pub(crate) async fn authorize(
    State(service): State<Arc<Service>>,
    request: Request,
    next: Next,
) -> Result<Response, Problem> {
    let path = request.extensions().get::<MatchedPath>().map(MatchedPath::as_str);
    let needed = needed_role(request.method(), path.unwrap_or_default());
    match (&service.tokens, needed) {
        // A service beyond loopback without tokens has names that are not known here.
        (None, _) if service.config.open_to_all && !service.config.listen.ip().is_loopback() => {}
        (None, _) => require_own_host(request.headers())?,
        (Some(_), None) => {}
        (Some(tokens), Some(needed)) => {
            let token = bearer(request.headers()).ok_or_else(|| {
                Problem::unauthorized("expected the header `authorization: Bearer TOKEN` with a token")
            })?;
            match tokens.role(token) {
                None => return Err(Problem::unauthorized("the token is not one of those that are accepted")),
                Some(role) if role < needed => {
                    return Err(Problem::forbidden("the token allows to read, and this would write"));
                }
                Some(_) => {}
            }
        }
    }
    Ok(next.run(request).await)
}

/// What a request needs; `None` for what holds no data: the page itself, and whether the service
/// lives.
fn needed_role(method: &Method, path: &str) -> Option<Role> {
    match path {
        "/" | "/page.css" | "/page.js" | "/healthz" | "/readyz" => None,
        "/v1/check" | "/v1/compare" => Some(Role::Read),
        _ if method == Method::GET || method == Method::HEAD => Some(Role::Read),
        _ => Some(Role::Write),
    }
}

fn bearer(headers: &HeaderMap) -> Option<&[u8]> {
    let value = headers.get(header::AUTHORIZATION)?.as_bytes();
    let (scheme, token) = value.split_at_checked("Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token)
}

/// Without tokens, only the address protects the index. A page of another origin can point its own
/// name at a loopback address (DNS rebinding); then the request says that name.
fn require_own_host(headers: &HeaderMap) -> Result<(), Problem> {
    let host = headers.get(header::HOST).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let name = name.trim_start_matches('[').trim_end_matches(']');
    let own = name.eq_ignore_ascii_case("localhost") || name.parse::<std::net::IpAddr>().is_ok();
    if own || host.is_empty() {
        return Ok(());
    }
    Err(Problem::forbidden("without tokens, the service answers only at localhost or a numeric address"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: header::HeaderName, value: &str) -> HeaderMap {
        [(name, HeaderValue::from_str(value).unwrap())].into_iter().collect()
    }

    #[test]
    fn tokens_come_from_the_header() {
        let of = |value| bearer(&headers(header::AUTHORIZATION, value)).map(<[u8]>::to_vec);
        assert_eq!(of("Bearer abc"), Some(b"abc".to_vec()));
        assert_eq!(of("bearer abc"), Some(b"abc".to_vec()));
        assert_eq!(of("Basic abcdef"), None);
        assert_eq!(of("Bear"), None);
        assert_eq!(bearer(&HeaderMap::new()), None);
    }

    #[test]
    fn only_own_names_without_tokens() {
        for (host, allowed) in [
            ("localhost:7700", true),
            ("127.0.0.1:7700", true),
            ("127.0.0.1", true),
            ("[::1]:7700", true),
            ("evil.example:7700", false),
            ("evil.example", false),
            ("127.0.0.1.evil.example:7700", false),
        ] {
            assert_eq!(require_own_host(&headers(header::HOST, host)).is_ok(), allowed, "{host}");
        }
    }

    #[test]
    fn asking_needs_less_than_changing() {
        assert_eq!(needed_role(&Method::POST, "/v1/check"), Some(Role::Read));
        assert_eq!(needed_role(&Method::GET, "/metrics"), Some(Role::Read));
        assert_eq!(needed_role(&Method::GET, ""), Some(Role::Read));
        assert_eq!(needed_role(&Method::POST, "/v1/documents"), Some(Role::Write));
        assert_eq!(needed_role(&Method::DELETE, "/v1/documents/{id}"), Some(Role::Write));
        assert_eq!(needed_role(&Method::GET, "/"), None);
    }
}
