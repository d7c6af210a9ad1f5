//! The folder of the embedded warehouse and how files get into it whole or not at all.
//!
//! A file may replace others, for queries that begin at a time either all of them or only itself. Beside
//! `<name>.parquet` a note `<name>.replaces` lists their names, a line each. It is there before the file is,
//! and counts once the file is there: the file's own name decides. What was replaced is removed later, when no
//! query reads it any more.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::compiler::ir::StreamName;

/// A temporary file older than this was left by a process that died.
const ABANDONED_AFTER: Duration = Duration::from_secs(24 * 60 * 60);
/// What was replaced this long ago is read by no query any more.
const UNREAD_AFTER: Duration = Duration::from_secs(10 * 60);
/// Of data files.
const DATA: &str = "parquet";
/// Of notes of what a data file replaces.
const NOTE: &str = "replaces";

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

    /// Returns the data files of a stream that count, by name.
    ///
    /// # Errors
    /// The folder cannot be listed.
    pub fn files(&self, stream: &StreamName) -> Result<Vec<PathBuf>, StoreError> {
        let folder = self.folder(stream);
        visible(&folder).map_err(failed("listing the folder", &folder))
    }

    /// Returns a lock on replacing files of a stream, `None` while another has it. It ends with the value.
    pub(super) fn lock(&self, stream: &StreamName) -> Result<Option<File>, StoreError> {
        let folder = self.folder(stream);
        fs::create_dir_all(&folder).map_err(failed("creating the folder", &folder))?;
        let path = folder.join(".lock");
        let file = File::create(&path).map_err(failed("creating the file", &path))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(file)),
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(failed("locking the file", &path)(error)),
        }
    }

    /// Removes files of a stream that were replaced long ago.
    pub(super) fn remove_replaced(&self, stream: &StreamName) -> Result<(), StoreError> {
        let folder = self.folder(stream);
        remove_unread(&folder).map_err(failed("listing the folder", &folder))
    }
}

/// Returns the data files of a folder that count, by name; none when there is no folder.
pub(super) fn visible(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let names = match names(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        names => names?,
    };
    let hidden = replaced(
        folder,
        &names.iter().map(String::as_str).collect::<Vec<_>>(),
    )?;
    let mut names: Vec<String> = names
        .into_iter()
        .filter(|name| has_extension(name, DATA) && !hidden.contains(name))
        .collect();
    names.sort_unstable();
    Ok(names.into_iter().map(|name| folder.join(name)).collect())
}

/// Returns the names of the files in a folder, as far as they are Unicode: ours are.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string());
    }
    Ok(names)
}

fn has_extension(name: &str, extension: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e == extension)
}

/// Returns the names of the files that others replace, given all names that one listing of the folder gave.
pub(super) fn replaced(folder: &Path, names: &[&str]) -> io::Result<HashSet<String>> {
    let mut replaced = HashSet::new();
    for note in names.iter().filter(|name| has_extension(name, NOTE)) {
        let replacing = Path::new(note).with_extension(DATA);
        if names.iter().any(|name| Path::new(name) == replacing) {
            replaced.extend(noted(&folder.join(note))?);
        }
    }
    Ok(replaced)
}

/// Returns the names of a note; none when it is gone, which it is when what it names is.
fn noted(note: &Path) -> io::Result<Vec<String>> {
    match fs::read_to_string(note) {
        Ok(text) => {
            let is_name = |line: &&str| Path::new(line).file_name() == Some(OsStr::new(line));
            Ok(text.lines().filter(is_name).map(str::to_owned).collect())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
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
            permanent: self.folder.join(format!("{name}.{DATA}")),
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

impl Staging {
    /// Makes the only file visible in place of others of the folder. Its content must have been synced.
    pub(super) fn commit_in_place_of(self, others: &[PathBuf]) -> Result<PathBuf, StoreError> {
        let [file] = self.files.as_slice() else {
            let error = io::Error::other("not one file");
            return Err(failed("replacing files", &self.folder)(error));
        };
        let (note, file) = (file.permanent.with_extension(NOTE), file.permanent.clone());
        let names = others
            .iter()
            .filter_map(|other| other.file_name()?.to_str());
        let text: String = names.flat_map(|name| [name, "\n"]).collect();
        let write = || {
            let mut written = File::create_new(&note)?;
            written.write_all(text.as_bytes())?;
            written.sync_all()?;
            // The note must outlast a crash that the file outlasts.
            File::open(&self.folder)?.sync_all()
        };
        let result = write().map_err(failed("writing the file", &note));
        if let Err(error) = result.and_then(|()| self.commit()) {
            remove(&note);
            return Err(error);
        }
        Ok(file)
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

/// Removes what was replaced long ago. The replaced go before their note, so that they never count again.
fn remove_unread(folder: &Path) -> io::Result<()> {
    let names = names(folder)?;
    for name in names.iter().filter(|name| has_extension(name, NOTE)) {
        let note = folder.join(name);
        let changed = fs::metadata(&note).and_then(|metadata| metadata.modified())?;
        let age = SystemTime::now()
            .duration_since(changed)
            .unwrap_or_default();
        if age < UNREAD_AFTER {
            continue;
        }
        if note.with_extension(DATA).exists() {
            for replaced in noted(&note)? {
                remove(&folder.join(replaced));
            }
        }
        remove(&note);
    }
    Ok(())
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
    fn a_file_takes_the_place_of_others_at_once() {
        let data = tempfile::tempdir().unwrap();
        let (store, stream) = (Store::new(data.path()), StreamName::new("edge"));
        let folder = store.folder(&stream);
        let shown = || -> Vec<String> {
            let files = store.files(&stream).unwrap();
            let names = files
                .iter()
                .map(|path| path.file_name().unwrap().to_str().unwrap());
            names.map(str::to_owned).collect()
        };
        assert_eq!(shown(), Vec::<String>::new());
        fs::create_dir_all(&folder).unwrap();
        for name in ["a.parquet", "b.parquet", "c.parquet", "outside"] {
            File::create(folder.join(name)).unwrap();
        }
        // A note whose file never came, and names that lead elsewhere.
        fs::write(folder.join("lost.replaces"), "c.parquet\n").unwrap();
        assert_eq!(shown(), ["a.parquet", "b.parquet", "c.parquet"]);
        let mut staging = store.stage(&stream).unwrap();
        staging.create().unwrap();
        let replaced = [folder.join("a.parquet"), folder.join("b.parquet")];
        let file = staging.commit_in_place_of(&replaced).unwrap();
        let name = file.file_name().unwrap().to_str().unwrap();
        assert_eq!(shown(), [name, "c.parquet"]);
        // Queries may be reading them.
        store.remove_replaced(&stream).unwrap();
        assert!(replaced[0].exists());
        for note in [file.with_extension(NOTE), folder.join("lost.replaces")] {
            let old = SystemTime::now() - 2 * UNREAD_AFTER;
            let written = File::options().append(true).open(&note).unwrap();
            (&written).write_all(b"../outside\n").unwrap();
            written.set_modified(old).unwrap();
        }
        fs::write(folder.join("../outside"), "").unwrap();
        store.remove_replaced(&stream).unwrap();
        assert_eq!(shown(), [name, "c.parquet"]);
        assert!(folder.join("../outside").exists());
        assert_eq!(names(&folder), [name, "c.parquet", "outside"]);
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
