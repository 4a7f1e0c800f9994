//! A process that is nothing but the service.

use std::io;
use std::net::SocketAddr;
use std::sync::mpsc;
use std::sync::{Arc, OnceLock};

use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use twindex_index::Index;

use crate::serve::serve;
use crate::state::Service;
use crate::upkeep;

/// Why the service ended without a signal.
#[derive(Debug, thiserror::Error)]
pub enum RunError<E: std::error::Error + 'static> {
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: io::Error,
    },
    /// The index cannot be opened.
    #[error(transparent)]
    Index(E),
    /// The system failed.
    #[error("the system does not let the service run: {0}")]
    System(#[from] io::Error),
}

/// Listens, opens the index meanwhile, and answers until SIGTERM or SIGINT. Then finishes the
/// accepted requests. `listening` is called with the address that was bound.
pub fn run<E: std::error::Error + Send + Sync + 'static>(
    service: &Arc<Service>,
    open: impl FnOnce() -> Result<Index, E> + Send + 'static,
    listening: impl FnOnce(SocketAddr),
) -> Result<(), RunError<E>> {
    raise_file_limit(service.config.connections);
    let runtime = tokio::runtime::Builder::new_multi_thread().thread_name("io").enable_all().build()?;
    let failure: Arc<OnceLock<E>> = Arc::default();
    let (stop_upkeep, upkeep_stops) = mpsc::channel();
    let upkeep = {
        let service = Arc::clone(service);
        std::thread::Builder::new()
            .name("upkeep".to_owned())
            .spawn(move || upkeep::expire_until(&upkeep_stops, &service))?
    };
    let result = runtime.block_on(async {
        let address = service.config.listen;
        let listener = TcpListener::bind(address).await;
        let listener = listener.map_err(|source| RunError::Listen { address, source })?;
        let (mut terminate, mut interrupt) =
            (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        listening(listener.local_addr()?);
        let opened = {
            let (service, failure) = (Arc::clone(service), Arc::clone(&failure));
            tokio::task::spawn_blocking(move || match open() {
                Ok(index) => {
                    service.open(index);
                    true
                }
                Err(error) => {
                    let _ = failure.set(error);
                    false
                }
            })
        };
        let stop = async {
            if !matches!(opened.await, Ok(true)) {
                return;
            }
            tracing::info!("the index is open");
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
        };
        serve(listener, Arc::clone(service), stop).await.map_err(RunError::System)
    });
    drop(stop_upkeep);
    let _ = upkeep.join();
    // Connections that did not end in time end here.
    runtime.shutdown_background();
    result?;
    match Arc::into_inner(failure).and_then(OnceLock::into_inner) {
        Some(error) => Err(RunError::Index(error)),
        None => Ok(()),
    }
}

/// Files that the process needs besides its connections.
const OTHER_FILES: u64 = 64;

/// Raises the limit of open files to the number of connections.
fn raise_file_limit(connections: usize) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let wanted = connections as u64 + OTHER_FILES;
    let Some(current) = limit.current.filter(|current| *current < wanted) else { return };
    let possible = limit.maximum.map_or(wanted, |maximum| wanted.min(maximum));
    let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(possible), ..limit }).is_ok();
    if !raised || possible < wanted {
        let files = if raised { possible } else { current };
        tracing::warn!(files, wanted, "the system allows fewer files than there may be connections");
    }
}
