//! The description of the endpoints that a token may call, as OpenAPI 3.1.
//!
//! Written from the endpoints themselves. What a token sets or may not send is not in it, nor is any
//! endpoint that it may not call.

use serde_json::{Map, Value, json};

use super::State;
use super::auth::{Scope, TokenRecord};
use crate::compiler::ir::{Column, Type};
use crate::endpoint::{Endpoint, Parameter};

/// Returns the description for a token.
pub(crate) fn document(state: &State, token: &TokenRecord) -> Value {
    let mut paths = Map::new();
    let endpoints = state.endpoints.iter();
    for endpoint in endpoints.filter(|endpoint| token.may_call(&endpoint.name)) {
        let path = format!("/api/endpoints/query/{}", endpoint.name);
        paths.insert(path, operations(state, endpoint, token));
    }
    json!({
        "openapi": "3.1.0",
        "info": {"title": "logboom", "version": env!("CARGO_PKG_VERSION")},
        "paths": paths,
        "security": [{"key": []}, {"bearer": []}],
        "components": {
            "securitySchemes": {
                "key": {"type": "apiKey", "in": "header", "name": "X-API-KEY"},
                "bearer": {"type": "http", "scheme": "bearer"},
            },
            "schemas": {"error": error()},
        },
    })
}

fn operations(state: &State, endpoint: &Endpoint, token: &TokenRecord) -> Value {
    let free: Vec<&Parameter> = endpoint
        .parameters
        .iter()
        .filter(|parameter| !token.pins.contains_key(parameter.name()))
        .collect();
    let sandbox = endpoint.sandbox && token.has_scope(Scope::Sandbox);
    let mut parameters: Vec<Value> = free.iter().map(|p| in_query(p)).collect();
    let mut properties: Map<String, Value> = free
        .iter()
        .map(|p| (p.name().to_owned(), described(p)))
        .collect();
    if sandbox {
        let subtables = endpoint.query.subtables().iter();
        let names: Vec<&str> = subtables.map(|table| table.name.as_str()).collect();
        for (name, language) in [("sql", "GoogleSQL"), ("lql", "LQL")] {
            let about = format!("A query in {language} over {}", names.join(", "));
            let schema = json!({"type": "string", "description": about});
            parameters.push(json!({"name": name, "in": "query", "description": about, "schema": {"type": "string"}}));
            properties.insert(name.into(), schema);
        }
    }
    let header = format!("{}-ENDPOINT-REDACT-PII", state.config.server.header_prefix);
    let headers = [
        (
            header.as_str(),
            json!({"type": "boolean"}),
            "Redacts personal data in the result.",
        ),
        (
            "Request-Timeout",
            json!({"type": "number"}),
            "Seconds after which the caller gives up.",
        ),
    ];
    for (name, schema, about) in headers {
        parameters
            .push(json!({"name": name, "in": "header", "description": about, "schema": schema}));
    }
    let required: Vec<&str> = free
        .iter()
        .filter(|p| p.required)
        .map(|p| p.name())
        .collect();
    let responses = responses(&endpoint.query.columns());
    json!({
        "summary": endpoint.description,
        "get": {
            "operationId": format!("get {}", endpoint.name),
            "parameters": parameters,
            "responses": responses,
        },
        "post": {
            "operationId": format!("post {}", endpoint.name),
            "description": "The same read-only call, with its parameters in the body.",
            "requestBody": {"content": {"application/json": {"schema": {
                "type": "object",
                "properties": properties,
                "required": required,
            }}}},
            "responses": responses,
        },
    })
}

fn in_query(parameter: &Parameter) -> Value {
    json!({
        "name": parameter.name(),
        "in": "query",
        "required": parameter.required,
        "description": parameter.description,
        "schema": schema_of(parameter),
    })
}

fn described(parameter: &Parameter) -> Value {
    let mut schema = schema_of(parameter);
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("description".into(), parameter.description.clone().into());
    }
    schema
}

fn schema_of(parameter: &Parameter) -> Value {
    let ty = &parameter.declaration.ty;
    let mut element = match ty.element().unwrap_or(ty) {
        // Callers write instants as text; results have them as integers.
        Type::Timestamp => json!({"type": "string", "format": "date-time"}),
        other => schema(other),
    };
    let allowed = parameter.allowed_values();
    if !allowed.is_empty()
        && let Some(element) = element.as_object_mut()
    {
        element.insert("enum".into(), Value::Array(allowed));
    }
    match ty.element() {
        Some(_) => json!({"type": "array", "items": element}),
        None => element,
    }
}

fn responses(columns: &[Column]) -> Value {
    let row = record(
        columns
            .iter()
            .map(|column| (column.name.as_str(), &column.ty)),
    );
    let text = json!({"schema": {"type": "string"}});
    json!({
        "200": {
            "description": "The rows of the stored query; a query of the caller has columns of its own.",
            "content": {
                "application/json": {"schema": {
                    "type": "object",
                    "properties": {"result": {"type": "array", "items": row}},
                    "required": ["result"],
                }},
                "application/x-ndjson": text,
                "text/csv": text,
            },
        },
        "default": {
            "description": "Why there are no rows.",
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/error"}}},
        },
    })
}

fn record<'a>(fields: impl Iterator<Item = (&'a str, &'a Type)>) -> Value {
    let mut properties = Map::new();
    for (name, ty) in fields {
        properties.insert(name.to_owned(), nullable(ty));
    }
    json!({"type": "object", "properties": properties})
}

/// A value may be NULL; an array is empty then.
fn nullable(ty: &Type) -> Value {
    match ty {
        Type::Array(_) | Type::Json => schema(ty),
        _ => json!({"anyOf": [schema(ty), {"type": "null"}]}),
    }
}

fn schema(ty: &Type) -> Value {
    match ty {
        Type::Bool => json!({"type": "boolean"}),
        Type::Int64 => json!({"type": "integer", "format": "int64"}),
        Type::Float64 => {
            json!({"anyOf": [{"type": "number"}, {"enum": ["NaN", "Infinity", "-Infinity"]}]})
        }
        Type::Numeric | Type::BigNumeric => json!({"type": "string", "format": "decimal"}),
        Type::String | Type::Time | Type::Datetime | Type::Interval => json!({"type": "string"}),
        Type::Bytes => json!({"type": "string", "contentEncoding": "base64"}),
        Type::Date => json!({"type": "string", "format": "date"}),
        Type::Timestamp => json!({
            "type": "integer",
            "format": "int64",
            "description": "Microseconds since the Unix epoch",
        }),
        Type::Json => json!({}),
        Type::Array(array) => json!({"type": "array", "items": nullable(&array.element)}),
        Type::Struct(fields) => {
            let named = fields
                .iter()
                .filter_map(|f| Some((f.name.as_ref()?.as_str(), &f.ty)));
            record(named)
        }
    }
}

fn error() -> Value {
    let text = json!({"type": "string"});
    let number = json!({"type": "integer"});
    json!({
        "type": "object",
        "properties": {
            "error": {
                "type": "object",
                "properties": {
                    "code": number,
                    "status": text,
                    "message": text,
                    "request_id": text,
                    "errors": {"type": "array", "items": {
                        "type": "object",
                        "properties": {
                            "code": text,
                            "reason": text,
                            "message": text,
                            "line": number,
                            "column": number,
                            "offset": number,
                            "length": number,
                            "help": text,
                        },
                        "required": ["code", "reason", "message"],
                    }},
                },
                "required": ["code", "status", "message", "errors", "request_id"],
            },
            "message": text,
        },
        "required": ["error", "message"],
    })
}
