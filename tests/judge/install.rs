//! Installs the judge into the user's cache, once for each version of its requirements.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest as _, Sha256};

/// Returns the folder of the judge's sources.
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/googlesql")
}

/// Returns the interpreter that runs the judge, after installing it if nobody has.
///
/// Processes that come at the same time wait for the one that installs. An installation that was cut off
/// is begun anew by the next process.
pub fn python() -> Result<PathBuf, String> {
    let requirements = sources().join("requirements.txt");
    let listed = fs::read(&requirements).map_err(failed("reading", &requirements))?;
    let cache = cache()?;
    fs::create_dir_all(&cache).map_err(failed("creating", &cache))?;
    let folder = cache.join(format!("googlesql-{}", hash(&listed)));
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
        .arg(&requirements))?;
    run(Command::new(&python)
        .arg("-B")
        .arg(sources().join("oracle.py"))
        .arg("warm"))?;
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

fn run(command: &mut Command) -> Result<(), String> {
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
