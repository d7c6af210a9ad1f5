//! Changes of the file of tokens by processes that are killed at any moment.
#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

fn token(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_logboom"));
    // The configuration of whoever runs the tests must not count.
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("LOGBOOM_") {
            command.env_remove(name);
        }
    }
    command.current_dir(folder).arg("token").args(args);
    command.args(["--tokens", "tokens.toml"]);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

fn names(folder: &Path) -> Vec<String> {
    let Output {
        status,
        stdout,
        stderr,
    } = token(folder, &["list", "--json"]).output().expect("runs");
    assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    let list: Vec<serde_json::Value> = serde_json::from_slice(&stdout).expect("a list");
    list.iter()
        .map(|t| t["name"].as_str().expect("a name").to_owned())
        .collect()
}

/// Kills a process after a while, unless it has ended; returns whether it succeeded.
fn ends_well_within(mut child: Child, time: Duration) -> bool {
    std::thread::sleep(time);
    child.kill().expect("is ours to kill");
    child.wait().expect("ends").success()
}

#[test]
fn a_change_that_is_killed_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let mut certain: Vec<String> = Vec::new();
    let mut maybe: Vec<String> = Vec::new();
    for number in 0..60 {
        let name = format!("t{number}");
        let child = token(folder, &["create", "--name", &name]).spawn().unwrap();
        // From before the program begins to after it ends.
        if ends_well_within(child, Duration::from_micros(number * 500)) {
            certain.push(name);
        } else {
            maybe.push(name);
        }
        if number % 10 == 9 {
            let found = names(folder);
            for name in &certain {
                assert!(found.contains(name), "{name} is lost: {found:?}");
            }
            for name in &found {
                assert!(
                    certain.contains(name) || maybe.contains(name),
                    "{name} came from nowhere"
                );
            }
        }
    }
    // One that is left alone works, whatever the killed ones left behind.
    let output = token(folder, &["create", "--name", "last"])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(names(folder).contains(&"last".to_owned()));
    let left: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .filter(|name| name != "tokens.toml")
        .collect();
    assert!(left.is_empty(), "{left:?}");
}
