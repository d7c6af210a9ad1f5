//! The embedded engine's rows against those of the reference evaluator, over the same small data.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use logboom::compiler::datetime;
use logboom::compiler::ir::{Column, Type, Value};
use logboom::compiler::{Catalog, Compiled, Limits, Redaction, Target};
use logboom::endpoint::{Endpoint, Endpoints};
use logboom::warehouse::embedded::import::import_file;
use logboom::warehouse::embedded::{Embedded, EngineSettings, Store};
use logboom::warehouse::{Terms, Warehouse as _, WarehouseError};
use serde_json::{Map, Value as Json, json};
use tempfile::TempDir;

use super::analysis::{name_under, types};
use super::case::{self, Case, Determined, NOW};
use super::data;
use super::differences::Differences;
use super::service::{Judge, Refusal, streams};

/// The rows of a result, or that a value of the data has none.
pub type Outcome = Result<Vec<String>, String>;

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_those_of_the_reference_evaluator() {
    let Some(mut judge) = Judge::start() else {
        return;
    };
    let endpoints = Endpoints::built_in(&Limits::default());
    let plain = World::of(endpoints.catalog(), data::rows());
    let personal = World::of(endpoints.catalog(), personal(data::rows()));
    let mut found = BTreeMap::new();
    for case in case::read_all() {
        if case.result == Determined::Nothing {
            continue;
        }
        let endpoint = endpoints.get(&case.endpoint).expect("the endpoint exists");
        let differs = plain.differs(&mut judge, &case, endpoint, None).await;
        if let Some(what) = differs {
            found.insert(case.name, what);
            continue;
        }
        let redaction = Some(&Redaction::default());
        if let Some(what) = personal
            .differs(&mut judge, &case, endpoint, redaction)
            .await
        {
            found.insert(name_under(&case, redaction), what);
        }
    }
    Differences::read().rows.check(&found);
}

/// The same rows for the judge and in an engine.
pub struct World {
    /// The engine.
    pub engine: Embedded,
    rows: Json,
    _folder: TempDir,
}

impl World {
    /// Imports the rows of every stream.
    pub fn of(catalog: &Catalog, rows: Json) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let data = folder.path().join("data");
        let store = Store::new(&data);
        for (stream, columns) in catalog.streams() {
            let lines = rows[stream.as_str()]
                .as_array()
                .expect("rows of each stream");
            let lines: Vec<String> = lines.iter().map(Json::to_string).collect();
            let file = folder.path().join(format!("{stream}.ndjson"));
            std::fs::write(&file, lines.join("\n")).expect("writes the rows");
            import_file(&store, stream, columns, &file, &|_| {}).expect("the data can be imported");
        }
        let engine = Embedded::open(data, catalog, EngineSettings::default());
        Self {
            engine: engine.expect("the engine starts"),
            rows,
            _folder: folder,
        }
    }

    /// Returns how the two differ over a case that both have a query for.
    async fn differs(
        &self,
        judge: &mut Judge,
        case: &Case,
        endpoint: &Endpoint,
        redaction: Option<&Redaction>,
    ) -> Option<String> {
        let bigquery = Target::BigQuery {
            tables: BTreeMap::new(),
        };
        let bigquery = case
            .compile_redacted(endpoint, &bigquery, redaction, None)
            .ok()?;
        let embedded = case
            .compile_redacted(endpoint, &Target::Embedded, redaction, None)
            .ok()?;
        let reply = judge.ask(&json!({
            "cmd": "evaluate",
            "sql": bigquery.sql,
            "schema": streams(),
            "params": types(&bigquery),
            "values": values(&bigquery),
            "rows": self.rows,
            "now": timestamp(NOW),
        }));
        let ordered = case.result == Determined::Whole
            && reply.as_ref().is_ok_and(|reply| reply["ordered"] == true);
        let theirs = expected(&bigquery, reply);
        let ours = given(&self.engine, &embedded).await;
        let difference = difference(ours, theirs, ordered)?;
        let name = name_under(case, redaction);
        Some(format!("{name}: {difference}\n  {}\n", embedded.sql))
    }
}

/// A third of the rows, with an address in many of their texts. The judge compiles a pattern anew for every
/// text, so it takes its time.
fn personal(mut data: Json) -> Json {
    fn visit(value: &mut Json, count: &mut usize) {
        match value {
            Json::Object(fields) => {
                let told = ["timestamp", "project", "project_ref"];
                for (name, value) in fields.iter_mut() {
                    if !told.contains(&name.as_str()) {
                        visit(value, count);
                    }
                }
            }
            Json::Array(list) => list.iter_mut().for_each(|value| visit(value, count)),
            Json::String(text) => {
                *count += 1;
                match *count % 4 {
                    0 => text.push_str(&format!(" from 10.0.0.{}:80", *count % 7)),
                    1 => *text = format!("[2001:db8::{}] {text}", *count % 5),
                    2 => text.push_str(&format!("<user{}@example.com>", *count % 3)),
                    _ => {}
                }
            }
            _ => {}
        }
    }
    if let Json::Object(tables) = &mut data {
        for rows in tables.values_mut().filter_map(Json::as_array_mut) {
            *rows = std::mem::take(rows).into_iter().step_by(3).collect();
        }
    }
    visit(&mut data, &mut 0);
    data
}

/// The values of a query's parameters as the judge wants them.
pub fn values(compiled: &Compiled) -> Map<String, Json> {
    compiled
        .parameters
        .iter()
        .map(|parameter| {
            let value = match &parameter.value {
                Value::Null => Json::Null,
                Value::String(text) => json!(&**text),
                Value::Int64(number) => json!(number),
                Value::Bool(flag) => json!(flag),
                Value::Timestamp(at) => json!(timestamp(*at)),
                other => panic!("no shipped endpoint has a parameter like {other:?}"),
            };
            (parameter.name.to_string(), value)
        })
        .collect()
}

pub fn timestamp(micros: i64) -> String {
    let at = jiff::Timestamp::from_microsecond(micros).expect("an instant");
    at.to_string()
}

pub fn expected(compiled: &Compiled, reply: Result<Json, Refusal>) -> Outcome {
    let reply = reply.map_err(|refusal| match refusal.code.as_str() {
        "OUT_OF_RANGE" => "fails".to_owned(),
        _ => refusal.to_string(),
    })?;
    let rows = reply["rows"].as_array().expect("rows");
    let limit = usize::try_from(compiled.max_rows).expect("a small limit");
    let row = |row: &Json| {
        let cells = compiled.columns.iter();
        let cells: Vec<Json> = cells
            .map(|column| canonical(&column.ty, &row[column.name.as_str()], true))
            .collect();
        json!(cells).to_string()
    };
    Ok(rows.iter().take(limit).map(row).collect())
}

/// Returns why the engine has no value for a query, where it is for one of the data.
pub async fn lacking(engine: &Embedded, compiled: &Compiled) -> Option<String> {
    let deadline = Instant::now() + Duration::from_secs(60);
    match engine.run(compiled, Terms::until(deadline)).await {
        Err(WarehouseError::Evaluation(why)) => Some(why),
        _ => None,
    }
}

pub async fn given(engine: &Embedded, compiled: &Compiled) -> Outcome {
    let deadline = Instant::now() + Duration::from_secs(60);
    let rows = match engine.run(compiled, Terms::until(deadline)).await {
        Ok(rows) => rows.rows,
        Err(WarehouseError::Evaluation(_)) => return Err("fails".to_owned()),
        Err(error) => return Err(error.to_string()),
    };
    let row = |row: &Vec<Json>| {
        let cells = compiled.columns.iter().zip(row);
        let cells: Vec<Json> = cells
            .map(|(Column { ty, .. }, cell)| canonical(ty, cell, false))
            .collect();
        json!(cells).to_string()
    };
    Ok(rows.iter().map(row).collect())
}

/// Brings a value to one form: that of the HTTP contract, with the last digits of a FLOAT64 left out,
/// because the order of a sum is open.
fn canonical(ty: &Type, value: &Json, judge: bool) -> Json {
    match (ty, value) {
        (_, Json::Null) => Json::Null,
        (Type::Array(array), Json::Array(elements)) => {
            let elements = elements.iter();
            elements
                .map(|element| canonical(&array.element, element, judge))
                .collect()
        }
        (Type::Struct(fields), Json::Object(values)) => {
            let values: Vec<Json> = fields
                .iter()
                .zip(values.values())
                .map(|(field, value)| canonical(&field.ty, value, judge))
                .collect();
            assert_eq!(values.len(), fields.len(), "{value}");
            json!(values)
        }
        (Type::Timestamp, Json::String(text)) if judge => {
            json!(datetime::parse_timestamp(text).expect("a timestamp"))
        }
        // The judge always writes six digits of a fraction, or none.
        (Type::Datetime | Type::Time, Json::String(text)) if judge && text.contains('.') => {
            json!(text.trim_end_matches('0'))
        }
        (Type::Json, Json::String(text)) if judge => {
            serde_json::from_str(text).expect("the judge gives JSON as its text")
        }
        (Type::Float64, Json::Number(number)) => {
            let number = number.as_f64().expect("a double");
            json!(format!("{:.12e}", number + 0.0))
        }
        _ => value.clone(),
    }
}

pub fn difference(ours: Outcome, theirs: Outcome, ordered: bool) -> Option<String> {
    let (mut ours, mut theirs) = match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => (ours, theirs),
        (ours, theirs) if ours == theirs => return None,
        (ours, theirs) => {
            let brief = |outcome: Outcome| match outcome {
                Ok(rows) => format!("{} rows", rows.len()),
                Err(why) => why,
            };
            return Some(format!("we: {}, they: {}", brief(ours), brief(theirs)));
        }
    };
    if !ordered {
        ours.sort();
        theirs.sort();
    }
    if ours == theirs {
        return None;
    }
    let mut difference = format!("{} rows, not {}", ours.len(), theirs.len());
    let pairs = ours
        .iter()
        .zip(&theirs)
        .filter(|(ours, theirs)| ours != theirs);
    for (ours, theirs) in pairs.take(3) {
        difference.push_str(&format!("\n  we   {ours}\n  they {theirs}"));
    }
    Some(difference)
}
