//! Our tokens to the parser library's.
//!
//! The library's own idea of what is a keyword covers two dozen dialects. Here a word is a keyword only
//! where GoogleSQL has one, and every other word is a plain name, so that the library's special forms of
//! other dialects (and those that lose information, such as its TRIM or CEIL) cannot be reached.
//!
//! Source: GoogleSQL reference, "Lexical structure and syntax", reserved keywords; "Query syntax".

use std::ops::Range;

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer as sql;
use sqlparser::tokenizer::{Location, TokenWithSpan, Word};

use crate::compiler::diagnostic::{Code, Diagnostic, Span};

use super::brackets::{LIST, bracketed_lists};
use super::joins::{around_keys, missing_brackets};
use super::lexer::{Symbol, Token, TokenKind};
use super::typed_array::{ELEMENT, TypedArray, encloses_type, typed_arrays};
use super::words::{
    begins_expression, is_callable, is_reserved_keyword, is_unreserved, keyword_of, refused,
};

/// Converts a query's tokens. Locations are on line 1, and a column is the byte offset plus 1.
///
/// STRING literals become triple-quoted ones, because the library takes the other kinds as names, too.
///
/// # Errors
/// Tokens that cannot stand where they are, or belong to a form that is not accepted.
pub(super) fn feed(tokens: &[Token]) -> Result<Vec<TokenWithSpan>, Vec<Diagnostic>> {
    let mut feed = Feed {
        tokens,
        out: Vec::with_capacity(tokens.len() + 8),
        problems: Vec::new(),
        arrays: typed_arrays(tokens),
        open: Vec::new(),
    };
    let mut brackets = missing_brackets(tokens);
    around_keys(tokens, &mut brackets);
    let lists = bracketed_lists(tokens);
    for (at, token) in tokens.iter().enumerate() {
        if brackets.close.binary_search(&at).is_ok() {
            feed.emit(sql::Token::RParen, token.span);
        }
        feed.token(at);
        if lists.binary_search(&at).is_ok() {
            feed.emit(name(LIST, None), token.span);
        }
        if brackets.open.binary_search(&at).is_ok() {
            feed.emit(sql::Token::LParen, token.span);
        }
    }
    if feed.problems.is_empty() {
        Ok(feed.out)
    } else {
        Err(feed.problems)
    }
}

struct Feed<'a> {
    tokens: &'a [Token],
    out: Vec<TokenWithSpan>,
    problems: Vec<Diagnostic>,
    /// The typed arrays.
    arrays: Vec<TypedArray>,
    /// For each square bracket that is open, whether it is that of a typed array.
    open: Vec<bool>,
}

impl Feed<'_> {
    fn kind(&self, at: Option<usize>) -> Option<&TokenKind> {
        at.and_then(|at| self.tokens.get(at)).map(|t| &t.kind)
    }

    /// Returns whether there is a word that is not a field's name.
    fn is_word(&self, at: Option<usize>, word: &str) -> bool {
        let before = at.and_then(|at| at.checked_sub(1));
        !self.is_symbol(before, Symbol::Dot)
            && matches!(self.kind(at), Some(TokenKind::Word(text)) if text.eq_ignore_ascii_case(word))
    }

    fn is_symbol(&self, at: Option<usize>, symbol: Symbol) -> bool {
        matches!(self.kind(at), Some(TokenKind::Symbol(other)) if *other == symbol)
    }

    fn emit(&mut self, token: sql::Token, span: Span) {
        self.out.push(TokenWithSpan::new(token, location(span)));
    }

    fn problem(&mut self, code: Code, span: Span, message: impl Into<String>, help: &str) {
        let diagnostic = Diagnostic::new(code, span, message);
        self.problems.push(if help.is_empty() {
            diagnostic
        } else {
            diagnostic.help(help)
        });
    }

    fn token(&mut self, at: usize) {
        let Some(Token { kind, span }) = self.tokens.get(at) else {
            return;
        };
        let span = *span;
        let after_dot = self.is_symbol(at.checked_sub(1), Symbol::Dot);
        match kind {
            TokenKind::Word(word) if after_dot => self.emit(name(word, None), span),
            TokenKind::Word(_) if self.arrays.iter().any(|array| array.word == at) => {
                self.emit(keyword("STRUCT", Keyword::STRUCT), span);
            }
            TokenKind::Word(word) => self.word(at, word, span),
            TokenKind::Quoted(text) => self.emit(name(text, Some('`')), span),
            TokenKind::Symbol(Symbol::Star) => {
                self.check_star(at, span);
                self.emit(sql::Token::Mul, span);
            }
            _ if after_dot => self.problem(
                Code::Syntax,
                span,
                "expected a name or `*` after the dot",
                "",
            ),
            TokenKind::String(text) => {
                self.emit(sql::Token::TripleSingleQuotedString(text.clone()), span);
            }
            TokenKind::Bytes(bytes) => {
                let text = bytes.iter().map(|byte| char::from(*byte)).collect();
                self.emit(sql::Token::SingleQuotedByteStringLiteral(text), span);
            }
            TokenKind::Number(text) => self.emit(sql::Token::Number(text.clone(), false), span),
            TokenKind::Parameter(parameter) => {
                self.emit(sql::Token::Placeholder(format!("@{parameter}")), span);
            }
            TokenKind::Symbol(Symbol::Less)
                if self.arrays.iter().any(|array| array.word + 1 == at) =>
            {
                self.emit(sql::Token::Lt, span);
                self.emit(name(ELEMENT, None), span);
            }
            TokenKind::Symbol(Symbol::LeftBracket) => self.open_array(at, span),
            TokenKind::Symbol(Symbol::RightBracket) => {
                let typed = self.open.pop() == Some(true);
                self.emit(
                    if typed {
                        sql::Token::RParen
                    } else {
                        sql::Token::RBracket
                    },
                    span,
                );
            }
            TokenKind::Symbol(symbol) => self.symbol(*symbol, span),
        }
    }

    fn open_array(&mut self, at: usize, span: Span) {
        let typed = self.arrays.iter().any(|array| array.bracket == at);
        self.open.push(typed);
        if !typed {
            self.emit(sql::Token::LBracket, span);
            return;
        }
        self.emit(sql::Token::LParen, span);
        self.emit(keyword("NULL", Keyword::NULL), span);
        if !self.is_symbol(Some(at + 1), Symbol::RightBracket) {
            self.emit(sql::Token::Comma, span);
        }
    }

    fn symbol(&mut self, symbol: Symbol, span: Span) {
        let token = match symbol {
            Symbol::PipeInto => {
                self.problem(
                    Code::Unsupported,
                    span,
                    "pipe syntax is not accepted",
                    "write SELECT … FROM … WHERE …, with sub-queries or WITH for the steps",
                );
                return;
            }
            Symbol::FatArrow => sql::Token::RArrow,
            Symbol::Concat => sql::Token::StringConcat,
            Symbol::ShiftLeft => sql::Token::ShiftLeft,
            Symbol::LessOrEqual => sql::Token::LtEq,
            Symbol::NotEqualAngle | Symbol::NotEqual => sql::Token::Neq,
            Symbol::ShiftRight => sql::Token::ShiftRight,
            Symbol::GreaterOrEqual => sql::Token::GtEq,
            Symbol::LeftParenthesis => sql::Token::LParen,
            Symbol::RightParenthesis => sql::Token::RParen,
            Symbol::LeftBracket => sql::Token::LBracket,
            Symbol::RightBracket => sql::Token::RBracket,
            Symbol::Comma => sql::Token::Comma,
            Symbol::Dot => sql::Token::Period,
            Symbol::Semicolon => sql::Token::SemiColon,
            Symbol::Plus => sql::Token::Plus,
            Symbol::Minus => sql::Token::Minus,
            Symbol::Star => sql::Token::Mul,
            Symbol::Slash => sql::Token::Div,
            Symbol::Equal => sql::Token::Eq,
            Symbol::Less => sql::Token::Lt,
            Symbol::Greater => sql::Token::Gt,
            Symbol::BitAnd => sql::Token::Ampersand,
            Symbol::BitOr => sql::Token::Pipe,
            Symbol::BitXor => sql::Token::Caret,
            Symbol::BitNot => sql::Token::Tilde,
        };
        self.emit(token, span);
    }

    fn word(&mut self, at: usize, word: &str, span: Span) {
        let before = at.checked_sub(1);
        let before_that = at.checked_sub(2);
        let calls = self.is_symbol(Some(at + 1), Symbol::LeftParenthesis);
        let known = keyword_of(word);
        if known == Keyword::IF {
            if calls {
                self.emit(name(word, None), span);
            } else {
                self.problem(
                    Code::Syntax,
                    span,
                    "IF is a reserved word",
                    "write IF(condition, then, otherwise), or put it in backticks if it is a name",
                );
            }
            return;
        }
        if known == Keyword::ALL && self.is_word(before, "LIMIT") {
            let help = "leave LIMIT out, or write LIMIT count";
            self.problem(
                Code::Unsupported,
                span,
                "LIMIT ALL is not accepted here",
                help,
            );
            return;
        }
        if known == Keyword::ARRAY && !self.begins_array(at + 1) {
            self.problem(
                Code::Syntax,
                span,
                "ARRAY is a reserved word",
                "write ARRAY(SELECT …), ARRAY<INT64>[1, 2], or put it in backticks if it is a name",
            );
            return;
        }
        if is_reserved_keyword(known) {
            self.check_place(at, known, span);
            if matches!(known, Keyword::IGNORE | Keyword::RESPECT)
                && self.is_symbol(before, Symbol::RightParenthesis)
            {
                self.bracket_argument(span);
            }
            if known == Keyword::WITH && self.is_word(Some(at + 1), "OFFSET") {
                self.unnest_path(span);
            }
            self.emit(keyword(word, known), span);
            return;
        }
        if let Some((reserved, help)) = refused(word) {
            self.problem(
                Code::Unsupported,
                span,
                format!("{reserved} is a reserved word for a form that is not accepted here"),
                if help.is_empty() {
                    "put it in backticks if it is a name"
                } else {
                    help
                },
            );
            return;
        }
        let is_keyword = match known {
            Keyword::OFFSET => self.is_word(before, "WITH") || self.is_word(before_that, "LIMIT"),
            Keyword::FIRST | Keyword::LAST => self.is_word(before, "NULLS"),
            Keyword::ROW => self.is_word(before, "CURRENT"),
            Keyword::ZONE => self.is_word(before, "TIME"),
            Keyword::UNKNOWN => {
                self.is_word(before, "IS")
                    || (self.is_word(before, "NOT") && self.is_word(before_that, "IS"))
            }
            Keyword::VALUE => self.is_word(before, "AS") && self.starts_select(before_that),
            Keyword::SETS => self.is_word(before, "GROUPING"),
            Keyword::MIN | Keyword::MAX => self.is_word(before, "HAVING") && !calls,
            Keyword::SAFE_CAST => calls,
            Keyword::CURRENT_DATE | Keyword::CURRENT_TIME | Keyword::CURRENT_TIMESTAMP => !calls,
            known => {
                let names_window = self.is_symbol(before, Symbol::LeftParenthesis)
                    && self.is_word(before_that, "OVER");
                is_unreserved(known) && !self.is_bare_value(at + 1) && !names_window
            }
        };
        if is_keyword {
            self.emit(keyword(word, known), span);
        } else if !calls && word.eq_ignore_ascii_case("CURRENT_DATETIME") {
            // The library knows the form without parentheses of the other three only.
            self.emit(keyword(word, Keyword::CURRENT_TIMESTAMP), span);
        } else {
            self.emit(name(word, None), span);
        }
        if is_keyword && known == Keyword::OFFSET && self.is_word(before, "WITH") {
            self.name_offset(at + 1, span);
        }
    }

    /// Returns whether a type, a list or a query of an array follows.
    fn begins_array(&self, at: usize) -> bool {
        if self.is_symbol(Some(at), Symbol::Less) {
            return encloses_type(self.tokens, at);
        }
        let begins = [Symbol::LeftBracket, Symbol::LeftParenthesis];
        // What ARRAY JOIN is in GoogleSQL is told where the library fails.
        begins
            .into_iter()
            .any(|symbol| self.is_symbol(Some(at), symbol))
            || self.is_word(Some(at), "JOIN")
    }

    /// Returns whether there is a constant other than a string, which the library would take for the
    /// value of a typed literal such as DATE '2026-01-31'.
    fn is_bare_value(&self, at: usize) -> bool {
        match self.kind(Some(at)) {
            Some(TokenKind::Number(_) | TokenKind::Bytes(_) | TokenKind::Parameter(_)) => true,
            Some(TokenKind::Word(word)) => matches!(
                keyword_of(word),
                Keyword::TRUE | Keyword::FALSE | Keyword::NULL
            ),
            _ => false,
        }
    }

    /// Refuses `(*)` but as the arguments of a function; the library takes it for `*`.
    fn check_star(&mut self, at: usize, span: Span) {
        let before = at.checked_sub(1);
        let bracketed = self.is_symbol(before, Symbol::LeftParenthesis)
            && self.is_symbol(Some(at + 1), Symbol::RightParenthesis);
        let called = match self.kind(at.checked_sub(2)) {
            Some(TokenKind::Word(word)) => !is_reserved_keyword(keyword_of(word)),
            Some(TokenKind::Quoted(_)) => true,
            _ => false,
        };
        if bracketed && !called {
            self.problem(
                Code::Syntax,
                span,
                "expected an expression, found `*`",
                "write * without brackets, or COUNT(*)",
            );
        }
    }

    /// Puts the argument before IGNORE NULLS in brackets when it is one of a call: the library would take
    /// the words as part of a call that it ends in, such as `f(x)` in `ARRAY_AGG(f(x) IGNORE NULLS)`.
    fn bracket_argument(&mut self, span: Span) {
        let mut depth = 0_usize;
        let mut start = None;
        for (at, token) in self.out.iter().enumerate().rev() {
            match &token.token {
                sql::Token::RParen | sql::Token::RBracket => depth += 1,
                sql::Token::LParen | sql::Token::LBracket if depth > 0 => depth -= 1,
                sql::Token::LParen => {
                    let start = start.unwrap_or(at + 1);
                    self.out.insert(start, bracket(sql::Token::LParen, span));
                    self.out.push(bracket(sql::Token::RParen, span));
                    return;
                }
                sql::Token::LBracket => return,
                sql::Token::Comma if depth == 0 => start = start.or(Some(at + 1)),
                sql::Token::Word(word) if depth == 0 => match word.keyword {
                    Keyword::DISTINCT => start = start.or(Some(at + 1)),
                    Keyword::SELECT => return,
                    _ => {}
                },
                _ => {}
            }
        }
    }

    /// Writes UNNEST around the array path before WITH OFFSET, if one stands there alone: the library knows the
    /// clause behind UNNEST only.
    fn unnest_path(&mut self, span: Span) {
        let mut path = self.path_before(self.out.len());
        let mut alias = None;
        if path.len() == 1 {
            let before = path.start.checked_sub(1);
            let has_as = self.out_keyword(before) == Some(Keyword::AS);
            path = self.path_before(if has_as { path.start - 1 } else { path.start });
        } else {
            alias = self.out.last().cloned();
        }
        let before = path.start.checked_sub(1);
        let begins = matches!(
            self.out_keyword(before),
            Some(Keyword::FROM | Keyword::JOIN)
        ) || before
            .and_then(|at| self.out.get(at))
            .is_some_and(|token| token.token == sql::Token::Comma);
        if path.len() < 3 || !begins {
            return;
        }
        self.out.insert(path.end, bracket(sql::Token::RParen, span));
        self.out
            .insert(path.start, bracket(sql::Token::LParen, span));
        let unnest = keyword("UNNEST", Keyword::UNNEST);
        self.out.insert(path.start, bracket(unnest, span));
        if let Some(alias) = alias {
            self.emit(keyword("AS", Keyword::AS), span);
            self.out.push(alias);
        }
    }

    /// Returns where the dotted name stands that ends before a token of the output; nowhere is an empty range.
    fn path_before(&self, end: usize) -> Range<usize> {
        let is_name = |at: usize| match self.out.get(at).map(|token| &token.token) {
            Some(sql::Token::Word(word)) => !is_reserved_keyword(word.keyword),
            _ => false,
        };
        let is_dot = |at: usize| {
            let token = self.out.get(at);
            token.is_some_and(|token| token.token == sql::Token::Period)
        };
        let mut start = end;
        while let Some(name) = start.checked_sub(1).filter(|at| is_name(*at)) {
            start = name;
            match name.checked_sub(1).filter(|at| is_dot(*at)) {
                Some(dot) => start = dot,
                None => break,
            }
        }
        start..end
    }

    fn out_keyword(&self, at: Option<usize>) -> Option<Keyword> {
        match at.and_then(|at| self.out.get(at)).map(|t| &t.token) {
            Some(sql::Token::Word(word)) => Some(word.keyword),
            _ => None,
        }
    }

    fn starts_select(&self, at: Option<usize>) -> bool {
        self.is_word(at, "SELECT") || self.is_word(at, "DISTINCT") || self.is_word(at, "ALL")
    }

    /// Makes the alias of WITH OFFSET explicit, for the library takes a keyword such as CROSS as one.
    fn name_offset(&mut self, next: usize, span: Span) {
        if self.is_word(Some(next), "AS") {
            return;
        }
        self.emit(keyword("AS", Keyword::AS), span);
        let named = match self.kind(Some(next)) {
            Some(TokenKind::Quoted(_)) => true,
            Some(TokenKind::Word(word)) => {
                !is_reserved_keyword(keyword_of(word)) && refused(word).is_none()
            }
            _ => false,
        };
        if !named {
            self.emit(name("offset", None), span);
        }
    }

    /// Refuses a reserved word where the library would take any word as the name of a table.
    fn check_place(&mut self, at: usize, known: Keyword, span: Span) {
        let before = at.checked_sub(1);
        // The library takes any word as the name of a window and before a dot.
        let names_window = self.is_word(before, "OVER") || self.is_word(before, "WINDOW");
        let begins_path = known != Keyword::END && self.is_symbol(Some(at + 1), Symbol::Dot);
        if names_window || begins_path {
            let (what, help) = if names_window {
                (
                    "a window",
                    "write OVER (), OVER (ORDER BY …) or the name of a window",
                )
            } else {
                ("a name", "put it in backticks if it is a name")
            };
            let message = format!("expected {what}, found the reserved word {known:?}");
            self.problem(Code::Syntax, span, message, help);
            return;
        }
        // FROM is also part of EXTRACT and IS DISTINCT FROM, where an expression follows.
        let begins_expression = begins_expression(known) || is_callable(known);
        let names_table = (self.is_word(before, "FROM") && !begins_expression)
            || self.is_word(before, "JOIN")
            || (self.is_word(before, "WITH") && known != Keyword::RECURSIVE);
        if known == Keyword::ROLLUP && self.is_word(before, "WITH") {
            self.problem(
                Code::ForeignSyntax,
                span,
                "WITH ROLLUP is not GoogleSQL",
                "write GROUP BY ROLLUP(a, b)",
            );
        } else if names_table && known != Keyword::UNNEST {
            self.problem(
                Code::Syntax,
                span,
                format!("expected a table, found the reserved word {known:?}"),
                "put it in backticks if it is a name",
            );
        }
        // The library takes any word as the alias of a field of STRUCT().
        let begins_type = matches!(known, Keyword::ARRAY | Keyword::RANGE | Keyword::STRUCT)
            && self.is_symbol(Some(at + 1), Symbol::Less);
        let is_mode = known == Keyword::STRUCT && self.starts_select(at.checked_sub(2));
        let names_type = begins_type || is_mode || known == Keyword::INTERVAL;
        if self.is_word(before, "AS") && !names_type {
            self.problem(
                Code::Syntax,
                span,
                format!("expected a name, found the reserved word {known:?}"),
                "put it in backticks if it is a name",
            );
        }
    }
}

fn bracket(bracket: sql::Token, span: Span) -> TokenWithSpan {
    TokenWithSpan::new(bracket, location(span))
}

fn keyword(word: &str, keyword: Keyword) -> sql::Token {
    sql::Token::Word(Word {
        value: word.to_owned(),
        quote_style: None,
        keyword,
    })
}

fn name(text: &str, quote_style: Option<char>) -> sql::Token {
    sql::Token::Word(Word {
        value: text.to_owned(),
        quote_style,
        keyword: Keyword::NoKeyword,
    })
}

fn location(span: Span) -> sql::Span {
    let place = |offset: usize| Location {
        line: 1,
        column: u64::try_from(offset).unwrap_or(u64::MAX - 1) + 1,
    };
    sql::Span::new(place(span.start), place(span.end))
}
