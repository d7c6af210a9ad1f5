//! What the patterns of redaction match in GoogleSQL.

use std::path::Path;

use logboom::compiler::redaction::{BUILT_IN, REPLACEMENT};
use serde::Deserialize;
use serde_json::json;

use super::service::{Judge, streams};

#[derive(Deserialize)]
struct Texts {
    caught: Vec<(String, String)>,
    kept: Vec<String>,
}

#[test]
fn rules_do_to_a_text_what_their_tables_say() {
    let Some(mut judge) = Judge::start() else {
        return;
    };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/redaction");
    for rule in BUILT_IN {
        let table = std::fs::read_to_string(folder.join(format!("{}.toml", rule.name)));
        let Texts { caught, kept } =
            toml::from_str(&table.expect("a table")).expect("a well-formed table");
        let (texts, expected): (Vec<String>, Vec<String>) = caught
            .into_iter()
            .chain(kept.into_iter().map(|text| (text.clone(), text)))
            .unzip();
        let reply = judge.ask(&json!({
            "cmd": "evaluate",
            "sql": "SELECT ARRAY(SELECT REGEXP_REPLACE(t, @pattern, @replacement) \
                    FROM UNNEST(@texts) AS t WITH OFFSET AS o ORDER BY o) AS texts",
            "schema": streams(),
            "params": {"pattern": "STRING", "replacement": "STRING", "texts": "ARRAY<STRING>"},
            "values": {"pattern": rule.pattern, "replacement": REPLACEMENT, "texts": texts},
            "rows": {},
        }));
        let reply = reply.unwrap_or_else(|refusal| panic!("{}: {refusal}", rule.name));
        assert_eq!(reply["rows"][0]["texts"], json!(expected), "{}", rule.name);
    }
}
