//! A headless Chromium, driven by the WebDriver protocol: JSON over HTTP, which the test's client
//! speaks anyway.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use twindex_testing::{Need, skip};

use crate::started::agent;

const DRIVER: &str = "chromedriver";
const CHROMIUM: &str = "/usr/bin/chromium";

/// A browser with one window.
pub(crate) struct Browser {
    driver: Child,
    session: String,
    _profile: TempDir,
}

/// The key that an element's name has in the protocol.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Control and Enter, as keys of the protocol; the first is held down until `RELEASE`.
pub(crate) const CONTROL_ENTER: &str = "\u{e009}\u{e007}\u{e000}";

impl Browser {
    /// Starts a browser; `None`, loudly, where there is none (`cargo xtask test` installs it).
    pub(crate) fn start() -> Option<Browser> {
        let driver =
            Command::new(DRIVER).arg("--port=0").stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let Ok(mut driver) = driver else {
            skip(Need::Browser, &format!("there is no {DRIVER}, which `cargo xtask test` installs"));
            return None;
        };
        let lines = BufReader::new(driver.stdout.take().unwrap()).lines();
        let started = lines.map_while(Result::ok).find(|line| line.contains("successfully on port")).unwrap();
        let port: u16 =
            started.split("on port ").nth(1).unwrap().trim_end_matches('.').trim().parse().unwrap();
        let profile = tempfile::tempdir().unwrap();
        let arguments = json!([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
            "--window-size=1280,1500",
            format!("--user-data-dir={}", profile.path().display()),
        ]);
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"binary": CHROMIUM, "args": arguments},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let url = format!("http://127.0.0.1:{port}/session");
        let session = call("POST", &url, &wanted)["sessionId"].as_str().unwrap().to_owned();
        Some(Browser { driver, session: format!("{url}/{session}"), _profile: profile })
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        call("POST", &format!("{}{path}", self.session), body)
    }

    pub(crate) fn open(&self, url: &str) {
        self.post("/url", &json!({"url": url}));
    }

    /// Makes the browser that of somebody who prefers a `light` or a `dark` look.
    pub(crate) fn prefer(&self, look: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": look}]);
        let command = json!({"cmd": "Emulation.setEmulatedMedia", "params": {"features": features}});
        self.post("/goog/cdp/execute", &command);
    }

    pub(crate) fn resize(&self, width: u32, height: u32) {
        self.post("/window/rect", &json!({"width": width, "height": height}));
    }

    fn element(&self, selector: &str) -> String {
        let found = self.post("/element", &json!({"using": "css selector", "value": selector}));
        found[ELEMENT].as_str().unwrap_or_else(|| panic!("there is no {selector}")).to_owned()
    }

    pub(crate) fn keys(&self, selector: &str, keys: &str) {
        self.post(&format!("/element/{}/value", self.element(selector)), &json!({"text": keys}));
    }

    pub(crate) fn click(&self, selector: &str) {
        self.post(&format!("/element/{}/click", self.element(selector)), &json!({}));
    }

    /// The value of an expression in the page.
    pub(crate) fn value(&self, expression: &str) -> Value {
        self.post("/execute/sync", &json!({"script": format!("return {expression}"), "args": []}))
    }

    /// Waits until an expression is true.
    pub(crate) fn wait(&self, expression: &str) {
        const TRIES: usize = 400;
        for _ in 0..TRIES {
            if self.value(&format!("Boolean({expression})")) == true {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let page = self.value("document.body.innerText");
        panic!("{expression} never became true; the page says:\n{}", page.as_str().unwrap_or_default());
    }

    /// What the browser complains about: failed requests, broken policies, errors of scripts.
    pub(crate) fn complaints(&self) -> Vec<String> {
        let log = self.post("/se/log", &json!({"type": "browser"}));
        log.as_array().into_iter().flatten().map(|entry| entry["message"].to_string()).collect()
    }

    /// Saves a picture into the folder that this variable names, for people to look at.
    pub(crate) fn picture(&self, name: &str) {
        let Some(folder) = std::env::var_os("TWINDEX_TEST_PICTURES") else { return };
        let picture = call("GET", &format!("{}/screenshot", self.session), &Value::Null);
        std::fs::write(Path::new(&folder).join(name), from_base64(picture.as_str().unwrap())).unwrap();
    }
}

fn call(method: &str, url: &str, body: &Value) -> Value {
    let request = ureq::http::Request::builder().method(method).uri(url);
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let response = agent().run(request.body(body).unwrap()).unwrap();
    let text = response.into_body().read_to_string().unwrap();
    let mut answer: Value = serde_json::from_str(&text).unwrap();
    assert!(answer["value"]["error"].is_null(), "{method} {url}: {text}");
    answer["value"].take()
}

fn from_base64(text: &str) -> Vec<u8> {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut held, mut bytes) = (0u32, 0, vec![]);
    for value in text.bytes().filter_map(|byte| ALPHABET.iter().position(|&known| known == byte)) {
        bits = (bits << 6) | value as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
        }
    }
    bytes
}

impl Drop for Browser {
    fn drop(&mut self) {
        // Ends the browser; its driver is ours to end.
        let _ = agent().delete(&self.session).call();
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}
