//! `GET /`: the page for people.

use axum::http::{HeaderName, HeaderValue, header};
use axum::response::{IntoResponse, Response};

const HTML: &str = include_str!("../page/page.html");
const STYLE: &str = concat!(include_str!("../page/page.css"));
const SCRIPT: &str = include_str!("../page/page.js");

/// Nothing is loaded from anywhere else, nothing runs that is not in the page's own files, and no
/// other page frames it.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'",
);

fn file(media_type: &'static str, content: String) -> Response {
    let headers: [(HeaderName, HeaderValue); 4] = [
        (header::CONTENT_TYPE, HeaderValue::from_static(media_type)),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")),
        // A new version of the program brings a new page.
        (header::CACHE_CONTROL, HeaderValue::from_static("no-cache")),
    ];
    (headers, content).into_response()
}

/// The page.
pub(crate) async fn html() -> Response {
    file("text/html; charset=utf-8", HTML.to_owned())
}

/// How it looks.
pub(crate) async fn style() -> Response {
    file("text/css; charset=utf-8", [twindex_page::STYLE, STYLE].concat())
}

/// What it does.
pub(crate) async fn script() -> Response {
    file("text/javascript; charset=utf-8", [twindex_page::SCRIPT, SCRIPT].concat())
}
