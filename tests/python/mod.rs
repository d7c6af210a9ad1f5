//! Python programs that tests run, each in an environment of its own in the user's cache.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest as _, Sha256};

/// Returns an interpreter with the packages of `requirements`, after installing them if nobody has. `finish`
/// is run once at the end of the installation.
///
/// Processes that come at the same time wait for the one that installs. An installation that was cut off
/// is begun anew by the next process.
pub fn environment(
    name: &str,
    requirements: &Path,
    finish: impl FnOnce(&Path) -> Result<(), String>,
) -> Result<PathBuf, String> {
    let listed = fs::read(requirements).map_err(failed("reading", requirements))?;
    let cache = cache()?;
    fs::create_dir_all(&cache).map_err(failed("creating", &cache))?;
    let folder = cache.join(format!("{name}-{}", hash(&listed)));
    let python = folder.join("bin/python");
    let ready = folder.join("ready");

    let lock = folder.with_extension("lock");
    let held = File::create(&lock).map_err(failed("creating", &lock))?;
    held.lock().map_err(failed("locking", &lock))?;
    if ready.exists() {
        return Ok(python);
    }
    if folder.exists() {
        fs::remove_dir_all(&folder).map_err(failed("removing", &folder))?;
    }
    let system = std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned());
    run(Command::new(system).arg("-m").arg("venv").arg(&folder))?;
    run(Command::new(&python)
        .args(["-m", "pip", "install", "--quiet"])
        .args(["--disable-pip-version-check", "-r"])
        .arg(requirements))?;
    finish(&python)?;
    File::create(&ready).map_err(failed("creating", &ready))?;
    Ok(python)
}

fn cache() -> Result<PathBuf, String> {
    let base = match std::env::var_os("XDG_CACHE_HOME") {
        Some(cache) if !cache.is_empty() => PathBuf::from(cache),
        _ => std::env::home_dir()
            .ok_or("there is no home folder")?
            .join(".cache"),
    };
    Ok(base.join("logboom"))
}

fn hash(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    digest.iter().take(8).map(|b| format!("{b:02x}")).collect()
}

/// Runs a command to its end.
pub fn run(command: &mut Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|error| format!("{command:?}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let message = String::from_utf8_lossy(&output.stderr);
    Err(format!("{command:?}: {}\n{message}", output.status))
}

fn failed(action: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> String {
    move |error| format!("{action} {}: {error}", path.display())
}
