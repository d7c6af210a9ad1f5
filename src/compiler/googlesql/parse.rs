//! Tokens to the parser library's syntax tree.
//!
//! The library never sees the text, so its tokeniser, its unescaping and its printer play no part. What
//! holds afterwards: the text is exactly one query. The tree is the library's and wider than GoogleSQL;
//! the analyzer lists what it understands. It is never cloned, compared or printed, because each of
//! these recurses as deep as the longest chain of operators.

use sqlparser::ast;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer as sql;

use crate::compiler::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use crate::compiler::limits::Limits;

use super::dialect::{GoogleSql, PARENTHESES};
use super::feed;
use super::lexer::{self, Symbol, Token, TokenKind};

/// Words that begin a statement that is no query.
const STATEMENTS: &[&str] = &[
    "ALTER", "ANALYZE", "ASSERT", "ATTACH", "BEGIN", "CALL", "COMMIT", "COPY", "CREATE", "DECLARE",
    "DEFINE", "DELETE", "DESC", "DESCRIBE", "DROP", "EXECUTE", "EXPLAIN", "EXPORT", "GRANT",
    "INSERT", "INSTALL", "LOAD", "MERGE", "PRAGMA", "RENAME", "REVOKE", "ROLLBACK", "SET", "SHOW",
    "TABLE", "TRUNCATE", "UPDATE", "USE", "VACUUM", "VALUES",
];

/// Reads a text as exactly one query.
///
/// In the tree, a STRING literal is a `Value::TripleSingleQuotedString` with its decoded text (see
/// [`text_of`]), a BYTES literal a `Value::SingleQuotedByteStringLiteral` (see [`bytes_of`]), a parameter
/// a `Value::Placeholder` that begins with `@`. Every function call is an `Expr::Function`, but for CAST,
/// SAFE_CAST and EXTRACT. Spans are turned back by [`span_of`].
///
/// # Errors
/// Every lexical problem, or the first problem of syntax, or a text that is no query.
pub fn parse(text: &str, limits: &Limits) -> Result<ast::Query, Diagnostics> {
    let tokens = lexer::lex(text, limits)?;
    check_statement(&tokens)?;
    let fed = feed::feed(&tokens).map_err(|problems| Diagnostics(problems).sorted())?;
    let mut parser = Parser::new(&GoogleSql)
        .with_recursion_limit(limits.depth)
        .with_tokens_with_locations(fed);
    let source = Source {
        text,
        tokens: &tokens,
        depth: limits.depth,
    };
    let query = match parser.parse_query() {
        Ok(query) => query,
        Err(error) => return Err(source.explain(&error, &parser).into()),
    };
    let _ = parser.consume_token(&sql::Token::SemiColon);
    let rest = parser.peek_token_ref();
    if rest.token == sql::Token::EOF {
        Ok(*query)
    } else {
        let place = span_of(rest.span).start;
        Err(source.unexpected(None, Some(place)).into())
    }
}

/// Returns the place in the query text that a span of the syntax tree stands for; nothing of an empty one.
///
/// Computing the span of an expression walks it, so ask leaves rather than chains.
#[must_use]
pub fn span_of(span: sql::Span) -> Span {
    if span.start.line == 0 {
        return Span::default();
    }
    let offset = |column: u64| usize::try_from(column.saturating_sub(1)).unwrap_or(usize::MAX);
    Span::new(offset(span.start.column), offset(span.end.column))
}

/// Returns the decoded text of a STRING literal.
#[must_use]
pub fn text_of(value: &ast::Value) -> Option<&str> {
    if let ast::Value::TripleSingleQuotedString(text) = value {
        Some(text)
    } else {
        None
    }
}

/// Returns the bytes of a BYTES literal, which the syntax tree holds as characters U+0000 to U+00FF.
#[must_use]
pub fn bytes_of(text: &str) -> Vec<u8> {
    text.chars()
        .map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?'))
        .collect()
}

/// Refuses what is not one query statement.
fn check_statement(tokens: &[Token]) -> Result<(), Diagnostics> {
    let semicolon = tokens
        .iter()
        .position(|token| matches!(token.kind, TokenKind::Symbol(Symbol::Semicolon)));
    if let Some(next) = semicolon.and_then(|at| tokens.get(at + 1)) {
        return Err(Diagnostic::new(
            Code::NotAQuery,
            next.span,
            "the text has more than one statement",
        )
        .help("send one query, with at most one semicolon at its end")
        .into());
    }
    let Some(first) = tokens.first() else {
        return Ok(());
    };
    let diagnostic = match &first.kind {
        TokenKind::Word(word) if is_one_of(word, &["SELECT", "WITH"]) => return Ok(()),
        TokenKind::Symbol(Symbol::LeftParenthesis) => return Ok(()),
        TokenKind::Word(word) if is_one_of(word, &["FROM"]) => Diagnostic::new(
            Code::Unsupported,
            first.span,
            "a query that begins with FROM is not accepted",
        )
        .help("write SELECT … FROM …"),
        TokenKind::Word(word) if is_one_of(word, STATEMENTS) => Diagnostic::new(
            Code::NotAQuery,
            first.span,
            format!("{} is no query", word.to_ascii_uppercase()),
        )
        .help("only a query can be sent: SELECT …, or WITH … SELECT …"),
        _ => Diagnostic::new(
            Code::Syntax,
            first.span,
            "a query begins with SELECT or WITH",
        ),
    };
    Err(diagnostic.into())
}

fn is_one_of(word: &str, list: &[&str]) -> bool {
    list.iter().any(|entry| entry.eq_ignore_ascii_case(word))
}

/// The text an error is about.
struct Source<'a> {
    text: &'a str,
    tokens: &'a [Token],
    /// Levels of nesting that the parser was allowed.
    depth: usize,
}

impl Source<'_> {
    /// Says in our words what the library found wrong.
    fn explain(&self, error: &ParserError, parser: &Parser<'_>) -> Diagnostic {
        let here = span_of(parser.peek_token_ref().span);
        let message = match error {
            ParserError::ParserError(message) | ParserError::TokenizerError(message) => message,
            ParserError::RecursionLimitExceeded => {
                let message = format!(
                    "the query is nested deeper than {} levels (limits.depth)",
                    self.depth
                );
                return if here.is_empty() {
                    Diagnostic::general(Code::QueryTooDeep, message)
                } else {
                    Diagnostic::new(Code::QueryTooDeep, here, message)
                };
            }
        };
        // A message with a place ends in it, whatever names and literals stand before.
        let place = message
            .rsplit_once(" at Line: 1, Column: ")
            .and_then(|(_, column)| column.parse::<usize>().ok())
            .map(|column| column.saturating_sub(1));
        if message.starts_with("INTERVAL requires a unit") {
            return self
                .unexpected(Some("a unit after the interval"), place)
                .help("write INTERVAL 15 MINUTE: a number and a unit in the singular");
        }
        let expected = message
            .strip_prefix("Expected: ")
            .and_then(|rest| rest.split_once(", found: "))
            .and_then(|(expected, _)| in_our_words(expected));
        let place = match place {
            Some(place) => Some(place),
            None if message.contains(", found: EOF") || here.is_empty() => None,
            None => Some(here.start),
        };
        self.unexpected(expected.as_deref(), place)
    }

    /// Reports the token at an offset; without one, the end of the text.
    fn unexpected(&self, expected: Option<&str>, place: Option<usize>) -> Diagnostic {
        let at = place.and_then(|place| self.tokens.iter().position(|t| t.span.start == place));
        let found = at.and_then(|at| self.tokens.get(at));
        let (span, found) = match (found, self.tokens.last()) {
            (Some(token), _) => (token.span, self.describe(token)),
            (None, Some(last)) => (
                Span::new(last.span.end, last.span.end),
                "the end of the query".to_owned(),
            ),
            (None, None) => (Span::default(), "nothing".to_owned()),
        };
        let message = match expected {
            Some(expected) => format!("expected {expected}, found {found}"),
            None => format!("unexpected {found}"),
        };
        let diagnostic = Diagnostic::new(Code::Syntax, span, message);
        match at.and_then(|at| self.habit(at)) {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        }
    }

    fn describe(&self, token: &Token) -> String {
        match &token.kind {
            TokenKind::String(_) | TokenKind::Bytes(_) => "a string literal".to_owned(),
            TokenKind::Word(_)
            | TokenKind::Quoted(_)
            | TokenKind::Number(_)
            | TokenKind::Parameter(_)
            | TokenKind::Symbol(_) => {
                let text = self.text.get(token.span.start..token.span.end);
                // A backtick in a message stands for code already.
                format!("`{}`", text.unwrap_or("").trim_matches('`'))
            }
        }
    }

    /// Returns what to write instead of a form of another database, which often stands just before the
    /// token that could not be read, where it was taken for an alias.
    fn habit(&self, at: usize) -> Option<&'static str> {
        let word = |at: Option<usize>| match at.and_then(|at| self.tokens.get(at)) {
            Some(Token {
                kind: TokenKind::Word(word),
                ..
            }) => word.to_ascii_lowercase(),
            _ => String::new(),
        };
        let found = word(Some(at));
        let before = word(at.checked_sub(1));
        let is_symbol = |symbol| {
            self.tokens
                .get(at)
                .is_some_and(|token| token.kind == TokenKind::Symbol(symbol))
        };
        if is_symbol(Symbol::Comma) && word(at.checked_sub(2)) == "limit" {
            return Some("write LIMIT count OFFSET skip");
        }
        if is_symbol(Symbol::BitNot) {
            return Some("a pattern is matched by REGEXP_CONTAINS(x, r'…')");
        }
        let previous = at.checked_sub(1).and_then(|at| self.tokens.get(at));
        let star = TokenKind::Symbol(Symbol::Star);
        if is_symbol(Symbol::Star) && previous.is_some_and(|token| token.kind == star) {
            return Some("write POW(a, b)");
        }
        let is_string = self
            .tokens
            .get(at)
            .is_some_and(|token| matches!(token.kind, TokenKind::String(_)));
        let names_table = before == "from" || before == "join";
        if names_table && (is_string || is_symbol(Symbol::LeftBracket)) {
            return Some("a name is quoted by backticks: `name`");
        }
        if found == "from" && !matches!(before.as_str(), "select" | "distinct" | "all" | "") {
            return Some("a SELECT has one FROM; write JOIN for another table");
        }
        if found == "by" && word(at.checked_sub(2)) == "limit" {
            return Some("write QUALIFY ROW_NUMBER() OVER (PARTITION BY x ORDER BY y) <= count");
        }
        let by_name = found == "by" || found == "corresponding";
        if by_name && matches!(before.as_str(), "all" | "distinct") {
            return Some("columns are matched by their place: list them in the same order");
        }
        if found == "all" && before == "like" {
            return Some("write x LIKE 'a%' AND x LIKE 'b%'");
        }
        if found == "not" && word(Some(at + 1)) == "ilike" {
            return habit_of("ilike");
        }
        if is_symbol(Symbol::Greater) && word(at.checked_sub(3)) == "array" {
            return Some("write the elements in square brackets: ARRAY<INT64>[1, 2]");
        }
        if before == "as" && is_string {
            return Some("an alias is written without quotes, or in backticks: AS `name`");
        }
        if found == "as" && word(at.checked_sub(3)) == "try_cast" {
            return Some("write SAFE_CAST(x AS type)");
        }
        if before == "in" && word(at.checked_sub(4)) == "position" {
            return Some("write STRPOS(text, part)");
        }
        habit_of(&found).or_else(|| habit_of(&before))
    }
}

fn habit_of(word: &str) -> Option<&'static str> {
    Some(match word {
        "ilike" => "write LOWER(x) LIKE '%text%'",
        "rlike" | "regexp" | "similar" | "glob" | "match" => "write REGEXP_CONTAINS(x, r'…')",
        "top" => "write LIMIT count at the end of the query",
        "offset" => "OFFSET follows LIMIT: LIMIT count OFFSET skip",
        "percent" => "LIMIT counts rows: LIMIT count",
        "semi" => "write WHERE EXISTS (SELECT 1 FROM … WHERE …)",
        "anti" => "write WHERE NOT EXISTS (SELECT 1 FROM … WHERE …)",
        "asof" => "write QUALIFY ROW_NUMBER() OVER (PARTITION BY … ORDER BY …) = 1 after a join",
        "on" => "ON goes with JOIN, LEFT JOIN, RIGHT JOIN and FULL JOIN, one with each",
        "rename" => "write * EXCEPT (a), a AS b",
        "materialized" => "write WITH name AS (SELECT …)",
        "ordinality" => "write WITH OFFSET AS name",
        "array" => "write CROSS JOIN UNNEST(array) AS x",
        "placing" => "write CONCAT(SUBSTR(…), …, SUBSTR(…))",
        "format" => "write FORMAT_TIMESTAMP(format, ts), or PARSE_TIMESTAMP(format, text)",
        "both" | "leading" | "trailing" => "write TRIM(text, characters), LTRIM or RTRIM",
        "form" | "fom" | "frm" | "fron" | "fromm" => "did you mean FROM?",
        "where" => "WHERE stands after FROM and before GROUP BY and ORDER BY",
        "timestamptz" | "timestamp_ltz" => "write TIMESTAMP '2026-01-31 00:00:00+00'",
        "div" => "write DIV(a, b)",
        "mod" => "write MOD(a, b)",
        "xor" => "write (a OR b) AND NOT (a AND b), or a != b",
        "minus" => "write EXCEPT DISTINCT",
        "isnull" => "write x IS NULL",
        "notnull" => "write x IS NOT NULL",
        "filter" => "write COUNTIF(condition), or an aggregate of IF(condition, x, NULL)",
        "pivot" | "unpivot" | "match_recognize" => "this form is not accepted; write GROUP BY",
        "seconds" | "minutes" | "hours" | "days" | "weeks" | "months" | "years" => {
            "a date part is written in the singular, such as MINUTE"
        }
        "epoch" => "write UNIX_SECONDS(timestamp)",
        "dow" => "write DAYOFWEEK, from 1 for Sunday",
        "doy" => "write DAYOFYEAR",
        _ => return None,
    })
}

/// Returns what the library expected in our words, if its words make sense to a reader.
fn in_our_words(expected: &str) -> Option<String> {
    let words = match expected {
        PARENTHESES | "an expression" => expected,
        "identifier" | "an identifier after AS" => "a name",
        "an identifier or a '*' after '.'" => "a name or `*` after the dot",
        "SELECT, VALUES, or a subquery in the query body" => "a query",
        "joined table" => "a join inside the parentheses",
        "JOIN or APPLY after CROSS" => "`JOIN` after CROSS",
        "date/time field" => "a date part such as DAY",
        "VALUE or STRUCT" => "`STRUCT`",
        "ROWS, RANGE, GROUPS" => "`ROWS` or `RANGE`",
        "IN or BETWEEN after NOT" => "`IN`, `LIKE` or `BETWEEN` after NOT",
        "a data type name" => "a type",
        _ if expected.starts_with("[NOT] NULL | TRUE") => {
            "`NULL`, `TRUE`, `FALSE` or `DISTINCT FROM` after IS"
        }
        _ if expected
            .bytes()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_punctuation())
            && expected.len() <= 16 =>
        {
            return Some(format!("`{expected}`"));
        }
        _ => return None,
    };
    Some(words.to_owned())
}

#[cfg(test)]
mod tests;
