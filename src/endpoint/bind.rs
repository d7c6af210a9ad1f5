//! From what a caller sent to typed values: presence, repetition, type, allowed values, unknown names.
//!
//! Everything that is wrong with a call is reported at once. A message may show the caller's own value,
//! shortened, and nothing else that came from outside.

use crate::compiler::ir::Value;
use crate::compiler::{Code, Diagnostic, Diagnostics, Parameters};
use crate::spelling;

use super::parameter::{Parameter, UnknownParameters};
use super::value::{self, shortened};

/// One argument of a call, as it was sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    /// Decoded text of the query string.
    Text(String),
    /// A member of the JSON object in the body.
    Json(serde_json::Value),
}

/// The arguments of a call as values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bound {
    /// A value of the declared type for each parameter that was given or has a default. The others are
    /// NULL.
    pub parameters: Parameters,
    /// The names that are no parameter, as they were sent, each once.
    pub ignored: Vec<String>,
}

/// Reads the arguments of one call as values of `parameters`.
///
/// Names are compared exactly. An empty text is the absence of a value, except for a parameter of type
/// `string` that is not required. A parameter of an array type takes a JSON array, or one text for each
/// element.
///
/// # Errors
/// Every argument that is missing, malformed, not allowed, repeated or, with
/// [`UnknownParameters::Reject`], unknown.
pub fn bind(
    parameters: &[Parameter],
    unknown_parameters: UnknownParameters,
    arguments: &[(String, Argument)],
) -> Result<Bound, Diagnostics> {
    let mut bound = Bound::default();
    let mut diagnostics = Vec::new();
    let unknown = unknown_names(parameters, arguments);
    for parameter in parameters {
        match value_of(parameter, arguments) {
            Ok(Some(value)) => {
                bound
                    .parameters
                    .insert(parameter.declaration.name.clone(), value);
            }
            Ok(None) if parameter.required => diagnostics.push(missing(parameter, &unknown)),
            Ok(None) => {
                if let Some(value) = &parameter.default {
                    let name = parameter.declaration.name.clone();
                    bound.parameters.insert(name, value.clone());
                }
            }
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    match unknown_parameters {
        UnknownParameters::Ignore => bound.ignored = unknown.into_iter().map(Into::into).collect(),
        UnknownParameters::Reject => {
            diagnostics.extend(unknown.into_iter().map(|name| no_such(parameters, name)));
        }
    }
    if diagnostics.is_empty() {
        Ok(bound)
    } else {
        Err(Diagnostics(diagnostics))
    }
}

fn unknown_names<'a>(
    parameters: &[Parameter],
    arguments: &'a [(String, Argument)],
) -> Vec<&'a str> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in arguments {
        if !parameters.iter().any(|p| p.name() == name) && !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    names
}

/// Returns the value that the call gives to a parameter, or `None` when it gives none.
fn value_of(
    parameter: &Parameter,
    arguments: &[(String, Argument)],
) -> Result<Option<Value>, Diagnostic> {
    let given: Vec<&Argument> = arguments
        .iter()
        .filter(|(name, _)| name == parameter.name())
        .map(|(_, argument)| argument)
        .collect();
    let name = parameter.name();
    let ty = &parameter.declaration.ty;
    let read = match (given.as_slice(), ty.element()) {
        ([], _) => return Ok(None),
        ([Argument::Json(serde_json::Value::Null)], _) => return Ok(None),
        ([only], None) => {
            if is_empty_text(only) && (parameter.required || !value::may_be_empty(ty)) {
                return Ok(None);
            }
            match only {
                Argument::Text(text) => value::from_text(ty, text),
                Argument::Json(json) => value::from_json(ty, json),
            }
        }
        ([Argument::Text(text)], Some(_)) if text.is_empty() => return Ok(None),
        ([Argument::Json(json)], Some(_)) => value::from_json(ty, json),
        (several, Some(element)) => {
            let mut values = Vec::with_capacity(several.len());
            for argument in several {
                match argument {
                    Argument::Text(text) => values.push(value::from_text(element, text)),
                    Argument::Json(_) => return Err(repeated(name)),
                }
            }
            value::array(values)
        }
        (_, None) => return Err(repeated(name)),
    };
    let value = read.map_err(|fault| {
        Diagnostic::general(
            Code::BadParameter,
            format!("parameter `{name}` {}", fault.message),
        )
        .help(fault.help)
    })?;
    check_allowed(parameter, &value)?;
    Ok(Some(value))
}

fn is_empty_text(argument: &Argument) -> bool {
    match argument {
        Argument::Text(text) => text.is_empty(),
        Argument::Json(json) => json.as_str().is_some_and(str::is_empty),
    }
}

fn check_allowed(parameter: &Parameter, value: &Value) -> Result<(), Diagnostic> {
    let Some(allowed) = parameter.allowed_text() else {
        return Ok(());
    };
    let elements = match value {
        Value::Array(elements) => elements.as_slice(),
        single => std::slice::from_ref(single),
    };
    let Some(refused) = elements.iter().find(|v| !parameter.allowed.contains(v)) else {
        return Ok(());
    };
    let refused = match refused {
        Value::String(text) => shortened(text),
        Value::Int64(number) => number.to_string(),
        other => shortened(&format!("{other:?}")),
    };
    let name = parameter.name();
    Err(Diagnostic::general(
        Code::NotInEnum,
        format!("parameter `{name}` must not be `{refused}`"),
    )
    .help(format!("it is one of {allowed}")))
}

fn missing(parameter: &Parameter, unknown: &[&str]) -> Diagnostic {
    let name = parameter.name();
    let mut help = match parameter.allowed_text() {
        Some(allowed) => format!("it is one of {allowed}"),
        None => format!("it is a {}", parameter.type_name()),
    };
    let mistaken = unknown
        .iter()
        .find(|other| spelling::nearest(other, [name]).is_some());
    if let Some(other) = mistaken {
        help = format!(
            "{help}; `{}` was given, and names are compared exactly",
            shortened(other)
        );
    }
    Diagnostic::general(
        Code::MissingParameter,
        format!("parameter `{name}` is required and must not be empty"),
    )
    .help(help)
}

fn repeated(name: &str) -> Diagnostic {
    Diagnostic::general(
        Code::RepeatedParameter,
        format!("parameter `{name}` is given more than once"),
    )
    .help("give it once, in the query string or in the body")
}

fn no_such(parameters: &[Parameter], name: &str) -> Diagnostic {
    let diagnostic = Diagnostic::general(
        Code::UnknownParameter,
        format!("the endpoint has no parameter `{}`", shortened(name)),
    );
    let names: Vec<&str> = parameters.iter().map(Parameter::name).collect();
    if let Some(near) = spelling::nearest(name, names.iter().copied()) {
        diagnostic.help(format!("did you mean `{near}`?"))
    } else if names.is_empty() {
        diagnostic.help("it has none")
    } else {
        diagnostic.help(format!("its parameters are `{}`", names.join("`, `")))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::compiler::Declaration;
    use crate::compiler::ir::{ParameterName, Type};

    fn parameter(name: &str, ty: Type) -> Parameter {
        Parameter {
            declaration: Declaration {
                name: ParameterName::new(name),
                ty,
            },
            description: String::new(),
            required: false,
            default: None,
            allowed: Vec::new(),
        }
    }

    fn parameters() -> Vec<Parameter> {
        vec![
            Parameter {
                required: true,
                ..parameter("project", Type::String)
            },
            Parameter {
                allowed: vec![Value::string("hourly"), Value::string("daily")],
                default: Some(Value::string("daily")),
                ..parameter("interval", Type::String)
            },
            parameter("start", Type::Timestamp),
            parameter("note", Type::String),
            parameter("levels", Type::array(Type::String)),
            Parameter {
                allowed: vec![Value::Int64(200), Value::Int64(404)],
                ..parameter("codes", Type::array(Type::Int64))
            },
        ]
    }

    fn text(name: &str, value: &str) -> (String, Argument) {
        (name.into(), Argument::Text(value.into()))
    }

    fn body(name: &str, value: serde_json::Value) -> (String, Argument) {
        (name.into(), Argument::Json(value))
    }

    /// Checks the values of a call that also gives `project` and leaves `interval` at its default.
    #[track_caller]
    fn check(arguments: &[(String, Argument)], expected: &[(&str, Value)]) {
        let mut call = vec![text("project", "abc")];
        call.extend_from_slice(arguments);
        let bound = bind(&parameters(), UnknownParameters::Ignore, &call)
            .unwrap_or_else(|d| panic!("{arguments:?}: {d}"));
        let mut values: Parameters = expected
            .iter()
            .map(|(name, value)| (ParameterName::new(name), value.clone()))
            .collect();
        values.insert(ParameterName::new("project"), Value::string("abc"));
        values
            .entry(ParameterName::new("interval"))
            .or_insert(Value::string("daily"));
        assert_eq!(bound.parameters, values, "{arguments:?}");
    }

    #[test]
    fn arguments_become_values() {
        let strings = |items: &[&str]| Value::Array(items.iter().map(Value::string).collect());
        check(&[], &[]);
        check(
            &[text("interval", "hourly")],
            &[("interval", Value::string("hourly"))],
        );
        check(
            &[body("interval", json!("hourly"))],
            &[("interval", Value::string("hourly"))],
        );
        check(&[body("interval", json!(null))], &[]);
        check(
            &[text("start", "1970-01-01T00:00:01Z")],
            &[("start", Value::Timestamp(1_000_000))],
        );
        check(&[text("start", "")], &[]);
        check(&[body("start", json!(""))], &[]);
        check(&[text("note", "")], &[("note", Value::string(""))]);
        check(
            &[text("levels", "error")],
            &[("levels", strings(&["error"]))],
        );
        check(
            &[text("levels", "error"), text("levels", "a,b")],
            &[("levels", strings(&["error", "a,b"]))],
        );
        check(&[text("levels", "")], &[]);
        check(
            &[body("levels", json!(["a", "b"]))],
            &[("levels", strings(&["a", "b"]))],
        );
        check(&[body("levels", json!([]))], &[("levels", strings(&[]))]);
        check(
            &[text("codes", "404")],
            &[("codes", Value::Array(vec![Value::Int64(404)]))],
        );
    }

    #[track_caller]
    fn check_refused(arguments: &[(String, Argument)], expected: &[&str]) {
        let refused = bind(&parameters(), UnknownParameters::Reject, arguments)
            .expect_err("the call is wrong");
        let found: Vec<String> = refused
            .0
            .iter()
            .map(|d| {
                format!(
                    "{} {}; {}",
                    d.code,
                    d.message,
                    d.help.as_deref().unwrap_or("")
                )
            })
            .collect();
        assert_eq!(found, expected, "{arguments:?}");
    }

    #[test]
    fn wrong_arguments_are_refused_with_what_is_allowed() {
        let project = text("project", "abc");
        let required =
            "LB401 parameter `project` is required and must not be empty; it is a string";
        check_refused(&[], &[required]);
        check_refused(&[text("project", "")], &[required]);
        check_refused(&[body("project", json!(""))], &[required]);
        check_refused(&[body("project", json!(null))], &[required]);
        check_refused(
            &[project.clone(), text("start", "soon")],
            &[
                "LB402 parameter `start` must be a timestamp, not `soon`; write it like \
                 `2026-03-01T12:30:00Z` or `2026-03-01T12:30:00.250+01:00`, with each `+` as `%2B` in a URL",
            ],
        );
        check_refused(
            &[project.clone(), body("levels", json!("error"))],
            &[
                "LB402 parameter `levels` must be an array, not `\"error\"`; give a JSON array, or the name \
                 once for each element in the query string",
            ],
        );
        check_refused(
            &[project.clone(), text("interval", "weekly")],
            &["LB403 parameter `interval` must not be `weekly`; it is one of `hourly`, `daily`"],
        );
        check_refused(
            &[project.clone(), text("interval", "")],
            &["LB403 parameter `interval` must not be ``; it is one of `hourly`, `daily`"],
        );
        check_refused(
            &[project.clone(), body("codes", json!([200, 500]))],
            &["LB403 parameter `codes` must not be `500`; it is one of `200`, `404`"],
        );
        let repeated = "LB407 parameter `project` is given more than once; give it once, in the query \
                        string or in the body";
        check_refused(&[project.clone(), project.clone()], &[repeated]);
        check_refused(
            &[project.clone(), body("project", json!("abc"))],
            &[repeated],
        );
        check_refused(
            &[project.clone(), text("strat", "")],
            &["LB404 the endpoint has no parameter `strat`; did you mean `start`?"],
        );
        check_refused(
            &[project, text("x\ny", "")],
            &[
                "LB404 the endpoint has no parameter `x\u{fffd}y`; its parameters are `project`, \
                 `interval`, `start`, `note`, `levels`, `codes`",
            ],
        );
    }

    #[test]
    fn all_that_is_wrong_is_reported() {
        let call = [
            text("Project", "abc"),
            text("interval", &"x".repeat(100)),
            text("start", "1"),
        ];
        let refused = bind(&parameters(), UnknownParameters::Ignore, &call).expect_err("all wrong");
        let codes: Vec<String> = refused.0.iter().map(|d| d.code.to_string()).collect();
        assert_eq!(codes, ["LB401", "LB403", "LB402"]);
        let help = refused.0[0].help.as_deref().unwrap_or_default();
        assert!(help.contains("`Project` was given"), "{help}");
        let shown = format!("`{}…`", "x".repeat(64));
        assert!(
            refused.0[1].message.contains(&shown),
            "{}",
            refused.0[1].message
        );
    }

    #[test]
    fn unknown_names_are_listed_once() {
        let call = [
            text("project", "abc"),
            text("z", ""),
            text("PROJECT", "x"),
            body("z", json!(1)),
        ];
        let bound = bind(&parameters(), UnknownParameters::Ignore, &call).unwrap();
        assert_eq!(bound.ignored, ["z", "PROJECT"]);
    }
}
