//! The body of a request: received and decompressed within limits, and parsed afterwards.
//!
//! Bytes count against [`Config::body_memory`](crate::Config) when they arrive, not when a header
//! promises them: a client that declares a long body and sends slowly takes nothing from others.
//! Decompression and parsing run on the worker threads.

use std::io::Read;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, header};
use flate2::read::MultiGzDecoder;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::Problem;
use crate::state::Service;

/// A JSON body that was received and not yet parsed.
pub(crate) struct JsonBody {
    bytes: Vec<u8>,
    packed: bool,
    /// What the bytes take of the common budget.
    held: Held,
    limit: usize,
}

/// Bytes of bodies, counted.
struct Held {
    budget: Arc<Semaphore>,
    permit: Option<OwnedSemaphorePermit>,
}

impl Held {
    fn take(&mut self, bytes: usize) -> Result<(), Problem> {
        let full = |_| Problem::overloaded("too many large requests at one time; try again later");
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let more = Arc::clone(&self.budget).try_acquire_many_owned(bytes).map_err(full)?;
        match &mut self.permit {
            Some(permit) => permit.merge(more),
            None => self.permit = Some(more),
        }
        Ok(())
    }
}

impl FromRequest<Arc<Service>> for JsonBody {
    type Rejection = Problem;

    async fn from_request(request: Request, service: &Arc<Service>) -> Result<JsonBody, Problem> {
        let (parts, mut body) = request.into_parts();
        require_json(&parts.headers)?;
        let packed = is_packed(&parts.headers)?;
        let limit = service.config.body_limit;
        let declared = parts.headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
        let declared: Option<u64> = declared.and_then(|text| text.parse().ok());
        let mut held = Held { budget: Arc::clone(&service.body_memory), permit: None };
        let received = if declared.is_some_and(|bytes| bytes > limit as u64) {
            Err(too_large(limit))
        } else {
            receive(&mut body, limit, &mut held).await
        };
        match received {
            Ok(bytes) => Ok(JsonBody { bytes, packed, held, limit }),
            Err(problem) => {
                drop(held);
                // A client that waits for `100 Continue` gets the response instead.
                let is_sent = !parts.headers.contains_key(header::EXPECT);
                if is_sent && declared.is_none_or(|bytes| bytes <= PASSED_BY) {
                    pass_by(&mut body).await;
                }
                Err(problem)
            }
        }
    }
}

/// Other media types are refused even where they hold JSON: a page of another origin can make a
/// browser send plain text anywhere without asking, but not JSON.
fn require_json(headers: &HeaderMap) -> Result<(), Problem> {
    let media_type =
        headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = media_type.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(Problem::unsupported("expected a JSON body with the header `content-type: application/json`"))
}

fn is_packed(headers: &HeaderMap) -> Result<bool, Problem> {
    match headers.get(header::CONTENT_ENCODING).map(|value| value.as_bytes()) {
        None | Some(b"identity") => Ok(false),
        Some(b"gzip") => Ok(true),
        Some(_) => Err(Problem::unsupported("expected a body that is not packed, or packed with gzip")),
    }
}

fn too_large(limit: usize) -> Problem {
    Problem::too_large(format!("the body may have at most {limit} bytes, packed and unpacked"))
}

/// The part of a rejected body that is still read, in bytes: many clients look for an answer only
/// when they have sent everything, and find a closed connection if it is not read.
const PASSED_BY: u64 = 64 << 20;

/// Reads on without keeping anything.
async fn pass_by(body: &mut Body) {
    let mut left = PASSED_BY;
    while let Some(Ok(frame)) = body.frame().await {
        let bytes = frame.data_ref().map_or(0, Bytes::len);
        match left.checked_sub(bytes as u64) {
            Some(rest) => left = rest,
            None => return,
        }
    }
}

async fn receive(body: &mut Body, limit: usize, held: &mut Held) -> Result<Vec<u8>, Problem> {
    let mut received = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Problem::invalid(format!("the body broke off: {error}")))?;
        let data: Bytes = frame.into_data().unwrap_or_default();
        if received.len() + data.len() > limit {
            return Err(too_large(limit));
        }
        held.take(data.len())?;
        received.extend_from_slice(&data);
    }
    Ok(received)
}

/// Bytes that are decompressed between two checks of the limit.
const UNPACK_STEP: u64 = 64 << 10;

impl JsonBody {
    /// The value, if the body is one. Nesting is limited to 128 levels by the parser.
    pub(crate) fn parse<T: DeserializeOwned>(mut self) -> Result<T, Problem> {
        if self.packed {
            self.unpack()?;
        }
        serde_json::from_slice(&self.bytes).map_err(|error| Problem::invalid(format!("the body: {error}")))
    }

    fn unpack(&mut self) -> Result<(), Problem> {
        let packed = std::mem::take(&mut self.bytes);
        let mut reader = MultiGzDecoder::new(packed.as_slice());
        loop {
            let before = self.bytes.len();
            let read = reader.by_ref().take(UNPACK_STEP).read_to_end(&mut self.bytes);
            read.map_err(|error| Problem::invalid(format!("the body cannot be unpacked: {error}")))?;
            let unpacked = self.bytes.len() - before;
            if unpacked == 0 {
                return Ok(());
            }
            if self.bytes.len() > self.limit {
                return Err(too_large(self.limit));
            }
            self.held.take(unpacked)?;
        }
    }
}
