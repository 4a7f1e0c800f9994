//! Requests at fixed times, whatever becomes of the ones before.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use anyhow::Context;
use serde_json::Value;

/// Connections that take turns. Enough that a late answer seldom holds up the next request, few enough to be threads.
const CONNECTIONS: u64 = 64;

/// Nothing is measured before everybody is there.
const START: Duration = Duration::from_millis(100);

/// A request as it travels, and what its answer must contain.
pub(super) struct Question {
    request: Vec<u8>,
    expected: Option<String>,
}

impl Question {
    pub(super) fn new(body: &Value, expected: Option<String>) -> Question {
        let body = body.to_string();
        let header = format!(
            "POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        Question { request: (header + &body).into_bytes(), expected: expected.map(|id| format!("\"{id}\"")) }
    }
}

/// So many requests a second, for a time.
pub(super) struct Load {
    pub(super) rate: u32,
    pub(super) duration: Duration,
    pub(super) address: SocketAddr,
}

#[derive(Default)]
pub(super) struct Outcome {
    /// From the scheduled time to the last byte of the answer.
    pub(super) latencies: Vec<Duration>,
    /// Answers that were not 200.
    pub(super) refused: u64,
    /// Answers that did not name the document that they had to.
    pub(super) wrong: u64,
}

impl Load {
    pub(super) fn run(&self, questions: &[Question]) -> anyhow::Result<Outcome> {
        let begin = Instant::now() + START;
        let outcomes: Vec<io::Result<Outcome>> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..CONNECTIONS)
                .map(|number| scope.spawn(move || self.connection(number, begin, questions)))
                .collect();
            threads
                .into_iter()
                .map(|thread| thread.join().unwrap_or_else(|_| Err(io::Error::other("a client panicked"))))
                .collect()
        });
        let mut all = Outcome::default();
        for outcome in outcomes {
            let outcome = outcome.context("a connection failed")?;
            all.latencies.extend(outcome.latencies);
            all.refused += outcome.refused;
            all.wrong += outcome.wrong;
        }
        Ok(all)
    }

    /// Every [`CONNECTIONS`]th request.
    fn connection(&self, number: u64, begin: Instant, questions: &[Question]) -> io::Result<Outcome> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_nodelay(true)?;
        let mut outcome = Outcome::default();
        let mut answer = vec![];
        let total = (f64::from(self.rate) * self.duration.as_secs_f64()) as u64;
        for request in (number..total).step_by(CONNECTIONS as usize) {
            let scheduled = begin + Duration::from_secs_f64(request as f64 / f64::from(self.rate));
            std::thread::sleep(scheduled.saturating_duration_since(Instant::now()));
            let question = &questions[request as usize % questions.len()];
            stream.write_all(&question.request)?;
            let status = read_answer(&mut stream, &mut answer)?;
            outcome.latencies.push(scheduled.elapsed());
            let text = String::from_utf8_lossy(&answer);
            if status != 200 {
                outcome.refused += 1;
            } else if question.expected.as_ref().is_some_and(|id| !text.contains(id.as_str())) {
                outcome.wrong += 1;
            }
        }
        Ok(outcome)
    }
}

/// Reads one answer; its status.
fn read_answer(stream: &mut TcpStream, answer: &mut Vec<u8>) -> io::Result<u16> {
    let broken =
        || io::Error::new(io::ErrorKind::InvalidData, "the answer is not HTTP with a content-length");
    answer.clear();
    let mut buffer = [0; 16 << 10];
    loop {
        let read = stream.read(&mut buffer)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        answer.extend_from_slice(&buffer[..read]);
        let Some(end) = answer.windows(4).position(|window| window == b"\r\n\r\n") else { continue };
        let header = str::from_utf8(&answer[..end]).map_err(|_| broken())?;
        let status = header.get(9..12).and_then(|digits| digits.parse().ok()).ok_or_else(broken)?;
        let length =
            header.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
        if answer.len() >= end + 4 + length.ok_or_else(broken)? {
            return Ok(status);
        }
    }
}
