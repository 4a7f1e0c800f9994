//! A non-blocking connection.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};
use std::time::{Duration, Instant};

use super::load::Query;

/// The most bytes of one read; responses are smaller.
const READ: usize = 16 << 10;

/// A connection and its pending request.
pub(super) struct Connection<'q> {
    stream: TcpStream,
    sent: Option<(&'q Query, Instant)>,
    answer: Vec<u8>,
}

/// A complete response.
pub(super) struct Answered {
    /// From the scheduled time to the last byte.
    pub(super) latency: Duration,
    pub(super) status: u16,
    /// Whether it names the expected document.
    pub(super) right: bool,
}

impl<'q> Connection<'q> {
    pub(super) fn open(address: SocketAddr) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_nonblocking(true)?;
        Ok(Connection { stream, sent: None, answer: Vec::with_capacity(READ) })
    }

    /// Sends a request. The connection is idle, so that there is room for all of it.
    pub(super) fn send(&mut self, query: &'q Query, scheduled: Instant) -> io::Result<()> {
        self.stream.write_all(&query.request)?;
        self.sent = Some((query, scheduled));
        self.answer.clear();
        Ok(())
    }

    /// Reads the available bytes; returns the response once it is complete.
    pub(super) fn receive(&mut self) -> io::Result<Option<Answered>> {
        let before = self.answer.len();
        self.answer.resize(before + READ, 0);
        let read = self.stream.read(&mut self.answer[before..]);
        self.answer.truncate(before + *read.as_ref().unwrap_or(&0));
        match read {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => read?,
        };
        let Some(status) = status(&self.answer)? else { return Ok(None) };
        let Some((query, scheduled)) = self.sent.take() else {
            return Err(io::Error::other("a response came without a request"));
        };
        let latency = scheduled.elapsed();
        Ok(Some(Answered { latency, status, right: query.is_answered_by(&self.answer) }))
    }
}

impl AsFd for Connection<'_> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }
}

/// The status of a response; `None` if it is incomplete.
fn status(answer: &[u8]) -> io::Result<Option<u16>> {
    let broken =
        || io::Error::new(io::ErrorKind::InvalidData, "the answer is not HTTP with a content-length");
    let Some(end) = answer.windows(4).position(|window| window == b"\r\n\r\n") else { return Ok(None) };
    let header = str::from_utf8(&answer[..end]).map_err(|_| broken())?;
    let status = header.get(9..12).and_then(|digits| digits.parse().ok()).ok_or_else(broken)?;
    let length = header.lines().find_map(|line| line.strip_prefix("content-length: ")?.parse::<usize>().ok());
    let whole = end + 4 + length.ok_or_else(broken)?;
    Ok((answer.len() >= whole).then_some(status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_whole_when_its_body_is() {
        let answer = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 2\r\n\r\n{}";
        assert_eq!(status(answer).unwrap(), Some(503));
        for length in 0..answer.len() {
            assert_eq!(status(&answer[..length]).unwrap(), None);
        }
        assert!(status(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
