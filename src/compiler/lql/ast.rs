//! The tree of an LQL text: what was written, with places, before any schema is known.
//!
//! Its `Display` writes LQL again; reading that gives the same tree.

use std::fmt;

use jiff::civil::Date;

use crate::compiler::diagnostic::Span;
use crate::compiler::ir::{BinaryOp, DatePart};

/// A whole LQL text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Query {
    /// All of these hold.
    pub filters: Vec<Filter>,
    /// The sub-table that `f:` names.
    pub from: Option<Name>,
    /// Whether `s:*` asks for all columns.
    pub star: bool,
    /// The columns that `s:` asks for, without repetitions.
    pub selects: Vec<Select>,
    /// What `c:` asks for.
    pub chart: Option<Chart>,
}

impl Query {
    /// Returns whether there is no clause at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// An identifier with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The identifier.
    pub text: String,
    /// Where it was written.
    pub span: Span,
}

/// A path of names, `m.` already written out; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path(pub Vec<Name>);

impl Path {
    /// Returns the place of the whole path.
    #[must_use]
    pub fn span(&self) -> Span {
        let spans = self.0.iter().map(|name| name.span);
        spans.reduce(Span::to).unwrap_or_default()
    }

    /// Returns whether this is the path of these names.
    #[must_use]
    pub fn is(&self, names: &[&str]) -> bool {
        self.0
            .iter()
            .map(|name| name.text.as_str())
            .eq(names.iter().copied())
    }

    /// Returns the name of the output column: the names joined by `_`.
    #[must_use]
    pub fn column(&self) -> String {
        self.join("_")
    }

    fn join(&self, separator: &str) -> String {
        let names: Vec<&str> = self.0.iter().map(|name| name.text.as_str()).collect();
        names.join(separator)
    }
}

/// A condition on a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Filter {
    /// All of these hold; at least two, or one that is a group of its own.
    All(Vec<Filter>),
    /// One of these holds; at least two.
    Any(Vec<Filter>),
    /// The filter is not true.
    Not(Box<Filter>),
    /// One clause.
    Test(Test),
}

/// One filter clause, without its `-`.
#[derive(Clone, Debug, PartialEq)]
pub struct Test {
    /// What is tested.
    pub kind: TestKind,
    /// The whole clause.
    pub span: Span,
}

/// What a clause tests.
#[derive(Clone, Debug, PartialEq)]
pub enum TestKind {
    /// `event_message` contains this text.
    Contains(String),
    /// `event_message` matches this regular expression somewhere.
    Matches(Pattern),
    /// A test of any column.
    Field(Path, FieldTest),
    /// A test of `timestamp`.
    Time(TimeTest),
}

/// A regular expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Its text.
    pub text: String,
    /// Where it was written.
    pub span: Span,
}

/// A test of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldTest {
    /// A comparison; `:v` is equality.
    Compare(BinaryOp, Scalar),
    /// `:a..b`, both ends included.
    Between(Scalar, Scalar),
    /// `:error..alert`: one of these names, of [`LEVELS`].
    Levels(Vec<&'static str>),
    /// `:~`.
    Matches(Pattern),
    /// `:@>`: an element equals this.
    Has(Scalar),
    /// `:@>~`: an element matches this.
    HasMatch(Pattern),
    /// `:NULL`.
    IsNull,
}

/// The severities, the least first.
pub const LEVELS: [&str; 8] = [
    "debug",
    "info",
    "notice",
    "warning",
    "error",
    "critical",
    "alert",
    "emergency",
];

/// A value as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Its text, unescaped.
    pub text: String,
    /// What it looks like.
    pub kind: ScalarKind,
    /// Where it was written.
    pub span: Span,
}

/// What a value looks like. A quoted one is always text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarKind {
    /// `true` or `false`.
    Bool,
    /// Digits that are an INT64.
    Integer,
    /// Digits with a point that are a FLOAT64.
    Decimal,
    /// Anything else.
    Text,
}

/// A test of `timestamp`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeTest {
    /// A comparison with a point in time.
    Compare(BinaryOp, Moment),
    /// Within the time from the first to the last, both included; a date is its whole day.
    Between(Instant, Instant),
    /// Within the whole day.
    Day(Date),
    /// `today`.
    Today,
    /// `yesterday`.
    Yesterday,
    /// `this@unit`; no second.
    This(Unit),
    /// `last@Kunit`.
    Last(i32, Unit),
}

/// A point in time to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// `now`.
    Now,
    /// One that was written out; a date is its midnight.
    At(Instant),
}

/// A written point in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Instant {
    /// A date, which has no zone.
    Day(Date),
    /// A date with a time, or Unix time.
    Point {
        /// Microseconds since the Unix epoch.
        micros: i64,
        /// Whether it was written with a zone; without one it is UTC.
        zoned: bool,
    },
}

impl Instant {
    /// Returns whether it was written with a zone.
    #[must_use]
    pub fn is_zoned(self) -> bool {
        matches!(self, Instant::Point { zoned: true, .. })
    }
}

macro_rules! units {
    ($($name:ident = $short:literal, $long:literal;)+) => {
        /// A unit of the shorthands.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(missing_docs, reason = "the names say it")]
        pub enum Unit { $($name,)+ }

        impl Unit {
            /// Every unit.
            pub const ALL: &'static [Unit] = &[$(Unit::$name,)+];

            /// Returns the unit of a spelling: short, long, or long with an `s`.
            #[must_use]
            pub fn parse(text: &str) -> Option<Self> {
                $(if [$short, $long, concat!($long, "s")].contains(&text) {
                    return Some(Unit::$name);
                })+
                None
            }

            /// Returns the short spelling.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Unit::$name => $short,)+ }
            }
        }
    };
}

units! {
    Second = "s", "second";
    Minute = "m", "minute";
    Hour = "h", "hour";
    Day = "d", "day";
    Week = "w", "week";
    Month = "mm", "month";
    Year = "y", "year";
}

/// A column to show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Select {
    /// Which one.
    pub path: Path,
    /// What it is called in the result.
    pub name: String,
    /// The whole clause.
    pub span: Span,
}

/// A value over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Chart {
    /// What is computed.
    pub aggregate: Aggregate,
    /// The length of a period: SECOND, MINUTE, HOUR or DAY.
    pub period: DatePart,
    /// The clauses.
    pub span: Span,
}

/// What a chart computes of the rows of a period.
#[derive(Clone, Debug, PartialEq)]
pub enum Aggregate {
    /// How many rows there are, or have a value.
    Count(Option<Path>),
    /// How many different values there are; of `timestamp` without a path.
    CountDistinct(Option<Path>),
    /// `avg`, `sum`, `min` or `max`, by the name in GoogleSQL.
    Of(&'static str, Path),
    /// The value that so many percent of the rows do not exceed.
    Percentile(u8, Path),
}

/// Returns the spelling of a comparison, without its colon.
fn sign(op: BinaryOp) -> &'static str {
    match op {
        BinaryOp::Less => "<",
        BinaryOp::LessOrEqual => "<=",
        BinaryOp::Greater => ">",
        BinaryOp::GreaterOrEqual => ">=",
        // No other comparison can be written.
        _ => "",
    }
}

fn quote(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    write!(f, "\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

impl fmt::Display for Query {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut clauses: Vec<String> = Vec::new();
        clauses.extend(self.from.iter().map(|name| format!("f:{}", name.text)));
        clauses.extend(self.filters.iter().map(ToString::to_string));
        clauses.extend(self.selects.iter().map(ToString::to_string));
        clauses.extend(self.star.then(|| "s:*".to_owned()));
        clauses.extend(self.chart.iter().map(ToString::to_string));
        f.write_str(&clauses.join(" "))
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.join("."))
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let group = |f: &mut fmt::Formatter<'_>, filters: &[Filter], between: &str| {
            let filters: Vec<String> = filters.iter().map(ToString::to_string).collect();
            write!(f, "({})", filters.join(between))
        };
        match self {
            Filter::All(filters) => group(f, filters, " "),
            Filter::Any(filters) => group(f, filters, " OR "),
            Filter::Not(filter) if matches!(**filter, Filter::Not(_)) => write!(f, "-({filter})"),
            Filter::Not(filter) => write!(f, "-{filter}"),
            Filter::Test(test) => test.kind.fmt(f),
        }
    }
}

impl fmt::Display for TestKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TestKind::Contains(text) => quote(f, text),
            TestKind::Matches(pattern) => {
                f.write_str("~")?;
                quote(f, &pattern.text)
            }
            TestKind::Field(path, test) => write!(f, "{path}:{test}"),
            TestKind::Time(test) => write!(f, "t:{test}"),
        }
    }
}

impl fmt::Display for FieldTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldTest::Compare(op, value) => write!(f, "{}{value}", sign(*op)),
            FieldTest::Between(low, high) => write!(f, "{}..{}", low.text, high.text),
            FieldTest::Levels(levels) => {
                let (first, last) = (levels.first(), levels.last());
                write!(f, "{}..{}", first.unwrap_or(&""), last.unwrap_or(&""))
            }
            FieldTest::Matches(pattern) => {
                f.write_str("~")?;
                quote(f, &pattern.text)
            }
            FieldTest::Has(value) => write!(f, "@>{value}"),
            FieldTest::HasMatch(pattern) => {
                f.write_str("@>~")?;
                quote(f, &pattern.text)
            }
            FieldTest::IsNull => f.write_str("NULL"),
        }
    }
}

impl fmt::Display for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            ScalarKind::Text => quote(f, &self.text),
            ScalarKind::Bool | ScalarKind::Integer | ScalarKind::Decimal => f.write_str(&self.text),
        }
    }
}

impl fmt::Display for TimeTest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeTest::Compare(op, Moment::Now) => write!(f, "{}now", sign(*op)),
            TimeTest::Compare(op, Moment::At(instant)) => write!(f, "{}{instant}", sign(*op)),
            TimeTest::Between(from, to) => write!(f, "{from}..{to}"),
            TimeTest::Day(date) => write!(f, "{date}"),
            TimeTest::Today => f.write_str("today"),
            TimeTest::Yesterday => f.write_str("yesterday"),
            TimeTest::This(unit) => write!(f, "this@{}", unit.as_str()),
            TimeTest::Last(count, unit) => write!(f, "last@{count}{}", unit.as_str()),
        }
    }
}

impl fmt::Display for Instant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Instant::Day(date) => date.fmt(f),
            Instant::Point { micros, zoned } => {
                let timestamp =
                    jiff::Timestamp::from_microsecond(*micros).map_err(|_| fmt::Error)?;
                let datetime = jiff::tz::Offset::UTC.to_datetime(timestamp);
                write!(f, "{datetime}{}", if *zoned { "Z" } else { "" })
            }
        }
    }
}

impl fmt::Display for Select {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "s:{}@{}", self.path, self.name)
    }
}

impl fmt::Display for Chart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let period = self.period.as_str().to_ascii_lowercase();
        match &self.aggregate {
            Aggregate::Count(None) => f.write_str("c:count(*)"),
            Aggregate::Count(Some(path)) => write!(f, "c:count({path})"),
            Aggregate::CountDistinct(None) => f.write_str("c:countd(*)"),
            Aggregate::CountDistinct(Some(path)) => write!(f, "c:countd({path})"),
            Aggregate::Of(name, path) => write!(f, "c:{}({path})", name.to_ascii_lowercase()),
            Aggregate::Percentile(percent, path) => write!(f, "c:p{percent}({path})"),
        }?;
        write!(f, " c:group_by(t::{period})")
    }
}
