//! A result as bytes, in every coding that was asked for.

use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use hyper::header::{HeaderMap, HeaderValue};
use sha2::{Digest as _, Sha256};
use tokio::sync::OnceCell;

use super::Freshness;
use crate::server::error::ApiError;
use crate::server::limits::Memory;
use crate::server::media::{Coding, Format};
use crate::server::response::Timings;

/// Bytes of the digest that names a body in its `ETag`.
const TAG_BYTES: usize = 16;

/// A result, written once. Each coding of it is made once, when the first caller wants it.
#[derive(Debug)]
pub(crate) struct Encoded {
    /// What it is written as.
    pub(crate) format: Format,
    /// How many rows it has.
    pub(crate) rows: usize,
    /// Whether rows beyond the limit were cut off.
    pub(crate) truncated: bool,
    /// How long the phases of making it took.
    pub(crate) timings: Timings,
    body: Bytes,
    /// The entity tags of the codings, in the order of [`Coding::ALL`].
    tags: [Option<HeaderValue>; Coding::ALL.len()],
    /// Absent inside where coding saves nothing.
    gzip: OnceCell<Option<Bytes>>,
    zstd: OnceCell<Option<Bytes>>,
    /// Headers of answers, as far as they are the same for a second, in the order of [`Coding::ALL`].
    heads: [Mutex<Option<Head>>; Coding::ALL.len()],
}

/// Headers of answers at one age, both in seconds.
#[derive(Debug)]
struct Head {
    age: u64,
    left: u64,
    headers: HeaderMap,
}

impl Encoded {
    /// Returns a result of these bytes.
    pub(crate) fn new(
        format: Format,
        body: Bytes,
        rows: usize,
        truncated: bool,
        timings: Timings,
    ) -> Self {
        let digest: [u8; 32] = Sha256::digest(&body).into();
        let tag = digest.get(..TAG_BYTES).unwrap_or(&digest);
        let tag = URL_SAFE_NO_PAD.encode(tag);
        let tags = Coding::ALL.map(|coding| {
            let suffix = match coding {
                Coding::Identity => "",
                Coding::Gzip => "-gzip",
                Coding::Zstd => "-zstd",
            };
            HeaderValue::try_from(format!("\"{tag}{suffix}\"")).ok()
        });
        Self {
            format,
            rows,
            truncated,
            timings,
            tags,
            body,
            gzip: OnceCell::new(),
            zstd: OnceCell::new(),
            heads: Default::default(),
        }
    }

    /// Returns the bytes in a coding, or as they are where that saves nothing or there is no room.
    pub(crate) async fn body(
        &self,
        coding: Coding,
        memory: &Memory,
    ) -> Result<(Coding, Bytes), ApiError> {
        let made = match coding {
            Coding::Identity => return Ok((coding, self.body.clone())),
            Coding::Gzip => &self.gzip,
            Coding::Zstd => &self.zstd,
        };
        let make = || async {
            let coded = coding
                .apply(&self.body)
                .await
                .map_err(|error| ApiError::internal(format!("compressing the result: {error}")))?;
            coded.map(|bytes| memory.try_hold(bytes)).transpose()
        };
        match made.get_or_try_init(make).await {
            Ok(Some(bytes)) => Ok((coding, bytes.clone())),
            Ok(None) => Ok((Coding::Identity, self.body.clone())),
            Err(error) if error.is_busy() => Ok((Coding::Identity, self.body.clone())),
            Err(error) => Err(error),
        }
    }

    /// Returns what [`Self::body`] does, if that was made already.
    pub(crate) fn ready(&self, coding: Coding) -> Option<(Coding, Bytes)> {
        let made = match coding {
            Coding::Identity => None,
            Coding::Gzip => self.gzip.get()?.as_ref(),
            Coding::Zstd => self.zstd.get()?.as_ref(),
        };
        Some(match made {
            Some(bytes) => (coding, bytes.clone()),
            None => (Coding::Identity, self.body.clone()),
        })
    }

    /// Returns headers that `make` made for this coding and age, or makes them. It must give the same for the same.
    pub(crate) fn head(
        &self,
        coding: Coding,
        freshness: Freshness,
        make: impl FnOnce() -> HeaderMap,
    ) -> HeaderMap {
        let (age, left) = (freshness.age.as_secs(), freshness.left.as_secs());
        let heads = Coding::ALL.iter().zip(&self.heads);
        let Some((_, head)) = { heads }.find(|(other, _)| **other == coding) else {
            return make();
        };
        let mut head = head.lock().unwrap_or_else(PoisonError::into_inner);
        match &*head {
            Some(head) if head.age == age && head.left == left => head.headers.clone(),
            _ => {
                let headers = make();
                *head = Some(Head {
                    age,
                    left,
                    headers: headers.clone(),
                });
                headers
            }
        }
    }

    /// Returns the entity tag of the bytes in a coding (RFC 9110, section 8.8.3): a strong one.
    pub(crate) fn tag(&self, coding: Coding) -> Option<&HeaderValue> {
        let tags = Coding::ALL.iter().zip(&self.tags);
        let mut tags = tags.filter(|(other, _)| **other == coding);
        tags.next()?.1.as_ref()
    }

    /// Returns how many bytes are held in all codings together.
    pub(crate) fn bytes(&self) -> usize {
        let coded = [&self.gzip, &self.zstd];
        let coded = coded.iter().filter_map(|cell| cell.get()?.as_ref());
        self.body.len() + coded.map(Bytes::len).sum::<usize>()
    }
}
