//! Sub-queries over tables as values, where the engine has no form of its own: their rows are counted or
//! gathered in a list by an aggregate function, which the engine knows how to correlate.

use super::lists::has_window;
use super::print::{Printed, Printer, quoted, unsupported};
use crate::compiler::analyze::functions::known;
use crate::compiler::diagnostic::Diagnostic;
use crate::compiler::ir::{
    Aggregate, BinaryOp, Body, ColumnName, Expr, ExprKind, GroupBy, Item, Query, Select, SortKey,
    Type,
};

/// What the rows of a query are.
enum Rows<'a> {
    /// Those that FROM and WHERE leave.
    Each(&'a Select),
    /// The one that an aggregate over all of them is.
    One(&'a Select),
    /// Anything else.
    Other,
}

impl Rows<'_> {
    fn of(query: &Query) -> Rows<'_> {
        let Body::Select(select) = &query.body else {
            return Rows::Other;
        };
        if select.qualify.is_some() || select.from.is_none() || has_window(select) {
            return Rows::Other;
        }
        match &select.group_by {
            None if select.having.is_none() => Rows::Each(select),
            Some(group_by) if group_by.keys.is_empty() => Rows::One(select),
            _ => Rows::Other,
        }
    }
}

/// What the value of a sub-query is called.
const VALUE: &str = "value";

/// What it is called whether the one row of an aggregation is left in.
const HAVING: &str = "having";

impl Printer {
    /// Prints the value of a query of one column and at most one row; NULL without rows.
    pub(super) fn value_of(&mut self, query: &Query) -> Printed {
        let is_one = |select: &Select| select.having.is_none() && !is_cut(query);
        match Rows::of(query) {
            Rows::One(select) if is_one(select) => {
                self.only_by_equality(query)?;
                Ok(format!("({})", self.query(&as_value(query, VALUE))?))
            }
            _ if self.is_correlated(query) => Ok(format!("\"only_row\"({})", self.list_of(query)?)),
            // The engine thinks that a value which is never NULL is always there.
            _ => {
                let query = as_value(query, VALUE);
                let rows = self.query(&query)?;
                let alias = self.alias("s");
                let columns = query.columns();
                let name = columns.first().map_or("", |column| column.name.as_str());
                let (alias, name) = (quoted(&alias), quoted(name));
                Ok(format!(
                    "(SELECT \"value_or_null\"({alias}.{name}) AS {name} FROM ({rows}) AS {alias})"
                ))
            }
        }
    }

    /// Returns whether the engine may make a join of EXISTS or IN with this query. If the query reads the outer row,
    /// a join sees its rows one by one: it cannot count them off, and an aggregate over none of them is no row.
    pub(super) fn is_joinable(&self, query: &Query) -> bool {
        if !self.is_correlated(query) {
            return true;
        }
        let by_row = match (Rows::of(query), &query.body) {
            (Rows::Each(_), _) => true,
            (Rows::One(_), _) | (Rows::Other, Body::Set(_)) => false,
            (Rows::Other, Body::Select(select)) => {
                select.qualify.is_none()
                    && !has_window(select)
                    && !self.is_correlated(&filtered(query, |c| !self.is_equality(c)))
            }
        };
        by_row && !is_cut(query) && !self.is_correlated(&filtered(query, |_| false))
    }

    /// Prints whether a query has rows.
    pub(super) fn has_rows(&mut self, query: &Query) -> Printed {
        let is_correlated = self.is_correlated(query);
        match Rows::of(query) {
            Rows::Each(select) if !select.distinct && (is_correlated || !is_cut(query)) => {
                if query.limit == Some(0) {
                    return Ok("FALSE".to_owned());
                }
                self.only_by_equality(query)?;
                let count = aggregate("COUNT", Vec::new(), Vec::new(), Type::Int64);
                let count = self.query(&over(query, select, count))?;
                Ok(format!("(({count}) > {})", query.offset.unwrap_or(0)))
            }
            Rows::One(select) if is_correlated => {
                let cut = query.limit == Some(0) || query.offset.is_some_and(|skip| skip > 0);
                self.only_by_equality(query)?;
                match &select.having {
                    _ if cut => Ok("FALSE".to_owned()),
                    None => Ok("TRUE".to_owned()),
                    Some(having) => Ok(format!(
                        "({} IS TRUE)",
                        self.one(query, select, having, HAVING)?
                    )),
                }
            }
            _ => {
                self.only_uncorrelated(query)?;
                let text = self.query(query)?;
                let alias = self.alias("s");
                let alias = quoted(&alias);
                Ok(format!(
                    "((SELECT \"count\"(1) FROM ({text}) AS {alias}) > 0)"
                ))
            }
        }
    }

    /// Prints the list of the values of a query's only column, in the order of its rows; NULL without rows.
    pub(super) fn list_of(&mut self, query: &Query) -> Printed {
        let is_correlated = self.is_correlated(query);
        let list = match Rows::of(query) {
            Rows::Each(select) if is_correlated || !(select.distinct || is_cut(query)) => {
                self.list_of_each(query, select)?
            }
            Rows::One(select) if is_correlated => {
                let Some(item) = select.items.first() else {
                    return Ok("NULL".to_owned());
                };
                // Once it is printed, what it reads of its own cannot be told from the outer row.
                self.only_by_equality(query)?;
                let value = self.one(query, select, &item.expr, VALUE)?;
                let list = format!("\"make_array\"({value})");
                match &select.having {
                    None => list,
                    Some(having) => {
                        let having = self.one(query, select, having, HAVING)?;
                        format!("(CASE WHEN {having} THEN {list} END)")
                    }
                }
            }
            _ => {
                self.only_uncorrelated(query)?;
                return self.list_of_whole(query);
            }
        };
        Ok(match is_cut(query) {
            false => list,
            true => format!(
                "\"list_slice\"({list}, {}, {})",
                query.offset.unwrap_or(0),
                query.limit.unwrap_or(i64::MAX as u64)
            ),
        })
    }

    /// Prints what an expression is for the one row of an aggregation.
    fn one(&mut self, query: &Query, select: &Select, value: &Expr, name: &str) -> Printed {
        let query = over(query, select, value.clone());
        Ok(format!("({})", self.query(&as_value(&query, name))?))
    }

    fn list_of_each(&mut self, query: &Query, select: &Select) -> Printed {
        let Some(item) = select.items.first() else {
            return Ok("NULL".to_owned());
        };
        self.only_by_equality(query)?;
        let mut keys = query.order_by.clone();
        for key in &mut keys {
            if let ExprKind::Output(index) = key.expr.kind
                && let Some(item) = select.items.get(index)
            {
                key.expr = item.expr.clone();
            }
            if select.distinct && key.expr != item.expr {
                let instead = "order by the value itself";
                return Err(unsupported(
                    query.span,
                    "this order of DISTINCT values",
                    instead,
                ));
            }
        }
        let ty = Type::array(item.expr.ty.clone());
        let mut list = aggregate("ARRAY_AGG", vec![item.expr.clone()], keys, ty);
        if let ExprKind::Aggregate(aggregate) = &mut list.kind {
            aggregate.distinct = select.distinct;
        }
        let text = self.query(&over(query, select, list))?;
        Ok(format!("({text})"))
    }

    /// Prints the list for a query that reads nothing of the outer row.
    fn list_of_whole(&mut self, query: &Query) -> Printed {
        let (query, keys) = with_sort_columns(query)?;
        let columns = query.columns();
        let column = |index: usize| {
            columns
                .get(index)
                .map(|c| quoted(c.name.as_str()).to_string())
        };
        let text = self.query(&query)?;
        let alias = self.alias("s");
        let alias = quoted(&alias);
        let value = column(0).unwrap_or_default();
        if keys.is_empty() {
            return Ok(format!(
                "(SELECT \"array_agg\"({value}) FROM ({text}) AS {alias})"
            ));
        }
        self.outputs = columns
            .iter()
            .map(|c| quoted(c.name.as_str()).to_string())
            .collect();
        let record = self.sort_record(&value, &keys, &[]);
        self.outputs = Vec::new();
        let (record, order) = record?;
        Ok(format!(
            "(SELECT \"ordered\"(\"array_agg\"({record}), {order}) FROM ({text}) AS {alias})"
        ))
    }

    /// Refuses a query that reads the outer row other than by equality in its WHERE, and one that reads it where
    /// rows are grouped: the engine makes a join of it, and then cannot.
    pub(super) fn only_by_equality(&self, query: &Query) -> Result<(), Box<Diagnostic>> {
        if !self.is_correlated(query) {
            return Ok(());
        }
        let rest = filtered(query, |condition| !self.is_equality(condition));
        let what = if self.is_correlated(&rest) {
            "a sub-query that reads the outer row other than by equality of columns in its WHERE"
        } else if self.in_aggregate {
            "a sub-query that reads the outer row inside of an aggregate or window function"
        } else {
            return Ok(());
        };
        Err(unsupported(query.span, what, "join the tables and group"))
    }

    /// Returns whether a condition says that a column of the outer row equals one of the query's own. The engine
    /// makes a join of it only where neither side is computed.
    fn is_equality(&self, condition: &Expr) -> bool {
        let ExprKind::Binary {
            op: BinaryOp::Equal,
            left,
            right,
        } = &condition.kind
        else {
            return false;
        };
        // FLOAT64 is compared by a call.
        if !is_path(left) || !is_path(right) || left.ty == Type::Float64 {
            return false;
        }
        let (left, right) = (self.reads(left), self.reads(right));
        matches!(
            (left, right),
            ((true, false), (false, _)) | ((false, _), (true, false))
        )
    }

    fn only_uncorrelated(&self, query: &Query) -> Result<(), Box<Diagnostic>> {
        if self.is_correlated(query) {
            let what = "a sub-query of this form that reads the outer row";
            return Err(unsupported(query.span, what, "join the tables and group"));
        }
        Ok(())
    }
}

/// Returns whether an expression is a column, or a field of one.
fn is_path(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Column { .. } | ExprKind::Element(_) | ExprKind::Offset(_) => true,
        ExprKind::Field { base, index: _ } => is_path(base),
        _ => false,
    }
}

/// Returns a query with those of the conditions of its WHERE that are kept.
fn filtered(query: &Query, is_kept: impl Fn(&Expr) -> bool) -> Query {
    let mut query = query.clone();
    if let Body::Select(select) = &mut query.body
        && let Some(filter) = select.filter.take()
    {
        let conditions = match filter.kind {
            ExprKind::And(list) => list,
            _ => vec![filter],
        };
        let kept = conditions.into_iter().filter(is_kept).collect();
        let filter = Expr::new(ExprKind::And(kept), Type::Bool, query.span);
        select.filter = Some(filter);
    }
    query
}

/// Returns whether rows of a query are left out by their number.
fn is_cut(query: &Query) -> bool {
    query.limit.is_some() || query.offset.is_some()
}

/// Returns a sub-query whose column has a name of its own. The engine calls the value of a sub-query by the name of its
/// column, and two groups or aggregates of one name are a failure to it. Where the same sub-query is written out again,
/// as a group key and as the item that is grouped by, it has to have the same name.
fn as_value(query: &Query, name: &str) -> Query {
    let mut query = query.clone();
    let name = format!("{name}${}", query.span.start);
    if let Body::Select(select) = &mut query.body
        && let [item] = select.items.as_mut_slice()
    {
        item.name = ColumnName::generated(name, None);
    }
    query
}

fn aggregate(name: &'static str, args: Vec<Expr>, order_by: Vec<SortKey>, ty: Type) -> Expr {
    let aggregate = Aggregate {
        function: known(name),
        args,
        distinct: false,
        ignore_nulls: None,
        order_by,
        limit: None,
    };
    Expr::new(
        ExprKind::Aggregate(Box::new(aggregate)),
        ty,
        crate::compiler::Span::default(),
    )
}

/// Returns the query of one row that has an aggregate over the rows of a block.
fn over(query: &Query, select: &Select, value: Expr) -> Query {
    let select = Select {
        distinct: false,
        items: vec![Item {
            name: ColumnName::new("v"),
            expr: value,
        }],
        from: select.from.clone(),
        filter: select.filter.clone(),
        group_by: Some(GroupBy {
            keys: Vec::new(),
            rollup: false,
        }),
        having: None,
        qualify: None,
    };
    Query {
        body: Body::Select(Box::new(select)),
        order_by: Vec::new(),
        limit: None,
        offset: None,
        span: query.span,
    }
}

/// Returns a query with its sort keys among its columns, and these as keys.
fn with_sort_columns(query: &Query) -> Result<(Query, Vec<SortKey>), Box<Diagnostic>> {
    let mut query = query.clone();
    let mut keys = query.order_by.clone();
    for (number, key) in keys.iter_mut().enumerate() {
        if matches!(key.expr.kind, ExprKind::Output(_)) {
            continue;
        }
        let Body::Select(select) = &mut query.body else {
            return Err(unsupported(
                key.expr.span,
                "this order of a sub-query",
                "order by a column of it",
            ));
        };
        let output = Expr::new(
            ExprKind::Output(select.items.len()),
            key.expr.ty.clone(),
            key.expr.span,
        );
        select.items.push(Item {
            name: ColumnName::new(format!("sort${number}")),
            expr: std::mem::replace(&mut key.expr, output.clone()),
        });
        if let Some(key) = query.order_by.get_mut(number) {
            key.expr = output;
        }
    }
    Ok((query, keys))
}
