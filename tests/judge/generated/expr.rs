//! Expressions of a wanted type over the columns in scope.

use logboom::compiler::analyze::functions::T;

use super::super::samples;
use super::choices::Choices;

/// The type of a generated expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ty {
    /// A scalar.
    Of(T),
    /// An array of scalars.
    Array(T),
    /// `STRUCT<a INT64, b STRING>`.
    Record,
    /// An array of those.
    Records,
    /// A whole row of a table.
    Row,
}

impl Ty {
    /// Returns whether values can be compared and sorted.
    pub fn is_orderable(self) -> bool {
        matches!(self, Ty::Of(ty) if ty != T::Json)
    }
}

/// What an expression may name.
#[derive(Clone, Debug)]
pub struct Column {
    /// How it is written.
    pub text: String,
    /// Its type.
    pub ty: Ty,
}

/// Scalar types, the everyday ones more than once.
const SCALARS: &[T] = &[
    T::Int64,
    T::String,
    T::Bool,
    T::Timestamp,
    T::Float64,
    T::Int64,
    T::String,
    T::Date,
    T::Numeric,
    T::Bytes,
    T::Datetime,
    T::Time,
    T::Json,
];

/// Makes queries out of choices.
pub struct Generator {
    /// The choices.
    pub choices: Choices,
    /// What expressions may name.
    pub scope: Vec<Column>,
    /// How many names were made up.
    pub names: usize,
    /// Whether an expression may hold sub-queries.
    pub subqueries: bool,
    /// CTEs, to be written in front.
    pub ctes: Vec<String>,
    /// The names of those, and the types of their two columns.
    pub named: Vec<(String, [Ty; 2])>,
    /// Windows with a name, to be written behind.
    pub windows: Vec<String>,
    /// A column that tells rows apart, or that only equal rows share, while aggregates over them are made.
    pub key: Option<String>,
    /// Whether some decimals are BIGNUMERIC, which the embedded engine lacks.
    pub is_wide: bool,
}

impl Generator {
    /// Returns a name that nothing else has.
    pub fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Returns a scalar type.
    pub fn any_scalar(&mut self) -> T {
        match SCALARS[self.choices.below(SCALARS.len())] {
            T::Numeric if self.is_wide => T::BigNumeric,
            ty => ty,
        }
    }

    /// Returns a type whose values can be compared.
    pub fn any_orderable(&mut self) -> T {
        match self.any_scalar() {
            T::Json => T::Int64,
            ty => ty,
        }
    }

    /// Returns an expression of a type, rarely of another.
    pub fn expr(&mut self, ty: Ty, depth: usize) -> String {
        let ty = match ty {
            Ty::Of(_) if self.choices.rarely(100) => Ty::Of(self.any_scalar()),
            ty => ty,
        };
        let ways = if depth == 0 { 3 } else { 12 };
        match (ty, self.choices.below(ways)) {
            (_, 0 | 1) => self.leaf(ty),
            (_, 2) => self.literal(ty),
            (Ty::Of(ty), 3 | 4) => self.operator(ty, depth - 1),
            (Ty::Of(_), 5) => self.conditional(ty, depth - 1),
            (Ty::Of(ty), 6) => self.converted(ty, depth - 1),
            (Ty::Of(ty), 7) if self.subqueries => self.subquery(ty, depth - 1),
            (Ty::Array(ty), 3..=5) => self.array(ty, depth - 1),
            (Ty::Of(_) | Ty::Array(_), _) => self.call(ty, depth - 1),
            (Ty::Record, _) => self.record(depth - 1),
            (Ty::Records, _) => self.records(depth - 1),
            (Ty::Row, _) => panic!("rows are only selected"),
        }
    }

    /// Returns an expression that is no constant, if there are columns: a key is none.
    pub fn reading(&mut self, ty: Ty, depth: usize) -> String {
        let text = self.expr(ty, depth);
        let is_key = |c: &&Column| c.ty.is_orderable() && c.ty != Ty::Of(T::Float64);
        let sortable: Vec<&Column> = self.scope.iter().filter(is_key).collect();
        if sortable.is_empty() || self.scope.iter().any(|column| text.contains(&column.text)) {
            return text;
        }
        let texts: Vec<String> = sortable.iter().map(|column| column.text.clone()).collect();
        texts[self.choices.below(texts.len())].clone()
    }

    /// Returns a column of a type, or a literal when there is none.
    pub fn leaf(&mut self, ty: Ty) -> String {
        let fitting: Vec<usize> = (0..self.scope.len())
            .filter(|index| self.scope[*index].ty == ty)
            .collect();
        if fitting.is_empty() {
            return self.literal(ty);
        }
        let at = self.choices.below(fitting.len());
        self.scope[fitting[at]].text.clone()
    }

    pub fn literal(&mut self, ty: Ty) -> String {
        match ty {
            Ty::Of(_) if self.choices.rarely(40) => "NULL".to_owned(),
            Ty::Of(T::Int64) if !self.choices.rarely(5) => self.choices.below(6).to_string(),
            Ty::Of(ty) => {
                let list = samples::of_type(ty);
                list[self.choices.below(list.len())].clone()
            }
            Ty::Array(of) => match self.choices.below(3) {
                0 => format!("CAST([] AS ARRAY<{}>)", of.ty()),
                1 => format!("[{}]", self.leaf(Ty::Of(of))),
                _ => format!("[{}, {}]", self.leaf(Ty::Of(of)), self.literal(Ty::Of(of))),
            },
            Ty::Record => "STRUCT(1 AS a, 'c' AS b)".to_owned(),
            Ty::Records => "[STRUCT(1 AS a, 'c' AS b)]".to_owned(),
            Ty::Row => panic!("rows are only selected"),
        }
    }

    fn operator(&mut self, ty: T, depth: usize) -> String {
        match ty {
            T::Bool => self.predicate(depth),
            T::Int64 => match self.choices.below(9) {
                7 => self.two(ty, ">>", depth),
                8 => format!("(-{})", self.leaf(Ty::Of(ty))),
                way => self.two(ty, ["+", "-", "*", "&", "|", "^", "<<"][way], depth),
            },
            T::Float64 => match self.choices.below(5) {
                4 => self.two(T::Int64, "/", depth),
                way => self.two(ty, ["+", "-", "*", "/"][way], depth),
            },
            T::Numeric | T::BigNumeric => {
                let operator = self.choices.pick(&["+", "-", "*", "/"]);
                self.two(ty, operator, depth)
            }
            T::String | T::Bytes => self.two(ty, "||", depth),
            T::Timestamp | T::Datetime => {
                let value = self.expr(Ty::Of(ty), depth);
                let operator = self.choices.pick(&["+", "-"]);
                let interval = self.choices.pick(&[
                    "INTERVAL 1 DAY",
                    "INTERVAL 90 MINUTE",
                    "INTERVAL 1 MILLISECOND",
                    "INTERVAL 25 HOUR",
                ]);
                format!("({value} {operator} {interval})")
            }
            T::Date => {
                let value = self.expr(Ty::Of(ty), depth);
                format!("({value} + {})", self.choices.below(40))
            }
            _ => self.call(Ty::Of(ty), depth),
        }
    }

    fn two(&mut self, ty: T, operator: &str, depth: usize) -> String {
        let left = self.expr(Ty::Of(ty), depth);
        let right = self.expr(Ty::Of(ty), depth);
        format!("({left} {operator} {right})")
    }

    fn predicate(&mut self, depth: usize) -> String {
        let ty = Ty::Of(self.any_orderable());
        match self.choices.below(14) {
            0..=4 => {
                let left = self.expr(ty, depth);
                let operators = ["=", "<", ">=", "!=", ">", "<="];
                let operator = self.choices.pick(&operators);
                format!("({left} {operator} {})", self.expr(ty, depth))
            }
            5 => format!("({} IS NULL)", self.expr(ty, depth)),
            way @ (6 | 7) => {
                let left = self.expr(Ty::Of(T::Bool), depth);
                let operator = if way == 6 { "AND" } else { "OR" };
                format!("({left} {operator} {})", self.expr(Ty::Of(T::Bool), depth))
            }
            8 => format!("(NOT {})", self.expr(Ty::Of(T::Bool), depth)),
            9 => {
                let tests = ["IS TRUE", "IS NOT TRUE", "IS FALSE", "IS NOT FALSE"];
                let test = self.choices.pick(&tests);
                format!("({} {test})", self.expr(Ty::Of(T::Bool), depth))
            }
            10 => {
                let left = self.expr(ty, depth);
                let not = self.choices.pick(&["", "NOT "]);
                format!("({left} IS {not}DISTINCT FROM {})", self.expr(ty, depth))
            }
            11 => {
                let [value, low, high] = [(); 3].map(|()| self.expr(ty, depth));
                let not = self.choices.pick(&["", "NOT "]);
                format!("({value} {not}BETWEEN {low} AND {high})")
            }
            12 => {
                let [value, one, other] = [(); 3].map(|()| self.expr(ty, depth));
                let not = self.choices.pick(&["", "NOT "]);
                format!("({value} {not}IN ({one}, {other}))")
            }
            _ => self.searched(depth),
        }
    }

    pub fn conditional(&mut self, ty: Ty, depth: usize) -> String {
        let (one, other) = (self.expr(ty, depth), self.expr(ty, depth));
        match self.choices.below(4) {
            0 => format!("IF({}, {one}, {other})", self.expr(Ty::Of(T::Bool), depth)),
            1 => {
                let test = self.expr(Ty::Of(T::Bool), depth);
                format!("CASE WHEN {test} THEN {one} ELSE {other} END")
            }
            2 => {
                let of = Ty::Of(self.any_orderable());
                let (value, when) = (self.expr(of, depth), self.expr(of, depth));
                format!("CASE {value} WHEN {when} THEN {one} WHEN {value} THEN {other} END")
            }
            _ => format!("COALESCE({one}, {other})"),
        }
    }

    fn converted(&mut self, ty: T, depth: usize) -> String {
        let from = match ty {
            T::Bool => [T::Int64, T::String][self.choices.below(2)],
            T::Int64 => [T::Float64, T::String, T::Bool, T::Numeric][self.choices.below(4)],
            T::Float64 | T::Numeric => [T::Int64, T::String][self.choices.below(2)],
            T::BigNumeric => [T::Int64, T::String, T::Numeric, T::Float64][self.choices.below(4)],
            T::String => self.any_orderable(),
            T::Date | T::Datetime | T::Timestamp => {
                [T::Date, T::Datetime, T::Timestamp, T::String][self.choices.below(4)]
            }
            T::Time => [T::Datetime, T::Timestamp][self.choices.below(2)],
            _ => return self.call(Ty::Of(ty), depth),
        };
        let cast = self.choices.pick(&["SAFE_CAST", "CAST"]);
        format!("{cast}({} AS {})", self.expr(Ty::Of(from), depth), ty.ty())
    }

    /// Returns an array that is made in another way than by a call.
    fn array(&mut self, ty: T, depth: usize) -> String {
        if self.choices.rarely(6) {
            return self.chosen(Ty::Array(ty), depth);
        }
        let (one, other) = (self.expr(Ty::Of(ty), depth), self.expr(Ty::Of(ty), depth));
        if ty == T::Json || self.choices.below(2) == 0 || !self.subqueries {
            return format!("[{one}, {other}]");
        }
        let inner = self.expr(Ty::Array(ty), depth);
        let name = self.name("e");
        if self.choices.below(3) == 2 {
            return self.listed(ty, &inner, &name, depth);
        }
        let order = self.choices.pick(&["", " DESC", " DESC NULLS LAST"]);
        format!("ARRAY(SELECT {name} FROM UNNEST({inner}) AS {name} ORDER BY {name}{order})")
    }

    /// Returns a sub-query over an array of the row or over a table.
    fn subquery(&mut self, ty: T, depth: usize) -> String {
        let name = self.name("e");
        let array = self.expr(Ty::Array(ty), depth);
        let element = Column {
            text: name.clone(),
            ty: Ty::Of(ty),
        };
        match self.choices.below(9) {
            7 if matches!(ty, T::Int64 | T::String) => self.field(ty, depth),
            8 => self.correlated(ty, depth),
            4 => self.over_records(ty, depth),
            5 => self.over_elements(ty, &element, depth),
            0 if ty != T::Json => {
                let which = self.choices.pick(&["MAX", "MIN"]);
                format!("(SELECT {which}({name}) FROM UNNEST({array}) AS {name})")
            }
            1 => {
                let way = self
                    .choices
                    .pick(&["SAFE_OFFSET(0)", "SAFE_ORDINAL(2)", "0"]);
                format!("{array}[{way}]")
            }
            2 if ty == T::Bool => {
                self.scope.push(element);
                let test = self.expr(Ty::Of(T::Bool), depth);
                self.scope.pop();
                format!("EXISTS (SELECT 1 FROM UNNEST({array}) AS {name} WHERE {test})")
            }
            _ => {
                let outer = std::mem::replace(&mut self.scope, super::query::table_u(&name));
                let call = self.aggregate(Ty::Of(ty), depth.min(1));
                let test = self.expr(Ty::Of(T::Bool), depth.min(1));
                self.scope = outer;
                format!("(SELECT {call} FROM u AS {name} WHERE {test})")
            }
        }
    }
}
