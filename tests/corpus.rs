//! The corpus: one file per fact, compiled for every engine, with the result as a snapshot.
//!
//! `corpus/case.rs` says what a file is; its first plain comment says the fact. Every file also goes
//! through the invariants below.

#[path = "corpus/case.rs"]
mod case;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use logboom::compiler::googlesql::lexer;
use logboom::compiler::{AdHoc, Compiled, Limits, Target};
use logboom::endpoint::{Endpoint, Endpoints};

use case::{Case, Language};

#[test]
fn every_query_of_the_corpus_compiles_as_reviewed() {
    let endpoints = Endpoints::built_in(&Limits::default());
    let cases = case::read_all();
    assert!(cases.len() >= 100, "the corpus has {} files", cases.len());

    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots"));
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for case in cases {
            let endpoint = endpoints.get(&case.endpoint).expect("the endpoint exists");
            let text = outcome(&case, endpoint);
            insta::assert_snapshot!(case.name.replace('/', "__"), text);
        }
    });
}

/// Returns what a reviewer reads: the compiled texts with what they are bound to, or the diagnostics.
fn outcome(case: &Case, endpoint: &Endpoint) -> String {
    let mut out = String::new();
    let targets = [
        (
            "bigquery",
            Target::BigQuery {
                tables: BTreeMap::new(),
            },
        ),
        ("embedded", Target::Embedded),
    ];
    let mut first: Option<Compiled> = None;
    for (name, target) in targets {
        match case.compile(endpoint, &target) {
            Ok(compiled) => {
                assert_eq!(
                    Ok(&compiled),
                    case.compile(endpoint, &target).as_ref(),
                    "{}: compiling twice gives the same",
                    case.name
                );
                if name == "bigquery" {
                    lexes_back(&case.name, &compiled.sql);
                }
                let _ = writeln!(out, "{name}:\n{}\n", compiled.sql);
                first.get_or_insert(compiled);
            }
            Err(diagnostics) => {
                let (language, query) = case.ad_hoc().map_or(("sql", ""), AdHoc::parts);
                let text = diagnostics.render(language, query);
                if !out.contains(&text) {
                    let _ = writeln!(out, "{name}:\n{text}");
                }
            }
        }
    }
    if case.language == Language::Lql
        && let Some(sql) = case.explain(endpoint)
    {
        let _ = writeln!(out, "explained:\n{sql}\n");
    }
    if let Some(compiled) = first {
        let columns: Vec<String> = compiled
            .columns
            .iter()
            .map(|column| format!("{} {}", column.name, short(&column.ty.to_string())))
            .collect();
        let _ = writeln!(out, "columns: {}", columns.join(", "));
        let reads: Vec<String> = compiled.reads.iter().map(ToString::to_string).collect();
        let _ = writeln!(out, "reads: {}", reads.join(", "));
        for parameter in &compiled.parameters {
            let _ = writeln!(
                out,
                "@{} {} = {}",
                parameter.name,
                parameter.ty,
                short(&format!("{:?}", parameter.value))
            );
        }
    }
    out
}

/// Cuts the types of whole records, which the stream schemas show, and the patterns of rules.
fn short(ty: &str) -> String {
    if ty.len() <= 80 {
        return ty.to_owned();
    }
    format!("{}…", ty.chars().take(80).collect::<String>())
}

/// The printed text is one that our own lexer reads, without a comment and on one line.
fn lexes_back(name: &str, sql: &str) {
    let limits = Limits {
        query_bytes: usize::MAX,
        tokens: usize::MAX,
        nesting: usize::MAX,
        ..Limits::default()
    };
    let tokens = lexer::lex(sql, &limits);
    assert!(tokens.is_ok(), "{name}: {:?}", tokens.err());
    assert!(!sql.contains('\n'), "{name}: more than one line");
}
