//! Content codings (RFC 9110, section 8.4.1; zstd: RFC 8878).

use std::io;

use async_compression::tokio::write::{GzipEncoder, ZstdEncoder};
use bytes::Bytes;
use hyper::header::{ACCEPT_ENCODING, HeaderMap, HeaderValue};
use tokio::io::{AsyncWrite, AsyncWriteExt};

use super::accept;

/// Shorter bodies are not worth the work.
const LEAST_BYTES: usize = 1024;

/// How much is compressed before other tasks of the thread get their turn.
const SLICE_BYTES: usize = 64 * 1024;

/// How the bytes of a body are coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    /// As they are.
    Identity,
    /// gzip.
    Gzip,
    /// Zstandard.
    Zstd,
}

impl Coding {
    /// Every coding.
    pub(crate) const ALL: [Self; 3] = [Self::Identity, Self::Gzip, Self::Zstd];

    /// Returns the coding that the caller likes best; of equals, the one that costs least.
    ///
    /// A caller who refuses all of them, `identity` included, gets the bytes as they are: RFC 9110,
    /// section 12.5.3, allows that, and a result helps more than a refusal.
    pub(crate) fn negotiate(headers: &HeaderMap) -> Self {
        let accepted = accept::preferences(headers, &ACCEPT_ENCODING);
        let quality = |names: &[&str]| accept::quality(&accepted, names).unwrap_or(0);
        let candidates = [
            (Self::Zstd, quality(&["zstd", "*"])),
            (Self::Gzip, quality(&["gzip", "x-gzip", "*"])),
        ];
        let best = candidates
            .into_iter()
            .rev()
            .max_by_key(|(_, quality)| *quality);
        let identity = accept::quality(&accepted, &["identity"]).unwrap_or(0);
        match best {
            Some((coding, quality)) if quality > 0 && quality >= identity => coding,
            _ => Self::Identity,
        }
    }

    /// Returns the value of `Content-Encoding`, if there is one.
    pub(crate) fn name(self) -> Option<HeaderValue> {
        match self {
            Self::Identity => None,
            Self::Gzip => Some(HeaderValue::from_static("gzip")),
            Self::Zstd => Some(HeaderValue::from_static("zstd")),
        }
    }

    /// Returns the coded bytes, or `None` when they would not be fewer.
    ///
    /// # Errors
    /// The encoder failed, which is a fault of ours.
    pub(crate) async fn apply(self, body: &Bytes) -> io::Result<Option<Vec<u8>>> {
        if body.len() < LEAST_BYTES {
            return Ok(None);
        }
        let coded = match self {
            Self::Identity => return Ok(None),
            Self::Gzip => {
                let mut encoder = GzipEncoder::new(Vec::new());
                write(&mut encoder, body).await?;
                encoder.into_inner()
            }
            Self::Zstd => {
                let mut encoder = ZstdEncoder::new(Vec::new());
                write(&mut encoder, body).await?;
                encoder.into_inner()
            }
        };
        Ok((coded.len() < body.len()).then_some(coded))
    }
}

async fn write(encoder: &mut (impl AsyncWrite + Unpin), body: &Bytes) -> io::Result<()> {
    for slice in body.chunks(SLICE_BYTES) {
        encoder.write_all(slice).await?;
        tokio::task::yield_now().await;
    }
    encoder.shutdown().await
}

#[cfg(test)]
mod tests {
    use async_compression::tokio::bufread::{GzipDecoder, ZstdDecoder};
    use tokio::io::AsyncReadExt;

    use super::*;

    #[test]
    fn negotiation() {
        for (accepted, expected) in [
            (None, Coding::Identity),
            (Some(""), Coding::Identity),
            (Some("gzip"), Coding::Gzip),
            (Some("x-gzip"), Coding::Gzip),
            (Some("zstd"), Coding::Zstd),
            (Some("gzip, deflate, br, zstd"), Coding::Zstd),
            (Some("gzip, zstd;q=0.9"), Coding::Gzip),
            (Some("*"), Coding::Zstd),
            (Some("*, zstd;q=0"), Coding::Gzip),
            (Some("br"), Coding::Identity),
            (Some("identity, gzip;q=0.5"), Coding::Identity),
            (Some("gzip;q=0"), Coding::Identity),
            (Some("identity;q=0, *;q=0"), Coding::Identity),
        ] {
            let mut headers = HeaderMap::new();
            if let Some(accepted) = accepted {
                headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(accepted));
            }
            assert_eq!(Coding::negotiate(&headers), expected, "{accepted:?}");
        }
    }

    #[tokio::test]
    async fn coded_bytes_decode_to_the_same() {
        let body = Bytes::from("one line after the other\n".repeat(10_000));
        let gzip = Coding::Gzip.apply(&body).await.unwrap().unwrap();
        let zstd = Coding::Zstd.apply(&body).await.unwrap().unwrap();
        assert!(gzip.len() < body.len() / 10 && zstd.len() < body.len() / 10);
        let mut decoded = Vec::new();
        let mut decoder = GzipDecoder::new(&gzip[..]);
        decoder.read_to_end(&mut decoded).await.unwrap();
        assert_eq!(decoded, body);
        decoded.clear();
        let mut decoder = ZstdDecoder::new(&zstd[..]);
        decoder.read_to_end(&mut decoded).await.unwrap();
        assert_eq!(decoded, body);
        let short = Bytes::from_static(b"short");
        assert_eq!(Coding::Gzip.apply(&short).await.unwrap(), None);
        assert_eq!(Coding::Identity.apply(&body).await.unwrap(), None);
    }
}
