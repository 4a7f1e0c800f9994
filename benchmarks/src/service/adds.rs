//! Batches of documents through the real service: how many per second are durable?

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::time::Instant;

use anyhow::Context;
use serde_json::json;
use twindex_index::{Index, OpenOptions};

use super::case::Kind;
use super::hosted::Hosted;
use super::short;
use super::texts::Texts;
use crate::measure::{Report, Row};

/// Documents in one request.
const BATCH: u64 = 1_000;

/// Concurrent clients: while one waits for the disk, the others are prepared.
const CLIENTS: usize = 4;

/// Sends that many documents and waits for all responses.
pub(super) fn run(documents: u64, folder: &Path, report: &mut Report) -> anyhow::Result<()> {
    let name = format!("{} adds", short(documents));
    report.heading(&name);
    Index::create(folder, &Kind::Sketch.settings()?)?;
    let index = Index::open(folder, OpenOptions::default())?;
    let hosted = Hosted::start(index)?;
    let texts = Texts::new(documents, false);
    let requests: Vec<Vec<u8>> = (0..documents)
        .step_by(BATCH as usize)
        .map(|start| request(&texts, start..documents.min(start + BATCH)))
        .collect();
    let started = Instant::now();
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let (requests, address) = (&requests, hosted.address);
                scope.spawn(move || send(address, requests.iter().skip(client).step_by(CLIENTS)))
            })
            .collect();
        clients
            .into_iter()
            .try_for_each(|it| it.join().unwrap_or_else(|_| Err(io::Error::other("a client panicked"))))
    })
    .context("a client failed")?;
    let speed = documents as f64 / started.elapsed().as_secs_f64();
    drop(hosted);
    let held = Index::open(folder, OpenOptions::default())?.stats()?.documents;
    report.row(
        Row::new("add over HTTP", &name)
            .threads(2)
            .metric("documents/s", speed)
            .checked(held == documents)
            .note("durable; batches of 1,000 documents of 2 KB with sketches, 4 clients"),
    );
    Ok(())
}

fn request(texts: &Texts, numbers: std::ops::Range<u64>) -> Vec<u8> {
    let documents: Vec<_> =
        texts.many(numbers).into_iter().map(|(id, text)| json!({"id": id, "text": text})).collect();
    let body = json!({"documents": documents, "limit": 0}).to_string();
    let header = format!(
        "POST /v1/documents/batch HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    (header + &body).into_bytes()
}

/// One connection per batch: the response is complete when the service closes it.
fn send<'r>(address: SocketAddr, requests: impl Iterator<Item = &'r Vec<u8>>) -> io::Result<()> {
    let mut answer = vec![];
    for request in requests {
        let mut stream = TcpStream::connect(address)?;
        stream.write_all(request)?;
        answer.clear();
        stream.read_to_end(&mut answer)?;
        if !answer.starts_with(b"HTTP/1.1 200") {
            return Err(io::Error::other(String::from_utf8_lossy(&answer).into_owned()));
        }
    }
    Ok(())
}
