//! What a result depends on, as a digest.

use std::hash::{Hash, Hasher};

use sha2::{Digest as _, Sha256};

/// Names a result: two calls with one key get the same bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key([u8; 32]);

impl Hash for Key {
    /// Parts of a digest are as good as all of it.
    fn hash<H: Hasher>(&self, state: &mut H) {
        let (first, _) = self.0.split_first_chunk().unwrap_or((&[0; 8], &[]));
        state.write_u64(u64::from_ne_bytes(*first));
    }
}

impl Key {
    /// Returns the key of a kind that one text tells whole.
    pub(crate) fn of(text: &[u8]) -> Self {
        Self(Sha256::digest(text).into())
    }

    /// Returns a number from 0 to 1000 that differs between keys and is always the same for one.
    pub(crate) fn jitter(&self) -> u32 {
        let [first, second, ..] = self.0;
        u32::from(u16::from_be_bytes([first, second])) * 1000 / u32::from(u16::MAX)
    }
}

/// Collects the parts of a key. Each part has its length before it, so that no two lists of parts are
/// one text.
#[derive(Clone)]
pub(crate) struct KeyBuilder(Sha256);

impl KeyBuilder {
    /// Begins a key of this kind; keys of different kinds are never equal.
    pub(crate) fn new(kind: &str) -> Self {
        Self(Sha256::new()).part(kind)
    }

    /// Adds a part.
    pub(crate) fn part(mut self, part: impl AsRef<[u8]>) -> Self {
        let part = part.as_ref();
        self.0.update(part.len().to_be_bytes());
        self.0.update(part);
        self
    }

    /// Returns the key.
    pub(crate) fn finish(self) -> Key {
        Key(self.0.finalize().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_do_not_run_together() {
        let key = |parts: &[&str]| {
            let builder = KeyBuilder::new("test");
            parts.iter().fold(builder, |b, part| b.part(part)).finish()
        };
        assert_eq!(key(&["a", "b"]), key(&["a", "b"]));
        assert_ne!(key(&["a", "b"]), key(&["ab"]));
        assert_ne!(key(&["a", ""]), key(&["a"]));
        assert_ne!(key(&["a"]), KeyBuilder::new("other").part("a").finish());
        assert!(key(&["a"]).jitter() <= 1000);
    }
}
