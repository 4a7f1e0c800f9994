//! Connections: limited in number, closed when idle, finished when the service stops.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use axum::body::Body;
use axum::response::Response;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tower::Service as _;

use crate::app::app;
use crate::stall::Impatient;
use crate::state::Service;

/// The longest header of a request, in bytes. Ids in paths are short; a longer header is an attack.
const HEADER_BYTES: usize = 16 << 10;

/// The pause after the system has run out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The response when there are too many connections: written by hand, because a whole connection
/// costs what is scarce.
const TOO_MANY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n\
    content-length: 0\r\n\r\n";

/// Answers until `stop` completes, then finishes the accepted requests.
pub async fn serve(
    listener: TcpListener,
    service: Arc<Service>,
    stop: impl Future<Output = ()>,
) -> io::Result<()> {
    let app = app(Arc::clone(&service));
    let free = Arc::new(Semaphore::new(service.config.connections));
    let graceful = GracefulShutdown::new();
    let patience = Duration::from_secs(service.config.write_seconds);
    let mut stop = std::pin::pin!(stop);
    loop {
        let stream = tokio::select! {
            biased;
            () = &mut stop => break,
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => stream,
                Err(error) if is_over_at_once(&error) => continue,
                Err(error) => {
                    tracing::warn!(%error, "cannot accept a connection");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                    continue;
                }
            },
        };
        let Ok(permit) = Arc::clone(&free).try_acquire_owned() else {
            service.metrics.refused_connections.fetch_add(1, Ordering::Relaxed);
            tokio::spawn(turn_away(stream));
            continue;
        };
        // Answers are small: waiting to fill a packet only adds to the latency.
        let _ = stream.set_nodelay(true);
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(Duration::from_secs(service.config.header_seconds))
            .max_buf_size(HEADER_BYTES)
            .serve_connection(TokioIo::new(Impatient::new(stream, patience)), hyper_service(app.clone()));
        let connection = graceful.watch(connection);
        let service = Arc::clone(&service);
        service.metrics.connections.fetch_add(1, Ordering::Relaxed);
        tokio::spawn(async move {
            // Clients that vanish or send nonsense are no error of the service.
            if let Err(error) = connection.await {
                tracing::debug!(%error, "connection ended");
            }
            service.metrics.connections.fetch_sub(1, Ordering::Relaxed);
            drop(permit);
        });
    }
    service.stop();
    drop(listener);
    tracing::info!(connections = graceful.count(), "stopping: finishing what was accepted");
    let limit = Duration::from_secs(service.config.shutdown_seconds);
    if tokio::time::timeout(limit, graceful.shutdown()).await.is_err() {
        tracing::warn!(seconds = limit.as_secs(), "gave up on connections that did not end");
    }
    Ok(())
}

/// Whether only this connection failed, not the listening.
fn is_over_at_once(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

async fn turn_away(stream: TcpStream) {
    if stream.writable().await.is_ok() {
        let _ = stream.try_write(TOO_MANY);
    }
}

/// The router, as hyper calls it.
fn hyper_service(
    app: axum::Router,
) -> impl hyper::service::Service<
    hyper::Request<hyper::body::Incoming>,
    Response = Response,
    Error = Infallible,
    Future: Send,
> {
    hyper::service::service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
        let mut app = app.clone();
        async move { app.call(request.map(Body::new)).await }
    })
}
