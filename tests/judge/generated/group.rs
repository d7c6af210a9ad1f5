//! Blocks with groups and windows.

use logboom::compiler::analyze::functions::{Kind, Ret, T};

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
    "RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW",
    "ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING",
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
        if !matches!(ty, Ty::Of(_)) {
            return None;
        }
        let mut calls = [calls(Kind::Window, ty), calls(Kind::Aggregate, ty)].concat();
        calls.retain(|(f, _)| {
            let of_order = ["STRING_AGG", "ARRAY_AGG", "ARRAY_CONCAT_AGG", "CORR"];
            !of_order.contains(&f.name) && !f.name.starts_with("COVAR")
        });
        let (function, signature) = self.one_of(&calls);
        let args = self.args(function, signature, ty, depth).join(", ");
        let mut parts = Vec::new();
        if self.choices.below(2) == 1 {
            let ty = match self.any_orderable() {
                T::Float64 => T::Int64,
                ty => ty,
            };
            parts.push(format!("PARTITION BY {}", self.reading(Ty::Of(ty), depth)));
        }
        let aggregate = function.kind == Kind::Aggregate;
        let percentile = function.name.starts_with("PERCENTILE");
        if !percentile && (!aggregate || self.choices.below(3) > 0) {
            parts.push(self.window_order(from, depth));
            let framed = aggregate || function.name.ends_with("_VALUE");
            if framed && self.choices.below(2) == 1 {
                parts.push(self.choices.pick(FRAMES).to_owned());
            }
        }
        // A value of an array is not one of the same type.
        if matches!(signature.result, Ret::ArrayOfAny) {
            return None;
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
