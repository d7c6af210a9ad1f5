//! How many bytes of results there are at a time, kept or on their way to callers.
//!
//! A caller may read as slowly as they like. Those who read one kept result share its bytes; all bodies
//! together, each counted once however many read it, stay within a bound. They do not count against the
//! memory of queries.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;

use super::Permits;
use crate::allocator::{self, Aside};
use crate::server::error::{ApiError, Fault};

/// What is counted in, in bytes.
const UNIT: usize = 1024;

/// The bytes that there may be.
#[derive(Debug)]
pub(crate) struct Memory {
    units: Permits,
}

/// Bytes that count until the last of their readers is done.
struct Held {
    bytes: Vec<u8>,
    _permit: OwnedSemaphorePermit,
    _aside: Aside,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Memory {
    /// Returns room for this many bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        Self {
            units: Permits::new(bytes.div_ceil(UNIT)),
        }
    }

    /// Changes how many bytes there is room for. Needs a tokio runtime.
    pub(crate) fn resize(&self, bytes: usize) {
        self.units.resize(bytes.div_ceil(UNIT));
    }

    /// Counts bytes, waiting for room until `deadline`.
    ///
    /// # Errors
    /// There was no room.
    pub(crate) async fn hold(&self, bytes: Vec<u8>, deadline: Instant) -> Result<Bytes, ApiError> {
        let wanted = self.wanted(&bytes)?;
        let permit = Arc::clone(self.units.semaphore()).acquire_many_owned(wanted);
        match tokio::time::timeout_at(deadline.into(), permit).await {
            Ok(Ok(permit)) => Ok(held(bytes, permit)),
            Ok(Err(error)) => Err(ApiError::internal(error.to_string())),
            Err(_) => Err(self.full()),
        }
    }

    /// Counts bytes if there is room now.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn try_hold(&self, bytes: Vec<u8>) -> Result<Bytes, ApiError> {
        let wanted = self.wanted(&bytes)?;
        let permit = Arc::clone(self.units.semaphore()).try_acquire_many_owned(wanted);
        permit
            .map(|permit| held(bytes, permit))
            .map_err(|_| self.full())
    }

    fn wanted(&self, bytes: &[u8]) -> Result<u32, ApiError> {
        let wanted = bytes.len().div_ceil(UNIT);
        u32::try_from(wanted)
            .ok()
            .filter(|_| wanted <= self.units.size())
            .ok_or_else(|| self.full())
    }

    fn full(&self) -> ApiError {
        let total = self.units.size().saturating_mul(UNIT);
        ApiError::new(
            Fault::Busy,
            format!(
                "results of {total} bytes are kept (cache.capacity_bytes) or wait to be read \
                 (server.max_outgoing_bytes), which is as many as may"
            ),
        )
    }
}

fn held(bytes: Vec<u8>, permit: OwnedSemaphorePermit) -> Bytes {
    Bytes::from_owner(Held {
        _aside: allocator::set_aside(bytes.len()),
        bytes,
        _permit: permit,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn bytes_count_until_their_last_reader_is_done() {
        let memory = Memory::new(4 * UNIT);
        let now = Instant::now();
        let first = memory.hold(vec![1; 3 * UNIT], now).await.unwrap();
        let reader = first.slice(10..20);
        assert_eq!(
            memory.try_hold(vec![2; 2 * UNIT]).unwrap_err().codes(),
            "LB613"
        );
        drop(first);
        assert!(memory.hold(vec![2; 2 * UNIT], now).await.is_err());
        assert_eq!(&reader[..], [1; 10]);
        drop(reader);
        assert!(memory.hold(vec![2; 4 * UNIT], now).await.is_ok());
        // More than all there is: no waiting helps.
        let far = now + std::time::Duration::from_secs(60);
        assert!(memory.hold(vec![2; 5 * UNIT], far).await.is_err());
        assert!(memory.try_hold(Vec::new()).is_ok());
    }
}
