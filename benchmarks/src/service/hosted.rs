//! The service on a loopback port, as `twindex serve` runs it.

use std::net::{Ipv4Addr, SocketAddr};
use std::thread::JoinHandle;

use anyhow::Context;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use twindex_index::Index;
use twindex_server::{Config, Service, serve};

/// A service that stops when dropped.
pub(super) struct Hosted {
    pub(super) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Hosted {
    pub(super) fn start(index: Index) -> anyhow::Result<Hosted> {
        let service = Service::new(Config::default(), None)?;
        service.open(index);
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)));
        let listener = listener.context("cannot listen on a loopback port")?;
        let address = listener.local_addr()?;
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::spawn(move || {
            let stopped = async { stopped.await.unwrap_or(()) };
            if let Err(error) = runtime.block_on(serve(listener, service, stopped)) {
                eprintln!("the service ended: {error}");
            }
        });
        Ok(Hosted { address, stop: Some(stop), thread: Some(thread) })
    }
}

impl Drop for Hosted {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The resident memory of this process in bytes, without mapped files, whose pages the system may
/// drop; 0 if the system does not report it.
pub(super) fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("RssAnon:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) << 10
}
