//! Background work: removes expired documents.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

use crate::state::Service;

/// Removes expired documents from time to time, until the other end of `stop` is dropped. They
/// stopped matching when they expired; this gives their space back.
pub(crate) fn expire_until(stop: &Receiver<()>, service: &Arc<Service>) {
    let pause = Duration::from_secs(service.config.expire_seconds);
    while stop.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        let Ok(index) = service.index() else { continue };
        match index.expire(service.now()) {
            Ok(0) => {}
            Ok(removed) => tracing::info!(documents = removed, "expired"),
            Err(error) => tracing::error!(%error, "cannot remove expired documents"),
        }
    }
}
