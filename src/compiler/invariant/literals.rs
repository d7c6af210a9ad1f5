//! Values through the printers and back.

use std::collections::BTreeMap;

use sqlparser::dialect::GenericDialect;
use sqlparser::tokenizer::{Token, Tokenizer};

use super::{Broken, meaning};
use crate::compiler::catalog::{Catalog, is_identifier};
use crate::compiler::diagnostic::Span;
use crate::compiler::googlesql::print;
use crate::compiler::ir::{
    Body, ColumnName, Expr, ExprKind, Item, Query, Select, Statement, Type, Value,
};
use crate::compiler::{datafusion, rewrite};

/// A text comes back from each printer; from GoogleSQL's also as a name, when it is one.
///
/// # Errors
/// What came back instead.
pub fn literal_text(text: &str) -> Broken {
    literal_value(&Value::string(text), &Type::String)?;
    if !is_identifier(text) {
        return Ok(());
    }
    let statement = select(&Value::Null, &Type::Int64, text);
    let (printed, meant) = print::print_with_values(&statement, &BTreeMap::new());
    meaning::same_values(&printed, &meant)
}

/// Bytes come back from the GoogleSQL printer.
///
/// # Errors
/// What came back instead.
pub fn literal_bytes(bytes: &[u8]) -> Broken {
    literal_value(&Value::Bytes(bytes.into()), &Type::Bytes)
}

/// A value comes back from each printer.
///
/// # Errors
/// What came back instead.
pub fn literal_value(value: &Value, ty: &Type) -> Broken {
    let statement = select(value, ty, "value");
    let (text, meant) = print::print_with_values(&statement, &BTreeMap::new());
    meaning::same_values(&text, &meant)?;
    meaning::stands_for(&statement, &Catalog::default(), &[])?;
    embedded(value, statement)
}

/// `SELECT value AS name`.
fn select(value: &Value, ty: &Type, name: &str) -> Statement {
    let span = Span::default();
    let item = Item {
        name: ColumnName::new(name),
        expr: Expr::new(ExprKind::Literal(value.clone()), ty.clone(), span),
    };
    Statement {
        ctes: Vec::new(),
        query: Query {
            body: Body::Select(Box::new(Select {
                distinct: false,
                items: vec![item],
                from: None,
                filter: None,
                group_by: None,
                having: None,
                qualify: None,
            })),
            order_by: Vec::new(),
            limit: None,
            offset: None,
            span,
        },
    }
}

/// The embedded engine's reader finds a text as the one string of its query.
fn embedded(value: &Value, statement: Statement) -> Broken {
    let sql = datafusion::print(&rewrite::layout::layout(statement), usize::MAX)
        .map_err(|refused| refused.message)?;
    let tokens = Tokenizer::new(&GenericDialect {}, &sql)
        .tokenize()
        .map_err(|why| format!("{why}: {sql}"))?;
    let mut strings = tokens.iter().filter_map(|token| match token {
        Token::SingleQuotedString(text) => Some(text.as_str()),
        _ => None,
    });
    match value {
        Value::String(text) if strings.next() != Some(text) || strings.next().is_some() => {
            Err(format!("{value:?} is printed as {sql}"))
        }
        _ => Ok(()),
    }
}
