//! The steps of the analysis that need no syntax tree, for front ends other than GoogleSQL.
//!
//! Types, coercion and the allow-list are those of the rest of the analysis. What is refused is noted, and
//! the other parts of a query go on.

use super::call::Modifiers;
use super::operator::not;
use super::scope::{self, suggest};
use super::{Analyzed, Analyzer, Environment, Refused, Subtable};
use crate::compiler::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use crate::compiler::ir::{
    BinaryOp, Body, Column, ColumnName, Expr, ExprKind, Field, From, Item, Query, RangeName,
    Select, SortKey, Source, Statement, SubqueryKind, Table, Type, Unnest, Value,
};

pub(in crate::compiler) use super::literal::decimal;
pub(in crate::compiler) use super::query::int64;

/// What a step gives, or a mark that its reason is noted.
pub(in crate::compiler) type Built<T> = Result<T, Refused>;

/// A query while it is built.
pub(in crate::compiler) struct Builder<'a>(Analyzer<'a>);

impl<'a> Builder<'a> {
    /// Returns a builder over what an environment publishes.
    pub(in crate::compiler) fn new(environment: &Environment<'a>) -> Self {
        Self(Analyzer::new(environment))
    }

    /// Notes a reason to refuse the query.
    pub(in crate::compiler) fn refuse(&mut self, diagnostic: Diagnostic) -> Refused {
        self.0.refuse(diagnostic)
    }

    /// Brings a sub-table into FROM; returns it with the values of its columns.
    pub(in crate::compiler) fn table(
        &mut self,
        subtable: &Subtable,
        name: &str,
        span: Span,
    ) -> (From, Vec<(Column, Expr)>) {
        let range = self.0.ids.range();
        let columns = subtable.columns.iter().map(|column| {
            let kind = ExprKind::Column {
                range,
                column: column.name.clone(),
            };
            (column.clone(), Expr::new(kind, column.ty.clone(), span))
        });
        let table = Table {
            range,
            name: RangeName::new(name),
            source: Source::Cte(subtable.id),
            columns: subtable.columns.clone(),
        };
        (From::Table(table), columns.collect())
    }

    /// Returns the UNNEST of an array with the value of its element.
    pub(in crate::compiler) fn unnest(
        &mut self,
        array: Expr,
        element: Type,
        name: &str,
    ) -> (From, Expr) {
        let range = self.0.ids.range();
        let span = array.span;
        let unnest = Unnest {
            range,
            name: RangeName::new(name),
            array,
            offset: None,
        };
        let element = Expr::new(ExprKind::Element(range), element, span);
        (From::Unnest(unnest), element)
    }

    /// Returns a field of a record, whose name must be spelt like this.
    pub(in crate::compiler) fn field(&mut self, base: Expr, name: &str, span: Span) -> Built<Expr> {
        if let Some(fields) = base.ty.fields() {
            let names: Vec<String> = fields.iter().filter_map(field_name).collect();
            if !names.iter().any(|known| known == name) {
                let message = format!("there is no field `{name}` here");
                return Err(self.unknown(name, &names, message, span));
            }
        }
        self.0.accept(scope::field(base, name, span))
    }

    /// Refuses a name that is none of some others.
    pub(in crate::compiler) fn unknown(
        &mut self,
        name: &str,
        names: &[String],
        message: String,
        span: Span,
    ) -> Refused {
        let diagnostic = Diagnostic::new(Code::UnknownColumn, span, message);
        self.0.refuse(suggest(diagnostic, name, names.iter()))
    }

    /// Compares two values in their common type.
    pub(in crate::compiler) fn compare(
        &mut self,
        op: BinaryOp,
        left: Expr,
        right: Expr,
        span: Span,
    ) -> Built<Expr> {
        self.0.comparison(op, left, right, span)
    }

    /// Returns whether a value is between two others or equal to one.
    pub(in crate::compiler) fn between(
        &mut self,
        operand: Expr,
        low: Expr,
        high: Expr,
        span: Span,
    ) -> Built<Expr> {
        let operands = self.0.comparable(vec![operand, low, high], span)?;
        let [operand, low, high] = <[Expr; 3]>::try_from(operands).map_err(|_| Refused)?;
        let kind = ExprKind::Between {
            operand: Box::new(operand),
            low: Box::new(low),
            high: Box::new(high),
            negated: false,
        };
        Ok(truth(kind, span))
    }

    /// Returns whether a value is one of some others.
    pub(in crate::compiler) fn one_of(
        &mut self,
        operand: Expr,
        list: Vec<Expr>,
        span: Span,
    ) -> Built<Expr> {
        let operands = std::iter::once(operand).chain(list).collect();
        let mut operands = self.0.comparable(operands, span)?.into_iter();
        let kind = ExprKind::InList {
            operand: Box::new(operands.next().ok_or(Refused)?),
            list: operands.collect(),
            negated: false,
        };
        Ok(truth(kind, span))
    }

    /// Returns whether a value is an element of an array of its type.
    pub(in crate::compiler) fn in_array(
        &mut self,
        value: Expr,
        array: Expr,
        span: Span,
    ) -> Built<Expr> {
        let element = array.ty.element().cloned().ok_or(Refused)?;
        let member = Expr::new(ExprKind::Output(0), element.clone(), array.span);
        let pair = self.0.comparable(vec![value, member], span)?;
        let [value, member] = <[Expr; 2]>::try_from(pair).map_err(|_| Refused)?;
        let array = if member.ty == element {
            array
        } else {
            self.0.coerced(array, &Type::array(member.ty))?
        };
        let kind = ExprKind::InUnnest {
            operand: Box::new(value),
            array: Box::new(array),
            negated: false,
        };
        Ok(truth(kind, span))
    }

    /// Returns the value of an array's element, and where it comes from.
    pub(in crate::compiler) fn element(&mut self, array: Expr) -> Built<(Expr, From)> {
        let ty = array.ty.element().cloned().ok_or(Refused)?;
        let (from, element) = self.unnest(array, ty, "element");
        Ok((element, from))
    }

    /// Returns whether a condition holds for a row of what stands in FROM.
    pub(in crate::compiler) fn exists(&self, from: From, condition: Expr, span: Span) -> Expr {
        let select = Select {
            distinct: false,
            items: vec![Item {
                name: ColumnName::generated("f0_", None),
                expr: int64(1, span),
            }],
            from: Some(from),
            filter: Some(condition),
            group_by: None,
            having: None,
            qualify: None,
        };
        let kind = ExprKind::Subquery {
            kind: SubqueryKind::Exists,
            query: Box::new(query(select, Vec::new(), span)),
        };
        truth(kind, span)
    }

    /// Calls a scalar function of the allow-list.
    pub(in crate::compiler) fn call(
        &mut self,
        name: &'static str,
        args: Vec<Expr>,
        span: Span,
    ) -> Built<Expr> {
        self.0.call_known(name, args, span)
    }

    /// Calls an aggregate function of the allow-list.
    pub(in crate::compiler) fn aggregate(
        &mut self,
        name: &'static str,
        args: Vec<Expr>,
        distinct: bool,
        span: Span,
    ) -> Built<Expr> {
        let modifiers = Modifiers {
            distinct,
            ..Modifiers::default()
        };
        let function = super::functions::known(name);
        self.0.aggregate(function, args, modifiers, span)
    }

    /// Ends the query: what it means, unless anything was refused.
    pub(in crate::compiler) fn finish(self, query: Built<Query>) -> Result<Analyzed, Diagnostics> {
        match query {
            Ok(query) if self.0.diagnostics.is_empty() => Ok(Analyzed {
                statement: Statement {
                    ctes: self.0.ctes,
                    query,
                },
                top_level: self.0.top_level,
                ids: self.0.ids,
            }),
            _ => Err(Diagnostics(self.0.diagnostics).sorted()),
        }
    }
}

fn field_name(field: &Field) -> Option<String> {
    field.name.as_ref().map(ToString::to_string)
}

/// Returns the name that a person may have meant by another one.
pub(in crate::compiler) fn nearest<'n>(name: &str, names: &'n [String]) -> Option<&'n String> {
    scope::nearest(name, names.iter())
}

/// Returns a query that is one select block.
pub(in crate::compiler) fn query(select: Select, order_by: Vec<SortKey>, span: Span) -> Query {
    Query {
        body: Body::Select(Box::new(select)),
        order_by,
        limit: None,
        offset: None,
        span,
    }
}

/// Returns a condition.
pub(in crate::compiler) fn truth(kind: ExprKind, span: Span) -> Expr {
    Expr::new(kind, Type::Bool, span)
}

/// Returns a constant.
pub(in crate::compiler) fn constant(value: Value, ty: Type, span: Span) -> Expr {
    Expr::new(ExprKind::Literal(value), ty, span)
}

/// Returns the condition that another is false.
pub(in crate::compiler) fn negation(condition: Expr, span: Span) -> Expr {
    not(condition, span)
}
