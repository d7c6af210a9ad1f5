//! Text to tokens by GoogleSQL's lexical rules, exactly.
//!
//! What holds afterwards: every literal is decoded, every quoted identifier is plain, comments and blanks
//! are gone, brackets match and are not nested too deep, and the text is within its limits. Forms that
//! only other SQL dialects have are refused here with the GoogleSQL form, because a reader that guesses at
//! them would see another query than the engine.
//!
//! Source: GoogleSQL reference, "Lexical structure and syntax".

use crate::compiler::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use crate::compiler::limits::Limits;

use super::literal::{self, Form};

/// A token and its place in the text.
#[derive(Clone, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it was written.
    pub span: Span,
}

/// What a token is. Values are decoded.
#[derive(Clone, Debug, PartialEq)]
pub enum TokenKind {
    /// A keyword or an identifier without quotes, as it was written.
    Word(String),
    /// An identifier in backticks, without them: `[A-Za-z_][A-Za-z0-9_]*`, or several of these with dots
    /// between, which only the name of a table can be.
    Quoted(String),
    /// A STRING literal.
    String(String),
    /// A BYTES literal.
    Bytes(Vec<u8>),
    /// A number without sign: a decimal integer (also of a hexadecimal one) or a decimal fraction with
    /// optional exponent.
    Number(String),
    /// A named parameter, without `@` and in lower case.
    Parameter(String),
    /// An operator or punctuation.
    Symbol(Symbol),
}

macro_rules! symbols {
    ($($name:ident = $text:literal,)+) => {
        /// An operator or punctuation mark of GoogleSQL.
        #[expect(missing_docs, reason = "each is documented by its spelling")]
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Symbol {
            $($name,)+
        }

        impl Symbol {
            /// Every symbol, a longer one before those it begins with.
            pub const ALL: &'static [Symbol] = &[$(Symbol::$name,)+];

            /// Returns the spelling.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Symbol::$name => $text,)+
                }
            }
        }
    };
}

symbols! {
    PipeInto = "|>",
    Concat = "||",
    ShiftLeft = "<<",
    LessOrEqual = "<=",
    NotEqualAngle = "<>",
    ShiftRight = ">>",
    GreaterOrEqual = ">=",
    NotEqual = "!=",
    FatArrow = "=>",
    LeftParenthesis = "(",
    RightParenthesis = ")",
    LeftBracket = "[",
    RightBracket = "]",
    Comma = ",",
    Dot = ".",
    Semicolon = ";",
    Plus = "+",
    Minus = "-",
    Star = "*",
    Slash = "/",
    Equal = "=",
    Less = "<",
    Greater = ">",
    BitAnd = "&",
    BitOr = "|",
    BitXor = "^",
    BitNot = "~",
}

/// Forms of other dialects that begin like nothing in GoogleSQL: spelling, what it is, what to write.
/// A longer one stands before those it begins with.
const FOREIGN: &[(&str, &str, &str)] = &[
    (
        "::",
        "`::` is no cast in GoogleSQL",
        "write CAST(x AS type), or SAFE_CAST",
    ),
    (
        ":=",
        "`:=` is not GoogleSQL",
        "an alias is written `x AS name`",
    ),
    (
        ":",
        "`:` is not GoogleSQL",
        "a parameter is written `@name`, a field of JSON JSON_VALUE(x, '$.field')",
    ),
    (
        "->>",
        "`->>` is not GoogleSQL",
        "write JSON_VALUE(x, '$.field')",
    ),
    (
        "->",
        "`->` is not accepted",
        "write JSON_QUERY(x, '$.field') for a field of JSON; lambdas are not accepted",
    ),
    ("==", "`==` is not GoogleSQL", "write `=`"),
    ("&&", "`&&` is not GoogleSQL", "write AND"),
    (
        "!~",
        "`!~` is not GoogleSQL",
        "write NOT REGEXP_CONTAINS(x, r'…')",
    ),
    (
        "~*",
        "`~*` is not GoogleSQL",
        "write REGEXP_CONTAINS(x, r'(?i)…')",
    ),
    ("%", "`%` is not GoogleSQL", "write MOD(a, b)"),
    (
        "?",
        "positional parameters are not accepted",
        "write a named parameter: @name",
    ),
    (
        "$$",
        "`$$` is not GoogleSQL",
        "a string is written '…', or '''…''' over several lines",
    ),
    (
        "$",
        "`$` is not GoogleSQL",
        "a string is written '…', a parameter @name",
    ),
    (
        "{",
        "`{` is not GoogleSQL",
        "a record is written STRUCT(x AS name)",
    ),
    (
        "}",
        "`}` is not GoogleSQL",
        "a record is written STRUCT(x AS name)",
    ),
    ("!", "`!` is not GoogleSQL", "write NOT"),
];

/// Splits a query text into tokens.
///
/// # Errors
/// Every lexical problem that can be told in one go, and every limit on the text that it exceeds.
pub fn lex(text: &str, limits: &Limits) -> Result<Vec<Token>, Diagnostics> {
    if text.len() > limits.query_bytes {
        return Err(Diagnostic::general(
            Code::TooLong,
            format!(
                "the query has {} bytes, and at most {} are allowed (limits.query_bytes)",
                text.len(),
                limits.query_bytes
            ),
        )
        .into());
    }
    let mut lexer = Lexer {
        text,
        at: 0,
        limits,
        // Words have some letters and blanks between them.
        tokens: Vec::with_capacity(limits.tokens.min(text.len() / 4 + 1)),
        open: Vec::new(),
        problems: Vec::new(),
        stopped: false,
    };
    lexer.run();
    if lexer.problems.is_empty() {
        Ok(lexer.tokens)
    } else {
        Err(Diagnostics(lexer.problems).sorted())
    }
}

struct Lexer<'a> {
    text: &'a str,
    /// Offset of the next byte; always at the start of a character.
    at: usize,
    limits: &'a Limits,
    tokens: Vec<Token>,
    /// Brackets that are open: the symbol that closes each, and where it was opened.
    open: Vec<(Symbol, Span)>,
    problems: Vec<Diagnostic>,
    /// Whether the rest of the text cannot be told apart or is over a limit.
    stopped: bool,
}

impl<'a> Lexer<'a> {
    fn run(&mut self) {
        while !self.stopped {
            self.skip_blanks();
            let Some(first) = self.rest().chars().next() else {
                break;
            };
            if self.stopped {
                break;
            }
            match first {
                'A'..='Z' | 'a'..='z' | '_' => self.word(),
                '0'..='9' => self.number(),
                '.' if self.digit_follows() => self.number(),
                '\'' | '"' => self.literal(self.at, Form::default()),
                '`' => self.quoted_identifier(),
                '@' => self.parameter(),
                _ => self.symbol(first),
            }
            // The rest of the text is not looked at.
            if self.problems.len() >= Diagnostics::MOST {
                return;
            }
        }
        if self.stopped {
            return;
        }
        for (closing, span) in std::mem::take(&mut self.open) {
            self.problem(
                Code::Syntax,
                span,
                format!("this bracket is never closed by `{}`", closing.as_str()),
                None,
            );
        }
        let only_semicolons = self
            .tokens
            .iter()
            .all(|token| matches!(token.kind, TokenKind::Symbol(Symbol::Semicolon)));
        if only_semicolons && self.problems.is_empty() {
            self.problems.push(
                Diagnostic::general(Code::EmptyQuery, "the text has no query")
                    .help("a query begins with SELECT or WITH; comments alone are none"),
            );
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn digit_follows(&self) -> bool {
        self.rest()
            .chars()
            .nth(1)
            .is_some_and(|c| c.is_ascii_digit())
    }

    fn problem(&mut self, code: Code, span: Span, message: impl Into<String>, help: Option<&str>) {
        let diagnostic = Diagnostic::new(code, span, message);
        self.problems.push(match help {
            Some(help) => diagnostic.help(help),
            None => diagnostic,
        });
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        let span = Span::new(start, self.at);
        if self.tokens.len() >= self.limits.tokens {
            self.stopped = true;
            self.problem(
                Code::TooManyTokens,
                span,
                format!(
                    "the query has more than {} words and symbols (limits.tokens)",
                    self.limits.tokens
                ),
                None,
            );
            return;
        }
        self.tokens.push(Token { kind, span });
    }

    fn skip_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
            self.at += rest.bytes().take_while(is_blank).count();
            let rest = self.rest();
            if rest.starts_with('#') || rest.starts_with("--") {
                self.line_comment();
            } else if rest.starts_with("/*") {
                self.block_comment();
            } else {
                return;
            }
        }
    }

    /// A line comment ends at a line break. A lone carriage return ends it for GoogleSQL but not for
    /// most readers, so what follows could hide in the comment: it is refused.
    fn line_comment(&mut self) {
        let rest = self.rest();
        let length = rest.find('\n').unwrap_or(rest.len());
        let comment = rest.get(..length).unwrap_or("");
        let comment = comment.strip_suffix('\r').unwrap_or(comment);
        if let Some(offset) = comment.find('\r') {
            let place = Span::new(self.at + offset, self.at + offset + 1);
            self.problem(
                Code::UnexpectedCharacter,
                place,
                "a comment holds a carriage return without a line feed",
                Some("end the line with a line feed"),
            );
        }
        self.at += length;
    }

    fn block_comment(&mut self) {
        let start = self.at;
        let length = self.rest().get(2..).and_then(|body| body.find("*/"));
        match length {
            Some(length) => self.at += 2 + length + 2,
            None => {
                self.at = self.text.len();
                self.stopped = true;
                self.problem(
                    Code::Unterminated,
                    Span::new(start, self.at),
                    "this comment does not end",
                    Some("it ends at `*/`"),
                );
            }
        }
    }

    /// Returns the length of the identifier characters at an offset.
    fn identifier_length(&self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or("");
        rest.bytes()
            .position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'_'))
            .unwrap_or(rest.len())
    }

    fn word(&mut self) {
        let start = self.at;
        let length = self.identifier_length(start);
        self.at += length;
        let word = self.text.get(start..self.at).unwrap_or("").to_owned();
        let follows = self.rest();
        if follows.starts_with(['\'', '"']) {
            if let Some(form) = Form::of_prefix(&word) {
                self.literal(start, form);
                return;
            }
            if matches!(word.as_str(), "n" | "N" | "x" | "X" | "e" | "E") {
                self.foreign_prefix(start, &word);
                return;
            }
        } else if matches!(word.as_str(), "u" | "U")
            && (follows.starts_with("&'") || follows.starts_with("&\""))
        {
            self.at += 1;
            self.foreign_prefix(start, "U&");
            return;
        }
        if self.check_length(&word, start) {
            self.push(TokenKind::Word(word), start);
        }
    }

    fn check_length(&mut self, name: &str, start: usize) -> bool {
        let most = self.limits.name_bytes;
        if name.len() <= most {
            return true;
        }
        self.problem(
            Code::NameTooLong,
            Span::new(start, self.at),
            format!(
                "a name has {} bytes, and at most {most} are allowed (limits.name_bytes)",
                name.len()
            ),
            None,
        );
        false
    }

    /// Refuses a literal with a prefix that GoogleSQL does not have; its body is skipped.
    fn foreign_prefix(&mut self, start: usize, prefix: &str) {
        let help = match prefix {
            "x" | "X" => "bytes are written b'\\x1f'",
            "e" | "E" => "escapes work in every literal: '\\n'",
            _ => "a plain literal is Unicode: '…', with `\\u00e9` for a character",
        };
        self.problem(
            Code::ForeignSyntax,
            Span::new(start, self.at),
            format!("GoogleSQL has no literals with the prefix `{prefix}`"),
            Some(help),
        );
        let raw = Form {
            raw: true,
            bytes: false,
        };
        match literal::scan(self.text, start, self.at, raw, &mut Vec::new()) {
            Some(scanned) => self.at = scanned.end,
            None => self.stopped = true,
        }
    }

    fn literal(&mut self, start: usize, form: Form) {
        let scanned = literal::scan(self.text, start, self.at, form, &mut self.problems);
        let Some(scanned) = scanned else {
            self.stopped = true;
            return;
        };
        self.at = scanned.end;
        let span = Span::new(start, self.at);
        let length = match &scanned.kind {
            TokenKind::String(value) => value.len(),
            TokenKind::Bytes(value) => value.len(),
            TokenKind::Word(_)
            | TokenKind::Quoted(_)
            | TokenKind::Number(_)
            | TokenKind::Parameter(_)
            | TokenKind::Symbol(_) => 0,
        };
        if length > self.limits.literal_bytes {
            self.problem(
                Code::LiteralTooLong,
                span,
                format!(
                    "a literal has {length} bytes, and at most {} are allowed (limits.literal_bytes)",
                    self.limits.literal_bytes
                ),
                None,
            );
        }
        if let Some(Token {
            kind: TokenKind::String(_) | TokenKind::Bytes(_),
            span: before,
        }) = self.tokens.last()
        {
            if before.end == start {
                let before = *before;
                self.problem(
                    Code::ForeignSyntax,
                    Span::new(before.end - 1, start + 1),
                    "a quote inside a literal is not doubled in GoogleSQL",
                    Some("write `\\'`, or put the other kind of quotes around the literal"),
                );
            } else {
                self.problem(
                    Code::Syntax,
                    span,
                    "two literals stand next to each other",
                    Some("join them with `||`"),
                );
            }
        }
        self.push(scanned.kind, start);
    }

    fn number(&mut self) {
        let start = self.at;
        let bytes = self.rest().as_bytes();
        let byte = |at: usize| bytes.get(at).copied().unwrap_or(b' ');
        let digits = |mut at: usize, allowed: fn(&u8) -> bool| {
            while allowed(&byte(at)) {
                at += 1;
            }
            at
        };
        let hexadecimal = byte(0) == b'0' && matches!(byte(1), b'x' | b'X');
        let mut length;
        if hexadecimal {
            length = digits(2, u8::is_ascii_hexdigit);
        } else {
            length = digits(0, u8::is_ascii_digit);
            if byte(length) == b'.' {
                length = digits(length + 1, u8::is_ascii_digit);
            }
            if matches!(byte(length), b'e' | b'E') {
                let sign = usize::from(matches!(byte(length + 1), b'+' | b'-'));
                let end = digits(length + 1 + sign, u8::is_ascii_digit);
                if end > length + 1 + sign {
                    length = end;
                }
            }
        }
        let fraction = bytes
            .get(..length)
            .is_some_and(|number| number.contains(&b'.'));
        self.at += length;
        let number = self.text.get(start..self.at).unwrap_or("").to_owned();
        let garbage = self.identifier_length(self.at);
        if garbage > 0 || (fraction && self.rest().starts_with('.')) {
            self.at += garbage.max(1);
            self.problem(
                Code::BadNumber,
                Span::new(start, self.at),
                "the number is malformed",
                Some("write digits only, such as 1000, 0x1F or 1.5e3, and a space after them"),
            );
            return;
        }
        if !hexadecimal {
            self.push(TokenKind::Number(number), start);
            return;
        }
        let value = number
            .get(2..)
            .and_then(|digits| u128::from_str_radix(digits, 16).ok());
        match value {
            // The magnitude of the least INT64 is one more than the greatest INT64.
            Some(value) if value <= 1 << 63 => {
                self.push(TokenKind::Number(value.to_string()), start);
            }
            _ => self.problem(
                Code::BadNumber,
                Span::new(start, self.at),
                "the hexadecimal number is malformed or not in the range of INT64",
                None,
            ),
        }
    }

    fn quoted_identifier(&mut self) {
        let start = self.at;
        let body = self.rest().get(1..).unwrap_or("");
        let length = body.find(['`', '\n', '\r']);
        let Some(length) =
            length.filter(|end| body.get(*end..).is_some_and(|b| b.starts_with('`')))
        else {
            self.stopped = true;
            self.problem(
                Code::Unterminated,
                Span::new(start, self.at + 1 + length.unwrap_or(body.len())),
                "this quoted name does not end",
                Some("it ends at the next backtick"),
            );
            return;
        };
        let name = body.get(..length).unwrap_or("").to_owned();
        self.at += length + 2;
        let span = Span::new(start, self.at);
        if name.contains('\\') {
            // GoogleSQL would read an escaped backtick here and go on, so the rest cannot be told apart.
            self.stopped = true;
        }
        let plain = |part: &str| {
            part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && part.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_')
        };
        if !name.split('.').all(plain) {
            let help = "a name has letters, digits and underscores, and begins with no digit";
            self.problem(
                Code::BadIdentifier,
                span,
                "the text in backticks is not a plain name",
                Some(help),
            );
            return;
        }
        if !self.check_length(&name, start) {
            return;
        }
        if let Some(Token {
            kind: TokenKind::Quoted(_),
            span: before,
        }) = self.tokens.last()
            && before.end == start
        {
            self.problem(
                Code::BadIdentifier,
                span,
                "two quoted names stand next to each other",
                Some("put a dot or a space between them"),
            );
        }
        self.push(TokenKind::Quoted(name), start);
    }

    fn parameter(&mut self) {
        let start = self.at;
        self.at += 1;
        let rest = self.rest();
        if rest.starts_with('@') {
            self.at += 1 + self.identifier_length(self.at + 1);
            self.problem(
                Code::ForeignSyntax,
                Span::new(start, self.at),
                "system variables are not accepted",
                None,
            );
        } else if rest.starts_with('{') {
            self.at += 1;
            self.problem(
                Code::ForeignSyntax,
                Span::new(start, self.at),
                "hints are not accepted",
                Some("leave the hint out"),
            );
            self.stopped = true;
        } else if rest.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
            self.at += self.identifier_length(self.at);
            let name = self
                .text
                .get(start + 1..self.at)
                .unwrap_or("")
                .to_ascii_lowercase();
            if self.check_length(&name, start) {
                self.push(TokenKind::Parameter(name), start);
            }
        } else {
            self.problem(
                Code::UnexpectedCharacter,
                Span::new(start, self.at),
                "`@` is not followed by the name of a parameter",
                Some("write a named parameter: @name"),
            );
        }
    }

    fn symbol(&mut self, first: char) {
        let start = self.at;
        let rest = self.rest();
        // Most spellings differ in their first character.
        let is_next = |spelling: &str| spelling.starts_with(first) && rest.starts_with(spelling);
        if let Some((spelling, message, help)) = FOREIGN
            .iter()
            .find(|(spelling, _, _)| is_next(spelling) && !is_next("!="))
        {
            self.at += spelling.len();
            self.problem(
                Code::ForeignSyntax,
                Span::new(start, self.at),
                *message,
                Some(help),
            );
            return;
        }
        let symbol = Symbol::ALL
            .iter()
            .copied()
            .find(|symbol| is_next(symbol.as_str()));
        let Some(symbol) = symbol else {
            self.unexpected(first);
            return;
        };
        self.at += symbol.as_str().len();
        let span = Span::new(start, self.at);
        match symbol {
            Symbol::LeftParenthesis => self.open(Symbol::RightParenthesis, span),
            Symbol::LeftBracket => self.open(Symbol::RightBracket, span),
            Symbol::RightParenthesis | Symbol::RightBracket => self.close(symbol, span),
            _ => {}
        }
        self.push(TokenKind::Symbol(symbol), start);
    }

    fn open(&mut self, closing: Symbol, span: Span) {
        self.open.push((closing, span));
        if self.open.len() > self.limits.nesting {
            self.stopped = true;
            self.problem(
                Code::TooDeep,
                span,
                format!(
                    "brackets are nested deeper than {} levels (limits.nesting)",
                    self.limits.nesting
                ),
                None,
            );
        }
    }

    fn close(&mut self, symbol: Symbol, span: Span) {
        match self.open.pop() {
            Some((closing, _)) if closing == symbol => {}
            Some((closing, _)) => self.problem(
                Code::Syntax,
                span,
                format!(
                    "expected `{}`, found `{}`",
                    closing.as_str(),
                    symbol.as_str()
                ),
                None,
            ),
            None => self.problem(
                Code::Syntax,
                span,
                format!("`{}` closes no bracket", symbol.as_str()),
                None,
            ),
        }
    }

    /// Refuses a run of characters that begin no token.
    fn unexpected(&mut self, first: char) {
        let start = self.at;
        self.at += if first.is_ascii() {
            1
        } else {
            let rest = self.rest();
            rest.find(|c: char| c.is_ascii()).unwrap_or(rest.len())
        };
        let (message, help) = match first {
            '‘' | '’' | '“' | '”' | '„' | '´' | '«' | '»' => (
                "this is a typographic quote",
                Some("write ' or \" around a string and ` around a name"),
            ),
            _ if first.is_whitespace() && !first.is_ascii() => (
                "this character looks like a space but is another one",
                Some("write a plain space"),
            ),
            _ if first.is_control() => ("a control character stands outside of a literal", None),
            _ => (
                "this character has no meaning outside of a literal",
                Some("put text in quotes: '…'"),
            ),
        };
        self.problem(
            Code::UnexpectedCharacter,
            Span::new(start, self.at),
            message,
            help,
        );
    }
}

#[cfg(test)]
mod tests;
