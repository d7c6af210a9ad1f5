//! Every function of the allow-list over a grid of arguments: the judge accepts what is printed, gives it the
//! compiler's type, and, where there is an engine, its rows.
//!
//! The calls are made from the signatures of the table, so a function cannot be added without being asked
//! about. A call that may fail is made with the prefix `SAFE.`, which makes NULL of an error on both sides.

use std::collections::BTreeMap;

use logboom::compiler::analyze::functions::{Arg, Embedded, Function, Kind, Signature, T, all};
use logboom::compiler::{Compiled, Diagnostics, Limits, Target};
use logboom::endpoint::{Endpoint, Endpoints};
use serde_json::json;

use super::case::{Case, Determined, Language};
use super::differences::Differences;
use super::samples;
use super::service::{Judge, streams};

/// Calls of one scalar signature.
const CALLS: usize = 32;

/// A query that calls one function.
pub struct Probe {
    /// The function, with the number of the signature and of the arguments.
    pub name: String,
    /// The function.
    pub function: &'static Function,
    /// The types of the arguments as far as the signature names them.
    pub types: Vec<T>,
    /// The query.
    pub case: Case,
}

/// Returns queries for every way of calling every function.
pub fn probes() -> Vec<Probe> {
    let mut probes = Vec::new();
    for function in all() {
        for (number, signature) in function.signatures.iter().enumerate() {
            for args in arities(signature) {
                let name = format!("{}/{number}/{}", function.name, args.len());
                for (form, query) in queries(function, &args) {
                    let case = Case {
                        name: format!("{name}{form}"),
                        endpoint: "logs.all".to_owned(),
                        arguments: Case::default_arguments(),
                        max_rows: None,
                        redaction: None,
                        result: Determined::Whole,
                        language: Language::Sql,
                        query,
                    };
                    probes.push(Probe {
                        name: case.name.clone(),
                        function,
                        types: args.iter().filter_map(|arg| named_type(arg)).collect(),
                        case,
                    });
                }
            }
        }
    }
    probes
}

fn named_type(arg: &Arg) -> Option<T> {
    match arg {
        Arg::Of(ty)
        | Arg::NoLiteral(ty)
        | Arg::ArrayOf(ty)
        | Arg::Constant(ty)
        | Arg::Fraction(ty) => Some(*ty),
        _ => None,
    }
}

/// The lists of arguments that a signature takes: without and with each of the optional ones, and with the
/// repeated ones once more.
fn arities(signature: &'static Signature) -> Vec<Vec<&'static Arg>> {
    let args: Vec<&Arg> = signature.args.iter().collect();
    let least = args.len() - signature.optional;
    let step = signature.repeated.max(1);
    let mut lists: Vec<Vec<&Arg>> = (least..=args.len())
        .step_by(step)
        .map(|count| args[..count].to_vec())
        .collect();
    if signature.repeated > 0 {
        let again = &args[args.len() - signature.repeated..];
        lists.push([args.as_slice(), again].concat());
    }
    lists
}

fn queries(function: &Function, args: &[&Arg]) -> Vec<(&'static str, String)> {
    // A format has to fit the values.
    if function.name == "FORMAT" {
        return vec![("", samples::formats(args.len() - 1))];
    }
    if function.name == "COUNT" && args.is_empty() {
        return vec![(
            "",
            "SELECT COUNT(*) AS c FROM UNNEST([1, NULL]) AS x".to_owned(),
        )];
    }
    let values: Vec<Vec<String>> = args
        .iter()
        .enumerate()
        .map(|(index, arg)| samples::of(function, index, arg))
        .collect();
    match function.kind {
        Kind::Scalar => vec![("", scalar(function, &values))],
        Kind::Aggregate if function.name == "GROUPING" => vec![(
            "",
            "SELECT x, GROUPING(x) AS c FROM UNNEST([1, 2, 2]) AS x GROUP BY ROLLUP(x)".to_owned(),
        )],
        Kind::Aggregate => aggregate(function, args, &values),
        Kind::Window => vec![("", window(function, args, &values))],
    }
}

/// Many calls as the columns of one row.
fn scalar(function: &Function, values: &[Vec<String>]) -> String {
    let safe = if function.can_fail && function.name != "EXTRACT" {
        "SAFE."
    } else {
        ""
    };
    let most: usize = values.iter().map(Vec::len).product();
    let calls: Vec<String> = (0..most.clamp(1, CALLS))
        .map(|call| {
            let args = combination(call, most, values);
            let args = if function.name == "EXTRACT" {
                extract(&args)
            } else {
                args.join(", ")
            };
            format!("{safe}{}({args}) AS c{call}", function.name)
        })
        .collect();
    format!("SELECT {}", calls.join(", "))
}

fn extract(args: &[&str]) -> String {
    match args {
        [part, value, zone] => format!("{part} FROM {value} AT TIME ZONE {zone}"),
        [part, value] => format!("{part} FROM {value}"),
        _ => panic!("EXTRACT takes two or three arguments"),
    }
}

/// Returns the arguments of a call: all combinations in turn when they are few, else some of them in which every value occurs.
fn combination(call: usize, most: usize, values: &[Vec<String>]) -> Vec<&str> {
    let mut rest = call;
    values
        .iter()
        .enumerate()
        .map(|(index, list)| {
            let at = if most <= CALLS {
                let at = rest % list.len();
                rest /= list.len();
                at
            } else {
                (call * (2 * index + 1) + call / list.len() * index) % list.len()
            };
            list[at].as_str()
        })
        .collect()
}

/// The rows that aggregate and window functions see: the samples of each argument side by side.
fn rows(args: &[&Arg], values: &[Vec<String>]) -> (String, String) {
    let fields: Vec<usize> = (0..args.len())
        .filter(|index| !samples::is_literal(args[*index]))
        .collect();
    let count = fields.iter().map(|index| values[*index].len()).max();
    let records: Vec<String> = (0..count.unwrap_or(3) * 2)
        .map(|row| {
            let mut record = vec![format!("{row} AS n")];
            for index in &fields {
                let list = &values[*index];
                let at = (row * (index + 1) + row / list.len() * index) % list.len();
                record.push(format!("{} AS a{index}", list[at]));
            }
            format!("STRUCT({})", record.join(", "))
        })
        .collect();
    let call: Vec<String> = (0..args.len())
        .map(|index| {
            if fields.contains(&index) {
                format!("t.a{index}")
            } else {
                values[index][0].clone()
            }
        })
        .collect();
    (
        call.join(", "),
        format!("UNNEST([{}]) AS t", records.join(", ")),
    )
}

fn aggregate(
    function: &Function,
    args: &[&Arg],
    values: &[Vec<String>],
) -> Vec<(&'static str, String)> {
    let (list, from) = rows(args, values);
    let name = function.name;
    let call = match name {
        // Which value is taken is open, but not when all are one.
        "ANY_VALUE" | "MAX_BY" | "MIN_BY" => {
            return vec![(
                "",
                format!("SELECT t.n, {name}({list}) AS c FROM {from} GROUP BY t.n"),
            )];
        }
        "ARRAY_AGG" => format!("{name}({list} IGNORE NULLS ORDER BY t.n)"),
        "STRING_AGG" | "ARRAY_CONCAT_AGG" => format!("{name}({list} ORDER BY t.n)"),
        _ => format!("{name}({list})"),
    };
    let mut queries = vec![
        ("", format!("SELECT {call} AS c FROM {from}")),
        (
            " of none",
            format!("SELECT {call} AS c FROM {from} WHERE t.n < 0"),
        ),
        (
            " by key",
            format!("SELECT MOD(t.n, 3) AS k, {call} AS c FROM {from} GROUP BY k"),
        ),
        (
            " of few",
            format!("SELECT {call} AS c FROM {from} WHERE t.n IN (1, 2, 3)"),
        ),
    ];
    if !call.contains("ORDER BY") && !name.starts_with("APPROX_") && !name.starts_with("HLL_") {
        queries.push((
            " over",
            format!("SELECT t.n, {call} OVER (PARTITION BY MOD(t.n, 3)) AS c FROM {from}"),
        ));
    }
    if !name.starts_with("APPROX_") && !name.starts_with("HLL_") && name != "ARRAY_CONCAT_AGG" {
        // Without the values with which the evaluator's mean and the engine's squares go beyond FLOAT64.
        let some = "MOD(t.n, 11) NOT BETWEEN 3 AND 7";
        for (form, frame) in [
            (" moving", "ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING"),
            (" by distance", "RANGE BETWEEN 3 PRECEDING AND 1 PRECEDING"),
        ] {
            queries.push((
                form,
                format!("SELECT t.n, {name}({list}) OVER (ORDER BY t.n {frame}) AS c FROM {from} WHERE {some}"),
            ));
        }
    }
    queries
}

fn window(function: &Function, args: &[&Arg], values: &[Vec<String>]) -> String {
    let (list, from) = rows(args, values);
    let order = if function.name.starts_with("PERCENTILE") {
        ""
    } else {
        "ORDER BY t.n"
    };
    format!(
        "SELECT t.n, {}({list}) OVER (PARTITION BY MOD(t.n, 3) {order}) AS c FROM {from}",
        function.name
    )
}

fn bigquery() -> Target {
    Target::BigQuery {
        tables: BTreeMap::new(),
    }
}

fn compile(probe: &Probe, target: &Target) -> Result<Compiled, Diagnostics> {
    let endpoints = Endpoints::built_in(&Limits::default());
    let endpoint: &Endpoint = endpoints.get("logs.all").expect("a shipped endpoint");
    probe.case.compile(endpoint, target)
}

#[test]
fn calls_of_every_signature_are_typed_as_in_googlesql() {
    let Some(mut judge) = Judge::start() else {
        return;
    };
    let schema = streams();
    let mut found = BTreeMap::new();
    for probe in probes() {
        let Probe { name, case, .. } = &probe;
        let compiled = match compile(&probe, &bigquery()) {
            Ok(compiled) => compiled,
            Err(diagnostics) => {
                let text = diagnostics.render("sql", &case.query);
                found.insert(name.clone(), format!("{name}: {text}"));
                continue;
            }
        };
        let reply = judge.ask(&json!({
            "cmd": "analyze",
            "sql": compiled.sql,
            "schema": schema,
            "params": super::analysis::types(&compiled),
        }));
        let what = match reply {
            Err(refusal) => format!("{name}: {refusal}\n  {}", compiled.sql),
            Ok(reply) => {
                let ours: Vec<String> = compiled.columns.iter().map(|c| c.ty.to_string()).collect();
                let theirs: Vec<&str> = super::analysis::list(&reply["columns"])
                    .filter_map(|column| column["sql_type"].as_str())
                    .collect();
                if ours == theirs {
                    continue;
                }
                format!("{name}: {ours:?}, not {theirs:?}")
            }
        };
        found.insert(name.clone(), what);
    }
    Differences::read().types.check(&found);
}

#[test]
fn the_table_says_which_calls_the_embedded_engine_lacks() {
    let mut wrong = Vec::new();
    for probe in probes() {
        let Probe {
            name,
            function,
            types,
            ..
        } = &probe;
        let lacks = matches!(function.embedded, Embedded::Absent(_))
            || types.iter().any(|ty| function.without.contains(ty));
        let outcome = compile(&probe, &Target::Embedded);
        if outcome.is_err() != lacks {
            let why = outcome.err().map(|d| d.render("sql", &probe.case.query));
            wrong.push(format!("{name}: {}", why.unwrap_or_default()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[cfg(feature = "embedded")]
#[tokio::test(flavor = "multi_thread")]
async fn calls_of_every_signature_give_the_rows_of_the_reference_evaluator() {
    use super::rows;

    let Some(mut judge) = Judge::start() else {
        return;
    };
    let catalog = Endpoints::built_in(&Limits::default());
    let world = rows::World::of(catalog.catalog(), super::data::rows());
    let schema = streams();
    let mut found = BTreeMap::new();
    for probe in probes() {
        let targets = [bigquery(), Target::Embedded];
        let [Ok(bigquery), Ok(embedded)] = targets.map(|target| compile(&probe, &target)) else {
            continue;
        };
        let reply = judge.ask(&json!({
            "cmd": "evaluate",
            "sql": bigquery.sql,
            "schema": schema,
            "params": super::analysis::types(&bigquery),
            "values": rows::values(&bigquery),
            "now": rows::timestamp(super::case::NOW),
        }));
        let theirs = rows::expected(&bigquery, reply);
        let ours = rows::given(&world.engine, &embedded).await;
        let difference = match (&ours, &theirs) {
            (Ok(ours), Ok(theirs)) if ours.len() == 1 && theirs.len() == 1 => {
                differing_calls(&probe.case.query, &ours[0], &theirs[0])
            }
            _ => rows::difference(ours, theirs, false),
        };
        if let Some(difference) = difference {
            let what = format!("{}: {difference}", probe.name);
            found.insert(probe.name, what);
        }
    }
    Differences::read().calls.check(&found);
}

/// Returns the calls of a row whose values differ.
#[cfg(feature = "embedded")]
fn differing_calls(query: &str, ours: &str, theirs: &str) -> Option<String> {
    use serde_json::Value as Json;

    let cells = |row: &str| -> Vec<Json> { serde_json::from_str(row).expect("a row is JSON") };
    let mut differing = String::new();
    for (column, (ours, theirs)) in cells(ours).iter().zip(cells(theirs)).enumerate() {
        if *ours != theirs {
            let call = query
                .split(&format!(" AS c{column}"))
                .next()
                .unwrap_or_default();
            let call = call
                .rsplit(&format!(" AS c{}, ", column.wrapping_sub(1)))
                .next();
            let call = call.unwrap_or_default();
            differing.push_str(&format!("\n  {call}\n    we {ours}, they {theirs}"));
        }
    }
    (!differing.is_empty()).then_some(differing)
}
