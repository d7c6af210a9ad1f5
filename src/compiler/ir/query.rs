//! Queries: statements, select blocks, FROM trees.

use crate::compiler::diagnostic::Span;

use super::expr::{Expr, ExprKind, SortKey};
use super::name::{ColumnName, CteId, CteName, RangeId, RangeName, StreamName};
use super::types::{Field, Type};
use super::visit::{Visit, walk_expr};

/// A whole query text: one flat list of CTEs and the query over them.
///
/// CTEs are identified by id, so where each was declared no longer matters; each reads only CTEs
/// before it in the list.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The CTEs, each after those it reads.
    pub ctes: Vec<Cte>,
    /// What is asked for.
    pub query: Query,
}

impl Statement {
    /// Returns the CTE of an id.
    #[must_use]
    pub fn cte(&self, id: CteId) -> Option<&Cte> {
        self.ctes.iter().find(|cte| cte.id == id)
    }
}

/// A common table expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Cte {
    /// Its identity in the statement.
    pub id: CteId,
    /// What it is printed as, unique in the statement.
    pub name: CteName,
    /// Its rows.
    pub query: Query,
}

/// A query: rows of named, typed columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Query {
    /// Where the rows come from.
    pub body: Body,
    /// Their order, if it is fixed.
    pub order_by: Vec<OrderItem>,
    /// At most this many rows.
    pub limit: Option<u64>,
    /// Leaves out this many rows first.
    pub offset: Option<u64>,
    /// Where it was written.
    pub span: Span,
}

impl Query {
    /// Returns the output columns in their order.
    #[must_use]
    pub fn columns(&self) -> Vec<Column> {
        match &self.body {
            Body::Select(select) => select
                .items
                .iter()
                .map(|item| Column {
                    name: item.name.clone(),
                    ty: item.expr.ty.clone(),
                })
                .collect(),
            Body::Set(set) => set.columns.clone(),
        }
    }

    /// Returns the names of the output columns in their order.
    pub fn names(&self) -> impl Iterator<Item = &ColumnName> {
        let (items, columns): (&[Item], &[Column]) = match &self.body {
            Body::Select(select) => (&select.items, &[]),
            Body::Set(set) => (&[], &set.columns),
        };
        let items = items.iter().map(|item| &item.name);
        items.chain(columns.iter().map(|column| &column.name))
    }
}

/// A key of a query's ORDER BY.
pub type OrderItem = SortKey;

/// Where the rows of a query come from.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// A select block.
    Select(Box<Select>),
    /// A set operation over queries.
    Set(Box<SetOperation>),
}

/// A set operation. All arms have columns of the same types as the result.
#[derive(Clone, Debug, PartialEq)]
pub struct SetOperation {
    /// Which one.
    pub operator: SetOperator,
    /// ALL keeps duplicate rows.
    pub all: bool,
    /// At least two.
    pub arms: Vec<Query>,
    /// The result's columns, named like those of the first arm.
    pub columns: Vec<Column>,
}

/// A set operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetOperator {
    /// Rows of any arm.
    Union,
    /// Rows of all arms.
    Intersect,
    /// Rows of the first arm that no other has.
    Except,
}

/// A select block.
#[derive(Clone, Debug, PartialEq)]
pub struct Select {
    /// Whether duplicate rows are left out.
    pub distinct: bool,
    /// The output columns; at least one.
    pub items: Vec<Item>,
    /// The input rows; one row of nothing when absent.
    pub from: Option<From>,
    /// WHERE.
    pub filter: Option<Expr>,
    /// Present when rows are grouped: by GROUP BY, or by an aggregate function without one.
    pub group_by: Option<GroupBy>,
    /// HAVING.
    pub having: Option<Expr>,
    /// QUALIFY.
    pub qualify: Option<Expr>,
}

/// An output column of a select block.
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    /// The name, unique in the block (ASCII case folded), also when the query gave none.
    pub name: ColumnName,
    /// The value.
    pub expr: Expr,
}

impl Select {
    /// Returns whether an item of the block aggregates by a function, so that its rows are groups without a key.
    pub fn has_aggregate(&self) -> bool {
        let mut found = HasAggregate(false);
        for item in &self.items {
            found.expr(&item.expr);
        }
        found.0
    }
}

struct HasAggregate(bool);

impl Visit for HasAggregate {
    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Aggregate(_) => self.0 = true,
            // Its aggregates are its own.
            ExprKind::Subquery { .. } => {}
            ExprKind::InQuery {
                operand,
                query: _,
                negated: _,
            } => self.expr(operand),
            _ => walk_expr(self, expr),
        }
    }
}

/// GROUP BY.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupBy {
    /// The keys; none when all rows are one group.
    pub keys: Vec<Expr>,
    /// `ROLLUP(keys)`.
    pub rollup: bool,
}

/// A name and type of a table or result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name as declared.
    pub name: ColumnName,
    /// The type.
    pub ty: Type,
}

impl Column {
    /// Returns the same as a field of a row STRUCT.
    #[must_use]
    pub fn to_field(&self) -> Field {
        Field {
            name: Some(self.name.clone()),
            ty: self.ty.clone(),
        }
    }
}

/// A FROM tree.
#[derive(Clone, Debug, PartialEq)]
pub enum From {
    /// A stream or CTE.
    Table(Table),
    /// A query.
    Derived {
        /// Its identity.
        range: RangeId,
        /// Its alias.
        name: RangeName,
        /// Its rows.
        query: Box<Query>,
    },
    /// The elements of an array.
    Unnest(Unnest),
    /// Two of them joined. The right side may be an UNNEST over columns of the left one.
    Join(Box<Join>),
    /// The rows of one for which a condition holds. Made by passes; GoogleSQL has no such form.
    Filtered {
        /// The rows.
        input: Box<From>,
        /// The condition, BOOL.
        condition: Expr,
    },
}

/// A stream or CTE in FROM.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its identity.
    pub range: RangeId,
    /// Its alias.
    pub name: RangeName,
    /// What is read.
    pub source: Source,
    /// The columns of the source.
    pub columns: Vec<Column>,
}

/// What a FROM item reads.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// A log stream. Only stored queries can hold one.
    Stream(StreamName),
    /// A CTE of the statement.
    Cte(CteId),
}

/// `UNNEST(array) AS name [WITH OFFSET]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Unnest {
    /// Its identity.
    pub range: RangeId,
    /// Its alias.
    pub name: RangeName,
    /// The array; may read FROM items to its left and outer queries.
    pub array: Expr,
    /// The name of the WITH OFFSET column.
    pub offset: Option<ColumnName>,
}

/// A join.
#[derive(Clone, Debug, PartialEq)]
pub struct Join {
    /// Which one.
    pub kind: JoinKind,
    /// Left side.
    pub left: From,
    /// Right side.
    pub right: From,
    /// The condition; absent for CROSS, and for LEFT JOIN UNNEST without ON.
    pub on: Option<Expr>,
}

/// A kind of join.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JoinKind {
    /// Every pair.
    Cross,
    /// Pairs that match.
    Inner,
    /// And left rows without a match.
    Left,
    /// And right rows without a match.
    Right,
    /// And both.
    Full,
}
