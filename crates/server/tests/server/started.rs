//! A service that was started for a test, and a client for it.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;

use serde_json::Value;
use tempfile::TempDir;
use tokio::net::TcpListener;
use tokio::sync::oneshot;
use twindex_core::Recipe;
use twindex_index::{Index, OpenOptions, Settings, Timestamp};
use twindex_server::{Config, Service, Tokens, serve};

/// The clock of all services of a test; tests add to it instead of waiting.
static NOW: AtomicU64 = AtomicU64::new(1_700_000_000);

pub(crate) fn pass_seconds(seconds: u64) {
    NOW.fetch_add(seconds, Ordering::SeqCst);
}

/// A service of one index, stopped when dropped.
pub(crate) struct Started {
    pub(crate) address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    _folder: TempDir,
}

/// With default limits, without tokens.
pub(crate) fn start() -> Started {
    start_with(Config::default(), None)
}

/// With tokens from such a file.
pub(crate) fn start_with(config: Config, tokens: Option<&str>) -> Started {
    let folder = tempfile::tempdir().unwrap();
    let tokens = tokens.map(|text| {
        let path = folder.path().join("tokens.txt");
        std::fs::write(&path, text).unwrap();
        Tokens::from_file(&path).unwrap()
    });
    let service = Service::with_clock(config, tokens, || Timestamp(NOW.load(Ordering::SeqCst))).unwrap();
    service.open(new_index(&folder.path().join("index")));
    start_service(service, folder)
}

/// With its index in this folder.
pub(crate) fn start_in(folder: &Path) -> Started {
    let service = Service::new(Config::default(), None).unwrap();
    service.open(new_index(folder));
    start_service(service, tempfile::tempdir().unwrap())
}

fn new_index(path: &Path) -> Index {
    let settings = Settings { paragraphs: true, ..Settings::new(Recipe::preset("simhash").unwrap()) };
    Index::create(path, &settings).unwrap();
    Index::open(path, OpenOptions::default()).unwrap()
}

/// A service whose index is not open.
pub(crate) fn start_unready() -> Started {
    start_service(Service::new(Config::default(), None).unwrap(), tempfile::tempdir().unwrap())
}

fn start_service(service: Arc<Service>, folder: TempDir) -> Started {
    let (stop, stopped) = oneshot::channel();
    let (tell, address) = std::sync::mpsc::channel();
    let thread = std::thread::spawn(move || {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(async {
            let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
            tell.send(listener.local_addr().unwrap()).unwrap();
            serve(listener, service, async { stopped.await.unwrap_or(()) }).await.unwrap();
        });
    });
    Started { address: address.recv().unwrap(), stop: Some(stop), thread: Some(thread), _folder: folder }
}

/// What a client hears.
#[derive(Debug)]
pub(crate) struct Heard {
    pub(crate) status: u16,
    pub(crate) media_type: String,
    pub(crate) retry_after: Option<String>,
    pub(crate) body: String,
}

impl Heard {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Asserts that it is a problem of this status, described as the standard says.
    pub(crate) fn assert_problem(&self, status: u16) {
        assert_eq!((self.status, self.media_type.as_str()), (status, "application/problem+json"), "{self:?}");
        let problem = self.json();
        assert_eq!(problem["status"], status);
        assert!(problem["title"].is_string() && problem["detail"].is_string(), "{problem}");
    }
}

impl Started {
    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    pub(crate) fn get(&self, path: &str) -> Heard {
        heard(agent().get(self.url(path)).call())
    }

    pub(crate) fn delete(&self, path: &str) -> Heard {
        heard(agent().delete(self.url(path)).call())
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Heard {
        self.post_bytes(path, &[("content-type", "application/json")], body.to_string().as_bytes())
    }

    pub(crate) fn post_bytes(&self, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Heard {
        let mut request = agent().post(self.url(path));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        heard(request.send(body))
    }

    /// A connection on which anything may be said.
    pub(crate) fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).unwrap()
    }

    /// Says something, and hears everything until the service closes the connection.
    pub(crate) fn converse(&self, said: &[u8]) -> String {
        let mut stream = self.connect();
        stream.write_all(said).unwrap();
        let mut answer = vec![];
        // A connection that was reset has still said what it said.
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    }

    /// Asks the service to stop; it finishes what was accepted.
    pub(crate) fn ask_to_stop(&mut self) {
        self.stop.take().map(|stop| stop.send(()));
    }
}

pub(crate) fn agent() -> ureq::Agent {
    ureq::Agent::config_builder().http_status_as_error(false).build().into()
}

pub(crate) fn heard(response: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Heard {
    let response = response.unwrap();
    let header = |name| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
    Heard {
        status: response.status().as_u16(),
        media_type: header("content-type").unwrap_or_default(),
        retry_after: header("retry-after"),
        body: response.into_body().read_to_string().unwrap(),
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.ask_to_stop();
        if let Some(thread) = self.thread.take() {
            // A failed test has said enough.
            let _ = thread.join();
        }
    }
}
