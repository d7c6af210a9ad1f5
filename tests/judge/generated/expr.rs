//! Expressions of a wanted type over the columns in scope.

use std::sync::LazyLock;

use logboom::compiler::analyze::functions::{Arg, Function, Kind, Ret, Signature, T, all};

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

/// Functions that are not called: those whose rows the judge cannot give (`differences.toml`), those with
/// arguments that have to fit each other, and those that are only written in a form of their own.
const LEFT_OUT: &[&str] = &[
    "ANY_VALUE",
    "APPROX_COUNT_DISTINCT",
    "APPROX_QUANTILES",
    "APPROX_TOP_COUNT",
    "APPROX_TOP_SUM",
    "FROM_BASE32",
    "GROUPING",
    "MAX_BY",
    "MIN_BY",
    "NET.PUBLIC_SUFFIX",
    "NET.REG_DOMAIN",
    "TO_BASE32",
];

/// A way of calling a function.
pub type Call = (&'static Function, &'static Signature);

/// The calls of every function.
pub static CALLS: LazyLock<Vec<Call>> = LazyLock::new(|| {
    all()
        .filter(|f| !LEFT_OUT.contains(&f.name) && !f.name.starts_with("HLL_COUNT."))
        .flat_map(|f| f.signatures.iter().map(move |signature| (f, signature)))
        .collect()
});

/// Returns the calls of a kind that give a type.
pub fn calls(kind: Kind, ty: Ty) -> Vec<Call> {
    let gives = |result: Ret| match (result, ty) {
        (Ret::Of(of), Ty::Of(ty)) | (Ret::ArrayOf(of), Ty::Array(ty)) => of == ty,
        (Ret::Any | Ret::Element, Ty::Of(_)) | (Ret::ArrayOfAny, Ty::Array(_)) => true,
        (Ret::Extracted, ty) => ty == Ty::Of(T::Int64),
        _ => false,
    };
    let listed = CALLS.iter().copied();
    listed
        .filter(|(f, signature)| f.kind == kind && gives(signature.result))
        .collect()
}

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
    /// Windows with a name, to be written behind.
    pub windows: Vec<String>,
}

impl Generator {
    /// Returns a name that nothing else has.
    pub fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// Returns a scalar type.
    pub fn any_scalar(&mut self) -> T {
        SCALARS[self.choices.below(SCALARS.len())]
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
            (Ty::Record, _) => {
                let a = self.expr(Ty::Of(T::Int64), depth - 1);
                let b = self.expr(Ty::Of(T::String), depth - 1);
                format!("STRUCT({a} AS a, {b} AS b)")
            }
            (Ty::Records, _) => format!("[{}]", self.expr(Ty::Record, depth - 1)),
        }
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

    fn literal(&mut self, ty: Ty) -> String {
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
            T::Numeric => {
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

    fn conditional(&mut self, ty: Ty, depth: usize) -> String {
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
        match self.choices.below(7) {
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

    /// Returns a call of a scalar function that gives a type.
    pub fn call(&mut self, ty: Ty, depth: usize) -> String {
        let calls = calls(Kind::Scalar, ty);
        if calls.is_empty() {
            return self.leaf(ty);
        }
        let (function, signature) = self.one_of(&calls);
        self.spelt(function, signature, ty, depth)
    }

    /// Returns one of these calls: each function as often as any other, whatever the number of its signatures.
    pub fn one_of(&mut self, calls: &[Call]) -> Call {
        let mut functions: Vec<&str> = calls.iter().map(|(f, _)| f.name).collect();
        functions.dedup();
        let name = functions[self.choices.below(functions.len())];
        let ways: Vec<&Call> = calls.iter().filter(|(f, _)| f.name == name).collect();
        *ways[self.choices.below(ways.len())]
    }

    /// Returns a call of a scalar function with this signature.
    pub fn spelt(
        &mut self,
        function: &Function,
        signature: &'static Signature,
        ty: Ty,
        depth: usize,
    ) -> String {
        if function.name == "FORMAT" {
            return self.format(depth);
        }
        let args = self.args(function, signature, ty, depth);
        if function.name == "EXTRACT" {
            return match args.as_slice() {
                [part, value, zone] => format!("EXTRACT({part} FROM {value} AT TIME ZONE {zone})"),
                [part, value, ..] => format!("EXTRACT({part} FROM {value})"),
                _ => self.leaf(ty),
            };
        }
        let safe = if function.can_fail && !self.choices.rarely(10) {
            "SAFE."
        } else {
            ""
        };
        format!("{safe}{}({})", function.name, args.join(", "))
    }

    /// Returns a call of an aggregate function that gives a type, or MAX of such.
    pub fn aggregate(&mut self, ty: Ty, depth: usize) -> String {
        let calls = calls(Kind::Aggregate, ty);
        let (function, signature) = self.one_of(&calls);
        if function.name == "COUNT" && self.choices.below(2) == 0 {
            return "COUNT(*)".to_owned();
        }
        let args = self.args(function, signature, ty, depth);
        let list = args.join(", ");
        let first = args.first().cloned().unwrap_or_default();
        let name = function.name;
        match name {
            "ARRAY_AGG" | "STRING_AGG" => {
                let ignore = match name {
                    "ARRAY_AGG" => self.choices.pick(&[" IGNORE NULLS", ""]),
                    _ => "",
                };
                match self.choices.below(3) {
                    0 => format!("{name}({list}{ignore} ORDER BY {first})"),
                    1 => format!("{name}({list}{ignore} ORDER BY {first} DESC LIMIT 2)"),
                    _ => format!("{name}(DISTINCT {list}{ignore} ORDER BY {first})"),
                }
            }
            // Without an order what is concatenated comes in any.
            "ARRAY_CONCAT_AGG" => format!("{name}({list} ORDER BY TO_JSON_STRING({first}))"),
            "COUNT" | "SUM" | "MIN" | "MAX" | "COUNTIF" => {
                let distinct = self.choices.pick(&["", "", "DISTINCT "]);
                format!("{name}({distinct}{list})")
            }
            _ => format!("{name}({list})"),
        }
    }

    /// Returns arguments for a signature.
    pub fn args(
        &mut self,
        function: &Function,
        signature: &'static Signature,
        ty: Ty,
        depth: usize,
    ) -> Vec<String> {
        let least = signature.args.len() - signature.optional;
        let most = match signature.optional > 0 && self.choices.below(2) == 0 {
            true => least,
            false => signature.args.len(),
        };
        let shared = match (signature.result, ty) {
            (Ret::Any | Ret::ArrayOfAny | Ret::Element, Ty::Of(ty) | Ty::Array(ty)) => ty,
            _ => self.any_orderable(),
        };
        (0..most)
            .map(|index| self.arg(function, index, &signature.args[index], shared, depth))
            .collect()
    }

    fn arg(
        &mut self,
        function: &Function,
        index: usize,
        arg: &'static Arg,
        shared: T,
        depth: usize,
    ) -> String {
        let special = samples::special(function.name, index, arg);
        if let Some(list) = special
            && (samples::is_literal(arg) || !self.choices.rarely(4))
        {
            return self.choices.pick(list).to_owned();
        }
        match arg {
            Arg::Of(ty) => self.expr(Ty::Of(*ty), depth),
            Arg::ArrayOf(ty) => self.expr(Ty::Array(*ty), depth),
            Arg::Any | Arg::Orderable => self.expr(Ty::Of(shared), depth),
            Arg::AnyArray | Arg::ArrayOfAny => self.expr(Ty::Array(shared), depth),
            Arg::Free | Arg::FreeOrderable => {
                let ty = self.any_orderable();
                self.expr(Ty::Of(ty), depth)
            }
            _ => {
                let list = samples::of(function, index, arg);
                list[self.choices.below(list.len())].clone()
            }
        }
    }
}
