//! The errors that a client gets: RFC 9457, `application/problem+json`.

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use twindex_index::{ErrorKind, IndexError};
use utoipa::ToSchema;

/// Something went wrong.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// What kind of problem: a short phrase that does not change.
    #[schema(example = "too large")]
    pub(crate) title: &'static str,
    /// The status of the response.
    #[schema(value_type = u16, example = 413)]
    #[serde(serialize_with = "number")]
    pub(crate) status: StatusCode,
    /// What happened, and what to do.
    pub(crate) detail: String,
}

fn number<S: serde::Serializer>(status: &StatusCode, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u16(status.as_u16())
}

/// `Retry-After` in seconds: queues are short.
const RETRY_AFTER_SECONDS: HeaderValue = HeaderValue::from_static("1");

/// The media type of problems.
pub(crate) const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");

impl Problem {
    fn new(status: StatusCode, title: &'static str, detail: impl Into<String>) -> Problem {
        Problem { title, status, detail: detail.into() }
    }

    /// The request is invalid.
    pub(crate) fn invalid(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::BAD_REQUEST, "invalid request", detail)
    }

    /// A token is needed.
    pub(crate) fn unauthorized(detail: &'static str) -> Problem {
        Problem::new(StatusCode::UNAUTHORIZED, "not authorized", detail)
    }

    /// The token does not allow it, or no token does.
    pub(crate) fn forbidden(detail: &'static str) -> Problem {
        Problem::new(StatusCode::FORBIDDEN, "forbidden", detail)
    }

    /// There is no such thing.
    pub(crate) fn not_found(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::NOT_FOUND, "not found", detail)
    }

    /// The path exists, the method does not.
    pub(crate) fn method_not_allowed() -> Problem {
        let detail = "this path has other methods; /openapi.json lists them";
        Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method not allowed", detail)
    }

    /// The client took too long.
    pub(crate) fn timeout(seconds: u64) -> Problem {
        let detail = format!("the request was not done within {seconds} seconds and was given up");
        Problem::new(StatusCode::REQUEST_TIMEOUT, "timeout", detail)
    }

    /// The body, or the batch, is too large.
    pub(crate) fn too_large(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "too large", detail)
    }

    /// The body is of another kind.
    pub(crate) fn unsupported(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported media type", detail)
    }

    /// Too much to do.
    pub(crate) fn overloaded(detail: impl Into<String>) -> Problem {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "overloaded", detail)
    }

    /// Not yet, or not any more.
    pub(crate) fn unavailable(detail: &'static str) -> Problem {
        Problem::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", detail)
    }

    /// A defect of ours.
    pub(crate) fn internal() -> Problem {
        let detail = "the service failed to answer; its log says why";
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal error", detail)
    }
}

impl From<IndexError> for Problem {
    fn from(error: IndexError) -> Problem {
        match error.kind() {
            ErrorKind::Invalid => Problem::invalid(error.to_string()),
            ErrorKind::Full => {
                tracing::error!(%error, "nothing can be added");
                // The hint is for the operator, and the client must not see the path.
                let detail = "there is no space left; questions are still answered";
                Problem::new(StatusCode::INSUFFICIENT_STORAGE, "no space left", detail)
            }
            ErrorKind::NotFound | ErrorKind::Locked | ErrorKind::Damaged | ErrorKind::Io => {
                tracing::error!(%error, "the index failed");
                Problem::internal()
            }
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response = (self.status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, PROBLEM_JSON);
        match self.status {
            StatusCode::UNAUTHORIZED => {
                headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, RETRY_AFTER_SECONDS);
            }
            _ => {}
        }
        response
    }
}
