//! Requests to the service: any request gets one of the documented responses.

use std::sync::{Arc, OnceLock};

use axum::Router;
use axum::body::Body;
use axum::http::{Request, StatusCode, header};
use tokio::runtime::Runtime;
use tower::ServiceExt;
use twindex_core::Recipe;
use twindex_index::{Index, OpenOptions, Settings};
use twindex_server::{Config, Service, app};

struct Target {
    runtime: Runtime,
    app: Router,
    _folder: tempfile::TempDir,
}

/// Small limits, so that inputs reach them.
fn target() -> &'static Target {
    static TARGET: OnceLock<Target> = OnceLock::new();
    TARGET.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("index");
        let recipe = Recipe::preset("simhash").expect("a preset of this name");
        Index::create(&path, &Settings { paragraphs: true, ..Settings::new(recipe) }).expect("a new index");
        let config = Config { body_limit: 1 << 16, batch_limit: 10, ..Config::default() };
        let service = Service::new(config, None).expect("threads");
        service.open(Index::open(&path, OpenOptions::default()).expect("the index opens"));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().expect("a runtime");
        Target { runtime, app: app(Arc::clone(&service)), _folder: folder }
    })
}

/// The first byte chooses the path, and whether the body is declared as compressed; the rest is the
/// body or the id.
pub fn requests(data: &[u8]) {
    let Some((&choice, rest)) = data.split_first() else { return };
    let packed = choice & 1 == 1;
    let id: String = rest.iter().map(|byte| format!("%{byte:02x}")).collect();
    let (method, path) = match choice >> 1 & 7 {
        0 | 1 => ("POST", "/v1/check".to_owned()),
        2 => ("POST", "/v1/documents".to_owned()),
        3 => ("POST", "/v1/documents/batch".to_owned()),
        4 => ("POST", "/v1/compare".to_owned()),
        5 => ("DELETE", format!("/v1/documents/{id}")),
        _ => ("GET", format!("/v1/documents/{id}")),
    };
    let mut request = Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, "application/json");
    if packed {
        request = request.header(header::CONTENT_ENCODING, "gzip");
    }
    let Ok(request) = request.body(Body::from(rest.to_vec())) else { return };
    let Target { runtime, app, .. } = target();
    let response = runtime.block_on(app.clone().oneshot(request)).expect("an answer");
    assert_ne!(response.status(), StatusCode::INTERNAL_SERVER_ERROR, "{method}");
}
