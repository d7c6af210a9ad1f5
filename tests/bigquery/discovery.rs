//! Requests compared with the facts of BigQuery's discovery document.

use std::sync::LazyLock;

use serde_json::Value as Json;

static FACTS: LazyLock<Json> =
    LazyLock::new(|| serde_json::from_str(include_str!("discovery.json")).expect("facts are JSON"));

/// Returns the path of the API before that of a method.
pub fn prefix() -> String {
    format!("/{}", FACTS["servicePath"].as_str().expect("a path"))
}

/// Returns what is wrong with a request of a method, such as `bigquery.jobs.query`.
pub fn violations(
    method: &str,
    verb: &str,
    path: &str,
    query: &[(String, String)],
    body: Option<&Json>,
) -> Vec<String> {
    let facts = &FACTS["methods"][method];
    let mut wrong = Vec::new();
    if facts["httpMethod"] != verb {
        wrong.push(format!("{method}: the verb {verb}"));
    }
    if !fits(facts["path"].as_str().unwrap_or_default(), path) {
        wrong.push(format!("{method}: the path {path}"));
    }
    for (name, value) in query {
        let fact = &facts["query"][name.as_str()];
        let place = format!("{method}?{name}");
        let value = match fact["type"].as_str() {
            Some("integer") => value.parse::<u64>().map_or(Json::Null, Json::from),
            Some("boolean") => value.parse::<bool>().map_or(Json::Null, Json::from),
            _ => Json::from(value.as_str()),
        };
        if value.is_null() {
            wrong.push(format!("{place}: a value of another type"));
        }
        check(fact, &value, &place, &mut wrong);
    }
    match (facts["body"].as_str(), body) {
        (Some(schema), Some(body)) => object(&FACTS["schemas"][schema], body, schema, &mut wrong),
        (None, None) => {}
        _ => wrong.push(format!("{method}: a body, or none")),
    }
    wrong
}

/// Returns whether a path is of a template such as `projects/{+projectId}/queries`.
fn fits(template: &str, path: &str) -> bool {
    let (template, path) = (template.split('/'), path.split('/'));
    template.clone().count() == path.clone().count()
        && template
            .zip(path)
            .all(|(part, found)| part == found || (part.starts_with('{') && !found.is_empty()))
}

fn object(fields: &Json, value: &Json, place: &str, wrong: &mut Vec<String>) {
    let Some(value) = value.as_object() else {
        wrong.push(format!("{place}: no object"));
        return;
    };
    for (name, value) in value {
        check(
            &fields[name.as_str()],
            value,
            &format!("{place}.{name}"),
            wrong,
        );
    }
}

fn check(fact: &Json, value: &Json, place: &str, wrong: &mut Vec<String>) {
    if fact.is_null() {
        wrong.push(format!("{place}: there is no such field"));
        return;
    }
    if fact["readOnly"] == true {
        wrong.push(format!("{place}: is for answers only"));
    }
    // JSON null is an absent field.
    if value.is_null() {
        return;
    }
    if let Some(schema) = fact["$ref"].as_str() {
        object(&FACTS["schemas"][schema], value, place, wrong);
        return;
    }
    let is_right = match fact["type"].as_str() {
        Some("string") => value.as_str().is_some_and(|text| {
            let is_number = match fact["format"].as_str() {
                Some("int64") => text.parse::<i64>().is_ok(),
                Some("uint64") => text.parse::<u64>().is_ok(),
                _ => true,
            };
            let allowed = fact["enum"].as_array();
            is_number && allowed.is_none_or(|allowed| allowed.iter().any(|a| a == text))
        }),
        Some("integer") => match fact["format"].as_str() {
            Some("uint32") => value.as_u64().is_some_and(|n| u32::try_from(n).is_ok()),
            _ => value.as_i64().is_some_and(|n| i32::try_from(n).is_ok()),
        },
        Some("boolean") => value.is_boolean(),
        Some("array") => value.as_array().is_some_and(|items| {
            for item in items {
                check(&fact["items"], item, &format!("{place}[]"), wrong);
            }
            true
        }),
        Some("object") => value.as_object().is_some_and(|members| {
            for (name, member) in members {
                let of = match fact.get("additionalProperties") {
                    Some(of) => of,
                    None => &fact["properties"][name.as_str()],
                };
                check(of, member, &format!("{place}.{name}"), wrong);
            }
            true
        }),
        _ => false,
    };
    if !is_right {
        wrong.push(format!("{place}: {value} is of another type"));
    }
}
