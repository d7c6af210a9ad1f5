//! What a compiler tells a person: stable code, message, place, help.
//!
//! A [`Diagnostic`] is data; [`Diagnostic::render`] is the one place that draws carets. Messages are
//! written in the caller's words and never name streams, physical tables or another caller's values.

use std::fmt;

/// A half-open range of byte offsets into one query text.
///
/// Two spans always compare equal, so that comparing two trees compares what they mean and not where
/// they were written.
#[derive(Clone, Copy, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset after the last byte.
    pub end: usize,
}

impl Span {
    /// Returns the span from `start` up to but without `end`.
    #[must_use]
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    /// Returns the smallest span that covers both.
    #[must_use]
    pub fn to(self, other: Span) -> Self {
        Self {
            start: self.start.min(other.start),
            end: self.end.max(other.end),
        }
    }

    /// Returns the length in bytes.
    #[must_use]
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Returns whether the span covers nothing.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

impl PartialEq for Span {
    fn eq(&self, _other: &Self) -> bool {
        true
    }
}

impl Eq for Span {}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $number:literal, $reason:literal;)+) => {
        /// Every reason to refuse a query. The number is stable and never reused once released.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $($(#[doc = $doc])+ $name = $number,)+
        }

        impl Code {
            /// Every code, in the order of its number.
            pub const ALL: &'static [Code] = &[$(Code::$name,)+];

            /// Returns what the code stands for, a sentence or two.
            #[must_use]
            pub fn meaning(self) -> &'static str {
                match self {
                    $(Code::$name => concat!($($doc),+).trim_ascii(),)+
                }
            }

            /// Returns the short camel-case reason that clients switch on.
            #[must_use]
            pub fn reason(self) -> &'static str {
                match self {
                    $(Code::$name => $reason,)+
                }
            }
        }
    };
}

codes! {
    /// A character that starts no token.
    UnexpectedCharacter = 101, "invalidQuery";
    /// A string, identifier or comment that does not end.
    Unterminated = 102, "invalidQuery";
    /// An escape sequence that GoogleSQL does not have.
    BadEscape = 103, "invalidQuery";
    /// A number that is malformed or out of range.
    BadNumber = 104, "invalidQuery";
    /// Text that is not GoogleSQL.
    Syntax = 105, "invalidQuery";
    /// A text without any statement.
    EmptyQuery = 106, "invalidQuery";
    /// A form of another SQL dialect.
    ForeignSyntax = 107, "invalidQuery";
    /// An identifier with characters that are not accepted.
    BadIdentifier = 108, "invalidQuery";

    /// LQL: a quote or parenthesis that is not closed, or text right after the closing one.
    QuoteOpen = 150, "invalidQuery";
    /// LQL: a word with a colon in it.
    WordColon = 151, "invalidQuery";
    /// LQL: nothing after an operator.
    ValueMissing = 152, "invalidQuery";
    /// LQL: a value that begins like an operator.
    ValueOperator = 153, "invalidQuery";
    /// LQL: a path that is malformed.
    PathInvalid = 154, "invalidQuery";
    /// LQL: a range with bad bounds, or compared with.
    RangeInvalid = 155, "invalidQuery";
    /// LQL: NULL with an operator other than `:`.
    NullOperator = 156, "invalidQuery";
    /// LQL: a time that is malformed or does not exist.
    TimeInvalid = 157, "invalidQuery";
    /// LQL: a range of which one end has a zone and the other has none.
    TimeZoneMixed = 158, "invalidQuery";
    /// LQL: a name for a column that is malformed.
    SelectAlias = 159, "invalidQuery";
    /// LQL: a chart that is malformed.
    ChartInvalid = 160, "invalidQuery";
    /// LQL: a second aggregate or period of a chart.
    ChartRepeated = 161, "invalidQuery";
    /// LQL: a `-` before what cannot be negated, or before nothing.
    NegationInvalid = 162, "invalidQuery";
    /// LQL: a second `f:`.
    FromRepeated = 163, "invalidQuery";
    /// LQL: an empty group, an OR without a filter on both sides, or a group of what is no filter.
    GroupInvalid = 164, "invalidQuery";

    /// A table name that is neither a sub-table nor a CTE of the query.
    UnknownTable = 201, "invalidQuery";
    /// A column or field that does not exist.
    UnknownColumn = 202, "invalidQuery";
    /// A name that fits more than one column.
    AmbiguousColumn = 203, "invalidQuery";
    /// A function that does not exist or is not on the allow-list.
    UnknownFunction = 204, "invalidQuery";
    /// Arguments that no signature of the function takes.
    NoMatchingSignature = 205, "invalidQuery";
    /// Two types that cannot be compared or combined.
    TypeMismatch = 206, "invalidQuery";
    /// A literal that is no value of the type it is used as.
    BadLiteral = 207, "invalidQuery";
    /// An aggregate function where none may stand.
    MisplacedAggregate = 208, "invalidQuery";
    /// A column that is neither grouped nor aggregated.
    NotGrouped = 209, "invalidQuery";
    /// A window function where none may stand.
    MisplacedWindow = 210, "invalidQuery";
    /// Two columns or aliases of one name where they must differ.
    DuplicateName = 211, "invalidQuery";
    /// An ordinal in GROUP BY or ORDER BY that no column has.
    BadOrdinal = 212, "invalidQuery";
    /// Set operation arms with different numbers of columns.
    ColumnCountMismatch = 213, "invalidQuery";
    /// A cast between types that have none.
    BadCast = 214, "invalidQuery";
    /// A regular expression, format or path that is malformed.
    BadPattern = 215, "invalidQuery";

    /// LQL: no `f:` where there are several sub-tables.
    FromRequired = 250, "invalidQuery";
    /// LQL: a stored query without sub-tables.
    FromNoCte = 251, "invalidQuery";

    /// A statement that is not a query, or more than one.
    NotAQuery = 301, "invalidQuery";
    /// A part of GoogleSQL that is not accepted here.
    Unsupported = 302, "notSupported";
    /// A parameter reference where none is allowed.
    ParameterNotAllowed = 303, "invalidQuery";
    /// A query text that is too long.
    TooLong = 304, "limitExceeded";
    /// Too many tokens.
    TooManyTokens = 305, "limitExceeded";
    /// Brackets nested too deep.
    TooDeep = 306, "limitExceeded";
    /// Too many arguments of a call.
    TooManyArguments = 307, "limitExceeded";
    /// A string or bytes literal that is too long.
    LiteralTooLong = 308, "limitExceeded";
    /// LIMIT or OFFSET that is malformed.
    BadLimit = 309, "invalidQuery";
    /// An endpoint that accepts no query of the caller.
    NotSandboxed = 310, "notSupported";
    /// A printed query that is too long for the engine.
    OutputTooLong = 311, "limitExceeded";
    /// Too many operators in one chain, or inside of one another.
    TooManyOperators = 312, "limitExceeded";
    /// Too many arms of a set operation.
    TooManyArms = 313, "limitExceeded";
    /// Too many CTEs.
    TooManyCtes = 314, "limitExceeded";
    /// Too many references to tables, a CTE counting as often as it is read.
    TooManyTables = 315, "limitExceeded";
    /// Too many columns in a select list, also by `*`.
    TooManySelectItems = 316, "limitExceeded";
    /// Too many keys of ORDER BY.
    TooManySortKeys = 317, "limitExceeded";
    /// Too many elements of an array or an IN list.
    TooManyElements = 318, "limitExceeded";
    /// Too many branches of a CASE.
    TooManyBranches = 319, "limitExceeded";
    /// Too many items of one FROM: tables, sub-queries and arrays.
    TooManyFromItems = 320, "limitExceeded";
    /// Too many joins of one FROM that pair every row with every other.
    TooManyCrossJoins = 321, "limitExceeded";
    /// A regular expression that is too long, or too large once compiled.
    PatternTooLong = 322, "limitExceeded";
    /// Expressions and queries nested too deep, with or without brackets.
    QueryTooDeep = 323, "limitExceeded";
    /// A name that is too long.
    NameTooLong = 324, "limitExceeded";
    /// Too many fields of a STRUCT or of all columns, those inside of others included.
    TooManyFields = 325, "limitExceeded";
    /// Too many elements of GENERATE_ARRAY and its kin.
    GeneratedTooLong = 326, "limitExceeded";
    /// Too many keys of GROUP BY.
    TooManyGroupKeys = 327, "limitExceeded";
    /// Too many references to one CTE or sub-table.
    TooManyReferences = 328, "limitExceeded";
    /// An OFFSET that is too large.
    OffsetTooLarge = 329, "limitExceeded";

    /// LQL: too many clauses.
    ClauseLimit = 350, "limitExceeded";
    /// LQL: too many columns.
    SelectLimit = 351, "limitExceeded";

    /// A required parameter that is missing.
    MissingParameter = 401, "required";
    /// A parameter value that is not of the declared type.
    BadParameter = 402, "invalid";
    /// A parameter value that is not one of the allowed ones.
    NotInEnum = 403, "invalid";
    /// A parameter that the endpoint does not have.
    UnknownParameter = 404, "invalid";
    /// A query text that uses an undeclared parameter.
    UndeclaredParameter = 405, "invalidQuery";
    /// A declared parameter that the query does not use.
    UnusedParameter = 406, "invalidQuery";
    /// A parameter given more than once.
    RepeatedParameter = 407, "invalid";

    /// The engine refused a value at run time, such as a failed cast or a division by zero.
    Evaluation = 501, "invalidQuery";
    /// The engine ran past a limit of memory.
    ResourcesExceeded = 502, "resourcesExceeded";
    /// The query ran past its deadline.
    DeadlineExceeded = 503, "timeout";
    /// The engine could not run the query for a reason that is not the caller's.
    EngineFailure = 504, "backendError";
    /// The query would be billed for more bytes than it may.
    BytesBilledExceeded = 505, "bytesBilledLimitExceeded";
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LB{}", *self as u16)
    }
}

/// One reason to refuse a query, ready to be shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable and searchable.
    pub code: Code,
    /// What is wrong, in the user's words, without a full stop.
    pub message: String,
    /// Where in the query text, when it is about a place.
    pub span: Option<Span>,
    /// What to write instead, if known.
    pub help: Option<String>,
}

impl Diagnostic {
    /// Returns a diagnostic about a place in the text.
    pub fn new(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            span: Some(span),
            help: None,
        }
    }

    /// Returns a diagnostic about the request as a whole.
    pub fn general(code: Code, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            span: None,
            help: None,
        }
    }

    /// Adds what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Draws the diagnostic over the text it is about: code, message, the line with carets, help.
    ///
    /// `name` is what the text is called, such as a file name or `sql`.
    #[must_use]
    pub fn render(&self, name: &str, text: &str) -> String {
        let mut out = format!("{}: {}\n", self.code, self.message);
        if let Some(span) = self.span {
            let place = Position::of(text, span.start);
            let line = text.lines().nth(place.line - 1).unwrap_or("");
            let covered = text.get(span.start..span.end).unwrap_or("");
            let width = covered.lines().next().unwrap_or("").chars().count().max(1);
            let (line, column, width) = clip(line, place.column - 1, width);
            let before: String = line
                .chars()
                .take(column)
                .map(|c| if c == '\t' { '\t' } else { ' ' })
                .collect();
            let gutter = place.line.to_string();
            let blank = " ".repeat(gutter.len());
            out.push_str(&format!(
                "{blank}--> {name}:{}:{}\n{blank} |\n{gutter} | {line}\n{blank} | {before}{}\n",
                place.line,
                place.column,
                "^".repeat(width)
            ));
        }
        if let Some(help) = &self.help {
            out.push_str(&format!("help: {help}\n"));
        }
        out
    }
}

/// Characters of a line that are shown at most.
const SHOWN: usize = 160;

/// Cuts a long line to what stands around a place in it; returns it with the place and length there.
fn clip(line: &str, column: usize, width: usize) -> (String, usize, usize) {
    let count = line.chars().count();
    if count <= SHOWN {
        return (line.to_owned(), column, width);
    }
    let skipped = column.saturating_sub(SHOWN / 4);
    let mut column = column - skipped;
    let width = width.min(SHOWN.saturating_sub(column)).max(1);
    let mut shown: String = line.chars().skip(skipped).take(SHOWN).collect();
    if skipped + SHOWN < count {
        shown.push('…');
    }
    if skipped > 0 {
        shown.insert(0, '…');
        column += 1;
    }
    (shown, column, width)
}

/// A place in a text as people count: both parts from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

impl Position {
    /// Returns the position of a byte offset; an offset inside a character counts as its start.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Self {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = text.get(..offset).unwrap_or("");
        let line = before.matches('\n').count() + 1;
        let column = before
            .rsplit('\n')
            .next()
            .map_or(0, |last| last.chars().count())
            + 1;
        Self { line, column }
    }
}

/// Every reason to refuse a query, in the order of its text; never empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// At most this many are shown; who has more to mend sends the query again.
    pub const MOST: usize = 20;

    /// Returns the first [`Self::MOST`] diagnostics in the order of their places, each once.
    #[must_use]
    pub fn sorted(mut self) -> Self {
        let place = |d: &Diagnostic| d.span.map_or((0, 0), |s| (s.start, s.end));
        self.0.sort_by_key(|d| (place(d), d.code));
        // Two spans compare equal wherever they are, so the places are compared by themselves.
        self.0.dedup_by(|b, a| place(a) == place(b) && a == b);
        self.0.truncate(Self::MOST);
        self
    }

    /// Draws all of them over the text they are about.
    #[must_use]
    pub fn render(&self, name: &str, text: &str) -> String {
        let parts: Vec<String> = self.0.iter().map(|d| d.render(name, text)).collect();
        parts.join("\n")
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(diagnostic: Diagnostic) -> Self {
        Self(vec![diagnostic])
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, d) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str("; ")?;
            }
            write!(f, "{}: {}", d.code, d.message)?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

#[cfg(test)]
mod tests {
    use super::*;

    fn unknown(at: usize) -> Diagnostic {
        let span = Span::new(at, at + 1);
        Diagnostic::new(Code::UnknownColumn, span, "unknown column `a`")
    }

    #[test]
    fn one_message_at_two_places_is_two_diagnostics() {
        let sorted = Diagnostics(vec![unknown(9), unknown(7), unknown(9)]).sorted();
        let places: Vec<usize> = sorted.0.iter().map(|d| d.span.unwrap().start).collect();
        assert_eq!(places, [7, 9]);
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let text = format!("{}here{}", "a".repeat(1000), "b".repeat(1000));
        let drawn = Diagnostic::new(Code::Syntax, Span::new(1000, 1004), "x").render("sql", &text);
        let lines: Vec<&str> = drawn.lines().collect();
        let [_, _, _, line, carets] = lines.as_slice() else {
            panic!("{drawn}");
        };
        assert!(line.chars().count() < 180, "{drawn}");
        let at = line.chars().position(|c| c == 'h');
        assert_eq!(at, carets.chars().position(|c| c == '^'), "{drawn}");
        assert!(line.contains("…a") && line.ends_with("b…"), "{drawn}");
    }

    #[test]
    fn the_first_diagnostics_of_many_are_kept() {
        let many = Diagnostics((0..1000).rev().map(unknown).collect()).sorted();
        assert_eq!(many.0.len(), Diagnostics::MOST);
        assert_eq!(
            many.0.last().unwrap().span.unwrap().start,
            Diagnostics::MOST - 1
        );
    }
}
