//! Following the files: endpoints, configuration and certificate, all or nothing.
//!
//! A change is told by the system, by SIGHUP, or seen by looking every few seconds, which also finds the
//! exchanged links of mounted volumes. Files with mistakes change nothing; `/readyz`, the log and a
//! metric say so until they are mended.

use std::fs;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use notify::{RecursiveMode, Watcher as _};
use tokio::runtime::Handle;
use tokio::sync::mpsc;

use super::{App, State};
use crate::config::Config;

/// How often the files are looked at without being told of a change.
const POLL: Duration = Duration::from_secs(5);

/// How long the files must be left alone before they are read: a change is seldom of one file.
const CALM: Duration = Duration::from_millis(250);

/// How often that is waited for: beside the files may be others that are never left alone.
const CALMS: usize = 20;

/// Why the files are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    /// Something near them has changed.
    Changed,
    /// Somebody wants them to be read.
    Asked,
}

/// Makes a state of the files, given the one before.
pub type Load = dyn Fn(&State) -> Result<State, String> + Send + Sync;

/// Names the files, given the settings in force: files, and folders with all that is in them.
pub type Paths = dyn Fn(&Config) -> Vec<PathBuf> + Send + Sync;

/// The files, and how to read them.
pub struct Sources {
    /// Names them.
    pub paths: Box<Paths>,
    /// Reads them.
    pub load: Box<Load>,
}

/// What tells one version of a file from another without reading it.
type Stamp = (PathBuf, Option<SystemTime>, u64, u64);

/// Follows the files until the service ends.
pub async fn watch(app: Arc<App>, sources: Sources) {
    let load: Arc<Load> = Arc::from(sources.load);
    let mut paths = (sources.paths)(&app.state().config);
    let (told, mut words) = mpsc::channel(1);
    let mut _watcher = watcher(&paths, told.clone());
    hang_up(told.clone());
    let mut seen = stamps(&paths);
    loop {
        // Without a word it is looked anyway.
        let mut word = tokio::time::timeout(POLL, words.recv())
            .await
            .ok()
            .flatten();
        let mut is_asked = word == Some(Word::Asked);
        for _ in 0..CALMS {
            if word.is_none() {
                break;
            }
            word = tokio::time::timeout(CALM, words.recv())
                .await
                .ok()
                .flatten();
            is_asked |= word == Some(Word::Asked);
        }
        let named = (sources.paths)(&app.state().config);
        if named != paths {
            paths = named;
            _watcher = watcher(&paths, told.clone());
        }
        let found = stamps(&paths);
        if is_asked || found != seen {
            seen = found;
            reload(&app, &load).await;
        }
        app.replaced.let_go().await;
    }
}

/// Reads everything again.
pub(crate) async fn reload(app: &Arc<App>, load: &Arc<Load>) {
    let runtime = Handle::current();
    let job = {
        let (load, state) = (Arc::clone(load), app.state());
        move || {
            // A warehouse may want a runtime when it is opened.
            let _entered = runtime.enter();
            load(&state)
        }
    };
    // Stored queries are compiled: that wants a thread with a large stack.
    let loaded = app
        .compiler
        .run(job)
        .await
        .unwrap_or_else(|_| Err("reading the files panicked or could not begin".into()));
    let certified = {
        let state = app.state();
        let config = loaded.as_ref().map_or(&state.config, |new| &new.config);
        match (&app.tls, &config.server.tls) {
            (Some(certificate), Some(files)) => certificate.read(files).map(Some),
            _ => Ok(None),
        }
    };
    let outcome = match (loaded, certified) {
        (Ok(state), Ok(certified)) => Ok((state, certified)),
        (Err(message), Ok(_)) => Err(message),
        (Ok(_), Err(error)) => Err(error.to_string()),
        (Err(message), Err(error)) => Err(format!("{message}\n{error}")),
    };
    app.metrics.reloaded(outcome.is_ok());
    match outcome {
        Ok((state, certified)) => {
            let settings = app.fixed.changed(&state.config);
            if !settings.is_empty() {
                let settings = settings.join(", ");
                tracing::warn!(settings, "these settings were changed and need a restart");
            }
            if let (Some(certificate), Some(key)) = (&app.tls, certified) {
                certificate.replace(key);
            }
            tracing::info!(endpoints = state.endpoints.iter().count(), "reloaded");
            app.replace(state);
            app.reload_failed.store(None);
        }
        Err(message) => {
            tracing::error!(message, "not reloaded, the last good files stay in force");
            let now = jiff::Timestamp::now();
            app.reload_failed.store(Some(Arc::new(now)));
        }
    }
}

/// The settings that are as they were at the start whatever is reloaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fixed {
    listen: SocketAddr,
    admin_listen: Option<SocketAddr>,
    has_tls: bool,
    tokens: PathBuf,
}

impl Fixed {
    /// Takes them from the settings of the start.
    pub(crate) fn of(config: &Config) -> Self {
        Self {
            listen: config.server.listen,
            admin_listen: config.server.admin_listen,
            has_tls: config.server.tls.is_some(),
            tokens: config.tokens.clone(),
        }
    }

    /// Returns whether operators have a listener of their own.
    pub(crate) fn has_admin(&self) -> bool {
        self.admin_listen.is_some()
    }

    /// Returns the keys of those that other settings want to be different.
    pub(crate) fn changed(&self, config: &Config) -> Vec<&'static str> {
        let Self {
            listen,
            admin_listen,
            has_tls,
            tokens,
        } = Self::of(config);
        let changed = [
            ("tokens", tokens != self.tokens),
            ("server.listen", listen != self.listen),
            ("server.admin_listen", admin_listen != self.admin_listen),
            ("server.tls", has_tls != self.has_tls),
        ];
        let changed = changed.into_iter().filter(|(_, differs)| *differs);
        changed.map(|(key, _)| key).collect()
    }
}

/// Lets the system tell of changes. Without it, looking is what is left.
fn watcher(paths: &[PathBuf], told: mpsc::Sender<Word>) -> Option<notify::RecommendedWatcher> {
    let watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
        // Reading changes nothing. Where one notice waits already, another adds nothing.
        if !event.is_ok_and(|event| event.kind.is_access()) {
            let _ = told.try_send(Word::Changed);
        }
    });
    let watched = watcher.and_then(|mut watcher| {
        for path in paths {
            // A file may be replaced: its folder sees that, the file itself does not.
            let (place, mode) = if path.is_dir() {
                (path.as_path(), RecursiveMode::Recursive)
            } else {
                (folder_of(path), RecursiveMode::NonRecursive)
            };
            if place.exists() {
                watcher.watch(place, mode)?;
            }
        }
        Ok(watcher)
    });
    watched
        .map_err(|error| {
            tracing::warn!(%error, "changes of files are found by looking every few seconds");
        })
        .ok()
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Takes SIGHUP as a wish.
#[cfg(unix)]
fn hang_up(told: mpsc::Sender<Word>) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut signals) = signal(SignalKind::hangup()) else {
        tracing::warn!("SIGHUP cannot be listened for");
        return;
    };
    tokio::spawn(async move {
        while signals.recv().await.is_some() && told.send(Word::Asked).await.is_ok() {}
    });
}

#[cfg(not(unix))]
fn hang_up(_told: mpsc::Sender<Word>) {}

/// Returns what can be told of all files without reading them, in order.
fn stamps(paths: &[PathBuf]) -> Vec<Stamp> {
    let mut stamps = Vec::new();
    for path in paths {
        add_stamps(path, &mut stamps);
    }
    stamps.sort();
    stamps
}

fn add_stamps(path: &Path, stamps: &mut Vec<Stamp>) {
    let Ok(metadata) = fs::metadata(path) else {
        return;
    };
    if !metadata.is_dir() {
        let inode = super::auth::inode(&metadata);
        let modified = metadata.modified().ok();
        stamps.push((path.to_owned(), modified, metadata.len(), inode));
        return;
    }
    let entries = fs::read_dir(path).into_iter().flatten().flatten();
    for entry in entries {
        add_stamps(&entry.path(), stamps);
    }
}
