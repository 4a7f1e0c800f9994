//! Batches of documents through the real service: how many per second are durable?

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, Instant};

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

/// Documents whose requests are made before they are sent, so that making them is not counted.
const ROUND: u64 = 50_000;

/// Sends that many documents and waits for all responses.
pub(super) fn run((documents, kind): (u64, Kind), folder: &Path, report: &mut Report) -> anyhow::Result<()> {
    let name = format!("{} adds {}", short(documents), kind.folder());
    report.heading(&name);
    Index::create(folder, &kind.settings()?)?;
    let index = Index::open(folder, OpenOptions::default())?;
    let hosted = Hosted::start(index)?;
    let texts = Texts::new(documents, false);
    let mut times = vec![];
    for start in (0..documents).step_by(ROUND as usize) {
        let numbers = start..documents.min(start + ROUND);
        times.push((numbers.end - start, round(&texts, numbers, hosted.address)?));
    }
    let speed = |rounds: &[(u64, Duration)]| {
        let documents: u64 = rounds.iter().map(|(documents, _)| documents).sum();
        documents as f64 / rounds.iter().map(|(_, time)| time.as_secs_f64()).sum::<f64>()
    };
    let (all, last) = (speed(&times), speed(times.last_chunk::<1>().map_or(&[], |last| last)));
    drop(hosted);
    let held = Index::open(folder, OpenOptions::default())?.stats()?.documents;
    report.row(
        Row::new("add over HTTP", &name)
            .threads(2)
            .metric("documents/s", all)
            .checked(held == documents)
            .note(format!(
                "durable; batches of 1,000 documents of 2 KB, 4 clients; {last:.0} in the last round"
            )),
    );
    Ok(())
}

/// Sends some documents; how long it took.
fn round(texts: &Texts, numbers: Range<u64>, address: SocketAddr) -> anyhow::Result<Duration> {
    let requests: Vec<Vec<u8>> = numbers
        .clone()
        .step_by(BATCH as usize)
        .map(|start| request(texts, start..numbers.end.min(start + BATCH)))
        .collect();
    let started = Instant::now();
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..CLIENTS)
            .map(|client| {
                let requests = &requests;
                scope.spawn(move || send(address, requests.iter().skip(client).step_by(CLIENTS)))
            })
            .collect();
        clients
            .into_iter()
            .try_for_each(|it| it.join().unwrap_or_else(|_| Err(io::Error::other("a client panicked"))))
    })
    .context("a client failed")?;
    Ok(started.elapsed())
}

fn request(texts: &Texts, numbers: Range<u64>) -> Vec<u8> {
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
