//! Blocks with groups and windows.

use logboom::compiler::analyze::functions::{Arg, Kind, T};

use super::calls::calls;
use super::expr::{Column, Generator, Ty};
use super::query::From;

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

impl Generator {
    /// Returns a block with GROUP BY; its items are expressions over keys and aggregates.
    pub fn grouped(&mut self, types: &[Ty], from: &From, filter: &str, depth: usize) -> String {
        let mut keys = Vec::new();
        for _ in 0..self.choices.below(4) {
            let ty = Ty::Of(self.any_orderable());
            let text = self.reading(ty, depth / 2);
            keys.push(Column { text, ty });
        }
        self.key = from.key();
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
        self.key = None;
        let rolled = !keys.is_empty() && self.choices.rarely(5);
        if rolled {
            scope.extend(keys.iter().map(|key| Column {
                text: format!("GROUPING({})", key.text),
                ty: Ty::Of(T::Int64),
            }));
        }
        if let Some(key) = keys.first() {
            scope.push(Column {
                text: format!("ANY_VALUE({})", key.text),
                ty: key.ty,
            });
        }
        self.scope = scope;
        self.subqueries = false;
        let having = match self.choices.rarely(4) {
            true => format!(" HAVING {}", self.expr(Ty::Of(T::Bool), depth / 2)),
            false => String::new(),
        };
        let around = std::mem::take(&mut self.windows);
        if !rolled {
            self.over_groups(types, &keys, depth / 2);
        }
        let items = self.items(types, depth / 2);
        let over = used(std::mem::replace(&mut self.windows, around), &items);
        self.subqueries = true;
        let list: Vec<&str> = keys.iter().map(|key| key.text.as_str()).collect();
        let group = match (list.join(", "), rolled) {
            (list, _) if list.is_empty() => String::new(),
            (list, true) => format!(" GROUP BY ROLLUP({list})"),
            (list, false) => format!(" GROUP BY {list}"),
        };
        format!(
            "SELECT {items} FROM {}{filter}{group}{having}{over}",
            from.text
        )
    }

    /// Puts window functions over groups into scope.
    fn over_groups(&mut self, types: &[Ty], keys: &[Column], depth: usize) {
        if keys.is_empty() || !self.choices.rarely(4) {
            return;
        }
        let groups = From {
            text: String::new(),
            columns: self.scope.clone(),
            keys: keys.iter().map(|key| key.text.clone()).collect(),
        };
        let mut windows = Vec::new();
        for ty in types {
            if let Some(text) = self.window(*ty, &groups, depth) {
                windows.push(Column { text, ty: *ty });
            }
        }
        self.scope.splice(0..0, windows);
    }

    /// Returns a block whose items are expressions over columns and window functions.
    pub fn windowed(&mut self, types: &[Ty], from: &From, filter: &str, depth: usize) -> String {
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
        let mut qualify = match self.choices.rarely(5) {
            true => format!(" QUALIFY {}", self.expr(Ty::Of(T::Bool), depth / 2)),
            false => String::new(),
        };
        self.subqueries = true;
        if !qualify.is_empty() && self.choices.below(2) == 1 {
            self.scope.clone_from(&from.columns);
            let test = self.expr(Ty::Of(T::Bool), depth);
            let operator = self.choices.pick(&["AND", "OR"]);
            qualify.push_str(&format!(" {operator} {test}"));
        }
        let named = std::mem::replace(&mut self.windows, around);
        let named = used(named, &format!("{items}{qualify}"));
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
            parts.push(format!("PARTITION BY {}", self.reading(Ty::Of(ty), depth)));
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

    /// Returns an order by one number, and a frame of the rows whose numbers are near.
    fn by_distance(&mut self, depth: usize) -> String {
        let ty = [T::Int64, T::Numeric][self.choices.below(2)];
        let key = self.reading(Ty::Of(ty), depth);
        let order = self.choices.pick(&["", " DESC", " NULLS LAST"]);
        let frame = self.choices.pick(DISTANCES);
        format!("ORDER BY {key}{order} RANGE BETWEEN {frame}")
    }

    fn window_order(&mut self, from: &From, depth: usize) -> String {
        let mut keys = from.keys.clone();
        if self.choices.below(2) == 1 {
            let ty = Ty::Of(self.any_orderable());
            let order = self.choices.pick(&["", " DESC", " NULLS LAST"]);
            keys.insert(0, format!("{}{order}", self.reading(ty, depth)));
        }
        format!("ORDER BY {}", keys.join(", "))
    }
}

/// Returns the definitions of the windows that a text uses. What GoogleSQL has against any other it does not say.
fn used(mut windows: Vec<String>, text: &str) -> String {
    windows.retain(|window| {
        let name = window.split(' ').next().unwrap_or_default();
        text.contains(&format!("OVER {name}"))
    });
    match windows.is_empty() {
        true => String::new(),
        false => format!(" WINDOW {}", windows.join(", ")),
    }
}
