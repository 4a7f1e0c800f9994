//! Requests at fixed times, independent of earlier responses.
//!
//! A single thread, because it shares the cores with the service that it measures: it waits until
//! the next request is due or a response arrives. A request that is due while every connection is
//! busy is sent as soon as one is free, and its latency counts from its scheduled time.

use std::collections::VecDeque;
use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::Context;
use rustix::event::epoll;
use rustix::time::Timespec;
use serde_json::Value;

use super::connection::{Answered, Connection};

/// Concurrent connections: the number of late responses that do not delay the next request.
const CONNECTIONS: usize = 256;

/// The delay before the first request, so that all connections are open.
const START: Duration = Duration::from_millis(100);

/// Without a response for this long, the run fails.
const PATIENCE: Duration = Duration::from_secs(30);

/// An encoded request, and what its response must contain.
pub(super) struct Query {
    pub(super) request: Vec<u8>,
    expected: Option<String>,
}

impl Query {
    pub(super) fn new(body: &Value, expected: Option<String>) -> Query {
        let body = body.to_string();
        let header = format!(
            "POST /v1/check HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        Query { request: (header + &body).into_bytes(), expected: expected.map(|id| format!("\"{id}\"")) }
    }

    /// Whether the response names the expected document.
    pub(super) fn is_answered_by(&self, answer: &[u8]) -> bool {
        let Some(id) = &self.expected else { return true };
        answer.windows(id.len()).any(|window| window == id.as_bytes())
    }
}

/// A constant rate of requests for a time.
pub(super) struct Load {
    pub(super) rate: u32,
    pub(super) duration: Duration,
    pub(super) address: SocketAddr,
}

#[derive(Default)]
pub(super) struct Outcome {
    /// From the scheduled time to the last byte of the response.
    pub(super) latencies: Vec<Duration>,
    /// Responses other than 200.
    pub(super) refused: u64,
    /// Responses without the expected document.
    pub(super) wrong: u64,
}

impl Load {
    pub(super) fn run(&self, queries: &[Query]) -> anyhow::Result<Outcome> {
        let connections = (0..CONNECTIONS).map(|_| Connection::open(self.address));
        let mut connections =
            connections.collect::<io::Result<Vec<_>>>().context("cannot connect to the service")?;
        let events = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        for (number, connection) in connections.iter().enumerate() {
            let data = epoll::EventData::new_u64(number as u64);
            epoll::add(&events, connection, data, epoll::EventFlags::IN)?;
        }
        let begin = Instant::now() + START;
        let due = |request: u64| begin + Duration::from_secs_f64(request as f64 / f64::from(self.rate));
        let total = (f64::from(self.rate) * self.duration.as_secs_f64()) as u64;
        let mut next = 0;
        // Round robin: the service closes silent connections.
        let mut idle: VecDeque<usize> = (0..CONNECTIONS).collect();
        let mut outcome = Outcome::default();
        let mut ready = Vec::with_capacity(CONNECTIONS);
        loop {
            let now = Instant::now();
            while next < total && due(next) <= now {
                let Some(number) = idle.pop_front() else { break };
                let query = &queries[next as usize % queries.len()];
                connections[number].send(query, due(next)).context("cannot send a request")?;
                next += 1;
            }
            if next == total && idle.len() == CONNECTIONS {
                return Ok(outcome);
            }
            let can_send = next < total && !idle.is_empty();
            let pause = if can_send { due(next).saturating_duration_since(now) } else { PATIENCE };
            ready.clear();
            epoll::wait(
                &events,
                rustix::buffer::spare_capacity(&mut ready),
                Some(&Timespec::try_from(pause)?),
            )?;
            anyhow::ensure!(can_send || !ready.is_empty(), "the service does not answer any more");
            for event in &ready {
                let number = event.data.u64() as usize;
                let answered = connections[number].receive().context("a connection failed")?;
                if let Some(answered) = answered {
                    outcome.count(&answered);
                    idle.push_back(number);
                }
            }
        }
    }
}

impl Outcome {
    fn count(&mut self, answered: &Answered) {
        self.latencies.push(answered.latency);
        if answered.status != 200 {
            self.refused += 1;
        } else if !answered.right {
            self.wrong += 1;
        }
    }
}
