//! The files of a folder of endpoints, read and not yet understood.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::folder::LoadError;

/// A file that has been read.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// What messages call it.
    pub(super) file: String,
    /// Its text.
    pub(super) text: String,
}

/// Files of one kind by the stem of their names; `None` for one that is there but could not be read.
pub(super) type Files = BTreeMap<String, Option<Source>>;

/// Every file of a folder that means something, and why some could not be read.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// `streams/<stream>.json`.
    pub(super) streams: Files,
    /// `<name>.toml`.
    pub(super) definitions: Files,
    /// `<name>.sql`.
    pub(super) queries: Files,
    /// Why files or folders could not be read.
    pub(super) errors: Vec<LoadError>,
}

impl Sources {
    /// Reads a folder. Files of other kinds and hidden ones are passed over.
    pub(super) fn read(dir: &Path) -> Self {
        let mut sources = Self::default();
        for (path, name) in sources.list(dir) {
            if let Some(stem) = name.strip_suffix(".toml") {
                let source = sources.read_file(&path);
                sources.definitions.insert(stem.to_owned(), source);
            } else if let Some(stem) = name.strip_suffix(".sql") {
                let source = sources.read_file(&path);
                sources.queries.insert(stem.to_owned(), source);
            }
        }
        let streams = dir.join("streams");
        // A folder whose queries read no stream needs no schemas.
        if streams.exists() {
            for (path, name) in sources.list(&streams) {
                if let Some(stem) = name.strip_suffix(".json") {
                    let source = sources.read_file(&path);
                    sources.streams.insert(stem.to_owned(), source);
                }
            }
        }
        sources
    }

    /// Returns the visible entries of a folder in the order of their names.
    fn list(&mut self, dir: &Path) -> Vec<(PathBuf, String)> {
        let listed = fs::read_dir(dir).and_then(|entries| {
            entries
                .map(|entry| {
                    let entry = entry?;
                    let name = entry.file_name().to_string_lossy().into_owned();
                    Ok((entry.path(), name))
                })
                .collect::<Result<Vec<_>, _>>()
        });
        match listed {
            Ok(mut entries) => {
                entries.retain(|(_, name)| !name.starts_with('.'));
                entries.sort();
                entries
            }
            Err(error) => {
                let message = format!("reading the folder failed: {error}");
                self.errors
                    .push(LoadError::in_file(&dir.display().to_string(), &message));
                Vec::new()
            }
        }
    }

    fn read_file(&mut self, path: &Path) -> Option<Source> {
        let file = path.display().to_string();
        match fs::read_to_string(path) {
            Ok(text) => Some(Source { file, text }),
            Err(error) => {
                let message = format!("reading the file failed: {error}");
                self.errors.push(LoadError::in_file(&file, &message));
                None
            }
        }
    }
}
