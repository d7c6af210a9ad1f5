//! The compiler's table of functions, the engine's library of them and what is known of both agree.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use logboom::compiler::analyze::functions::{Embedded, Function, Kind, all};

#[cfg(feature = "embedded")]
#[test]
fn every_function_of_the_allow_list_exists_on_the_engine() {
    let known: std::collections::BTreeSet<String> = logboom::warehouse::embedded::functions::all()
        .iter()
        .map(|function| function.name().to_owned())
        .collect();
    let mut missing = Vec::new();
    for function in all().filter(|function| is_ours(function)) {
        let name = function.udf_name();
        if !known.contains(&name) {
            missing.push(name.clone());
        }
        let safe = format!("safe_{name}");
        if function.can_fail && !known.contains(&safe) {
            missing.push(safe);
        }
    }
    assert_eq!(missing, Vec::<String>::new(), "functions without a meaning");
}

/// Whether the embedded engine computes a function by one of ours with its name.
fn is_ours(function: &Function) -> bool {
    let called = function.embedded == Embedded::Udf
        || (function.embedded == Embedded::Form && !function.name.starts_with("CURRENT_"));
    function.kind == Kind::Scalar && called
}

/// What the reference evaluator gave for calls of our functions.
#[derive(Default)]
struct Cases {
    count: usize,
    of_null: bool,
    fails: bool,
}

fn cases() -> BTreeMap<String, Cases> {
    let folder = root().join("src/warehouse/embedded/functions/cases");
    let mut cases: BTreeMap<String, Cases> = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("there are cases") {
        let text = std::fs::read_to_string(entry.expect("a file").path()).expect("UTF-8");
        for line in text.lines() {
            let (call, result) = line.split_once("\t=\t").expect("a call and its value");
            let name = call.split('\t').next().expect("a name");
            let known = cases.entry(name.to_owned()).or_default();
            known.count += 1;
            known.of_null |= call.contains("\tnull:") || call.contains("null");
            known.fails |= result == "error";
        }
    }
    cases
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn every_function_of_ours_has_cases() {
    let cases = cases();
    let none = Cases::default();
    let mut wrong = Vec::new();
    for function in all().filter(|function| is_ours(function)) {
        let name = function.udf_name();
        let known = cases.get(&name).unwrap_or(&none);
        if known.count < 3 {
            wrong.push(format!("{name} has {} cases", known.count));
        }
        if !known.of_null {
            wrong.push(format!("{name} has no case of NULL"));
        }
        if known.fails && !function.can_fail {
            wrong.push(format!(
                "{name} can fail, but the table says that it cannot"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The other functions are parts of the engine or forms of the printer, so queries have to call them.
#[test]
fn every_other_function_is_called_by_the_corpus() {
    let mut queries = String::new();
    read(&root().join("tests/corpus"), &mut queries);
    let queries = queries.to_ascii_uppercase();
    let unused: Vec<&str> = all()
        .filter(|function| !is_ours(function))
        .map(|function| function.name)
        .filter(|name| {
            let calls = queries.match_indices(&format!("{name}(")).any(|(at, _)| {
                let before = queries.get(..at).and_then(|text| text.chars().next_back());
                !before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_')
            });
            !calls
        })
        .collect();
    assert_eq!(
        unused,
        Vec::<&str>::new(),
        "functions that no query of the corpus calls"
    );
}

fn read(folder: &Path, out: &mut String) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            read(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "sql") {
            out.push_str(&std::fs::read_to_string(path).expect("UTF-8"));
        }
    }
}
