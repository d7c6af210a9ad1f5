//! The text for the embedded engine, read by the reader that the engine uses.

use std::collections::BTreeSet;

use sqlparser::ast::Statement as Parsed;
use sqlparser::dialect::GenericDialect;
use sqlparser::parser::Parser;
use sqlparser::tokenizer::{Token, Tokenizer};

use super::Broken;
use crate::compiler::ir::visit::{Visit, walk_from};
use crate::compiler::ir::{From, Source, Statement};

/// The text is one query that names no table but the statement's CTEs and streams.
///
/// # Errors
/// What is otherwise.
pub(super) fn names_known(statement: &Statement, sql: &str) -> Broken {
    let parsed = Parser::new(&GenericDialect {})
        .with_recursion_limit(4_000)
        .try_with_sql(sql)
        .and_then(|mut parser| parser.parse_statements())
        .map_err(|why| format!("{why}: {sql}"))?;
    if !matches!(parsed.as_slice(), [Parsed::Query(_)]) {
        return Err(format!("not one query: {sql}"));
    }
    let tokens = Tokenizer::new(&GenericDialect {}, sql)
        .tokenize()
        .map_err(|why| format!("{why}: {sql}"))?;
    let tokens: Vec<Token> = tokens
        .into_iter()
        .filter(|token| !matches!(token, Token::Whitespace(_)))
        .collect();
    let known = Tables::of(statement).0;
    let word = |token: Option<&Token>, text: &str| matches!(token, Some(Token::Word(word)) if word.quote_style.is_none() && word.value == text);
    for (at, token) in tokens.iter().enumerate() {
        let before = |back: usize| at.checked_sub(back).and_then(|at| tokens.get(at));
        let names_table =
            word(before(1), "JOIN") || (word(before(1), "FROM") && !word(before(2), "DISTINCT"));
        let is_known = match token {
            Token::Word(name) if name.quote_style == Some('"') => {
                known.contains(&name.value) || name.value == "unnest"
            }
            Token::LParen => true,
            _ => false,
        };
        if names_table && !is_known {
            return Err(format!("reads {token:?}: {sql}"));
        }
    }
    Ok(())
}

/// What the tables of a statement are called.
struct Tables(BTreeSet<String>);

impl Tables {
    fn of(statement: &Statement) -> Self {
        let mut tables = Self(BTreeSet::new());
        for cte in &statement.ctes {
            tables.0.insert(cte.name.to_string());
            tables.query(&cte.query);
        }
        tables.query(&statement.query);
        tables
    }
}

impl Visit for Tables {
    fn from(&mut self, from: &From) {
        if let From::Table(table) = from
            && let Source::Stream(stream) = &table.source
        {
            self.0.insert(stream.to_string());
        }
        walk_from(self, from);
    }
}
