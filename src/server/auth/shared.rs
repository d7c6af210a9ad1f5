//! Tokens that follow their file while the server runs.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use arc_swap::ArcSwap;

use super::last_use::{self, LastUse};
use super::{TokenError, TokenStore};

/// The file is looked at no more often than this, so that a revoked token is refused within a second.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// The tokens of a file, read again when the file changes.
///
/// A file that is broken leaves the last good tokens in force and is logged once. A file that is gone
/// holds no token, like one that never was.
#[derive(Debug)]
pub struct SharedTokens {
    path: PathBuf,
    current: ArcSwap<TokenStore>,
    /// How often the tokens were read again.
    version: AtomicU64,
    opened: Instant,
    /// When the file is to be looked at next, in milliseconds since `opened`.
    next_check: AtomicU64,
    /// What the file was when it was looked at last.
    seen: Mutex<Option<Stamp>>,
    last_use: LastUse,
}

/// What tells one version of a file from another without reading it. `None` stands for no file.
type Stamp = (SystemTime, u64, u64);

impl SharedTokens {
    /// Reads the file for the first time.
    ///
    /// # Errors
    /// A file that cannot be read or is no token file.
    pub fn open(path: &Path) -> Result<Self, TokenError> {
        // The stamp is taken first: a change in between is then seen by the first check.
        let stamp = stamp(path);
        Ok(Self {
            path: path.to_owned(),
            current: ArcSwap::from_pointee(TokenStore::open(path)?),
            version: AtomicU64::new(0),
            opened: Instant::now(),
            next_check: AtomicU64::new(millis(CHECK_INTERVAL)),
            seen: Mutex::new(stamp),
            last_use: LastUse::beside(path),
        })
    }

    /// Returns the tokens as they are now, at most half a second old.
    #[must_use]
    pub fn current(&self) -> Arc<TokenStore> {
        self.current_at(Instant::now())
    }

    /// Notes that the token of this name was used.
    pub(crate) fn note(&self, name: &str, now: jiff::Timestamp) {
        self.last_use.note(name, now);
    }

    /// Writes down the last use of tokens, each minute and whenever asked.
    ///
    /// Where the folder cannot be written to, the last use is not known; that is said once.
    pub(crate) async fn keep_last_use(self: &Arc<Self>) {
        let mut is_told = false;
        loop {
            tokio::time::sleep(last_use::INTERVAL).await;
            let tokens = Arc::clone(self);
            let written = tokio::task::spawn_blocking(move || tokens.write_last_use()).await;
            if let Ok(Err(error)) = written
                && !is_told
            {
                is_told = true;
                tracing::warn!(%error, "the last use of tokens cannot be written down");
            }
        }
    }

    /// Writes down the last use of tokens now.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(crate) fn write_last_use(&self) -> std::io::Result<()> {
        self.last_use.write()
    }

    /// Returns what tells the tokens of now from those before and after; at most half a second old.
    ///
    /// Who asks before they take the [current](Self::current) tokens has those of this version or of a later one.
    pub(crate) fn version_at(&self, now: Instant) -> u64 {
        self.check(now);
        self.version.load(Ordering::Acquire)
    }

    fn current_at(&self, now: Instant) -> Arc<TokenStore> {
        self.check(now);
        self.current.load_full()
    }

    /// Looks at the file when it is time.
    fn check(&self, now: Instant) {
        let now = millis(now.saturating_duration_since(self.opened));
        if now < self.next_check.load(Ordering::Acquire) {
            return;
        }
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if now < self.next_check.load(Ordering::Relaxed) {
            return;
        }
        let stamp = stamp(&self.path);
        if stamp != *seen {
            *seen = stamp;
            self.reload();
        }
        self.next_check
            .store(now + millis(CHECK_INTERVAL), Ordering::Release);
    }

    pub(in crate::server) fn reload(&self) {
        match TokenStore::open(&self.path) {
            Ok(store) => {
                tracing::info!(tokens = store.list().len(), "tokens reloaded");
                self.current.store(Arc::new(store));
                self.version.fetch_add(1, Ordering::Release);
            }
            Err(error) => {
                tracing::error!(%error, "tokens not reloaded, the last good ones stay in force");
            }
        }
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn stamp(path: &Path) -> Option<Stamp> {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len(), inode(&metadata)))
}

/// A replaced file has another inode, even when time and length are the same.
#[cfg(unix)]
pub(crate) fn inode(metadata: &std::fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

#[cfg(not(unix))]
pub(crate) fn inode(_metadata: &std::fs::Metadata) -> u64 {
    0
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::super::NewToken;
    use super::*;

    fn new_token(name: &str) -> NewToken {
        NewToken {
            name: name.into(),
            created: jiff::Timestamp::UNIX_EPOCH,
            expires: None,
            endpoints: Vec::new(),
            pins: BTreeMap::new(),
            scopes: BTreeSet::new(),
        }
    }

    #[test]
    fn changes_of_the_file_are_seen_after_the_interval() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("tokens.toml");
        let shared = SharedTokens::open(&path).unwrap();
        let mut now = Instant::now();
        let mut names = |shared: &SharedTokens, wait: Duration| {
            now += wait;
            let store = shared.current_at(now);
            let names: Vec<String> = store.list().iter().map(|r| r.name.clone()).collect();
            names.join(" ")
        };
        assert_eq!(names(&shared, Duration::ZERO), "");

        let mut store = TokenStore::open(&path).unwrap();
        store.create(new_token("a")).unwrap();
        assert_eq!(names(&shared, CHECK_INTERVAL), "a");

        store.create(new_token("b")).unwrap();
        assert_eq!(names(&shared, CHECK_INTERVAL / 2), "a");
        assert_eq!(names(&shared, CHECK_INTERVAL / 2), "a b");

        store.revoke("a").unwrap();
        assert_eq!(names(&shared, CHECK_INTERVAL), "b");

        std::fs::write(&path, "broken").unwrap();
        assert_eq!(names(&shared, CHECK_INTERVAL), "b");
        assert_eq!(names(&shared, CHECK_INTERVAL), "b");

        std::fs::remove_file(&path).unwrap();
        assert_eq!(names(&shared, CHECK_INTERVAL), "");
    }
}
