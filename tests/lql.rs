//! LQL against SQL: every example must compile to what its SQL compiles to, on both engines.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use logboom::compiler::catalog::parse_schema;
use logboom::compiler::ir::StreamName;
use logboom::compiler::redaction::Redaction;
use logboom::compiler::{
    AdHoc, Call, Catalog, Compiled, Diagnostics, Limits, Parameters, StoredQuery, Target, compile,
    explain, prepare,
};

/// 2026-03-02T12:00:00Z and a fraction, microseconds since the Unix epoch.
const NOW: i64 = 1_772_452_800_750_000;

/// The repeated records of the table, each after the one it is in.
const RECORDS: &[(&str, &str)] = &[
    ("metadata", "t.metadata"),
    ("buyer", "metadata.buyer"),
    ("address", "buyer.address"),
    ("user", "metadata.user"),
    ("request", "metadata.request"),
    ("headers", "request.headers"),
];

fn stored(sql: &str) -> StoredQuery {
    let mut catalog = Catalog::default();
    let columns = parse_schema(include_str!("lql/shop.json")).expect("a schema");
    catalog.insert(StreamName::new("shop"), columns);
    prepare(sql, &catalog, &[], None, &Limits::default()).expect("a stored query")
}

fn shop() -> StoredQuery {
    stored("WITH carts AS (SELECT * FROM shop ORDER BY timestamp DESC) SELECT id FROM carts")
}

fn call<'a>(query: AdHoc<'a>, target: &'a Target) -> Call<'a> {
    static PARAMETERS: Parameters = Parameters::new();
    static LIMITS: LazyLock<Limits> = LazyLock::new(Limits::default);
    Call {
        ad_hoc: Some(query),
        parameters: &PARAMETERS,
        now: NOW,
        max_rows: 100,
        redaction: None,
        target,
        limits: &LIMITS,
    }
}

fn run(stored: &StoredQuery, query: AdHoc<'_>, target: &Target) -> Result<Compiled, Diagnostics> {
    compile(stored, &call(query, target), None)
}

fn targets() -> [Target; 2] {
    let tables = BTreeMap::new();
    [Target::BigQuery { tables }, Target::Embedded]
}

/// Returns the codes of a refusal, without repetition.
fn codes(refusal: &Diagnostics) -> Vec<String> {
    let mut codes: Vec<String> = refusal.0.iter().map(|d| d.code.to_string()).collect();
    codes.dedup();
    codes
}

/// Writes a condition as the query that it stands for.
fn query(meaning: &str) -> String {
    if meaning.starts_with("SELECT ") {
        return meaning.to_owned();
    }
    let mut needed: Vec<&str> = Vec::new();
    let reads = |alias: &str| {
        meaning.match_indices(&format!("{alias}.")).any(|(at, _)| {
            let before = meaning.get(..at).unwrap_or_default();
            !before.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.' || c == '_')
        })
    };
    for (alias, array) in RECORDS.iter().rev() {
        if reads(alias)
            || needed
                .iter()
                .any(|array| array.starts_with(&format!("{alias}.")))
        {
            needed.push(array);
        }
    }
    let joins: String = RECORDS
        .iter()
        .filter(|(_, array)| needed.contains(array))
        .map(|(alias, array)| format!(" LEFT JOIN UNNEST({array}) AS {alias}"))
        .collect();
    format!("SELECT t.* FROM carts AS t{joins} WHERE {meaning}")
}

/// Returns the rows of all tables of a page that have an LQL column and another one.
fn examples(page: &str) -> Vec<(String, String)> {
    let mut rows = Vec::new();
    let mut inside = false;
    for line in page.lines() {
        let cells = cells(line);
        match cells.as_slice() {
            [] => inside = false,
            [first, ..] if first == "LQL" => inside = true,
            [first, ..] if first.starts_with("---") => {}
            [lql, meaning, ..] if inside => rows.push((code(lql), code(meaning))),
            _ => {}
        }
    }
    rows
}

fn cells(line: &str) -> Vec<String> {
    let Some(row) = line
        .strip_prefix('|')
        .and_then(|line| line.strip_suffix('|'))
    else {
        return Vec::new();
    };
    let row = row.replace("\\|", "\u{0}");
    row.split('|')
        .map(|cell| cell.trim().replace('\u{0}', "|"))
        .collect()
}

/// Returns the text of a cell, without the backticks around code.
fn code(cell: &str) -> String {
    cell.strip_prefix('`')
        .and_then(|cell| cell.strip_suffix('`'))
        .unwrap_or(cell)
        .to_owned()
}

/// Returns the part of a compiled text that is of the caller's making.
fn of_caller(compiled: &Compiled) -> &str {
    compiled.sql.rsplit(") SELECT ").next().unwrap_or_default()
}

/// Returns what is wrong with the SQL that an LQL text is explained by: it must give the same.
fn explained(shop: &StoredQuery, lql: &str) -> Option<String> {
    let [bigquery, _] = targets();
    let ours = run(shop, AdHoc::Lql(lql), &bigquery).ok()?;
    let sql = explain(shop, &call(AdHoc::Lql(lql), &bigquery)).expect("it compiles");
    let sql = sql.unwrap_or_default();
    match run(shop, AdHoc::Sql(&sql), &bigquery) {
        Ok(theirs) if theirs == ours => None,
        Ok(theirs) => Some(format!(
            "{lql}\n{sql}\n  {}\n  {}",
            of_caller(&ours),
            of_caller(&theirs)
        )),
        Err(refusal) => Some(format!("{lql}\n{}", refusal.render("sql", &sql))),
    }
}

#[track_caller]
fn check(page: &str, least: usize) {
    let shop = shop();
    let examples = examples(page);
    assert!(examples.len() >= least, "{} examples", examples.len());
    let mut wrong = Vec::new();
    for (lql, meaning) in &examples {
        wrong.extend(explained(&shop, lql));
        for target in &targets() {
            let ours = run(&shop, AdHoc::Lql(lql), target);
            let difference = if meaning.starts_with("LB") {
                match &ours {
                    Err(refusal) if codes(refusal) == [meaning.as_str()] => continue,
                    Err(refusal) => refusal.render("lql", lql),
                    Ok(compiled) => of_caller(compiled).to_owned(),
                }
            } else {
                let theirs = run(&shop, AdHoc::Sql(&query(meaning)), target);
                match (&ours, &theirs) {
                    (Ok(ours), Ok(theirs)) if ours == theirs => continue,
                    // What an engine lacks is refused in both languages.
                    (Err(ours), Err(theirs))
                        if *target == Target::Embedded && codes(ours) == codes(theirs) =>
                    {
                        continue;
                    }
                    (ours, theirs) => {
                        let show = |result: &Result<Compiled, Diagnostics>| match result {
                            Ok(compiled) => of_caller(compiled).to_owned(),
                            Err(refusal) => refusal.render("query", ""),
                        };
                        format!("  lql {}\n  sql {}", show(ours), show(theirs))
                    }
                }
            };
            wrong.push(format!("{lql} | {meaning}\n{difference}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn examples_mean_what_their_sql_means() {
    check(include_str!("lql/examples.md"), 300);
}

#[test]
fn the_reference_says_what_is_so() {
    check(include_str!("../docs/lql.md"), 100);
}

#[test]
fn blank_texts_are_the_stored_query() {
    let shop = shop();
    let redaction = Redaction::default();
    for target in &targets() {
        for redaction in [None, Some(&redaction)] {
            let compiled = |ad_hoc| {
                let call = Call {
                    ad_hoc,
                    redaction,
                    ..call(AdHoc::Lql(""), target)
                };
                compile(&shop, &call, None).expect("compiles")
            };
            let alone = compiled(None);
            let sql = &alone.sql;
            assert_eq!(sql.contains("redact"), redaction.is_some(), "{sql}");
            for text in ["", "   ", "\t\r\n"] {
                assert_eq!(compiled(Some(AdHoc::Lql(text))), alone, "{text:?}");
            }
        }
    }
}

#[test]
fn sub_tables_are_named_where_there_are_several() {
    let several = stored(
        "WITH a AS (SELECT id, event_message FROM shop), b AS (SELECT id FROM a) SELECT id FROM b",
    );
    let none = stored("SELECT id FROM shop");
    for (stored, text, expected, help) in [
        (&several, "x", "LB250", "there are `a`, `b`"),
        (
            &several,
            "f:c x",
            "LB201",
            "did you mean `a`? There are `a`, `b`",
        ),
        (&several, "f:shop x", "LB201", "there are `a`, `b`"),
        (&several, "f:b x", "LB202", "there are `id`"),
        (
            &several,
            "f:a c:count(*)",
            "LB202",
            "there are `event_message`, `id`",
        ),
    ] {
        let refusal = run(stored, AdHoc::Lql(text), &Target::Embedded).expect_err(text);
        assert_eq!(codes(&refusal), [expected], "{text}");
        assert_eq!(refusal.0[0].help.as_deref().unwrap_or(""), help, "{text}");
    }
    for text in ["x", "f:shop x"] {
        let refusal = run(&none, AdHoc::Lql(text), &Target::Embedded).expect_err(text);
        assert_eq!(codes(&refusal), ["LB251"], "{text}");
        let message = "this endpoint has no sub-tables, which LQL reads";
        assert_eq!(refusal.0[0].message, message, "{text}");
    }
    assert!(run(&several, AdHoc::Lql("f:a x"), &Target::Embedded).is_ok());
}

#[test]
fn limits() {
    let shop = shop();
    let clauses = |count: usize| vec!["x"; count].join(" ");
    let columns = |count: usize| {
        let columns: Vec<String> = (0..count).map(|i| format!("s:id@c{i}")).collect();
        columns.join(" ")
    };
    let nested = |depth: usize| format!("{}m.qty:1{}", "(".repeat(depth), ")".repeat(depth));
    for (text, expected) in [
        (clauses(100), None),
        (clauses(101), Some("LB350")),
        (clauses(1_000), Some("LB350")),
        (
            format!("(m.qty:1 {}", "OR OR ".repeat(10_000)),
            Some("LB164"),
        ),
        ("(m.qty:1 ".to_owned() + &"(".repeat(30_000), Some("LB306")),
        (columns(50), None),
        (columns(51), Some("LB351")),
        (nested(32), None),
        (nested(33), Some("LB306")),
        (nested(20_000), Some("LB306")),
        ("x".repeat(64 * 1024), None),
        ("x".repeat(64 * 1024 + 1), Some("LB304")),
        (format!("m.shop:~{}", "x".repeat(1_025)), Some("LB322")),
        (format!("s:id@{}", "x".repeat(128)), None),
        (format!("s:id@{}", "x".repeat(129)), Some("LB324")),
    ] {
        let start: String = text.chars().take(40).collect();
        match (run(&shop, AdHoc::Lql(&text), &Target::Embedded), expected) {
            (Ok(_), None) => {}
            (Err(refusal), Some(code)) => {
                assert_eq!(codes(&refusal), [code], "{start}");
                assert!(
                    refusal.0.len() <= 101,
                    "{start}: {} mistakes",
                    refusal.0.len()
                );
            }
            (result, _) => panic!("{start}: {:?}", result.err()),
        }
    }
}

#[test]
fn mistakes_have_the_place_of_their_clause() {
    let shop = shop();
    for (text, start, end, message) in [
        ("a  -m.qty:>NULL b", 3, 15, "NULL goes with `:` only"),
        ("a m.shop:~(b c", 2, 14, "this `(` is not closed"),
        (
            "a m.shop:~\"(b\"",
            2,
            14,
            "this regular expression is malformed: missing )",
        ),
        ("é m.order-no:5", 3, 15, "a word cannot have a colon in it"),
        ("m.qty:1 f:a f:b", 12, 15, "`f:` can stand once"),
        ("m.buyer.nam:x", 8, 11, "there is no field `nam` here"),
        ("x (m.qty:1 OR m.qty:2", 2, 3, "this `(` is not closed"),
        (
            "(m.qty:1 OR m.qty:z)",
            12,
            19,
            "`z` is no INT64, the type of `metadata.qty`",
        ),
    ] {
        let refusal = run(&shop, AdHoc::Lql(text), &Target::Embedded).expect_err(text);
        let first = &refusal.0[0];
        let span = first.span.expect("a place");
        assert_eq!(
            (span.start, span.end, first.message.as_str()),
            (start, end, message),
            "{text}"
        );
    }
}

#[test]
fn all_mistakes_are_reported_at_once() {
    let shop = shop();
    let text = "m.qty: -s:sku \"a\"b 18:30";
    let refusal = run(&shop, AdHoc::Lql(text), &Target::Embedded).expect_err(text);
    assert_eq!(codes(&refusal), ["LB152", "LB162", "LB150", "LB154"]);
    let text = "m.qty:z nope:1 m.sizes:1";
    let refusal = run(&shop, AdHoc::Lql(text), &Target::Embedded).expect_err(text);
    assert_eq!(codes(&refusal), ["LB207", "LB202", "LB207"]);
}
