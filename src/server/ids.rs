//! Ids of requests, made without asking the system each time.
//!
//! They tell requests apart and open nothing: who can guess one gains nothing by it.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use uuid::{Builder, Uuid};

/// Returns bits that no other call in this process got, and hardly one in another process: a keyed hash
/// of a counter, whose key is random.
pub(crate) fn bits() -> u64 {
    static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    KEY.hash_one(NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// Returns a UUID that begins with the time (RFC 9562, section 5.7).
pub(crate) fn by_time(now: jiff::Timestamp) -> String {
    let millis = u64::try_from(now.as_millisecond()).unwrap_or(0);
    let [a, b, c, d, e, f, g, h] = bits().to_be_bytes();
    let [i, j, ..] = bits().to_be_bytes();
    let id = Builder::from_unix_timestamp_millis(millis, &[a, b, c, d, e, f, g, h, i, j]);
    let mut text = Uuid::encode_buffer();
    id.as_uuid().hyphenated().encode_lower(&mut text).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_and_follow_the_time() {
        let at = |millis| jiff::Timestamp::from_millisecond(millis).unwrap();
        let id = |millis| Uuid::parse_str(&by_time(at(millis))).unwrap();
        let ids: std::collections::BTreeSet<Uuid> = (0..1000).map(|_| id(5)).collect();
        assert_eq!(ids.len(), 1000);
        assert!(
            ids.iter()
                .all(|early| early.get_version_num() == 7 && *early < id(6))
        );
    }
}
