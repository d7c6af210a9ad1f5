//! When each token was used last, to the minute, in a file beside that of the tokens.
//!
//! The file of tokens itself is changed by people only, so that using one never races with revoking one.
//! What is lost here, at worst the last minute, is not worth more.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// How often the file is written, and what times are rounded to.
pub(crate) const INTERVAL: Duration = Duration::from_secs(60);

/// Notes the use of tokens. See the module.
#[derive(Debug)]
pub(crate) struct LastUse {
    path: PathBuf,
    noted: Mutex<Noted>,
}

#[derive(Debug, Default)]
struct Noted {
    /// The minute of the last use, by name.
    minutes: BTreeMap<String, i64>,
    is_written: bool,
}

#[derive(Default, Serialize, Deserialize)]
struct UseFile {
    #[serde(default)]
    last_use: BTreeMap<String, Timestamp>,
}

impl LastUse {
    /// Returns notes on the tokens of a file.
    pub(crate) fn beside(tokens: &Path) -> Self {
        Self {
            path: path_beside(tokens),
            noted: Mutex::default(),
        }
    }

    /// Notes that the token of this name was used.
    pub(crate) fn note(&self, name: &str, now: Timestamp) {
        let minute = now.as_second().div_euclid(60);
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        match noted.minutes.get_mut(name) {
            Some(noted) if *noted >= minute => return,
            Some(noted) => *noted = minute,
            None => {
                noted.minutes.insert(name.to_owned(), minute);
            }
        }
        noted.is_written = false;
    }

    /// Writes what was noted since the last time, over what other servers have noted of the same tokens.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub(crate) fn write(&self) -> io::Result<()> {
        let minutes = {
            let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
            if std::mem::replace(&mut noted.is_written, true) || noted.minutes.is_empty() {
                return Ok(());
            }
            noted.minutes.clone()
        };
        let _lock = super::lock_folder_of(&self.path)?;
        let mut last_use = read_file(&self.path);
        for (name, minute) in minutes {
            let Ok(time) = Timestamp::from_second(minute * 60) else {
                continue;
            };
            let known = last_use.entry(name).or_insert(time);
            *known = time.max(*known);
        }
        let text = toml::to_string(&UseFile { last_use }).map_err(io::Error::other)?;
        super::write_aside(&self.path, &text)
    }
}

/// Returns when the tokens of a file were used last, by name; nothing of those that never were. A name
/// may be that of an earlier token: compare with when the token was made.
#[must_use]
pub fn last_use(tokens: &Path) -> BTreeMap<String, Timestamp> {
    read_file(&path_beside(tokens))
}

fn path_beside(tokens: &Path) -> PathBuf {
    let mut name = tokens.file_name().unwrap_or_default().to_owned();
    name.push(".last-use");
    tokens.with_file_name(name)
}

/// A file that is broken is as good as none: it is written anew.
fn read_file(path: &Path) -> BTreeMap<String, Timestamp> {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    toml::from_str::<UseFile>(&text)
        .unwrap_or_default()
        .last_use
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn the_latest_use_counts_whoever_noted_it() {
        let folder = tempfile::tempdir().unwrap();
        let tokens = folder.path().join("tokens.toml");
        assert!(last_use(&tokens).is_empty());
        let (first, second) = (LastUse::beside(&tokens), LastUse::beside(&tokens));
        first.write().unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
        first.note("a", at("2026-01-01T10:00:59Z"));
        first.note("a", at("2026-01-01T09:00:00Z"));
        second.note("a", at("2026-01-01T08:00:00Z"));
        second.note("b", at("2026-01-01T11:00:00Z"));
        first.write().unwrap();
        second.write().unwrap();
        let expected = [
            ("a".to_owned(), at("2026-01-01T10:00:00Z")),
            ("b".to_owned(), at("2026-01-01T11:00:00Z")),
        ];
        assert_eq!(last_use(&tokens), expected.into());
        // What was written is not written again.
        let file = path_beside(&tokens);
        std::fs::write(&file, "broken").unwrap();
        first.write().unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "broken");
        first.note("a", at("2026-01-01T12:00:00Z"));
        first.write().unwrap();
        assert_eq!(last_use(&tokens)["a"], at("2026-01-01T12:00:00Z"));
    }
}
