//! Spells redaction out, for an engine that has no function for it.
//!
//! Before: `REDACT(value)`. After: for a STRING `REGEXP_REPLACE(value, @redact_ip, 'REDACTED')`, once for each
//! rule, with the rule's pattern as a parameter, because it is long and stands in many places; for a STRUCT or an ARRAY the same value built anew, with its texts redacted; for JSON what its text is once
//! redacted, or NULL where that is no JSON; for BYTES NULL. A value is written as often as it has parts, so it
//! should be a path. It is the last pass, because what it makes is long.

use crate::compiler::analyze::Ids;
use crate::compiler::analyze::functions::known;
use crate::compiler::ir::visit::{VisitMut, walk_expr_mut};
use crate::compiler::ir::{
    Body, CaseBranch, ColumnName, Expr, ExprKind, Field, From, Item, ParameterName, Query,
    RangeName, Select, SortKey, Statement, SubqueryKind, Type, Unnest, Value,
};
use crate::compiler::redaction::{REPLACEMENT, Redaction, Rule};
use crate::compiler::{BoundParameter, Declaration};

/// Returns the statement with redaction in terms of ordinary functions, and the patterns it is bound to, under
/// names that no declared parameter has.
#[must_use]
pub fn rebuild(
    mut statement: Statement,
    ids: &mut Ids,
    declared: &[Declaration],
) -> (Statement, Vec<BoundParameter>) {
    let mut pass = Rebuild {
        ids,
        declared,
        patterns: Vec::new(),
    };
    for cte in &mut statement.ctes {
        pass.query(&mut cte.query);
    }
    pass.query(&mut statement.query);
    (statement, pass.patterns)
}

struct Rebuild<'a> {
    ids: &'a mut Ids,
    declared: &'a [Declaration],
    patterns: Vec<BoundParameter>,
}

impl VisitMut for Rebuild<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        walk_expr_mut(self, expr);
        if let ExprKind::Redact { operand, redaction } = &mut expr.kind {
            let redaction = redaction.clone();
            let operand = std::mem::replace(operand.as_mut(), Expr::bool(false));
            *expr = self.redacted(operand, &redaction);
        }
    }
}

impl Rebuild<'_> {
    fn redacted(&mut self, value: Expr, redaction: &Redaction) -> Expr {
        let (ty, span) = (value.ty.clone(), value.span);
        match &ty {
            Type::String => self.text(value, redaction),
            Type::Bytes => Expr::new(ExprKind::Literal(Value::Null), ty, span),
            Type::Json => {
                let printed = call("TO_JSON_STRING", vec![value.clone()], Type::String, false);
                let printed = self.text(printed, redaction);
                present(value, call("PARSE_JSON", vec![printed], Type::Json, true))
            }
            Type::Struct(fields) => self.record(value, fields, redaction),
            Type::Array(array) => {
                let element = self.elements(value.clone(), &array.element, redaction);
                present(value, Expr::new(element, ty, span))
            }
            Type::Bool
            | Type::Int64
            | Type::Float64
            | Type::Numeric
            | Type::BigNumeric
            | Type::Date
            | Type::Time
            | Type::Datetime
            | Type::Timestamp
            | Type::Interval => value,
        }
    }

    /// Returns a text with the matches of every rule replaced.
    fn text(&mut self, value: Expr, redaction: &Redaction) -> Expr {
        redaction.rules().iter().fold(value, |value, rule| {
            let string = |kind| Expr::new(kind, Type::String, value.span);
            let pattern = string(ExprKind::Parameter(self.parameter(rule)));
            let replacement = string(ExprKind::Literal(Value::string(REPLACEMENT)));
            let args = vec![value, pattern, replacement];
            call("REGEXP_REPLACE", args, Type::String, false)
        })
    }

    /// Returns the parameter that a pattern is bound to.
    fn parameter(&mut self, rule: &Rule) -> ParameterName {
        let value = Value::string(&rule.pattern);
        if let Some(known) = self.patterns.iter().find(|bound| bound.value == value) {
            return known.name.clone();
        }
        let mut name = format!("redact_{}", rule.name.to_ascii_lowercase());
        let taken = |name: &str| {
            let mut declared = self.declared.iter().map(|declaration| &declaration.name);
            declared.any(|other| other.matches(name))
                || self.patterns.iter().any(|bound| bound.name.matches(name))
        };
        while taken(&name) {
            name.push('_');
        }
        let name = ParameterName::new(name);
        self.patterns.push(BoundParameter {
            name: name.clone(),
            ty: Type::String,
            value,
        });
        name
    }

    fn record(&mut self, value: Expr, fields: &[Field], redaction: &Redaction) -> Expr {
        let (ty, span) = (value.ty.clone(), value.span);
        let mut parts = Vec::with_capacity(fields.len());
        for (index, field) in fields.iter().enumerate() {
            let kind = match (&value.kind, &field.name) {
                (ExprKind::Row(range), Some(name)) => ExprKind::Column {
                    range: *range,
                    column: name.clone(),
                },
                _ => ExprKind::Field {
                    base: Box::new(value.clone()),
                    index,
                },
            };
            let part = Expr::new(kind, field.ty.clone(), span);
            parts.push(self.redacted(part, redaction));
        }
        let record = Expr::new(ExprKind::Struct(parts), ty, span);
        // A row is never NULL itself.
        match value.kind {
            ExprKind::Row(_) => record,
            _ => present(value, record),
        }
    }

    /// `ARRAY(SELECT element FROM UNNEST(array) AS e WITH OFFSET AS o ORDER BY o)`.
    fn elements(&mut self, array: Expr, element: &Type, redaction: &Redaction) -> ExprKind {
        let (range, span) = (self.ids.range(), array.span);
        let value = Expr::new(ExprKind::Element(range), element.clone(), span);
        let select = Select {
            distinct: false,
            items: vec![Item {
                name: ColumnName::new("e"),
                expr: self.redacted(value, redaction),
            }],
            from: Some(From::Unnest(Unnest {
                range,
                name: RangeName::new("e"),
                array,
                offset: Some(ColumnName::new("o")),
            })),
            filter: None,
            group_by: None,
            having: None,
            qualify: None,
        };
        ExprKind::Subquery {
            kind: SubqueryKind::Array,
            query: Box::new(Query {
                body: Body::Select(Box::new(select)),
                order_by: vec![SortKey {
                    expr: Expr::new(ExprKind::Offset(range), Type::Int64, span),
                    descending: false,
                    nulls_first: true,
                }],
                limit: None,
                offset: None,
                span,
            }),
        }
    }
}

fn call(name: &'static str, args: Vec<Expr>, ty: Type, safe: bool) -> Expr {
    let span = args.first().map(|arg| arg.span).unwrap_or_default();
    let kind = ExprKind::Call {
        function: known(name),
        args,
        safe,
    };
    Expr::new(kind, ty, span)
}

/// Returns what becomes of a value where there is one, and NULL where there is none.
fn present(value: Expr, then: Expr) -> Expr {
    let (ty, span) = (then.ty.clone(), then.span);
    let condition = ExprKind::IsNull {
        operand: Box::new(value),
        negated: true,
    };
    let branch = CaseBranch {
        condition: Expr::new(condition, Type::Bool, span),
        value: then,
    };
    let kind = ExprKind::Case {
        operand: None,
        branches: vec![branch],
        otherwise: None,
    };
    Expr::new(kind, ty, span)
}
