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

impl Printer {
    /// Prints whether a query has rows.
    pub(super) fn has_rows(&mut self, query: &Query) -> Printed {
        let count = match plain(query) {
            Some(select) => {
                self.only_by_equality(query)?;
                let count = aggregate("COUNT", Vec::new(), Vec::new(), Type::Int64);
                self.query(&over(query, select, count))?
            }
            None => {
                self.only_uncorrelated(query)?;
                let text = self.query(query)?;
                let alias = self.alias("s");
                let alias = quoted(&alias);
                format!("SELECT \"count\"(1) FROM ({text}) AS {alias}")
            }
        };
        Ok(format!("(({count}) > 0)"))
    }

    /// Prints the list of the values of a query's only column, in the order of its rows; NULL without rows.
    pub(super) fn list_of(&mut self, query: &Query) -> Printed {
        if let Some(select) = plain(query)
            && let Some(item) = select.items.first()
        {
            self.only_by_equality(query)?;
            let mut keys = query.order_by.clone();
            for key in &mut keys {
                if let ExprKind::Output(index) = key.expr.kind
                    && let Some(item) = select.items.get(index)
                {
                    key.expr = item.expr.clone();
                }
            }
            let ty = Type::array(item.expr.ty.clone());
            let list = aggregate("ARRAY_AGG", vec![item.expr.clone()], keys, ty);
            let text = self.query(&over(query, select, list))?;
            return Ok(format!("({text})"));
        }
        self.only_uncorrelated(query)?;
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
        let mut rest = query.clone();
        if let Body::Select(select) = &mut rest.body
            && let Some(filter) = select.filter.take()
        {
            let conditions = match filter.kind {
                ExprKind::And(list) => list,
                _ => vec![filter],
            };
            let others = conditions.into_iter().filter(|c| !self.is_equality(c));
            select.filter = Some(Expr::new(
                ExprKind::And(others.collect()),
                Type::Bool,
                query.span,
            ));
        }
        let what = if self.is_correlated(&rest) {
            "a sub-query that reads the outer row other than by equality of columns in its WHERE"
        } else if self.in_aggregate {
            "a sub-query that reads the outer row inside of an aggregate function"
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
        if !is_path(left) || !is_path(right) {
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

/// Returns the block of a query that has nothing but FROM, WHERE, one value and an order.
fn plain(query: &Query) -> Option<&Select> {
    let Query {
        body: Body::Select(select),
        order_by: _,
        limit: None,
        offset: None,
        span: _,
    } = query
    else {
        return None;
    };
    let ungrouped = !select.distinct
        && select.group_by.is_none()
        && select.having.is_none()
        && select.qualify.is_none();
    (ungrouped && select.from.is_some() && !has_window(select)).then_some(select)
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
