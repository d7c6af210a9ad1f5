//! The grammar that the parser library is asked to read: GoogleSQL, as far as queries go.
//!
//! It claims to be the library's BigQuery dialect, because some rules are tied to that name, and turns off
//! what BigQuery does not share with the rest of this compiler: statements, pipes, queries that begin with
//! FROM, time travel. What the library accepts beyond GoogleSQL for every dialect is refused by `feed`,
//! where words become keywords, or by the analyzer, which lists what it understands.
//!
//! Source: GoogleSQL reference, "Operators", operator precedence; where it is silent or wrong (`||` binds
//! less than `*` and more than `+`), Google's own parser.

use std::any::TypeId;

use sqlparser::ast::{BinaryOperator, Expr, UnaryOperator};
use sqlparser::dialect::{BigQueryDialect, Dialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::{Token, Word};

use super::brackets::{LIST, is_bracketed_query};
use super::words::{begins_expression, is_callable, is_reserved_keyword, is_unreserved};

/// What is said where GoogleSQL wants parentheses around an operand.
pub(super) const PARENTHESES: &str = "parentheses around the operand";

/// GoogleSQL.
#[derive(Debug)]
pub struct GoogleSql;

impl GoogleSql {
    const COMPARISON: u8 = 20;
    const SHIFT: u8 = 25;
    const CONCAT: u8 = 35;
    const MULTIPLY: u8 = 40;
}

impl Dialect for GoogleSql {
    fn dialect(&self) -> TypeId {
        TypeId::of::<BigQueryDialect>()
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        ch.is_ascii_alphabetic() || ch == '_'
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        ch.is_ascii_alphanumeric() || ch == '_'
    }

    fn supports_projection_trailing_commas(&self) -> bool {
        true
    }

    fn supports_window_function_null_treatment_arg(&self) -> bool {
        true
    }

    fn supports_window_clause_named_window_reference(&self) -> bool {
        true
    }

    fn supports_select_wildcard_except(&self) -> bool {
        true
    }

    fn supports_select_wildcard_replace(&self) -> bool {
        true
    }

    fn require_interval_qualifier(&self) -> bool {
        true
    }

    fn supports_struct_literal(&self) -> bool {
        true
    }

    fn supports_select_expr_star(&self) -> bool {
        true
    }

    fn supports_group_by_expr(&self) -> bool {
        true
    }

    fn supports_bitwise_shift_operators(&self) -> bool {
        true
    }

    fn supports_named_fn_args_with_rarrow_operator(&self) -> bool {
        true
    }

    /// Asked after a comma, to tell whether the list ends with it.
    fn is_column_alias(&self, keyword: &Keyword, _parser: &mut Parser) -> bool {
        !is_reserved_keyword(*keyword) || begins_expression(*keyword) || is_callable(*keyword)
    }

    /// Asked when a special form could not be read, to tell whether the word may be a name instead.
    fn is_reserved_for_identifier(&self, keyword: Keyword) -> bool {
        keyword == Keyword::SAFE_CAST || (is_reserved_keyword(keyword) && !is_callable(keyword))
    }

    fn is_select_item_alias(&self, _: bool, keyword: &Keyword, _: &mut Parser) -> bool {
        !is_reserved_keyword(*keyword)
    }

    fn is_table_factor_alias(&self, _: bool, keyword: &Keyword, _: &mut Parser) -> bool {
        !is_reserved_keyword(*keyword)
    }

    fn prec_value(&self, precedence: Precedence) -> u8 {
        match precedence {
            Precedence::Period => 100,
            Precedence::DoubleColon => 50,
            Precedence::MulDivModOp => Self::MULTIPLY,
            Precedence::PlusMinus => 30,
            Precedence::Xor => 24,
            Precedence::Ampersand => 23,
            Precedence::Caret => 22,
            Precedence::Pipe | Precedence::Colon | Precedence::PgOther => 21,
            Precedence::Between | Precedence::Eq | Precedence::Like | Precedence::Is => {
                Self::COMPARISON
            }
            Precedence::UnaryNot => 15,
            Precedence::And => 10,
            Precedence::Or => 5,
            // Only in EXTRACT, where it follows a whole expression.
            Precedence::AtTz => 1,
        }
    }

    fn get_next_precedence(&self, parser: &Parser) -> Option<Result<u8, ParserError>> {
        let precedence = match &parser.peek_token_ref().token {
            Token::StringConcat => Self::CONCAT,
            Token::ShiftLeft | Token::ShiftRight => Self::SHIFT,
            // A prefix operator only.
            Token::Tilde => self.prec_unknown(),
            Token::Word(word) if word.keyword == Keyword::NOT => {
                match &parser.peek_nth_token_ref(1).token {
                    Token::Word(next)
                        if matches!(
                            next.keyword,
                            Keyword::IN | Keyword::BETWEEN | Keyword::LIKE
                        ) =>
                    {
                        Self::COMPARISON
                    }
                    _ => self.prec_unknown(),
                }
            }
            _ => return None,
        };
        Some(Ok(precedence))
    }

    fn parse_prefix(&self, parser: &mut Parser) -> Option<Result<Expr, ParserError>> {
        let next = parser.peek_token_ref();
        match &next.token {
            // The library lets `~` reach over a product.
            Token::Tilde => {
                parser.advance_token();
                Some(
                    parser
                        .parse_subexpr(Self::MULTIPLY)
                        .map(|expr| Expr::UnaryOp {
                            op: UnaryOperator::BitwiseNot,
                            expr: Box::new(expr),
                        }),
                )
            }
            // The library takes any word as a column.
            Token::Word(word) if is_reserved_keyword(word.keyword) => {
                let called = parser.peek_nth_token_ref(1).token == Token::LParen;
                let begins =
                    begins_expression(word.keyword) || (called && is_callable(word.keyword));
                (!begins).then(|| parser.expected_ref("an expression", next))
            }
            // The library would first read every word and constant as the type of a literal such as DATE '2026-01-31',
            // to no avail.
            Token::Word(word) if is_path(word, &parser.peek_nth_token_ref(1).token) => {
                let name = word.to_ident(next.span);
                parser.advance_token();
                Some(Ok(Expr::Identifier(name)))
            }
            Token::Word(word) if word.value == LIST => {
                parser.advance_token();
                Some(parser.parse_prefix())
            }
            Token::LParen if is_bracketed_query(parser) => {
                parser.advance_token();
                let query = parser.parse_query();
                let query = query.and_then(|query| {
                    parser.expect_token(&Token::RParen)?;
                    Ok(Expr::Subquery(query))
                });
                Some(query)
            }
            Token::Number(..) | Token::TripleSingleQuotedString(_) | Token::Placeholder(_) => {
                Some(parser.parse_value().map(Expr::Value))
            }
            _ => None,
        }
    }

    /// Refuses what the library would group in some way and GoogleSQL wants in parentheses: a chain of
    /// comparisons, and NOT as a right operand.
    fn parse_infix(
        &self,
        parser: &mut Parser,
        left: &Expr,
        precedence: u8,
    ) -> Option<Result<Expr, ParserError>> {
        if precedence < Self::COMPARISON {
            return None;
        }
        let operator = parser.peek_token_ref();
        if precedence == Self::COMPARISON && is_comparison(left) {
            return Some(parser.expected_ref(PARENTHESES, operator));
        }
        let is_word =
            |token: &Token, keyword| matches!(token, Token::Word(w) if w.keyword == keyword);
        let next = parser.peek_nth_token_ref(1);
        if is_word(&next.token, Keyword::NOT) && !is_word(&operator.token, Keyword::IS) {
            return Some(parser.expected_ref(PARENTHESES, next));
        }
        None
    }
}

/// Returns whether a word is the name of a column or the beginning of a path, and not of a call or a typed literal.
fn is_path(word: &Word, next: &Token) -> bool {
    match next {
        Token::LParen => false,
        Token::TripleSingleQuotedString(_) => word.keyword == Keyword::NoKeyword,
        Token::Word(next) if next.keyword == Keyword::WITH => word.keyword == Keyword::NoKeyword,
        _ => word.keyword == Keyword::NoKeyword || is_unreserved(word.keyword),
    }
}

/// Returns whether an expression is a comparison without parentheses around it.
fn is_comparison(expr: &Expr) -> bool {
    match expr {
        Expr::BinaryOp { op, .. } => matches!(
            op,
            BinaryOperator::Eq
                | BinaryOperator::NotEq
                | BinaryOperator::Lt
                | BinaryOperator::LtEq
                | BinaryOperator::Gt
                | BinaryOperator::GtEq
        ),
        Expr::Like { .. }
        | Expr::InList { .. }
        | Expr::InSubquery { .. }
        | Expr::InUnnest { .. }
        | Expr::Between { .. }
        | Expr::AnyOp { .. }
        | Expr::AllOp { .. }
        | Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsTrue(_)
        | Expr::IsNotTrue(_)
        | Expr::IsFalse(_)
        | Expr::IsNotFalse(_)
        | Expr::IsUnknown(_)
        | Expr::IsNotUnknown(_)
        | Expr::IsDistinctFrom(..)
        | Expr::IsNotDistinctFrom(..) => true,
        _ => false,
    }
}
