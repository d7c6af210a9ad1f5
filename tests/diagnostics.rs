//! Every code has an example, and `docs/diagnostics.md` shows it.
//!
//! The file is made of the table in `src/compiler/diagnostic.rs` and of the corpus; with
//! `INSTA_UPDATE=always` it is written anew, like the snapshots of the corpus.

#[expect(dead_code, reason = "other tests read more of a case")]
#[path = "corpus/case.rs"]
mod case;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use logboom::compiler::ir::{ParameterName, Type};
use logboom::compiler::{Code, Declaration, Diagnostic, Diagnostics, Limits, Target, prepare};
use logboom::endpoint::{Argument, Endpoints, UnknownParameters, bind};

/// What a caller is told, for codes that no query can show: the server and the warehouse give them. The
/// words must stand in the file, beside a test of the name.
const ELSEWHERE: &[(Code, &str, &str, &str)] = &[
    (
        Code::NotSandboxed,
        "`sandbox` is on, but the query has no sub-table to publish",
        "src/endpoint/folder.rs",
        "settings_and_query_must_agree",
    ),
    (
        Code::FromNoCte,
        "this endpoint has no sub-tables, which LQL reads",
        "tests/lql.rs",
        "sub_tables_are_named_where_there_are_several",
    ),
    (
        Code::Evaluation,
        "the query failed on a value, such as a failed cast, a division by zero or an overflow",
        "src/server/error.rs",
        "engine_text_stays_in_the_log",
    ),
    (
        Code::ResourcesExceeded,
        "the query needs more memory than it may have",
        "src/server/error.rs",
        "engine_text_stays_in_the_log",
    ),
    (
        Code::BytesBilledExceeded,
        "the query would read more than it may be billed for",
        "src/server/error.rs",
        "engine_text_stays_in_the_log",
    ),
    (
        Code::DeadlineExceeded,
        "the query ran longer than it may",
        "src/server/error.rs",
        "engine_text_stays_in_the_log",
    ),
    (
        Code::EngineFailure,
        "the log warehouse failed to run the query",
        "src/server/error.rs",
        "engine_text_stays_in_the_log",
    ),
];

#[test]
fn the_table_of_codes_is_up_to_date() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/diagnostics.md");
    let text = page();
    if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("it can be made");
        std::fs::write(&file, &text).expect("the file can be written");
    }
    let found = std::fs::read_to_string(&file).expect("there is a file");
    assert!(
        found == text,
        "docs/diagnostics.md is not up to date: run `INSTA_UPDATE=always cargo test --test diagnostics`"
    );
}

#[test]
fn codes_of_the_server_have_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (code, words, file, test) in ELSEWHERE {
        let source = std::fs::read_to_string(root.join(file)).expect(file);
        assert!(source.contains(words), "{code}: {file} has no {words:?}");
        assert!(
            source.contains(&format!("fn {test}(")),
            "{code}: {file} has no {test}"
        );
    }
}

/// Returns the page of all codes.
fn page() -> String {
    let examples = examples();
    let mut out = String::from(
        "# Diagnostics\n\nEvery refusal has a code that is never given another meaning, a message, and where it is about a\n\
         place of the query that place and often what to write instead. This page is made by a test, of\n\
         the table of codes and of the corpus.\n\n| code | reason | meaning |\n| --- | --- | --- |\n",
    );
    for code in Code::ALL {
        let _ = writeln!(
            out,
            "| [{code}](#{}) | `{}` | {} |",
            anchor(*code),
            code.reason(),
            code.meaning()
        );
    }
    for code in Code::ALL {
        let example = examples
            .get(code)
            .unwrap_or_else(|| panic!("{code} has no example"));
        let _ = write!(
            out,
            "\n## {code}\n\n{}\n\n```\n{}```\n",
            code.meaning(),
            example
        );
    }
    out
}

fn anchor(code: Code) -> String {
    code.to_string().to_ascii_lowercase()
}

/// Returns an example of each code, as the command line shows it.
fn examples() -> BTreeMap<Code, String> {
    let mut examples = BTreeMap::new();
    for (code, words, _, _) in ELSEWHERE {
        examples.insert(*code, Diagnostic::general(*code, *words).render("sql", ""));
    }
    let mut add = |text: &str, diagnostics: &Diagnostics| {
        for diagnostic in &diagnostics.0 {
            let drawn = diagnostic.render("sql", text);
            let shown = examples
                .entry(diagnostic.code)
                .or_insert_with(|| drawn.clone());
            // The shortest example is the clearest; of two, the first.
            if drawn.len() < shown.len() {
                *shown = drawn;
            }
        }
    };
    let endpoints = Endpoints::built_in(&Limits::default());
    let target = Target::BigQuery {
        tables: BTreeMap::new(),
    };
    for case in case::read_all() {
        let endpoint = endpoints.get(&case.endpoint).expect("the endpoint exists");
        if let Err(refused) = case.compile(endpoint, &target) {
            add(&case.query, &refused);
        }
    }
    for (name, text) in ARGUMENTS {
        let endpoint = endpoints.get(name).expect("the endpoint exists");
        let arguments: Vec<(String, Argument)> = text
            .iter()
            .map(|(name, value)| ((*name).to_owned(), Argument::Text((*value).to_owned())))
            .collect();
        add("", &endpoint.bind(&arguments).expect_err("it is refused"));
    }
    let logs = endpoints.get("logs.all").expect("it ships");
    let unknown = [("projet".to_owned(), Argument::Text("a".to_owned()))];
    let bound = bind(&logs.parameters, UnknownParameters::Reject, &unknown);
    add("", &bound.expect_err("it is refused"));
    for (sql, declared) in STORED {
        let declared: Vec<Declaration> = declared
            .iter()
            .map(|name| Declaration {
                name: ParameterName::new(name),
                ty: Type::String,
            })
            .collect();
        let limits = Limits {
            query_bytes: 40,
            ..Limits::default()
        };
        let prepared = prepare(sql, endpoints.catalog(), &declared, None, &limits);
        add(sql, &prepared.expect_err("it is refused"));
    }
    examples
}

/// Calls with wrong arguments.
const ARGUMENTS: &[(&str, &[(&str, &str)])] = &[
    ("logs.all", &[]),
    ("logs.all", &[("project", "a"), ("project", "b")]),
    (
        "logs.all",
        &[("project", "a"), ("iso_timestamp_start", "yesterday")],
    ),
    (
        "usage.api-counts",
        &[("project", "a"), ("interval", "weekly")],
    ),
];

/// Stored queries that their endpoint's settings do not fit.
const STORED: &[(&str, &[&str])] = &[
    ("select @limit as n", &[]),
    ("select 1 as n", &["project"]),
    (
        "select 'a text that is longer than this limit' as text",
        &[],
    ),
];
