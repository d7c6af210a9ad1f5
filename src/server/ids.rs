//! Ids of requests, made without asking the system each time.
//!
//! They tell requests apart and open nothing: who can guess one gains nothing by it.

use std::cell::Cell;
use std::hash::{BuildHasher as _, RandomState};

use uuid::Builder;
use uuid::fmt::Hyphenated;

/// How long the text of a UUID is.
pub(crate) const UUID_BYTES: usize = Hyphenated::LENGTH;

/// Returns bits that no other call in this thread got, and hardly one in another: SplitMix64 (Steele, Lea and
/// Flood 2014), begun at random by each thread.
pub(crate) fn bits() -> u64 {
    thread_local! {
        static STATE: Cell<u64> = Cell::new(RandomState::new().hash_one(0));
    }
    let next = STATE.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
    STATE.set(next);
    let mixed = (next ^ next >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

/// Returns the text of a UUID that begins with the time (RFC 9562, section 5.7), given in milliseconds since the
/// Unix epoch.
pub(crate) fn by_time(millis: u64) -> [u8; UUID_BYTES] {
    let [a, b, c, d, e, f, g, h] = bits().to_be_bytes();
    let [i, j, ..] = bits().to_be_bytes();
    let id = Builder::from_unix_timestamp_millis(millis, &[a, b, c, d, e, f, g, h, i, j]);
    let mut text = [0; UUID_BYTES];
    id.as_uuid().hyphenated().encode_lower(&mut text);
    text
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    #[test]
    fn ids_differ_and_follow_the_time() {
        let id = |millis| Uuid::try_parse_ascii(&by_time(millis)).unwrap();
        let ids: std::collections::BTreeSet<Uuid> = (0..1000).map(|_| id(5)).collect();
        assert_eq!(ids.len(), 1000);
        assert!(
            ids.iter()
                .all(|early| early.get_version_num() == 7 && *early < id(6))
        );
    }

    #[test]
    fn threads_do_not_draw_the_same() {
        let draw = || (0..100).map(|_| bits()).collect::<Vec<u64>>();
        let mut all = draw();
        all.extend(std::thread::spawn(draw).join().unwrap());
        let different: std::collections::BTreeSet<u64> = all.iter().copied().collect();
        assert_eq!(different.len(), all.len());
    }
}
