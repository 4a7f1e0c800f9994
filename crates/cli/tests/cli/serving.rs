//! The real service as a process of its own, and a client for it.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

use serde_json::Value;

use crate::folder::Folder;

/// A service that runs until it is dropped.
pub(crate) struct Serving {
    pub(crate) process: Child,
    pub(crate) address: SocketAddr,
    /// What it has logged so far.
    pub(crate) log: Arc<Mutex<String>>,
}

impl Serving {
    /// Starts `twindex serve` on a free port, and waits until it listens.
    pub(crate) fn start(folder: &Folder, options: &str) -> Serving {
        let mut command = folder.command(&format!("serve --data index --listen 127.0.0.1:0 {options}"));
        let mut process = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let lines = BufReader::new(process.stderr.take().unwrap()).lines();
        let log = Arc::new(Mutex::new(String::new()));
        let written = Arc::clone(&log);
        let (listening, address) = mpsc::channel();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                *written.lock().unwrap() += &format!("{line}\n");
                if let Some(address) = line.strip_prefix("listening on http://") {
                    listening.send(address.parse().unwrap()).unwrap();
                }
            }
        });
        let address = address.recv().unwrap_or_else(|_| panic!("it did not start: {}", log.lock().unwrap()));
        Serving { process, address, log }
    }

    /// The status and the body; `None` if the service is gone.
    pub(crate) fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Option<(u16, Value)> {
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let request = ureq::http::Request::builder()
            .method(method)
            .uri(format!("http://{}{path}", self.address))
            .header("content-type", "application/json");
        let body = body.map(Value::to_string).unwrap_or_default();
        let response = agent.run(request.body(body).unwrap()).ok()?;
        let status = response.status().as_u16();
        let text = response.into_body().read_to_string().ok()?;
        Some((status, serde_json::from_str(&text).unwrap_or(Value::String(text))))
    }

    /// Waits until the index is open.
    pub(crate) fn wait_until_ready(&self) {
        while !matches!(self.ask("GET", "/readyz", None), Some((200, _))) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// The same, or until the process has ended.
    pub(crate) fn wait_until_ready_or_gone(&self) {
        while matches!(self.ask("GET", "/readyz", None), Some((status, _)) if status != 200) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// `kill -9`, while others hold the service.
    pub(crate) fn kill_now(&self) {
        let killed = std::process::Command::new("kill").args(["-9", &self.process.id().to_string()]).status();
        assert!(killed.unwrap().success());
    }

    /// Asks it politely, and waits for its end.
    pub(crate) fn terminate(mut self) -> Option<i32> {
        let status = std::process::Command::new("kill").arg(self.process.id().to_string()).status().unwrap();
        assert!(status.success());
        self.process.wait().unwrap().code()
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
