//! Forms of expressions and queries that are more than a call: predicates over queries, patterns and records,
//! sub-queries over the arrays of a row, stars, keys of GROUP BY by their place, and queries of many calls.

use logboom::compiler::analyze::functions::{Kind, Ret, T};

use super::calls::CALLS;
use super::expr::{Column, Generator, Ty};
use super::query::{Block, From, table_t, table_u};
use super::verdict::NUL;

/// Formats of FORMAT with the types of their values.
const FORMATS: &[(&str, &[T])] = &[
    ("%d|%5d|%-5d|%05d|%+d|%x", &[T::Int64; 6]),
    ("%s|%7s|%-7s|%.2s", &[T::String; 4]),
    ("%f|%.2f|%e|%g|%10.3f", &[T::Float64; 5]),
    ("%t|%T", &[T::Float64, T::Float64]),
    ("%t|%T", &[T::String, T::String]),
    ("%t|%T", &[T::Bytes, T::Bytes]),
    ("%t|%T", &[T::Date, T::Timestamp]),
    ("%t|%T", &[T::Datetime, T::Time]),
    ("%T|%t", &[T::Numeric, T::Bool]),
    ("%p|%t", &[T::Json, T::Json]),
    ("%s, %d%%", &[T::String, T::Int64]),
    ("%\\'d|%\\'.1f|%G", &[T::Int64, T::Float64, T::Numeric]),
];

impl Generator {
    /// Returns a call of FORMAT.
    pub fn format(&mut self, depth: usize) -> String {
        let (format, types) = FORMATS[self.choices.below(FORMATS.len())];
        let values: Vec<String> = types
            .iter()
            .map(|ty| match (self.expr(Ty::Of(*ty), depth), ty) {
                (text, T::String) if format.contains("%s") => format!("REPLACE({text}, {NUL}, '')"),
                (text, _) => text,
            })
            .collect();
        format!("FORMAT('{format}', {})", values.join(", "))
    }

    /// Returns a predicate that searches a text, a list, an array or a table.
    pub fn searched(&mut self, depth: usize) -> String {
        let not = self.choices.pick(&["", "NOT "]);
        match self.choices.below(6) {
            0 => {
                let value = self.expr(Ty::Of(T::String), depth);
                let patterns = [
                    "'%a%'",
                    "'_'",
                    "'%\\\\%%'",
                    "''",
                    "'a%c'",
                    "'%é'",
                    "'_\\\\__'",
                ];
                let pattern = self.choices.pick(&patterns);
                format!("({value} {not}LIKE {pattern})")
            }
            1 => {
                let ty = self.any_orderable();
                let value = self.expr(Ty::Of(ty), depth);
                format!(
                    "({value} {not}IN UNNEST({}))",
                    self.expr(Ty::Array(ty), depth)
                )
            }
            2 => {
                let ty = Ty::Of([T::String, T::Bytes][self.choices.below(2)]);
                format!("({} {not}LIKE {})", self.expr(ty, depth), self.leaf(ty))
            }
            3 => {
                let types = [self.any_orderable(), self.any_orderable()];
                let [one, other, last] = [(); 3].map(|()| {
                    let fields = types.map(|ty| self.expr(Ty::Of(ty), depth.min(1)));
                    format!("({})", fields.join(", "))
                });
                match self.choices.below(3) {
                    0 => format!("({one} = {other})"),
                    1 => format!("({one} != {other})"),
                    _ => format!("({one} {not}IN ({other}, {last}))"),
                }
            }
            _ if self.subqueries => {
                let ty = Ty::Of(self.any_orderable());
                let value = self.expr(ty, depth);
                let name = self.name("e");
                let outer = std::mem::replace(&mut self.scope, table_u(&name));
                let column = self.expr(ty, depth.min(1));
                let test = self.expr(Ty::Of(T::Bool), depth.min(1));
                self.scope = outer;
                format!("({value} {not}IN (SELECT {column} FROM u AS {name} WHERE {test}))")
            }
            _ => format!("({} IS NOT NULL)", self.expr(Ty::Of(T::String), depth)),
        }
    }

    /// Returns a sub-query over the records of an array, which may name the row around it.
    pub fn over_records(&mut self, ty: T, depth: usize) -> String {
        let records = self.expr(Ty::Records, depth);
        let name = self.name("e");
        let outer = self.scope.clone();
        self.scope.splice(0..0, fields(&name));
        let call = self.aggregate(Ty::Of(ty), depth.min(1));
        let test = self.expr(Ty::Of(T::Bool), depth.min(1));
        self.scope = outer;
        format!("(SELECT {call} FROM UNNEST({records}) AS {name} WHERE {test})")
    }

    /// Returns a sub-query over the elements of an array, which may name the row around it.
    pub fn over_elements(&mut self, ty: T, element: &Column, depth: usize) -> String {
        let array = self.expr(element_array(element), depth);
        let name = &element.text;
        let outer = self.scope.clone();
        self.scope.splice(0..0, [element.clone()]);
        let call = self.aggregate(Ty::Of(ty), depth.min(1));
        self.scope = outer;
        format!("(SELECT {call} FROM UNNEST({array}) AS {name})")
    }

    /// Returns an array of what is computed of each element of another one, in its order.
    pub fn listed(&mut self, ty: T, inner: &str, name: &str, depth: usize) -> String {
        let offset = self.name("o");
        let outer = self.scope.clone();
        let columns = [(name, ty), (offset.as_str(), T::Int64)].map(|(text, ty)| Column {
            text: text.to_owned(),
            ty: Ty::Of(ty),
        });
        self.scope.splice(0..0, columns);
        let value = self.expr(Ty::Of(ty), depth.min(1));
        let test = self.expr(Ty::Of(T::Bool), depth.min(1));
        self.scope = outer;
        let order = self.choices.pick(&["", " DESC"]);
        format!(
            "ARRAY(SELECT {value} FROM UNNEST({inner}) AS {name} WITH OFFSET AS {offset} WHERE {test} ORDER BY {offset}{order})"
        )
    }

    /// Returns a value that depends on a condition, and is NULL where it does not hold.
    pub fn chosen(&mut self, ty: Ty, depth: usize) -> String {
        let value = self.expr(ty, depth);
        let test = self.expr(Ty::Of(T::Bool), depth);
        match self.choices.below(4) {
            0 => format!("IF({test}, {value}, NULL)"),
            1 => format!("CASE WHEN {test} THEN {value} END"),
            2 => format!("IF({test}, {value}, {})", self.leaf(ty)),
            _ => format!("COALESCE(IF({test}, NULL, {value}), {})", self.leaf(ty)),
        }
    }

    /// Returns a record that is more than a column.
    pub fn record(&mut self, depth: usize) -> String {
        match self.choices.below(6) {
            4 => return self.chosen(Ty::Record, depth),
            5 if self.subqueries => {
                let records = self.expr(Ty::Records, depth);
                let name = self.name("e");
                let kind = self
                    .choices
                    .pick(&["* ", "e.*", "e.a, e.b", "e.a AS a, e.b"]);
                let items = kind.replace("e.", &format!("{name}."));
                let order = self.choices.pick(&["", " DESC"]);
                return format!(
                    "(SELECT AS STRUCT {items} FROM UNNEST({records}) AS {name} ORDER BY {name}.a{order}, {name}.b LIMIT 1)"
                );
            }
            3 => {
                let place = self.choices.pick(&["SAFE_OFFSET(0)", "SAFE_ORDINAL(2)"]);
                return format!("{}[{place}]", self.expr(Ty::Records, depth));
            }
            _ => {}
        }
        let a = self.expr(Ty::Of(T::Int64), depth);
        let b = self.expr(Ty::Of(T::String), depth);
        match self.choices.below(3) {
            2 => format!("STRUCT<a INT64, b STRING>({a}, {b})"),
            _ => format!("STRUCT({a} AS a, {b} AS b)"),
        }
    }

    /// Returns an array of records that is more than a column.
    pub fn records(&mut self, depth: usize) -> String {
        match self.choices.below(6) {
            2 => self.chosen(Ty::Records, depth),
            3 => format!("ARRAY_REVERSE({})", self.expr(Ty::Records, depth)),
            4 => {
                let one = self.expr(Ty::Records, depth);
                format!("ARRAY_CONCAT({one}, {})", self.expr(Ty::Records, depth))
            }
            5 if self.subqueries => {
                let inner = self.expr(Ty::Records, depth);
                let (name, offset) = (self.name("e"), self.name("o"));
                let outer = self.scope.clone();
                self.scope.splice(0..0, fields(&name));
                let a = self.expr(Ty::Of(T::Int64), depth.min(1));
                let test = self.expr(Ty::Of(T::Bool), depth.min(1));
                self.scope = outer;
                let item = match self.choices.below(3) {
                    0 => name.clone(),
                    1 => format!("AS STRUCT {name}.*"),
                    _ => format!("AS STRUCT {a} AS a, {name}.b"),
                };
                format!(
                    "ARRAY(SELECT {item} FROM UNNEST({inner}) AS {name} WITH OFFSET AS {offset} WHERE {test} ORDER BY {offset})"
                )
            }
            _ => format!("[{}]", self.expr(Ty::Record, depth)),
        }
    }

    /// Returns a field of a record.
    pub fn field(&mut self, ty: T, depth: usize) -> String {
        let record = self.expr(Ty::Record, depth);
        let field = if ty == T::Int64 { "a" } else { "b" };
        format!("{record}.{field}")
    }

    /// Returns a sub-query over a table that compares with the row around it.
    pub fn correlated(&mut self, ty: T, depth: usize) -> String {
        let far = self.leaf(Ty::Of(T::Int64));
        let name = self.name("e");
        let outer = std::mem::replace(&mut self.scope, table_u(&name));
        let value = self.expr(Ty::Of(ty), depth.min(1));
        let test = self.expr(Ty::Of(T::Bool), depth.min(1));
        let call = self.aggregate(Ty::Of(ty), depth.min(1));
        self.scope = outer;
        let column = self.choices.pick(&["k", "i"]);
        let from = format!("FROM u AS {name} WHERE {name}.{column} = {far}");
        match self.choices.below(4) {
            0 if ty == T::Bool => format!("EXISTS (SELECT 1 {from} AND {test})"),
            1 if ty == T::Bool => {
                let of = Ty::Of(T::Int64);
                let not = self.choices.pick(&["", "NOT "]);
                format!(
                    "({} {not}IN (SELECT {name}.i {from}))",
                    self.expr(of, depth)
                )
            }
            2 if ty != T::Json => {
                format!("(SELECT {value} AS q {from} ORDER BY q LIMIT 1)")
            }
            3 if ty == T::Int64 => {
                format!("ARRAY_LENGTH(ARRAY(SELECT {value} {from}))")
            }
            _ => format!("(SELECT {call} {from} AND {test})"),
        }
    }

    /// Returns a block that selects all columns of tables and their joins.
    pub fn all_of(&mut self) -> Block {
        let (a, b) = (self.name("a"), self.name("b"));
        let without = "EXCEPT (r, m, g, ia, sa, j)";
        let of_t: Vec<Ty> = table_t(&a).iter().map(|column| column.ty).collect();
        let scalars: Vec<Ty> = of_t.iter().copied().take(12).collect();
        let join = self
            .choices
            .pick(&["LEFT JOIN", "JOIN", "RIGHT JOIN", "FULL JOIN"]);
        let (text, types) = match self.choices.below(5) {
            0 => (
                format!("{a}.* {without}, {b}.i AS i2"),
                [scalars, vec![Ty::Of(T::Int64)]].concat(),
            ),
            1 => (
                format!("{b}.* EXCEPT (ia), {a}.* EXCEPT (k, i, f, s, x, d, ts)"),
                {
                    let of_u: Vec<Ty> =
                        table_u(&b).iter().take(7).map(|column| column.ty).collect();
                    let rest = [2, 4, 7, 9, 10, 12, 13, 14, 15, 16, 17].map(|at| of_t[at]);
                    [of_u, rest.to_vec()].concat()
                },
            ),
            2 => (
                format!("{b} AS c0, TO_JSON_STRING({b}) AS c1, {b} IS NULL AS c2"),
                { vec![Ty::Row, Ty::Of(T::String), Ty::Of(T::Bool)] },
            ),
            3 => (
                format!("{a} AS c0, {b}.s AS c1"),
                vec![Ty::Row, Ty::Of(T::String)],
            ),
            _ => (
                format!("{a}.g.*, {b}.k"),
                [T::Int64, T::String, T::Int64].map(Ty::Of).to_vec(),
            ),
        };
        let text = format!("SELECT {text} FROM t AS {a} {join} u AS {b} ON {a}.k = {b}.k");
        Block { text, types }
    }

    /// Returns a query of calls of functions of all sorts.
    pub fn of_calls(&mut self) -> Block {
        let from = self.from(1);
        self.scope.clone_from(&from.columns);
        let listed = CALLS.iter().copied();
        let scalar: Vec<_> = listed.filter(|(f, _)| f.kind == Kind::Scalar).collect();
        let mut items = Vec::new();
        let mut types = Vec::new();
        for index in 0..2 + self.choices.below(5) {
            let (function, signature) = self.one_of(&scalar);
            let ty = match signature.result {
                Ret::Of(ty) => Ty::Of(ty),
                Ret::ArrayOf(ty) => Ty::Array(ty),
                Ret::ArrayOfAny => Ty::Array(self.any_orderable()),
                Ret::Extracted => Ty::Of(T::Int64),
                Ret::Any | Ret::Element | Ret::Top(..) => Ty::Of(self.any_orderable()),
            };
            let call = self.spelt(function, signature, ty, 1);
            items.push(format!("{call} AS c{index}"));
            types.push(ty);
        }
        Block {
            text: format!("SELECT {} FROM {}", items.join(", "), from.text),
            types,
        }
    }

    /// Returns a block that selects all columns of another one, but for some.
    pub fn starred(&mut self, types: &[Ty], depth: usize) -> Block {
        let inner = self.block(types, depth);
        let name = self.name("a");
        self.scope = (0..types.len())
            .map(|index| Column {
                text: format!("{name}.c{index}"),
                ty: types[index],
            })
            .collect();
        let mut types = types.to_vec();
        let star = match self.choices.below(4) {
            0 => "*".to_owned(),
            1 => format!("{name}.*"),
            2 if types.len() > 1 => {
                types.remove(0);
                "* EXCEPT (c0)".to_owned()
            }
            _ => format!("* REPLACE ({} AS c0)", self.expr(types[0], depth)),
        };
        let filter = match self.choices.below(2) {
            1 => format!(" WHERE {}", self.expr(Ty::Of(T::Bool), depth)),
            _ => String::new(),
        };
        Block {
            text: format!("SELECT {star} FROM ({}) AS {name}{filter}", inner.text),
            types,
        }
    }

    /// Returns a block whose items are keys and aggregates, with the keys named in one of the short ways.
    pub fn by_place(&mut self, types: &[Ty], from: &From, filter: &str, depth: usize) -> String {
        self.subqueries = false;
        self.key = from.key();
        let mut keys = Vec::new();
        let mut items = Vec::new();
        for (index, ty) in types.iter().enumerate() {
            let value = match ty {
                Ty::Of(_) if ty.is_orderable() && self.choices.below(2) == 0 => {
                    keys.push(index);
                    self.reading(*ty, depth)
                }
                Ty::Of(_) | Ty::Array(_) => self.aggregate(*ty, depth),
                Ty::Record | Ty::Records | Ty::Row => self.expr_of_none(*ty, depth),
            };
            items.push(format!("{value} AS c{index}"));
        }
        self.subqueries = true;
        self.key = None;
        let named = |prefix: &str, plus: usize| -> String {
            let names: Vec<String> = keys
                .iter()
                .map(|k| format!("{prefix}{}", k + plus))
                .collect();
            names.join(", ")
        };
        let group = match self.choices.below(3) {
            _ if keys.is_empty() => String::new(),
            0 => " GROUP BY ALL".to_owned(),
            1 => format!(" GROUP BY {}", named("", 1)),
            _ => format!(" GROUP BY {}", named("c", 0)),
        };
        // Without keys there is one row, whatever the items are.
        let whole = match keys.len() == types.len() && group.is_empty() {
            true => " LIMIT 1",
            false => "",
        };
        format!(
            "SELECT {} FROM {}{filter}{group}{whole}",
            items.join(", "),
            from.text
        )
    }

    /// Returns a value that names no column.
    fn expr_of_none(&mut self, ty: Ty, depth: usize) -> String {
        let outer = std::mem::take(&mut self.scope);
        let value = self.expr(ty, depth);
        self.scope = outer;
        value
    }
}

fn fields(name: &str) -> [Column; 2] {
    [("a", T::Int64), ("b", T::String)].map(|(field, ty)| Column {
        text: format!("{name}.{field}"),
        ty: Ty::Of(ty),
    })
}

fn element_array(element: &Column) -> Ty {
    match element.ty {
        Ty::Of(ty) => Ty::Array(ty),
        other => other,
    }
}
