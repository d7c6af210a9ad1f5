//! Connections whose caller reads nothing at all.
//!
//! A slow reader is served for as long as they take. One who takes no byte for a while is left, so that
//! connections and the bytes they hold come back.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use super::pace::Pace;

/// A connection that fails when nothing can be written for a time.
#[derive(Debug)]
pub(crate) struct Stalling<S> {
    stream: S,
    patience: Duration,
    pace: Arc<Pace>,
    /// Runs while a write waits.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> Stalling<S> {
    /// Waits at most so long for each write, and tells `pace` that it does.
    pub(crate) fn new(stream: S, patience: Duration, pace: Arc<Pace>) -> Self {
        Self {
            stream,
            patience,
            pace,
            waiting: None,
        }
    }

    /// Returns what a write came to, or a failure when it waits for too long.
    fn watch<T>(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if written.is_ready() {
            if self.waiting.take().is_some() {
                self.pace.set_writing(false);
            }
            return written;
        }
        self.pace.set_writing(true);
        let patience = self.patience;
        let waiting = self
            .waiting
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(patience)));
        ready!(waiting.as_mut().poll(cx));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Stalling<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buf)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Stalling<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, buf);
        self.watch(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, bufs);
        self.watch(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx);
        self.watch(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let ended = Pin::new(&mut self.stream).poll_shutdown(cx);
        self.watch(cx, ended)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test]
    async fn a_reader_of_nothing_is_left_and_a_slow_one_is_not() {
        let (mut reader, writer) = tokio::io::duplex(4);
        let mut writer = Stalling::new(writer, Duration::from_millis(50), Arc::default());
        writer.write_all(b"full").await.unwrap();
        let error = writer.write_all(b"more").await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);

        let (mut slow, writer) = tokio::io::duplex(4);
        let mut writer = Stalling::new(writer, Duration::from_secs(60), Arc::default());
        let reading = async {
            let mut all = Vec::new();
            for _ in 0..8 {
                all.push(slow.read_u8().await.unwrap());
                tokio::task::yield_now().await;
            }
            all
        };
        let (written, read) = tokio::join!(writer.write_all(b"12345678"), reading);
        written.unwrap();
        assert_eq!(read, b"12345678");
        let mut rest = [0; 4];
        reader.read_exact(&mut rest).await.unwrap();
    }
}
