//! Queries over the two sub-tables.
//!
//! Whatever SQL leaves open is fixed: rows are cut off only in a total order, windows count rows in the order of
//! keys, aggregates that depend on the order have one.

use logboom::compiler::analyze::functions::T;

use super::choices::Choices;
use super::expr::{Column, Generator, Ty};
use super::lexical;
use super::values;

/// A generated query.
pub struct Query {
    /// Its text.
    pub text: String,
    /// Whether the order of its rows is fixed.
    pub ordered: bool,
    /// Whether it is asked with redaction too.
    pub redacted: bool,
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

impl From {
    /// Returns the only key.
    pub fn key(&self) -> Option<String> {
        match self.keys.as_slice() {
            [key] => Some(key.clone()),
            _ => None,
        }
    }
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
        named: Vec::new(),
        windows: Vec::new(),
        key: None,
        is_wide: false,
    };
    let query = generator.query();
    (query, generator.choices.taken())
}

/// Returns the columns of the sub-table `t`.
pub fn table_t(alias: &str) -> Vec<Column> {
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
    let g = match alias {
        "" => "g".to_owned(),
        alias => format!("{alias}.g"),
    };
    columns.extend(self::columns(
        &g,
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

/// Returns columns of a FROM item, or those columns with nothing before their names.
pub fn columns(alias: &str, columns: &[(&str, Ty)]) -> Vec<Column> {
    let text = |name: &str| match alias {
        "" => name.to_owned(),
        alias => format!("{alias}.{name}"),
    };
    columns
        .iter()
        .map(|(name, ty)| Column {
            text: text(name),
            ty: *ty,
        })
        .collect()
}

impl Generator {
    fn query(&mut self) -> Query {
        self.is_wide = self.choices.rarely(16);
        let types = self.output_types();
        self.more_ctes();
        let block = match self.choices.below(10) {
            5 => self.set_operation(&types, 1),
            6 => self.starred(&types, 1),
            7 | 8 => self.of_calls(),
            9 => self.all_of(),
            _ => self.block(&types, 2),
        };
        let (order, ordered) = self.order(&block.types);
        let mut with = String::new();
        if !self.ctes.is_empty() {
            with = format!("WITH {} ", self.ctes.join(", "));
        }
        let mut text = format!("{with}{}{order}", block.text);
        // One choice for all names and one for all tokens, so that a finding is soon shown without.
        if self.choices.rarely(4) {
            let seed = self.choices.below(1000) as u64;
            text = lexical::renamed(&text, &mut Choices::of_seed(seed));
        }
        if self.choices.rarely(4) {
            let seed = self.choices.below(1000) as u64;
            text = lexical::spelt(&text, &mut Choices::of_seed(seed));
        }
        let redacted = self.choices.rarely(20);
        Query {
            text,
            ordered,
            redacted,
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
    pub fn order(&mut self, types: &[Ty]) -> (String, bool) {
        if self.choices.below(3) == 0 {
            return (
                self.choices.pick(&["", "", " LIMIT 1000"]).to_owned(),
                false,
            );
        }
        let total = types.iter().all(|ty| ty.is_orderable());
        let mut keys: Vec<String> = (0..types.len())
            .filter(|index| types[*index].is_orderable())
            .map(|index| {
                let order = ["", " DESC", " NULLS LAST", " DESC NULLS FIRST", " ASC"];
                format!("{}{}", index + 1, self.choices.pick(&order))
            })
            .collect();
        if keys.is_empty() {
            return (String::new(), false);
        }
        if self.choices.rarely(5) {
            keys.insert(0, self.sort_key(types));
        }
        let mut text = format!(" ORDER BY {}", keys.join(", "));
        if total && self.choices.below(2) == 1 {
            text.push_str(&format!(" LIMIT {}", self.choices.below(5)));
            if self.choices.below(2) == 1 {
                let offset = self.choices.pick(&["0", "1", "2", "3", "100"]);
                text.push_str(&format!(" OFFSET {offset}"));
            }
        }
        (text, total)
    }

    /// Returns a sort key that is computed of the outputs.
    fn sort_key(&mut self, types: &[Ty]) -> String {
        let outputs = types.iter().enumerate().map(|(index, ty)| Column {
            text: format!("c{index}"),
            ty: *ty,
        });
        let outer = std::mem::replace(&mut self.scope, outputs.collect());
        let ty = self.any_orderable();
        let key = self.reading(Ty::Of(ty), 1);
        self.scope = outer;
        format!("{key}{}", self.choices.pick(&["", " DESC"]))
    }

    pub fn set_operation(&mut self, types: &[Ty], depth: usize) -> Block {
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
            .map(|_| format!("({})", self.arm(types, depth)))
            .collect();
        Block {
            text: arms.join(&format!(" {operator} ")),
            types: types.to_vec(),
        }
    }

    fn arm(&mut self, types: &[Ty], depth: usize) -> String {
        match self.choices.below(8) {
            6 if depth > 0 => self.set_operation(types, depth - 1).text,
            7 => {
                let block = self.block(types, depth).text;
                format!("{block}{}", self.order(types).0)
            }
            _ => self.block(types, depth).text,
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

    pub fn items(&mut self, types: &[Ty], depth: usize) -> String {
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
}
