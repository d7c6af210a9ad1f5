//! Installs the judge into the user's cache, once for each version of its requirements.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::python;

/// Returns the folder of the judge's sources.
pub fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/googlesql")
}

/// Returns the interpreter that runs the judge, after installing it if nobody has.
pub fn python() -> Result<PathBuf, String> {
    let requirements = sources().join("requirements.txt");
    python::environment("googlesql", &requirements, |python| {
        python::run(
            Command::new(python)
                .arg("-B")
                .arg(sources().join("oracle.py"))
                .arg("warm"),
        )
    })
}
