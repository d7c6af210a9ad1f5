//! One endpoint file: TOML text to settings and parameters. The stored query is not looked at here.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;
use uuid::Uuid;

use crate::compiler::Declaration;
use crate::compiler::catalog::is_identifier;
use crate::compiler::ir::{ParameterName, Type, Value};
use crate::spelling;
use crate::toml_text::{self, Mistake};

use super::parameter::{Parameter, SCALARS, UnknownParameters, parse_type};
use super::value;

/// Names that a call gives a meaning of their own.
const RESERVED: [&str; 2] = ["lql", "sql"];

/// The greatest `max_rows`, and its value when an endpoint file gives none.
const MAX_ROWS: u64 = 100_000;
const DEFAULT_ROWS: u64 = 1_000;

/// The longest time a result may be kept, in seconds: a year.
const MAX_CACHE_SECONDS: u64 = 365 * 24 * 60 * 60;

/// The longest time a call may take, in seconds: a day.
const MAX_TIMEOUT_SECONDS: u64 = 24 * 60 * 60;

/// What an endpoint file says.
#[derive(Debug)]
pub(super) struct Definition {
    pub(super) id: Spanned<Uuid>,
    pub(super) description: String,
    pub(super) max_rows: u64,
    pub(super) cache_seconds: u64,
    pub(super) cache_warming_seconds: Option<u64>,
    pub(super) timeout_seconds: Option<u64>,
    pub(super) sandbox: bool,
    pub(super) subtables: Option<Vec<String>>,
    pub(super) redact_pii: bool,
    pub(super) maximum_bytes_billed: Option<u64>,
    pub(super) labels: Vec<String>,
    pub(super) unknown_parameters: UnknownParameters,
    pub(super) parameters: Vec<Parameter>,
}

/// Reads an endpoint file.
///
/// # Errors
/// Every mistake in it; only the first one where the text has not the shape of an endpoint file.
pub(super) fn read(text: &str) -> Result<Definition, Vec<Mistake>> {
    let Raw {
        id,
        description,
        max_rows,
        cache_seconds,
        cache_warming_seconds,
        timeout_seconds,
        sandbox,
        subtables,
        redact_pii,
        maximum_bytes_billed,
        labels,
        unknown_parameters,
        parameters,
    } = toml_text::read(text).map_err(|mistake| vec![mistake])?;
    let mut mistakes = Vec::new();
    let uuid = Uuid::try_parse(id.get_ref()).unwrap_or_else(|_| {
        let message = "`id` must be a UUID, such as one that `uuidgen` prints";
        mistakes.push(Mistake::at(id.span(), message));
        Uuid::nil()
    });
    let max_rows = number(max_rows, "max_rows", 1, MAX_ROWS, &mut mistakes);
    let cached = number(
        cache_seconds,
        "cache_seconds",
        0,
        MAX_CACHE_SECONDS,
        &mut mistakes,
    );
    let cache_seconds = cached.unwrap_or(0);
    let timeout_seconds = number(
        timeout_seconds,
        "timeout_seconds",
        1,
        MAX_TIMEOUT_SECONDS,
        &mut mistakes,
    );
    if let Some(warming) = &cache_warming_seconds
        && !(1..cache_seconds).contains(warming.get_ref())
    {
        let message = format!(
            "`cache_warming_seconds` must be at least 1 and less than `cache_seconds`, which is {cache_seconds}"
        );
        mistakes.push(Mistake::at(warming.span(), message));
    }
    if let Some(names) = &subtables
        && names.get_ref().is_empty()
    {
        let message = "`subtables` must name at least one sub-table; leave it out to publish all";
        mistakes.push(Mistake::at(names.span(), message));
    }
    let maximum_bytes_billed = number(
        maximum_bytes_billed,
        "maximum_bytes_billed",
        1,
        i64::MAX.unsigned_abs(),
        &mut mistakes,
    );
    let labels = labels
        .into_iter()
        .map(|key| label(key, &mut mistakes))
        .collect();
    let mut declared: Vec<(Spanned<String>, RawParameter)> = parameters.into_iter().collect();
    declared.sort_by_key(|(name, _)| name.span().start);
    let parameters = declared
        .into_iter()
        .filter_map(|(name, raw)| parameter(&name, raw, &mut mistakes))
        .collect();
    if !mistakes.is_empty() {
        return Err(mistakes);
    }
    Ok(Definition {
        id: Spanned::new(id.span(), uuid),
        description,
        max_rows: max_rows.unwrap_or(DEFAULT_ROWS),
        cache_seconds,
        cache_warming_seconds: cache_warming_seconds.map(Spanned::into_inner),
        timeout_seconds,
        sandbox,
        subtables: subtables.map(Spanned::into_inner),
        redact_pii,
        maximum_bytes_billed,
        labels,
        unknown_parameters,
        parameters,
    })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    id: Spanned<String>,
    #[serde(default)]
    description: String,
    max_rows: Option<Spanned<u64>>,
    cache_seconds: Option<Spanned<u64>>,
    cache_warming_seconds: Option<Spanned<u64>>,
    timeout_seconds: Option<Spanned<u64>>,
    #[serde(default)]
    sandbox: bool,
    subtables: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    redact_pii: bool,
    maximum_bytes_billed: Option<Spanned<u64>>,
    #[serde(default)]
    labels: Vec<Spanned<String>>,
    #[serde(default)]
    unknown_parameters: UnknownParameters,
    #[serde(default)]
    parameters: BTreeMap<Spanned<String>, RawParameter>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawParameter {
    #[serde(rename = "type")]
    ty: Spanned<String>,
    #[serde(default)]
    description: String,
    #[serde(default)]
    required: bool,
    default: Option<Spanned<toml::Value>>,
    #[serde(rename = "enum")]
    allowed: Option<Spanned<Vec<toml::Value>>>,
}

fn number(
    given: Option<Spanned<u64>>,
    key: &str,
    least: u64,
    greatest: u64,
    mistakes: &mut Vec<Mistake>,
) -> Option<u64> {
    let given = given?;
    let number = *given.get_ref();
    if !(least..=greatest).contains(&number) {
        let message = format!("`{key}` must be between {least} and {greatest}");
        mistakes.push(Mistake::at(given.span(), message));
    }
    Some(number)
}

/// Reads the key of a label as BigQuery takes it.
fn label(key: Spanned<String>, mistakes: &mut Vec<Mistake>) -> String {
    let text = key.get_ref();
    let is_key = text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.len() <= 63
        && text
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-'));
    if matches!(text.as_str(), "endpoint" | "token") {
        let message = format!("the label `{text}` is set by the service");
        mistakes.push(Mistake::at(key.span(), message));
    } else if !is_key {
        let message = "the key of a label has lower-case letters, digits, `_` and `-`, starts with a \
                       letter and has at most 63 characters";
        mistakes.push(Mistake::at(key.span(), message));
    }
    key.into_inner()
}

/// Reads a declaration; when it is wrong, notes why and returns `None`.
fn parameter(
    name: &Spanned<String>,
    raw: RawParameter,
    mistakes: &mut Vec<Mistake>,
) -> Option<Parameter> {
    let before = mistakes.len();
    let RawParameter {
        ty,
        description,
        required,
        default,
        allowed,
    } = raw;
    check_name(name, mistakes);
    let Some(declared) = parse_type(ty.get_ref()) else {
        mistakes.push(Mistake::at(ty.span(), unknown_type(ty.get_ref())));
        return None;
    };
    let allowed = match allowed {
        Some(list) => allowed_values(&declared, &list, mistakes),
        None => Vec::new(),
    };
    let default = default.and_then(|given| {
        if required {
            let message = "a required parameter has no use for a `default`";
            mistakes.push(Mistake::at(given.span(), message));
        }
        let value = read_value(&declared, given.get_ref(), given.span(), mistakes)?;
        let elements = match &value {
            Value::Array(elements) => elements.as_slice(),
            single => std::slice::from_ref(single),
        };
        if !allowed.is_empty() && elements.iter().any(|v| !allowed.contains(v)) {
            mistakes.push(Mistake::at(given.span(), "`default` is not in `enum`"));
        }
        Some(value)
    });
    (mistakes.len() == before).then(|| Parameter {
        declaration: Declaration {
            name: ParameterName::new(name.get_ref()),
            ty: declared,
        },
        description,
        required,
        default,
        allowed,
    })
}

fn check_name(name: &Spanned<String>, mistakes: &mut Vec<Mistake>) {
    let text = name.get_ref();
    if RESERVED.contains(&text.as_str()) {
        let message = format!("`{text}` is reserved for the caller's own query");
        mistakes.push(Mistake::at(name.span(), message));
    } else if !is_identifier(text) || text.bytes().any(|b| b.is_ascii_uppercase()) {
        let message =
            "a parameter name has lower-case letters, digits and `_`, and starts with no digit";
        mistakes.push(Mistake::at(name.span(), message));
    }
}

fn unknown_type(name: &str) -> String {
    let known: Vec<&str> = SCALARS.iter().map(|(scalar, _)| *scalar).collect();
    let scalar = name.strip_suffix("[]").unwrap_or(name);
    let mut message = format!(
        "`type` must be one of `{}`, or one of these with `[]` for an array",
        known.join("`, `")
    );
    if let Some(near) = spelling::nearest(scalar, known) {
        message.push_str(&format!("; did you mean `{near}`?"));
    }
    message
}

fn allowed_values(
    ty: &Type,
    list: &Spanned<Vec<toml::Value>>,
    mistakes: &mut Vec<Mistake>,
) -> Vec<Value> {
    let element = ty.element().unwrap_or(ty);
    if !matches!(element, Type::String | Type::Int64) {
        let message = "only `string` and `int64` parameters take an `enum`";
        mistakes.push(Mistake::at(list.span(), message));
        return Vec::new();
    }
    if list.get_ref().is_empty() {
        mistakes.push(Mistake::at(
            list.span(),
            "`enum` must have at least one value",
        ));
    }
    let mut values = Vec::new();
    for given in list.get_ref() {
        if let Some(value) = read_value(element, given, list.span(), mistakes) {
            if values.contains(&value) {
                mistakes.push(Mistake::at(list.span(), "`enum` has a value twice"));
            }
            values.push(value);
        }
    }
    values
}

/// Reads a value as a caller's JSON would be read, so that both mean the same.
fn read_value(
    ty: &Type,
    given: &toml::Value,
    span: std::ops::Range<usize>,
    mistakes: &mut Vec<Mistake>,
) -> Option<Value> {
    match value::from_json(ty, &json(given)) {
        Ok(value) => Some(value),
        Err(fault) => {
            mistakes.push(Mistake::at(span, format!("the value {}", fault.message)));
            None
        }
    }
}

fn json(value: &toml::Value) -> serde_json::Value {
    match value {
        toml::Value::String(text) => text.as_str().into(),
        toml::Value::Integer(number) => (*number).into(),
        toml::Value::Float(number) => (*number).into(),
        toml::Value::Boolean(truth) => (*truth).into(),
        toml::Value::Datetime(instant) => instant.to_string().into(),
        toml::Value::Array(elements) => elements.iter().map(json).collect(),
        toml::Value::Table(table) => table
            .iter()
            .map(|(key, value)| (key.clone(), json(value)))
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "id = 'afc4ed8f-6649-4adc-a5cb-55ee7c7884b6'\n";

    #[track_caller]
    fn check_mistakes(body: &str, expected: &[&str]) {
        let text = format!("{ID}{body}");
        let found: Vec<String> = read(&text)
            .err()
            .unwrap_or_default()
            .iter()
            .map(|mistake| mistake.render("e.toml", &text))
            .collect();
        assert_eq!(found, expected, "{body}");
    }

    #[test]
    fn absent_settings_have_the_safe_value() {
        let definition = read(ID).expect("an id is enough");
        assert_eq!(definition.max_rows, 1_000);
        assert_eq!(definition.cache_seconds, 0);
        assert_eq!(definition.cache_warming_seconds, None);
        assert!(!definition.sandbox);
        assert!(!definition.redact_pii);
        assert_eq!(definition.maximum_bytes_billed, None);
        assert_eq!(definition.labels, [""; 0]);
        assert_eq!(definition.subtables, None);
        assert_eq!(definition.unknown_parameters, UnknownParameters::Ignore);
        assert_eq!(definition.parameters, []);
    }

    #[test]
    fn parameters_keep_the_order_of_the_file() {
        let text = format!(
            "{ID}[parameters.zone]\ntype = 'string'\ndefault = 'a'\nenum = ['a', 'b']\n\
             [parameters.at]\ntype = 'timestamp'\ndefault = 1970-01-01T00:00:01Z\n\
             [parameters.codes]\ntype = 'int64[]'\nenum = [1, 2]\ndefault = [2]\n"
        );
        let definition = read(&text).expect("the text is right");
        let found: Vec<(&str, String, Option<Value>)> = definition
            .parameters
            .iter()
            .map(|p| (p.name(), p.type_name(), p.default.clone()))
            .collect();
        assert_eq!(
            found,
            [
                ("zone", "string".into(), Some(Value::string("a"))),
                ("at", "timestamp".into(), Some(Value::Timestamp(1_000_000))),
                (
                    "codes",
                    "int64[]".into(),
                    Some(Value::Array(vec![Value::Int64(2)]))
                ),
            ]
        );
    }

    #[test]
    fn mistakes_have_places() {
        check_mistakes(
            "max_rows = 0",
            &["e.toml:2:12: `max_rows` must be between 1 and 100000"],
        );
        check_mistakes("max_rows = 100000", &[]);
        check_mistakes(
            "max_rows = 100001",
            &["e.toml:2:12: `max_rows` must be between 1 and 100000"],
        );
        check_mistakes("cache_seconds = 900\ncache_warming_seconds = 899", &[]);
        check_mistakes(
            "cache_seconds = 900\ncache_warming_seconds = 900",
            &[
                "e.toml:3:25: `cache_warming_seconds` must be at least 1 and less than `cache_seconds`, which is 900",
            ],
        );
        check_mistakes(
            "cache_warming_seconds = 300",
            &[
                "e.toml:2:25: `cache_warming_seconds` must be at least 1 and less than `cache_seconds`, which is 0",
            ],
        );
        check_mistakes(
            "subtables = []",
            &[
                "e.toml:2:13: `subtables` must name at least one sub-table; leave it out to publish all",
            ],
        );
        check_mistakes("labels = ['team', 'a-1_b']", &[]);
        check_mistakes(
            "labels = ['Team', 'token']",
            &[
                "e.toml:2:11: the key of a label has lower-case letters, digits, `_` and `-`, starts with a \
                 letter and has at most 63 characters",
                "e.toml:2:19: the label `token` is set by the service",
            ],
        );
        check_mistakes(
            "maximum_bytes_billed = 0",
            &["e.toml:2:24: `maximum_bytes_billed` must be between 1 and 9223372036854775807"],
        );
        check_mistakes(
            "unknown_parameters = 'rejct'",
            &[
                "e.toml:2:22: unknown variant `rejct`, expected `ignore` or `reject`; did you mean `reject`?",
            ],
        );
        check_mistakes(
            "[parameters.sql]\ntype = 'string'",
            &["e.toml:2:13: `sql` is reserved for the caller's own query"],
        );
        check_mistakes(
            "[parameters.Project]\ntype = 'string'",
            &[
                "e.toml:2:13: a parameter name has lower-case letters, digits and `_`, and starts with no digit",
            ],
        );
        check_mistakes(
            "[parameters.p]\ntype = 'string'\nrequired = true\ndefault = 'x'",
            &["e.toml:5:11: a required parameter has no use for a `default`"],
        );
        check_mistakes(
            "[parameters.p]\ntype = 'int64'\ndefault = 'x'",
            &["e.toml:4:11: the value must be a whole number, not `x`"],
        );
        check_mistakes(
            "[parameters.p]\ntype = 'string'\nenum = ['a']\ndefault = 'b'",
            &["e.toml:5:11: `default` is not in `enum`"],
        );
        check_mistakes(
            "[parameters.p]\ntype = 'bool'\nenum = [true]",
            &["e.toml:4:8: only `string` and `int64` parameters take an `enum`"],
        );
        check_mistakes(
            "[parameters.p]\ntype = 'strng'",
            &[
                "e.toml:3:8: `type` must be one of `string`, `int64`, `float64`, `bool`, `timestamp`, `date`, \
               or one of these with `[]` for an array; did you mean `string`?",
            ],
        );
        check_mistakes(
            "[parameters.p]\ntype = 'string'\nrequird = true",
            &[
                "e.toml:4:1: unknown field `requird`, expected one of `type`, `description`, `required`, \
               `default`, `enum`; did you mean `required`?",
            ],
        );
    }

    #[test]
    fn all_mistakes_are_reported() {
        let text = "id = 'x'\nmax_rows = 0\n[parameters.lql]\ntype = 'string'\n";
        let found = read(text).expect_err("three things are wrong");
        let lines: Vec<String> = found.iter().map(|m| m.render("e", text)).collect();
        assert_eq!(lines.len(), 3, "{lines:?}");
    }
}
