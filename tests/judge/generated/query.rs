//! Queries over the two sub-tables.
//!
//! Whatever SQL leaves open is fixed: rows are cut off only in a total order, windows count rows in the order of
//! keys, aggregates that depend on the order have one.

use logboom::compiler::analyze::functions::{Arg, Kind, T};

use super::choices::Choices;
use super::expr::{Column, Generator, Ty, calls};
use super::values;

/// A generated query.
pub struct Query {
    /// Its text.
    pub text: String,
    /// Whether the order of its rows is fixed.
    pub ordered: bool,
}

/// A query block with its output.
pub struct Block {
    /// Its text.
    pub text: String,
    /// The types of its columns.
    pub types: Vec<Ty>,
}

/// The rows that a block reads.
pub struct From {
    /// Its text.
    pub text: String,
    /// What can be named of them.
    pub columns: Vec<Column>,
    /// Expressions that tell rows apart, or that only equal rows share.
    pub keys: Vec<String>,
}

/// Returns the query that choices stand for.
pub fn query(mut choices: Choices) -> (Query, Vec<u32>) {
    if choices.rarely(4) {
        return values::query(choices);
    }
    let mut generator = Generator {
        choices,
        scope: Vec::new(),
        names: 0,
        subqueries: true,
        ctes: Vec::new(),
        windows: Vec::new(),
    };
    let query = generator.query();
    (query, generator.choices.taken())
}

/// Returns the columns of the sub-table `t`.
fn table_t(alias: &str) -> Vec<Column> {
    let mut columns = columns(
        alias,
        &[
            ("k", Ty::Of(T::Int64)),
            ("i", Ty::Of(T::Int64)),
            ("big", Ty::Of(T::Int64)),
            ("f", Ty::Of(T::Float64)),
            ("n", Ty::Of(T::Numeric)),
            ("s", Ty::Of(T::String)),
            ("x", Ty::Of(T::Bool)),
            ("y", Ty::Of(T::Bytes)),
            ("d", Ty::Of(T::Date)),
            ("dt", Ty::Of(T::Datetime)),
            ("tm", Ty::Of(T::Time)),
            ("ts", Ty::Of(T::Timestamp)),
            ("j", Ty::Of(T::Json)),
            ("ia", Ty::Array(T::Int64)),
            ("sa", Ty::Array(T::String)),
            ("r", Ty::Records),
            ("m", Ty::Records),
            ("g", Ty::Record),
        ],
    );
    columns.extend(self::columns(
        &format!("{alias}.g"),
        &[("a", Ty::Of(T::Int64)), ("b", Ty::Of(T::String))],
    ));
    columns
}

/// Returns the columns of the sub-table `u`.
pub fn table_u(alias: &str) -> Vec<Column> {
    columns(
        alias,
        &[
            ("k", Ty::Of(T::Int64)),
            ("i", Ty::Of(T::Int64)),
            ("f", Ty::Of(T::Float64)),
            ("s", Ty::Of(T::String)),
            ("x", Ty::Of(T::Bool)),
            ("d", Ty::Of(T::Date)),
            ("ts", Ty::Of(T::Timestamp)),
            ("ia", Ty::Array(T::Int64)),
        ],
    )
}

fn columns(alias: &str, columns: &[(&str, Ty)]) -> Vec<Column> {
    columns
        .iter()
        .map(|(name, ty)| Column {
            text: format!("{alias}.{name}"),
            ty: *ty,
        })
        .collect()
}

impl Generator {
    fn query(&mut self) -> Query {
        let types = self.output_types();
        let block = match self.choices.below(9) {
            5 => self.set_operation(&types),
            6 => self.starred(&types, 1),
            7 | 8 => self.of_calls(),
            _ => self.block(&types, 2),
        };
        let (order, ordered) = self.order(&block.types);
        let mut with = String::new();
        if !self.ctes.is_empty() {
            with = format!("WITH {} ", self.ctes.join(", "));
        }
        Query {
            text: format!("{with}{}{order}", block.text),
            ordered,
        }
    }

    fn output_types(&mut self) -> Vec<Ty> {
        let count = 1 + self.choices.below(3);
        (0..count)
            .map(|_| match self.choices.below(14) {
                12 => Ty::Array([T::Int64, T::String][self.choices.below(2)]),
                13 => [Ty::Record, Ty::Records][self.choices.below(2)],
                _ => Ty::Of(self.any_scalar()),
            })
            .collect()
    }

    /// Returns the end of a query and whether it fixes the order of the rows.
    fn order(&mut self, types: &[Ty]) -> (String, bool) {
        if self.choices.below(3) == 0 {
            return (String::new(), false);
        }
        let total = types.iter().all(|ty| ty.is_orderable());
        let keys: Vec<String> = (0..types.len())
            .filter(|index| types[*index].is_orderable())
            .map(|index| {
                let order = ["", " DESC", " NULLS LAST", " DESC NULLS FIRST", " ASC"];
                format!("{}{}", index + 1, self.choices.pick(&order))
            })
            .collect();
        if keys.is_empty() {
            return (String::new(), false);
        }
        let mut text = format!(" ORDER BY {}", keys.join(", "));
        if total && self.choices.below(2) == 1 {
            text.push_str(&format!(" LIMIT {}", self.choices.below(5)));
            if self.choices.below(2) == 1 {
                text.push_str(&format!(" OFFSET {}", self.choices.below(4)));
            }
        }
        (text, total)
    }

    fn set_operation(&mut self, types: &[Ty]) -> Block {
        let comparable = types.iter().all(|ty| ty.is_orderable());
        let operators: &[&str] = match comparable {
            true => &[
                "UNION ALL",
                "UNION DISTINCT",
                "INTERSECT DISTINCT",
                "EXCEPT DISTINCT",
            ],
            false => &["UNION ALL"],
        };
        let operator = self.choices.pick(operators);
        let arms: Vec<String> = (0..2 + self.choices.below(2))
            .map(|_| format!("({})", self.block(types, 1).text))
            .collect();
        Block {
            text: arms.join(&format!(" {operator} ")),
            types: types.to_vec(),
        }
    }

    /// Returns a query block with these types in its select list.
    pub fn block(&mut self, types: &[Ty], depth: usize) -> Block {
        let outer = std::mem::take(&mut self.scope);
        let from = self.from(depth);
        self.scope.clone_from(&from.columns);
        let filter = match self.choices.below(3) {
            2 => format!(" WHERE {}", self.expr(Ty::Of(T::Bool), depth)),
            _ => String::new(),
        };
        let text = match self.choices.below(7) {
            0..=2 => self.plain(types, &from, &filter, depth),
            6 => self.by_place(types, &from, &filter, depth / 2),
            3 | 4 => self.grouped(types, &from, &filter, depth),
            _ => self.windowed(types, &from, &filter, depth),
        };
        self.scope = outer;
        Block {
            text,
            types: types.to_vec(),
        }
    }

    fn items(&mut self, types: &[Ty], depth: usize) -> String {
        let items: Vec<String> = types
            .iter()
            .enumerate()
            .map(|(index, ty)| format!("{} AS c{index}", self.expr(*ty, depth)))
            .collect();
        items.join(", ")
    }

    fn plain(&mut self, types: &[Ty], from: &From, filter: &str, depth: usize) -> String {
        let comparable = types.iter().all(|ty| ty.is_orderable());
        let distinct = match comparable && self.choices.rarely(5) {
            true => "DISTINCT ",
            false => "",
        };
        let items = self.items(types, depth);
        format!("SELECT {distinct}{items} FROM {}{filter}", from.text)
    }

    /// Returns a block with GROUP BY; its items are expressions over keys and aggregates.
    fn grouped(&mut self, types: &[Ty], from: &From, filter: &str, depth: usize) -> String {
        let mut keys = Vec::new();
        for _ in 0..self.choices.below(3) {
            let ty = Ty::Of(self.any_orderable());
            let text = self.expr(ty, depth / 2);
            keys.push(Column { text, ty });
        }
        let mut scope = keys.clone();
        for ty in types {
            if matches!(ty, Ty::Of(_) | Ty::Array(_)) {
                let text = self.aggregate(*ty, depth / 2);
                scope.push(Column { text, ty: *ty });
            }
        }
        let text = self.aggregate(Ty::Of(T::Int64), depth / 2);
        scope.push(Column {
            text,
            ty: Ty::Of(T::Int64),
        });
        let rolled = !keys.is_empty() && self.choices.rarely(6);
        if rolled {
            let key = &keys[self.choices.below(keys.len())].text;
            scope.push(Column {
                text: format!("GROUPING({key})"),
                ty: Ty::Of(T::Int64),
            });
        }
        self.scope = scope;
        self.subqueries = false;
        let items = self.items(types, depth / 2);
        let having = match self.choices.rarely(4) {
            true => format!(" HAVING {}", self.expr(Ty::Of(T::Bool), depth / 2)),
            false => String::new(),
        };
        self.subqueries = true;
        let list: Vec<&str> = keys.iter().map(|key| key.text.as_str()).collect();
        let group = match (list.join(", "), rolled) {
            (list, _) if list.is_empty() => String::new(),
            (list, true) => format!(" GROUP BY ROLLUP({list})"),
            (list, false) => format!(" GROUP BY {list}"),
        };
        format!("SELECT {items} FROM {}{filter}{group}{having}", from.text)
    }

    /// Returns a block whose items are expressions over columns and window functions.
    fn windowed(&mut self, types: &[Ty], from: &From, filter: &str, depth: usize) -> String {
        let around = std::mem::take(&mut self.windows);
        let mut windows = Vec::new();
        for ty in types.iter().chain(&[Ty::Of(T::Int64)]) {
            if let Some(text) = self.window(*ty, from, depth / 2) {
                windows.push(Column { text, ty: *ty });
            }
        }
        // In front, so that they are the simplest choice.
        self.scope.splice(0..0, windows);
        self.subqueries = false;
        let items = self.items(types, depth / 2);
        let qualify = match self.choices.rarely(5) {
            true => format!(" QUALIFY {}", self.expr(Ty::Of(T::Bool), depth / 2)),
            false => String::new(),
        };
        self.subqueries = true;
        let named = match std::mem::replace(&mut self.windows, around) {
            named if named.is_empty() => String::new(),
            named => format!(" WINDOW {}", named.join(", ")),
        };
        format!("SELECT {items} FROM {}{filter}{qualify}{named}", from.text)
    }

    /// Returns a call over a window that gives a type, if there is one.
    fn window(&mut self, ty: Ty, from: &From, depth: usize) -> Option<String> {
        let mut calls = [calls(Kind::Window, ty), calls(Kind::Aggregate, ty)].concat();
        calls.retain(|(f, _)| f.name != "ARRAY_CONCAT_AGG");
        if calls.is_empty() {
            return None;
        }
        let (function, signature) = self.one_of(&calls);
        let mut args = self.args(function, signature, ty, depth).join(", ");
        if function.name == "AVG" && matches!(signature.args, [Arg::Of(T::Float64)]) {
            // The evaluator's mean is NaN when a number follows infinity.
            args = format!("NULLIF({args}, CAST('inf' AS FLOAT64))");
        }
        let mut parts = Vec::new();
        if self.choices.below(2) == 1 {
            let ty = match self.any_orderable() {
                T::Float64 => T::Int64,
                ty => ty,
            };
            parts.push(format!("PARTITION BY {}", self.expr(Ty::Of(ty), depth)));
        }
        let aggregate = function.kind == Kind::Aggregate;
        let in_order = matches!(function.name, "STRING_AGG" | "ARRAY_AGG");
        let percentile = function.name.starts_with("PERCENTILE");
        if aggregate && !in_order && self.choices.rarely(5) {
            parts.push(self.by_distance(depth));
        } else if !percentile && (!aggregate || in_order || self.choices.below(3) > 0) {
            parts.push(self.window_order(from, depth));
            let framed = aggregate || function.name.ends_with("_VALUE");
            if framed && self.choices.below(2) == 1 {
                parts.push(self.choices.pick(FRAMES).to_owned());
            }
        }
        let mut window = format!("({})", parts.join(" "));
        if self.choices.rarely(4) {
            let name = self.name("w");
            self.windows.push(format!("{name} AS {window}"));
            window = name;
        }
        Some(format!("{}({args}) OVER {window}", function.name))
    }

    fn window_order(&mut self, from: &From, depth: usize) -> String {
        let mut keys = from.keys.clone();
        if self.choices.below(2) == 1 {
            let ty = Ty::Of(self.any_orderable());
            let order = self.choices.pick(&["", " DESC", " NULLS LAST"]);
            keys.insert(0, format!("{}{order}", self.expr(ty, depth)));
        }
        format!("ORDER BY {}", keys.join(", "))
    }

    /// Returns an order by one number, and a frame of the rows whose numbers are near.
    fn by_distance(&mut self, depth: usize) -> String {
        let ty = [T::Int64, T::Numeric][self.choices.below(2)];
        let key = self.expr(Ty::Of(ty), depth);
        let order = self.choices.pick(&["", " DESC", " NULLS LAST"]);
        let frame = self.choices.pick(DISTANCES);
        format!("ORDER BY {key}{order} RANGE BETWEEN {frame}")
    }

    pub fn from(&mut self, depth: usize) -> From {
        let (a, b) = (self.name("a"), self.name("b"));
        match self.choices.below(if depth == 0 { 2 } else { 12 }) {
            0 | 2 | 3 => From {
                text: format!("t AS {a}"),
                columns: table_t(&a),
                keys: vec![format!("{a}.k")],
            },
            1 => of_u(&a),
            4 => {
                let kind = self
                    .choices
                    .pick(&["LEFT JOIN", "JOIN", "RIGHT JOIN", "FULL JOIN"]);
                self.joined(&a, &b, kind)
            }
            5 => {
                let kind = self
                    .choices
                    .pick(&["LEFT JOIN", "JOIN", "RIGHT JOIN", "FULL JOIN"]);
                using(&a, &b, kind)
            }
            6 => self.joined(&a, &b, "CROSS JOIN"),
            7 => {
                let form = self.choices.pick(&[", UNNEST(", " LEFT JOIN UNNEST("]);
                let mut columns = table_t(&a);
                columns.insert(0, element(&b, T::Int64));
                From {
                    text: format!("t AS {a}{form}{a}.ia) AS {b}"),
                    columns,
                    keys: vec![format!("{a}.k"), b],
                }
            }
            8 => {
                let forms = [
                    " LEFT JOIN UNNEST({}.r) AS ",
                    ", UNNEST({}.m) AS ",
                    " LEFT JOIN UNNEST({}.m) AS ",
                    ", UNNEST({}.r) AS ",
                ];
                let form = self.choices.pick(&forms).replace("{}", &a);
                let offset = self.name("o");
                let mut columns =
                    self::columns(&b, &[("a", Ty::Of(T::Int64)), ("b", Ty::Of(T::String))]);
                columns.push(element(&offset, T::Int64));
                columns.extend(table_t(&a));
                From {
                    text: format!("t AS {a}{form}{b} WITH OFFSET AS {offset}"),
                    columns,
                    keys: vec![format!("{a}.k"), offset],
                }
            }
            9 => self.derived(&a, depth - 1),
            10 => self.cte(&a, depth - 1),
            _ => {
                let ty = self.any_orderable();
                let array = self.expr(Ty::Array(ty), 1);
                From {
                    text: format!("UNNEST({array}) AS {a}"),
                    columns: vec![element(&a, ty)],
                    keys: vec![a],
                }
            }
        }
    }

    fn joined(&mut self, a: &str, b: &str, kind: &str) -> From {
        let mut columns = table_t(a);
        columns.extend(table_u(b));
        let mut on = String::new();
        if kind != "CROSS JOIN" {
            on = match self.choices.below(3) {
                0 => format!(" ON {a}.k = {b}.k"),
                1 => format!(" ON {a}.s = {b}.s AND {a}.i >= {b}.i"),
                _ => {
                    let outer = std::mem::replace(&mut self.scope, columns.clone());
                    self.subqueries = false;
                    let test = self.expr(Ty::Of(T::Bool), 1);
                    self.subqueries = true;
                    self.scope = outer;
                    format!(" ON {a}.i = {b}.i AND {test}")
                }
            };
        }
        From {
            text: format!("t AS {a} {kind} u AS {b}{on}"),
            columns,
            keys: vec![format!("{a}.k"), format!("{b}.k"), format!("{b}.s")],
        }
    }

    fn derived(&mut self, alias: &str, depth: usize) -> From {
        let types = [Ty::Of(self.any_orderable()), Ty::Of(self.any_orderable())];
        let block = self.block(&types, depth);
        of_output(&format!("({}) AS {alias}", block.text), alias, &types)
    }

    fn cte(&mut self, alias: &str, depth: usize) -> From {
        let types = [Ty::Of(self.any_orderable()), Ty::Of(self.any_orderable())];
        let block = self.block(&types, depth);
        let (order, _) = self.order(&types);
        let name = self.name("w");
        self.ctes.push(format!("{name} AS ({}{order})", block.text));
        of_output(&format!("{name} AS {alias}"), alias, &types)
    }
}

const FRAMES: &[&str] = &[
    "ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING",
    "ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING",
    "ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING",
    "ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING",
    "ROWS 2 PRECEDING",
    "ROWS BETWEEN 6 PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN 3 PRECEDING AND 2 PRECEDING",
    "ROWS BETWEEN CURRENT ROW AND 3 FOLLOWING",
    "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
];

const DISTANCES: &[&str] = &[
    "3 PRECEDING AND CURRENT ROW",
    "1 PRECEDING AND 1 FOLLOWING",
    "4 PRECEDING AND 1 PRECEDING",
    "0 FOLLOWING AND 60 FOLLOWING",
    "CURRENT ROW AND 2 FOLLOWING",
    "UNBOUNDED PRECEDING AND 2 FOLLOWING",
    "9223372036854775807 PRECEDING AND 1 PRECEDING",
    "1 FOLLOWING AND UNBOUNDED FOLLOWING",
];

fn element(name: &str, ty: T) -> Column {
    Column {
        text: name.to_owned(),
        ty: Ty::Of(ty),
    }
}

fn of_u(alias: &str) -> From {
    From {
        text: format!("u AS {alias}"),
        columns: table_u(alias),
        keys: vec![format!("{alias}.k"), format!("{alias}.s")],
    }
}

fn of_output(text: &str, alias: &str, types: &[Ty; 2]) -> From {
    let columns = columns(alias, &[("c0", types[0]), ("c1", types[1])]);
    From {
        text: text.to_owned(),
        keys: columns.iter().map(|column| column.text.clone()).collect(),
        columns,
    }
}

fn using(a: &str, b: &str, kind: &str) -> From {
    let of_a = table_t(a).into_iter().filter(|c| !c.text.ends_with(".k"));
    let of_b = table_u(b).into_iter().filter(|c| !c.text.ends_with(".k"));
    let mut columns = vec![element("k", T::Int64)];
    columns.extend(of_a.chain(of_b));
    From {
        text: format!("t AS {a} {kind} u AS {b} USING (k)"),
        columns,
        keys: vec!["k".to_owned(), format!("{a}.n"), format!("{b}.s")],
    }
}
