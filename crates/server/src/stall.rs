//! A stream with a write timeout.
//!
//! A client may send a request and never read the response. Then the socket is full, and a write
//! would wait for ever, with a connection, a buffer and a response in memory. The deadline begins
//! when a write blocks, and ends with the first byte that is written.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// The stream, and the deadline of a write that waits.
pub(crate) struct Impatient<S> {
    stream: S,
    patience: Duration,
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> Impatient<S> {
    pub(crate) fn new(stream: S, patience: Duration) -> Self {
        Impatient { stream, patience, waiting: None }
    }

    /// The result of a write: an error after the deadline.
    fn judge<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.waiting = None;
            return written;
        }
        let patience = self.patience;
        let deadline = self.waiting.get_or_insert_with(|| Box::pin(sleep(patience)));
        ready!(deadline.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the client does not read its answer")))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Impatient<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Impatient<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.judge(context, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(context);
        self.judge(context, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    /// The clock stands still unless all tasks wait, and then it jumps: nothing depends on how
    /// busy the machine is.
    fn run(test: impl Future<Output = ()>) {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        runtime.enable_time().start_paused(true).build().unwrap().block_on(test);
    }

    #[test]
    fn a_reader_who_takes_nothing_is_given_up_and_a_slow_one_is_not() {
        const PATIENCE: Duration = Duration::from_secs(10);
        run(async {
            let (ours, mut theirs) = duplex(16);
            let mut stream = Impatient::new(ours, PATIENCE);
            let slow = async {
                let mut byte = [0; 8];
                for _ in 0..8 {
                    sleep(PATIENCE - Duration::from_secs(1)).await;
                    theirs.read_exact(&mut byte).await.unwrap();
                }
            };
            let (written, ()) = tokio::join!(stream.write_all(&[1; 64]), slow);
            written.unwrap();
            let error = stream.write_all(&[1; 64]).await.unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        });
    }
}
