//! What generated blocks read: the tables, their joins, the arrays of a row, derived tables and CTEs.

use logboom::compiler::analyze::functions::T;

use super::expr::{Column, Generator, Ty};
use super::query::{From, columns, table_t, table_u};

const JOINS: &[&str] = &["LEFT JOIN", "JOIN", "RIGHT JOIN", "FULL JOIN"];

/// Joins with the integers of a row of `t`, called `{a}` and `{b}`.
const ELEMENTS: &[&str] = &[
    ", UNNEST({a}.ia) AS {b}",
    " LEFT JOIN UNNEST({a}.ia) AS {b}",
    ", {a}.ia AS {b}",
    " LEFT JOIN {a}.ia AS {b}",
    " CROSS JOIN {a}.ia AS {b}",
    " LEFT JOIN UNNEST(COALESCE({a}.ia, [])) AS {b}",
    " JOIN UNNEST({a}.ia) AS {b} ON {b} > {a}.i",
    " LEFT JOIN UNNEST({a}.ia) AS {b} ON {b} > {a}.i",
];

/// Joins with the records of a row, whose place is `{o}`.
const RECORDS: &[&str] = &[
    " LEFT JOIN UNNEST({a}.r) AS {b} WITH OFFSET AS {o}",
    ", UNNEST({a}.m) AS {b} WITH OFFSET AS {o}",
    " LEFT JOIN UNNEST({a}.m) AS {b} WITH OFFSET AS {o}",
    ", UNNEST({a}.r) AS {b} WITH OFFSET AS {o}",
    ", {a}.r AS {b} WITH OFFSET AS {o}",
    " LEFT JOIN {a}.m AS {b} WITH OFFSET AS {o}",
    " LEFT JOIN UNNEST(COALESCE({a}.m, [])) AS {b} WITH OFFSET AS {o}",
    " LEFT JOIN UNNEST(IFNULL({a}.r, [])) AS {b} WITH OFFSET AS {o} ON {b}.a = {a}.i",
    " JOIN UNNEST({a}.m) AS {b} WITH OFFSET AS {o} ON {b}.b = {a}.s",
];

impl Generator {
    /// Returns something to read.
    pub fn from(&mut self, depth: usize) -> From {
        let (a, b) = (self.name("a"), self.name("b"));
        match self.choices.below(if depth == 0 { 2 } else { 17 }) {
            0 | 2 | 3 => of_t(&a),
            1 => of_u(&a),
            4 => {
                let kind = self.choices.pick(JOINS);
                self.joined(&a, &b, kind)
            }
            5 => self.using(&a, &b),
            6 => self.joined(&a, &b, "CROSS JOIN"),
            7 => self.elements(&a, &b),
            8 => self.records_of(&a, &b),
            9 => self.derived(&a, depth - 1),
            10 => self.cte(&a, depth - 1),
            11 => self.three(&a, &b),
            12 => self.bracketed(&a, &b),
            13 => From {
                text: "t".to_owned(),
                columns: table_t(""),
                keys: vec!["k".to_owned()],
            },
            14 => self.two_arrays(&a, &b),
            15 => {
                let offset = self.name("o");
                let array = self.expr(Ty::Records, 1);
                let mut columns = record(&b);
                columns.push(element(&offset, T::Int64));
                From {
                    text: format!("UNNEST({array}) AS {b} WITH OFFSET AS {offset}"),
                    columns,
                    keys: vec![offset],
                }
            }
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
                    self.subqueries = self.choices.rarely(6);
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

    /// Returns a join with USING.
    fn using(&mut self, a: &str, b: &str) -> From {
        let kind = self.choices.pick(JOINS);
        let names = self.choices.pick(&["k", "k, s"]);
        let mut columns = merged(names);
        columns.extend(others(table_t(a), names));
        columns.extend(others(table_u(b), names));
        columns.push(element(&format!("{b}.k"), T::Int64));
        From {
            text: format!("t AS {a} {kind} u AS {b} USING ({names})"),
            columns,
            keys: keys(&["k", &format!("{a}.k"), &format!("{a}.s"), &format!("{b}.s")]),
        }
    }

    /// Returns a join of three tables.
    fn three(&mut self, a: &str, b: &str) -> From {
        let c = self.name("c_");
        let (one, other) = (self.choices.pick(JOINS), self.choices.pick(JOINS));
        let tables = [("t", a), ("u", b), ("u", c.as_str())];
        let all = tables.map(|(table, alias)| match table {
            "t" => table_t(alias),
            _ => table_u(alias),
        });
        let places = [a, b, c.as_str()].map(|alias| format!("{alias}.k, {alias}.s"));
        let way = self.choices.below(5);
        let (columns, first, second) = match way {
            0 => (
                all.concat(),
                format!("ON {a}.k = {b}.k"),
                format!("ON {c}.k = {b}.k"),
            ),
            1 => (
                all.concat(),
                format!("ON {a}.k = {b}.k"),
                format!("ON {c}.i = {a}.i"),
            ),
            2 | 3 => {
                let names = ["k", "k, s"][way - 2];
                let mut columns = merged(names);
                columns.extend(all.into_iter().flat_map(|of| others(of, names)));
                let using = format!("USING ({names})");
                (columns, using.clone(), using)
            }
            _ => {
                let mut columns = merged("k");
                columns.extend(all.into_iter().flat_map(|of| others(of, "k")));
                (columns, "USING (k)".to_owned(), format!("ON {c}.s = {a}.s"))
            }
        };
        From {
            text: format!("t AS {a} {one} u AS {b} {first} {other} u AS {c} {second}"),
            columns,
            keys: places.to_vec(),
        }
    }

    /// Returns a join with one in parentheses.
    fn bracketed(&mut self, a: &str, b: &str) -> From {
        let c = self.name("c_");
        let (one, other) = (self.choices.pick(JOINS), self.choices.pick(JOINS));
        let inner = self
            .choices
            .pick(&["b.k = c.k", "b.s = c.s", "b.i < c.i", "b.x"]);
        let inner = inner
            .replace("b.", &format!("{b}."))
            .replace("c.", &format!("{c}."));
        let text = match self.choices.below(3) {
            0 => format!("t AS {a} {one} (u AS {b} {other} u AS {c} ON {inner}) ON {a}.k = {b}.k"),
            1 => format!("(u AS {b} {other} u AS {c} ON {inner}) {one} t AS {a} ON {a}.k = {c}.k"),
            _ => format!(
                "t AS {a} {one} (u AS {b} CROSS JOIN UNNEST({b}.ia) AS {c}) ON {a}.k = {b}.k"
            ),
        };
        let mut columns = [table_t(a), table_u(b)].concat();
        let mut keys = keys(&[&format!("{a}.k"), &format!("{b}.k"), &format!("{b}.s")]);
        if text.contains("CROSS") {
            columns.push(element(&c, T::Int64));
            keys.push(c);
        } else {
            columns.extend(table_u(&c));
            keys.extend([format!("{c}.k"), format!("{c}.s")]);
        }
        From {
            text,
            columns,
            keys,
        }
    }

    fn elements(&mut self, a: &str, b: &str) -> From {
        let form = named(self.choices.pick(ELEMENTS), a, b, "");
        let mut columns = table_t(a);
        columns.insert(0, element(b, T::Int64));
        From {
            text: format!("t AS {a}{form}"),
            columns,
            keys: keys(&[&format!("{a}.k"), b]),
        }
    }

    fn records_of(&mut self, a: &str, b: &str) -> From {
        let offset = self.name("o");
        let form = named(self.choices.pick(RECORDS), a, b, &offset);
        let mut columns = record(b);
        columns.push(element(&offset, T::Int64));
        columns.extend(table_t(a));
        From {
            text: format!("t AS {a}{form}"),
            columns,
            keys: keys(&[&format!("{a}.k"), &offset]),
        }
    }

    /// Returns the records of a row beside its integers.
    fn two_arrays(&mut self, a: &str, b: &str) -> From {
        let c = self.name("e");
        let one = self.choices.pick(&[", ", " LEFT JOIN "]);
        let other = self.choices.pick(&[", ", " LEFT JOIN "]);
        let mut columns = record(b);
        columns.push(element(&c, T::Int64));
        columns.extend(table_t(a));
        From {
            text: format!("t AS {a}{one}UNNEST({a}.r) AS {b}{other}UNNEST({a}.ia) AS {c}"),
            columns,
            keys: keys(&[&format!("{a}.k"), &c, &format!("{b}.a"), &format!("{b}.b")]),
        }
    }

    fn derived(&mut self, alias: &str, depth: usize) -> From {
        let types = [Ty::Of(self.any_orderable()), Ty::Of(self.any_orderable())];
        let query = match self.choices.below(6) {
            0..=2 => self.block(&types, depth).text,
            3 => self.set_operation(&types, depth).text,
            4 => {
                let block = self.block(&types, depth).text;
                let (order, _) = self.order(&types);
                format!("{block}{order}")
            }
            _ => {
                let block = self.block(&types, depth).text;
                let name = self.name("w");
                format!("WITH {name} AS ({block}) SELECT * FROM {name}")
            }
        };
        of_output(&format!("({query}) AS {alias}"), alias, &types)
    }

    fn cte(&mut self, alias: &str, depth: usize) -> From {
        if self.choices.below(3) == 2
            && let Some((name, types)) = self.named.last().cloned()
        {
            return of_output(&format!("{name} AS {alias}"), alias, &types);
        }
        let types = [Ty::Of(self.any_orderable()), Ty::Of(self.any_orderable())];
        let block = self.block(&types, depth);
        let (order, _) = self.order(&types);
        let name = self.name("w");
        self.ctes.push(format!("{name} AS ({}{order})", block.text));
        self.named.push((name.clone(), types));
        of_output(&format!("{name} AS {alias}"), alias, &types)
    }

    /// Writes CTEs that nobody has to read: one with the name of a sub-table, and one that is not used.
    pub fn more_ctes(&mut self) {
        if self.choices.rarely(10) {
            let (table, columns) = match self.choices.below(2) {
                0 => ("t", table_t("a")),
                _ => ("u", table_u("a")),
            };
            self.scope = columns;
            let cte = match self.choices.below(2) {
                0 => {
                    let test = self.expr(Ty::Of(T::Bool), 1);
                    format!("{table} AS (SELECT * FROM {table} AS a WHERE {test})")
                }
                _ => {
                    let value = self.expr(Ty::Of(T::Int64), 1);
                    format!("{table} AS (SELECT * REPLACE ({value} AS i) FROM {table} AS a)")
                }
            };
            self.scope.clear();
            // In front, where the other CTEs see it.
            self.ctes.push(cte);
        }
        if self.choices.rarely(15) {
            self.cte("a", 1);
        }
    }
}

/// Returns a column that is an element of an array, or the only one of its name.
pub fn element(name: &str, ty: T) -> Column {
    Column {
        text: name.to_owned(),
        ty: Ty::Of(ty),
    }
}

fn record(name: &str) -> Vec<Column> {
    columns(name, &[("a", Ty::Of(T::Int64)), ("b", Ty::Of(T::String))])
}

fn named(form: &str, a: &str, b: &str, o: &str) -> String {
    let form = form.replace("{a}", a).replace("{b}", b);
    form.replace("{o}", o)
}

fn keys(list: &[&str]) -> Vec<String> {
    list.iter().map(|key| (*key).to_owned()).collect()
}

/// Returns the columns that USING makes of two.
fn merged(names: &str) -> Vec<Column> {
    let mut columns = vec![element("k", T::Int64)];
    if names.ends_with('s') {
        columns.push(element("s", T::String));
    }
    columns
}

/// Returns the columns of a table that USING leaves alone.
fn others(mut columns: Vec<Column>, names: &str) -> Vec<Column> {
    columns.retain(|column| {
        let name = column.text.split_once('.').map(|(_, name)| name);
        name.is_none_or(|name| !names.split(", ").any(|merged| merged == name))
    });
    columns
}

fn of_t(alias: &str) -> From {
    From {
        text: format!("t AS {alias}"),
        columns: table_t(alias),
        keys: vec![format!("{alias}.k")],
    }
}

fn of_u(alias: &str) -> From {
    let mut columns = table_u(alias);
    columns.push(Column {
        text: format!("TO_JSON_STRING({alias})"),
        ty: Ty::Of(T::String),
    });
    From {
        text: format!("u AS {alias}"),
        columns,
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
