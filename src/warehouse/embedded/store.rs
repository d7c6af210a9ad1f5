//! The folder of the embedded warehouse and how files get into it whole or not at all.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::compiler::ir::StreamName;

/// A temporary file older than this was left by a process that died.
const ABANDONED_AFTER: Duration = Duration::from_secs(24 * 60 * 60);

/// The data folder: `<data>/<stream>/*.parquet`.
#[derive(Clone, Debug)]
pub struct Store {
    data: PathBuf,
}

/// A step on a file that failed.
#[derive(Debug, thiserror::Error)]
#[error("{}: {action}", path.display())]
pub struct StoreError {
    /// What was attempted.
    pub action: &'static str,
    /// On what.
    pub path: PathBuf,
    /// Why it failed.
    #[source]
    pub source: io::Error,
}

impl Store {
    /// Returns the store in this folder, which need not exist yet.
    pub fn new(data: impl Into<PathBuf>) -> Self {
        Self { data: data.into() }
    }

    /// Returns the folder of a stream.
    #[must_use]
    pub fn folder(&self, stream: &StreamName) -> PathBuf {
        self.data.join(stream.as_str())
    }

    /// Begins an addition of files to a stream, and removes what crashed additions left behind.
    pub(super) fn stage(&self, stream: &StreamName) -> Result<Staging, StoreError> {
        let folder = self.folder(stream);
        fs::create_dir_all(&folder).map_err(failed("creating the folder", &folder))?;
        remove_abandoned(&folder);
        Ok(Staging {
            folder,
            files: Vec::new(),
        })
    }
}

/// Files on their way into a stream. They are invisible to queries until [`Staging::commit`], and
/// removed if it never comes.
#[derive(Debug)]
pub(super) struct Staging {
    folder: PathBuf,
    files: Vec<StagedFile>,
}

#[derive(Debug)]
struct StagedFile {
    temporary: PathBuf,
    permanent: PathBuf,
}

impl Staging {
    /// Creates the next file and returns it with the name that it has until the commit.
    pub(super) fn create(&mut self) -> Result<(File, PathBuf), StoreError> {
        // Version 7 sorts by time, so a listing shows the order of imports.
        let name = uuid::Uuid::now_v7();
        let temporary = self.folder.join(format!(".{name}.tmp"));
        let file = File::create_new(&temporary).map_err(failed("creating the file", &temporary))?;
        self.files.push(StagedFile {
            temporary: temporary.clone(),
            permanent: self.folder.join(format!("{name}.parquet")),
        });
        Ok((file, temporary))
    }

    /// Makes every file visible, or none of them. Their content must have been synced.
    pub(super) fn commit(mut self) -> Result<Vec<PathBuf>, StoreError> {
        let files = std::mem::take(&mut self.files);
        let mut renamed = Vec::with_capacity(files.len());
        let mut result = Ok(());
        for file in &files {
            result = fs::rename(&file.temporary, &file.permanent)
                .map_err(failed("renaming the file", &file.temporary));
            if result.is_err() {
                break;
            }
            renamed.push(file.permanent.clone());
        }
        let result = result.and_then(|()| {
            File::open(&self.folder)
                .and_then(|folder| folder.sync_all())
                .map_err(failed("syncing the folder", &self.folder))
        });
        if let Err(error) = result {
            for path in &renamed {
                remove(path);
            }
            self.files = files; // those that were not renamed are removed on drop
            return Err(error);
        }
        Ok(renamed)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        for file in &self.files {
            remove(&file.temporary);
        }
    }
}

/// Removes a file of ours; one that cannot be removed is reported, because it takes space.
fn remove(path: &Path) {
    match fs::remove_file(path) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => tracing::warn!(path = %path.display(), %error, "cannot remove the file"),
    }
}

fn remove_abandoned(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let ours = name
            .to_str()
            .is_some_and(|n| n.starts_with('.') && n.ends_with(".tmp"));
        let old = entry.metadata().and_then(|m| m.modified()).is_ok_and(|at| {
            SystemTime::now()
                .duration_since(at)
                .is_ok_and(|age| age > ABANDONED_AFTER)
        });
        if ours && old {
            remove(&entry.path());
        }
    }
}

pub(super) fn failed(
    action: &'static str,
    path: &Path,
) -> impl FnOnce(io::Error) -> StoreError + use<> {
    let path = path.to_path_buf();
    move |source| StoreError {
        action,
        path,
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn files_appear_on_commit_and_vanish_without() {
        let data = tempfile::tempdir().unwrap();
        let store = Store::new(data.path());
        let stream = StreamName::new("edge");
        let folder = store.folder(&stream);
        let mut staging = store.stage(&stream).unwrap();
        staging.create().unwrap();
        assert!(names(&folder)[0].starts_with('.'));
        drop(staging);
        assert_eq!(names(&folder), Vec::<String>::new());
        let mut staging = store.stage(&stream).unwrap();
        staging.create().unwrap();
        staging.create().unwrap();
        assert_eq!(staging.commit().unwrap().len(), 2);
        assert!(names(&folder).iter().all(|n| n.ends_with(".parquet")));
        assert_eq!(names(&folder).len(), 2);
    }

    #[test]
    fn a_failed_rename_takes_the_others_back() {
        let data = tempfile::tempdir().unwrap();
        let store = Store::new(data.path());
        let stream = StreamName::new("edge");
        let mut staging = store.stage(&stream).unwrap();
        staging.create().unwrap();
        let (_, lost) = staging.create().unwrap();
        staging.create().unwrap();
        fs::remove_file(lost).unwrap();
        staging.commit().unwrap_err();
        assert_eq!(names(&store.folder(&stream)), Vec::<String>::new());
    }

    #[test]
    fn abandoned_files_are_removed_after_a_day() {
        let data = tempfile::tempdir().unwrap();
        let store = Store::new(data.path());
        let stream = StreamName::new("edge");
        let folder = store.folder(&stream);
        fs::create_dir_all(&folder).unwrap();
        let old = File::create(folder.join(".old.tmp")).unwrap();
        old.set_modified(SystemTime::now() - 2 * ABANDONED_AFTER)
            .unwrap();
        File::create(folder.join(".young.tmp")).unwrap();
        drop(store.stage(&stream).unwrap());
        assert_eq!(names(&folder), [".young.tmp"]);
    }
}
