//! `docs/functions.md` is made from the table of functions.
//!
//! `INSTA_UPDATE=always cargo test --test manual` writes it anew.

use std::fmt::Write as _;
use std::path::Path;

use logboom::compiler::analyze::functions::{Embedded, Function, GROUPS, describe};

#[test]
fn the_manual_of_functions_is_that_of_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/functions.md");
    let manual = manual();
    if std::env::var("INSTA_UPDATE").is_ok_and(|value| value == "always") {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("docs can be made");
        std::fs::write(&path, &manual).expect("the manual can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == manual,
        "docs/functions.md is not what the table says; run `INSTA_UPDATE=always cargo test --test manual`"
    );
}

fn manual() -> String {
    let mut out = String::from(INTRODUCTION);
    for (group, functions) in GROUPS {
        let _ = writeln!(
            out,
            "\n## {group}\n\n| function | takes | can fail | embedded engine |\n| --- | --- | --- | --- |"
        );
        for function in *functions {
            let _ = writeln!(out, "{}", row(function));
        }
    }
    out
}

fn row(function: &Function) -> String {
    let mut names = format!("`{}`", function.name);
    for alias in function.aliases {
        let _ = write!(names, " `{alias}`");
    }
    let signatures: Vec<String> = function
        .signatures
        .iter()
        .map(|signature| {
            format!("`{} → {}`", describe(signature), signature.result).replace('|', "\\|")
        })
        .collect();
    let fails = if function.can_fail { "yes" } else { "no" };
    format!(
        "| {names} | {} | {fails} | {} |",
        signatures.join("<br>"),
        embedded(function)
    )
}

fn embedded(function: &Function) -> String {
    let mut facts = Vec::new();
    if let Embedded::Absent(instead) = function.embedded {
        facts.push(format!("refused: {instead}"));
    } else if function.without.is_empty() {
        facts.push("yes".to_owned());
    } else {
        let types: Vec<String> = function
            .without
            .iter()
            .map(|ty| ty.ty().to_string())
            .collect();
        facts.push(format!("yes, but refused for {}", types.join(" and ")));
    }
    facts.extend(function.differs.map(str::to_owned));
    facts.join("; ")
}

const INTRODUCTION: &str = "\
# Functions

Every function that a query may call; any other is refused by name. Names may be written in any case. On BigQuery all of
them are BigQuery's own. The embedded engine gives the same values: `tests/judge.rs` calls every signature below over a
grid of arguments (NULL, empty, zero, negative, the ends of each range, text outside of ASCII, NUL, quotes and backslashes,
malformed JSON, changes of the clock, leap days) and compares its rows with those of GoogleSQL's reference evaluator. What
is known to differ stands in the last column, and what the reference evaluator cannot answer in
`tests/judge/differences.toml`.

- *can fail*: on some value of the right type. With the prefix `SAFE.` a scalar function gives NULL instead.
- *literal*: must be written out in the query, so that its size is known before it runs.
- `…` may be repeated, `[…]` left out, `name => …` is given by name.
- A value that a function builds on the embedded engine has at most 1 MiB, an array at most 1048576 elements; beyond that
  the call fails. Patterns of regular expressions are literals, at most `limits.pattern_bytes` long.
- Formats of times on the embedded engine have the elements of GoogleSQL's manual but `%J`, and in FORMAT functions the
  flags `-`, `_` and `0` before `C`, `d`, `e`, `g`, `H`, `I`, `j`, `M`, `m`, `S`, `U`, `V`, `W` and `y`. What else GoogleSQL
  takes means what its C library makes of it, and is refused, with `SAFE.` too.
- Beside these there are the operators, `CASE`, `IF`, `CAST`, `SAFE_CAST`, `EXTRACT` and the constructors of arrays and
  records. On the embedded engine at most 64 operators stand in a row, but of `AND`, `OR` and `||` any number.

This page is written by `INSTA_UPDATE=always cargo test --test manual`.
";
