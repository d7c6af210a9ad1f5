//! Expressions.

use crate::compiler::analyze::functions::Function;
use crate::compiler::diagnostic::Span;
use crate::compiler::redaction::Redaction;

use super::name::{ColumnName, ParameterName, RangeId};
use super::query::Query;
use super::types::Type;
use super::value::Value;

/// An expression with its type and the place it was written at.
///
/// Two expressions are equal when they mean the same; places do not count.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Its type; of an untyped NULL, INT64 as in GoogleSQL.
    pub ty: Type,
    /// Where it was written.
    pub span: Span,
}

impl Expr {
    /// Returns an expression of a kind.
    #[must_use]
    pub fn new(kind: ExprKind, ty: Type, span: Span) -> Self {
        Self { kind, ty, span }
    }

    /// Returns a BOOL constant without a place.
    #[must_use]
    pub fn bool(value: bool) -> Self {
        Self::new(
            ExprKind::Literal(Value::Bool(value)),
            Type::Bool,
            Span::default(),
        )
    }

    /// Returns whether this is the literal NULL, whatever its type.
    #[must_use]
    pub fn is_null_literal(&self) -> bool {
        matches!(self.kind, ExprKind::Literal(Value::Null))
    }

    /// Returns whether this is the bare word NULL, which is INT64 only where nothing gives it another type. A
    /// NULL that is INT64 by CAST is an expression of its own.
    #[must_use]
    pub fn is_untyped_null(&self) -> bool {
        self.is_null_literal() && self.ty == Type::Int64
    }

    /// Returns whether this is a column or an element of FROM, or a field of one.
    #[must_use]
    pub fn is_path(&self) -> bool {
        match &self.kind {
            ExprKind::Column { .. } | ExprKind::Element(_) | ExprKind::Offset(_) => true,
            ExprKind::Field { base, index: _ } => base.is_path(),
            _ => false,
        }
    }
}

/// What an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A constant, decoded.
    Literal(Value),
    /// A parameter of the stored query.
    Parameter(ParameterName),
    /// A column of a table, CTE or sub-query in FROM.
    Column {
        /// The FROM item.
        range: RangeId,
        /// The column, in the spelling of the FROM item's source.
        column: ColumnName,
    },
    /// The element that an UNNEST range variable stands for.
    Element(RangeId),
    /// The WITH OFFSET value of an UNNEST, from 0.
    Offset(RangeId),
    /// A whole row of a table, CTE or sub-query in FROM, as a STRUCT of all its columns.
    Row(RangeId),
    /// An output column of the query itself, from 0. Only in ORDER BY.
    Output(usize),
    /// A key of the GROUP BY of the enclosing select, from 0. Only where rows are groups.
    GroupKey(usize),
    /// A field of a STRUCT, from 0.
    Field {
        /// The STRUCT.
        base: Box<Expr>,
        /// Which field.
        index: usize,
    },
    /// An element of an ARRAY.
    Subscript {
        /// The ARRAY.
        base: Box<Expr>,
        /// Position, INT64.
        index: Box<Expr>,
        /// How positions count, and what happens past the end.
        mode: SubscriptMode,
    },
    /// A unary operator.
    Unary {
        /// The operator.
        op: UnaryOp,
        /// Its operand.
        operand: Box<Expr>,
    },
    /// A binary operator. Both operands have the type that the operator works in.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
    },
    /// All of these hold; at least two.
    And(Vec<Expr>),
    /// One of these holds; at least two.
    Or(Vec<Expr>),
    /// `IS [NOT] NULL`.
    IsNull {
        /// What is tested.
        operand: Box<Expr>,
        /// `true` for IS NOT NULL.
        negated: bool,
    },
    /// `IS [NOT] TRUE` and `IS [NOT] FALSE`.
    IsBool {
        /// What is tested, BOOL.
        operand: Box<Expr>,
        /// The value it is compared with.
        value: bool,
        /// `true` for IS NOT.
        negated: bool,
    },
    /// `IS [NOT] DISTINCT FROM`.
    IsDistinct {
        /// Left operand.
        left: Box<Expr>,
        /// Right operand.
        right: Box<Expr>,
        /// `true` for IS NOT DISTINCT FROM.
        negated: bool,
    },
    /// `[NOT] IN (a, b, …)`; at least one element.
    InList {
        /// What is looked for.
        operand: Box<Expr>,
        /// The elements, of the operand's type.
        list: Vec<Expr>,
        /// `true` for NOT IN.
        negated: bool,
    },
    /// `[NOT] IN (query)`.
    InQuery {
        /// What is looked for.
        operand: Box<Expr>,
        /// A query of one column of the operand's type.
        query: Box<Query>,
        /// `true` for NOT IN.
        negated: bool,
    },
    /// `[NOT] IN UNNEST(array)`.
    InUnnest {
        /// What is looked for.
        operand: Box<Expr>,
        /// ARRAY of the operand's type.
        array: Box<Expr>,
        /// `true` for NOT IN.
        negated: bool,
    },
    /// `[NOT] BETWEEN low AND high`.
    Between {
        /// What is tested.
        operand: Box<Expr>,
        /// Inclusive lower bound.
        low: Box<Expr>,
        /// Inclusive upper bound.
        high: Box<Expr>,
        /// `true` for NOT BETWEEN.
        negated: bool,
    },
    /// `[NOT] LIKE pattern`; a backslash escapes.
    Like {
        /// What is matched, STRING or BYTES.
        operand: Box<Expr>,
        /// The pattern, of the same type.
        pattern: Box<Expr>,
        /// `true` for NOT LIKE.
        negated: bool,
    },
    /// `CASE`; also `IF`. Branches are evaluated in order.
    Case {
        /// The value that `CASE value WHEN …` compares with each branch.
        operand: Option<Box<Expr>>,
        /// At least one branch.
        branches: Vec<CaseBranch>,
        /// The value when no branch holds; NULL when absent.
        otherwise: Option<Box<Expr>>,
    },
    /// A cast to the type of this expression.
    Cast {
        /// What is cast.
        operand: Box<Expr>,
        /// `true` for SAFE_CAST: NULL in place of an error.
        safe: bool,
    },
    /// A scalar function of the allow-list.
    Call {
        /// The function.
        function: &'static Function,
        /// The arguments, of the types of the signature that was chosen.
        args: Vec<Expr>,
        /// `true` for the `SAFE.` prefix: NULL in place of an error.
        safe: bool,
    },
    /// A date part as a function argument.
    Part(DatePart),
    /// A normalization form of Unicode as a function argument.
    Mode(NormalizationForm),
    /// A function argument given by name, as in `name => value`.
    Named {
        /// The name, as the function declares it.
        name: &'static str,
        /// The value.
        value: Box<Expr>,
    },
    /// `INTERVAL value part`.
    Interval {
        /// How many, INT64.
        value: Box<Expr>,
        /// Of what.
        part: DatePart,
    },
    /// An aggregate function over the rows of a group.
    Aggregate(Box<Aggregate>),
    /// A window function, or an aggregate function with OVER.
    Window(Box<Window>),
    /// `[a, b, …]`.
    Array(Vec<Expr>),
    /// `STRUCT(a AS x, …)`; the names are in the type.
    Struct(Vec<Expr>),
    /// A value with every text in it redacted; of the same type, and NULL where the value is. BYTES in it are
    /// NULL.
    Redact {
        /// The value.
        operand: Box<Expr>,
        /// How texts are redacted.
        redaction: Redaction,
    },
    /// A query as a value.
    Subquery {
        /// What of the query is the value.
        kind: SubqueryKind,
        /// The query.
        query: Box<Query>,
    },
}

/// `WHEN condition THEN value`.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseBranch {
    /// BOOL, or of the operand's type.
    pub condition: Expr,
    /// The value of the branch.
    pub value: Expr,
}

/// An aggregate function call.
#[derive(Clone, Debug, PartialEq)]
pub struct Aggregate {
    /// The function.
    pub function: &'static Function,
    /// The arguments; none for `COUNT(*)`.
    pub args: Vec<Expr>,
    /// Whether equal arguments count once.
    pub distinct: bool,
    /// `IGNORE NULLS` is `Some(true)`, `RESPECT NULLS` `Some(false)`.
    pub ignore_nulls: Option<bool>,
    /// Order of the rows, for functions where it matters.
    pub order_by: Vec<SortKey>,
    /// `LIMIT` inside the call.
    pub limit: Option<u64>,
}

/// A window function call.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// The function.
    pub function: &'static Function,
    /// The arguments.
    pub args: Vec<Expr>,
    /// Whether equal arguments count once.
    pub distinct: bool,
    /// `IGNORE NULLS` is `Some(true)`, `RESPECT NULLS` `Some(false)`.
    pub ignore_nulls: Option<bool>,
    /// Rows with equal values share a window.
    pub partition_by: Vec<Expr>,
    /// Order of the rows within a partition.
    pub order_by: Vec<SortKey>,
    /// Which rows around the current one count.
    pub frame: Option<Frame>,
}

/// One key of an ORDER BY.
#[derive(Clone, Debug, PartialEq)]
pub struct SortKey {
    /// What is sorted by.
    pub expr: Expr,
    /// Greatest first.
    pub descending: bool,
    /// Whether NULLs come first. GoogleSQL: NULL is the least value unless told otherwise.
    pub nulls_first: bool,
}

/// A window frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Whether bounds count rows or values.
    pub unit: FrameUnit,
    /// First row.
    pub start: FrameBound,
    /// Last row.
    pub end: FrameBound,
}

/// What the bounds of a frame count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameUnit {
    /// ROWS.
    Rows,
    /// RANGE.
    Range,
}

/// One end of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameBound {
    /// The first row of the partition.
    UnboundedPreceding,
    /// This many before.
    Preceding(u64),
    /// The current row.
    CurrentRow,
    /// This many after.
    Following(u64),
    /// The last row of the partition.
    UnboundedFollowing,
}

/// How an array subscript counts, and what it does past the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubscriptMode {
    /// `a[i]` or `a[OFFSET(i)]`: from 0, an error past the end.
    Offset,
    /// `a[SAFE_OFFSET(i)]`: from 0, NULL past the end.
    SafeOffset,
    /// `a[ORDINAL(i)]`: from 1, an error past the end.
    Ordinal,
    /// `a[SAFE_ORDINAL(i)]`: from 1, NULL past the end.
    SafeOrdinal,
}

/// What of a sub-query is the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubqueryKind {
    /// The only column of the only row; NULL without a row.
    Scalar,
    /// Whether there is a row.
    Exists,
    /// The only column of all rows.
    Array,
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `NOT`.
    Not,
    /// `-`.
    Minus,
    /// `~`.
    BitNot,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
    /// `+` of numbers.
    Add,
    /// `-` of numbers.
    Subtract,
    /// `*`.
    Multiply,
    /// `/`: FLOAT64, or a decimal type when both sides are decimal.
    Divide,
    /// `||` of STRING, BYTES or ARRAY.
    Concat,
    /// `=`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `<`.
    Less,
    /// `<=`.
    LessOrEqual,
    /// `>`.
    Greater,
    /// `>=`.
    GreaterOrEqual,
    /// `&`.
    BitAnd,
    /// `|`.
    BitOr,
    /// `^`.
    BitXor,
    /// `<<`.
    ShiftLeft,
    /// `>>`.
    ShiftRight,
}

impl BinaryOp {
    /// Returns whether the operator may fail on some values: out of range, division by zero, a negative shift, a
    /// value that is too long.
    #[must_use]
    pub fn can_fail(self) -> bool {
        match self {
            BinaryOp::Add
            | BinaryOp::Subtract
            | BinaryOp::Multiply
            | BinaryOp::Divide
            | BinaryOp::Concat
            | BinaryOp::ShiftLeft
            | BinaryOp::ShiftRight => true,
            BinaryOp::Equal
            | BinaryOp::NotEqual
            | BinaryOp::Less
            | BinaryOp::LessOrEqual
            | BinaryOp::Greater
            | BinaryOp::GreaterOrEqual
            | BinaryOp::BitAnd
            | BinaryOp::BitOr
            | BinaryOp::BitXor => false,
        }
    }
}

/// A normalization form of Unicode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NormalizationForm {
    /// Composed.
    Nfc,
    /// Composed, compatible characters alike.
    Nfkc,
    /// Decomposed.
    Nfd,
    /// Decomposed, compatible characters alike.
    Nfkd,
}

impl NormalizationForm {
    /// Every form with its spelling in GoogleSQL.
    pub const ALL: &'static [(NormalizationForm, &'static str)] = &[
        (NormalizationForm::Nfc, "NFC"),
        (NormalizationForm::Nfkc, "NFKC"),
        (NormalizationForm::Nfd, "NFD"),
        (NormalizationForm::Nfkd, "NFKD"),
    ];

    /// Returns the form of a spelling, in any case.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(_, name)| name.eq_ignore_ascii_case(text))
            .map(|(form, _)| *form)
    }

    /// Returns the spelling in GoogleSQL.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(form, _)| *form == self)
            .map_or("", |(_, name)| name)
    }
}

impl BinaryOp {
    /// Returns whether it compares two values.
    #[must_use]
    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            BinaryOp::Equal
                | BinaryOp::NotEqual
                | BinaryOp::Less
                | BinaryOp::LessOrEqual
                | BinaryOp::Greater
                | BinaryOp::GreaterOrEqual
        )
    }
}

/// A part of a date or time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DatePart {
    /// Microseconds.
    Microsecond,
    /// Milliseconds.
    Millisecond,
    /// Seconds.
    Second,
    /// Minutes.
    Minute,
    /// Hours.
    Hour,
    /// Days.
    Day,
    /// Day of the week, 1 for Sunday.
    DayOfWeek,
    /// Day of the year, from 1.
    DayOfYear,
    /// Weeks that begin on Sunday.
    Week,
    /// Weeks that begin on Monday.
    WeekMonday,
    /// Weeks that begin on Tuesday.
    WeekTuesday,
    /// Weeks that begin on Wednesday.
    WeekWednesday,
    /// Weeks that begin on Thursday.
    WeekThursday,
    /// Weeks that begin on Friday.
    WeekFriday,
    /// Weeks that begin on Saturday.
    WeekSaturday,
    /// ISO 8601 weeks.
    IsoWeek,
    /// Months.
    Month,
    /// Quarters.
    Quarter,
    /// Years.
    Year,
    /// ISO 8601 week-numbering years.
    IsoYear,
    /// The DATE of a timestamp. Only in EXTRACT.
    Date,
    /// The DATETIME of a timestamp. Only in EXTRACT.
    Datetime,
    /// The TIME of a timestamp. Only in EXTRACT.
    Time,
}

impl DatePart {
    /// Returns whether it is a part of the time of day.
    #[must_use]
    pub fn is_of_day(self) -> bool {
        matches!(
            self,
            DatePart::Microsecond
                | DatePart::Millisecond
                | DatePart::Second
                | DatePart::Minute
                | DatePart::Hour
        )
    }

    /// Returns whether a time can be cut to it, so that it has a length.
    #[must_use]
    pub fn is_length(self) -> bool {
        !matches!(
            self,
            DatePart::DayOfWeek
                | DatePart::DayOfYear
                | DatePart::Date
                | DatePart::Datetime
                | DatePart::Time
        )
    }

    /// Every part with its spelling in GoogleSQL.
    pub const ALL: &'static [(DatePart, &'static str)] = &[
        (DatePart::Microsecond, "MICROSECOND"),
        (DatePart::Millisecond, "MILLISECOND"),
        (DatePart::Second, "SECOND"),
        (DatePart::Minute, "MINUTE"),
        (DatePart::Hour, "HOUR"),
        (DatePart::Day, "DAY"),
        (DatePart::DayOfWeek, "DAYOFWEEK"),
        (DatePart::DayOfYear, "DAYOFYEAR"),
        (DatePart::Week, "WEEK"),
        (DatePart::WeekMonday, "WEEK(MONDAY)"),
        (DatePart::WeekTuesday, "WEEK(TUESDAY)"),
        (DatePart::WeekWednesday, "WEEK(WEDNESDAY)"),
        (DatePart::WeekThursday, "WEEK(THURSDAY)"),
        (DatePart::WeekFriday, "WEEK(FRIDAY)"),
        (DatePart::WeekSaturday, "WEEK(SATURDAY)"),
        (DatePart::IsoWeek, "ISOWEEK"),
        (DatePart::Month, "MONTH"),
        (DatePart::Quarter, "QUARTER"),
        (DatePart::Year, "YEAR"),
        (DatePart::IsoYear, "ISOYEAR"),
        (DatePart::Date, "DATE"),
        (DatePart::Datetime, "DATETIME"),
        (DatePart::Time, "TIME"),
    ];

    /// Returns the part of a spelling, in any case; `WEEK(SUNDAY)` is WEEK.
    #[must_use]
    pub fn parse(text: &str) -> Option<DatePart> {
        if text.eq_ignore_ascii_case("WEEK(SUNDAY)") {
            return Some(DatePart::Week);
        }
        Self::ALL
            .iter()
            .find(|(_, name)| name.eq_ignore_ascii_case(text))
            .map(|(part, _)| *part)
    }

    /// Returns the spelling in GoogleSQL.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(part, _)| *part == self)
            .map_or("", |(_, name)| name)
    }
}
