//! The query that an LQL text becomes, as SQL that a person would write.
//!
//! Names stand without quotes where they can, operators without parentheses where they need none, and each
//! clause has a line. A caller who sends this SQL gets what the LQL gives.

use std::fmt::Write;

use super::lower::TABLE;
use crate::compiler::analyze::Subtable;
use crate::compiler::googlesql;
use crate::compiler::ir::{
    Aggregate, BinaryOp, Body, Expr, ExprKind, From, Item, Query, RangeId, Select, Source,
    Statement, SubqueryKind, SubscriptMode, Type, UnaryOp, Value,
};

/// Writes the statement of an LQL text over these sub-tables; nothing for a form that LQL does not have.
pub(in crate::compiler) fn explain(
    statement: &Statement,
    subtables: &[Subtable],
) -> Option<String> {
    let Body::Select(select) = &statement.query.body else {
        return None;
    };
    let mut writer = Writer {
        subtables,
        out: String::new(),
        aliases: Vec::new(),
        keys: select
            .group_by
            .as_ref()
            .map_or(&[], |by| by.keys.as_slice()),
    };
    // The aliases are known once FROM has been written.
    writer.from(select.from.as_ref()?)?;
    let from = std::mem::take(&mut writer.out);
    writer.items(select)?;
    writer.out.push_str(&from);
    writer.filter(select.filter.as_ref())?;
    if !writer.keys.is_empty() {
        writer.out.push_str("\nGROUP BY 1\nORDER BY 1");
    }
    Some(writer.out)
}

/// How tightly a form binds: an operand that binds less needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Or,
    And,
    Not,
    Comparison,
    Operand,
}

struct Writer<'a> {
    subtables: &'a [Subtable],
    out: String,
    aliases: Vec<(RangeId, String)>,
    /// The keys of GROUP BY.
    keys: &'a [Expr],
}

impl Writer<'_> {
    fn text(&mut self, text: &str) -> Option<()> {
        self.out.push_str(text);
        Some(())
    }

    fn name(&mut self, name: &str) -> Option<()> {
        if googlesql::is_reserved(name) {
            self.out.push('`');
            self.out.push_str(name);
            self.out.push('`');
        } else {
            self.out.push_str(name);
        }
        Some(())
    }

    fn from(&mut self, from: &From) -> Option<()> {
        match from {
            From::Table(table) => {
                let Source::Cte(id) = table.source else {
                    return None;
                };
                let subtable = self.subtables.iter().find(|subtable| subtable.id == id)?;
                self.text("\nFROM ")?;
                self.name(subtable.name.as_str())?;
                self.aliased(table.range, table.name.as_str())
            }
            From::Join(join) => {
                let From::Unnest(unnest) = &join.right else {
                    return None;
                };
                self.from(&join.left)?;
                self.text("\nLEFT JOIN UNNEST(")?;
                self.expr(&unnest.array, Level::Or)?;
                self.text(")")?;
                self.aliased(unnest.range, unnest.name.as_str())
            }
            From::Unnest(unnest) => {
                self.text(" FROM UNNEST(")?;
                self.expr(&unnest.array, Level::Or)?;
                self.text(")")?;
                self.aliased(unnest.range, unnest.name.as_str())
            }
            From::Derived { .. } | From::Filtered { .. } => None,
        }
    }

    fn aliased(&mut self, range: RangeId, alias: &str) -> Option<()> {
        self.aliases.push((range, alias.to_owned()));
        self.text(" AS ")?;
        self.name(alias)
    }

    fn alias(&mut self, range: RangeId) -> Option<()> {
        let (_, alias) = self.aliases.iter().find(|(id, _)| *id == range)?;
        let alias = alias.clone();
        self.name(&alias)
    }

    fn items(&mut self, select: &Select) -> Option<()> {
        self.text("SELECT ")?;
        if self.is_all(&select.items, select.from.as_ref()?) {
            return self.text(&format!("{TABLE}.*"));
        }
        for (index, item) in select.items.iter().enumerate() {
            if index > 0 {
                self.text(", ")?;
            }
            self.expr(&item.expr, Level::Or)?;
            if last_name(&item.expr) != Some(item.name.as_str()) {
                self.text(" AS ")?;
                self.name(item.name.as_str())?;
            }
        }
        Some(())
    }

    /// Returns whether items are all columns of the sub-table, in order.
    fn is_all(&self, items: &[Item], from: &From) -> bool {
        let Some(range) = self.aliases.first().map(|(range, _)| *range) else {
            return false;
        };
        let columns = leftmost(from);
        items.len() == columns.len()
            && items.iter().zip(columns).all(|(item, column)| {
                item.name == column.name
                    && item.expr.kind
                        == ExprKind::Column {
                            range,
                            column: column.name.clone(),
                        }
            })
    }

    /// Writes WHERE, with a line for each condition.
    fn filter(&mut self, filter: Option<&Expr>) -> Option<()> {
        let Some(filter) = filter else {
            return Some(());
        };
        let conditions = match &filter.kind {
            ExprKind::And(conditions) => conditions.as_slice(),
            _ => std::slice::from_ref(filter),
        };
        let single = conditions.len() == 1;
        for (index, condition) in conditions.iter().enumerate() {
            self.text(if index == 0 { "\nWHERE " } else { "\n  AND " })?;
            // A chain inside of a chain stays one of its own.
            self.expr(condition, if single { Level::Or } else { Level::Not })?;
        }
        Some(())
    }

    /// Writes an expression as an operand of a form that binds so tightly.
    fn expr(&mut self, expr: &Expr, around: Level) -> Option<()> {
        let enclosed = level(expr) < around;
        if enclosed {
            self.text("(")?;
        }
        self.bare(expr)?;
        if enclosed {
            self.text(")")?;
        }
        Some(())
    }

    fn bare(&mut self, expr: &Expr) -> Option<()> {
        match &expr.kind {
            ExprKind::Literal(value) => self.literal(value, &expr.ty),
            ExprKind::Column { range, column } => {
                self.alias(*range)?;
                self.text(".")?;
                self.name(column.as_str())
            }
            ExprKind::Element(range) => self.alias(*range),
            ExprKind::Field { base, index } => {
                let field = base.ty.fields()?.get(*index)?.name.clone()?;
                self.expr(base, Level::Operand)?;
                self.text(".")?;
                self.name(field.as_str())
            }
            ExprKind::GroupKey(index) => {
                let key = self.keys.get(*index)?;
                self.bare(key)
            }
            ExprKind::And(list) => self.list(list, " AND ", Level::Not),
            ExprKind::Or(list) => self.list(list, " OR ", Level::And),
            ExprKind::Unary {
                op: UnaryOp::Not,
                operand,
            } => {
                self.text("NOT ")?;
                self.expr(operand, Level::Comparison)
            }
            ExprKind::Binary { op, left, right } => {
                let sign = comparison(*op)?;
                self.expr(left, Level::Operand)?;
                self.text(sign)?;
                self.expr(right, Level::Operand)
            }
            ExprKind::IsNull { operand, negated } => {
                self.expr(operand, Level::Operand)?;
                self.text(if *negated { " IS NOT NULL" } else { " IS NULL" })
            }
            ExprKind::IsBool {
                operand,
                value: true,
                negated: true,
            } => {
                self.expr(operand, Level::Operand)?;
                self.text(" IS NOT TRUE")
            }
            ExprKind::Between {
                operand,
                low,
                high,
                negated: false,
            } => {
                self.expr(operand, Level::Operand)?;
                self.text(" BETWEEN ")?;
                self.expr(low, Level::Operand)?;
                self.text(" AND ")?;
                self.expr(high, Level::Operand)
            }
            ExprKind::InList {
                operand,
                list,
                negated: false,
            } => {
                self.expr(operand, Level::Operand)?;
                self.text(" IN (")?;
                self.list(list, ", ", Level::Or)?;
                self.text(")")
            }
            ExprKind::InUnnest {
                operand,
                array,
                negated: false,
            } => {
                self.expr(operand, Level::Operand)?;
                self.text(" IN UNNEST(")?;
                self.expr(array, Level::Or)?;
                self.text(")")
            }
            // LQL has no cast, so the engine makes it by itself.
            ExprKind::Cast { operand, .. } => self.bare(operand),
            ExprKind::Call {
                function,
                args,
                safe: false,
            } => {
                self.text(function.name)?;
                self.text("(")?;
                match (function.name, args.as_slice()) {
                    ("REGEXP_CONTAINS", [text, pattern]) => {
                        self.expr(text, Level::Or)?;
                        self.text(", ")?;
                        self.pattern(pattern)?;
                    }
                    _ => self.list(args, ", ", Level::Or)?,
                }
                self.text(")")
            }
            ExprKind::Part(part) => self.text(part.as_str()),
            ExprKind::Aggregate(aggregate) => self.aggregate(aggregate),
            ExprKind::Subscript {
                base,
                index,
                mode: SubscriptMode::Offset,
            } => {
                self.expr(base, Level::Operand)?;
                self.text("[OFFSET(")?;
                self.expr(index, Level::Or)?;
                self.text(")]")
            }
            ExprKind::Subquery {
                kind: SubqueryKind::Exists,
                query,
            } => self.exists(query),
            ExprKind::Parameter(_)
            | ExprKind::Offset(_)
            | ExprKind::Row(_)
            | ExprKind::Output(_)
            | ExprKind::Subscript { .. }
            | ExprKind::Unary { .. }
            | ExprKind::IsBool { .. }
            | ExprKind::IsDistinct { .. }
            | ExprKind::InList { .. }
            | ExprKind::InQuery { .. }
            | ExprKind::InUnnest { .. }
            | ExprKind::Between { .. }
            | ExprKind::Like { .. }
            | ExprKind::Case { .. }
            | ExprKind::Call { .. }
            | ExprKind::Interval { .. }
            | ExprKind::Window(_)
            | ExprKind::Array(_)
            | ExprKind::Struct(_)
            | ExprKind::Redact { .. }
            | ExprKind::Mode(_)
            | ExprKind::Named { .. }
            | ExprKind::Subquery { .. } => None,
        }
    }

    fn list(&mut self, list: &[Expr], between: &str, around: Level) -> Option<()> {
        for (index, item) in list.iter().enumerate() {
            if index > 0 {
                self.text(between)?;
            }
            self.expr(item, around)?;
        }
        Some(())
    }

    fn aggregate(&mut self, aggregate: &Aggregate) -> Option<()> {
        self.text(aggregate.function.name)?;
        self.text(if aggregate.distinct {
            "(DISTINCT "
        } else {
            "("
        })?;
        if aggregate.args.is_empty() {
            self.text("*")?;
        }
        self.list(&aggregate.args, ", ", Level::Or)?;
        self.text(")")
    }

    fn exists(&mut self, query: &Query) -> Option<()> {
        let Body::Select(select) = &query.body else {
            return None;
        };
        self.text("EXISTS (SELECT 1")?;
        self.from(select.from.as_ref()?)?;
        self.text(" WHERE ")?;
        self.expr(select.filter.as_ref()?, Level::Or)?;
        self.text(")")
    }

    fn literal(&mut self, value: &Value, ty: &Type) -> Option<()> {
        if let Value::String(text) = value {
            self.out.push('\'');
            for character in text.chars() {
                self.character(character);
            }
            self.out.push('\'');
            return Some(());
        }
        let text = googlesql::constant(value, ty);
        // A sign needs parentheses beside operators only, and here is none.
        let signed = text
            .strip_prefix("(-")
            .and_then(|text| text.strip_suffix(')'));
        match signed {
            Some(number) => self.text(&format!("-{number}")),
            None => self.text(&text),
        }
    }

    /// Writes a character of a string, as itself where a person can read it.
    fn character(&mut self, character: char) {
        match character {
            '\\' => self.out.push_str("\\\\"),
            '\'' => self.out.push_str("\\'"),
            '\n' => self.out.push_str("\\n"),
            '\t' => self.out.push_str("\\t"),
            _ if character.is_alphanumeric() || matches!(character, ' '..='~') => {
                self.out.push(character);
            }
            _ => {
                // Writing to a String cannot fail.
                let _ = write!(self.out, "\\U{:08x}", u32::from(character));
            }
        }
    }

    /// Writes a regular expression, raw where it has backslashes.
    fn pattern(&mut self, pattern: &Expr) -> Option<()> {
        match &pattern.kind {
            ExprKind::Literal(Value::String(text))
                if text.contains('\\')
                    && !text.ends_with('\\')
                    && text
                        .chars()
                        .all(|c| c.is_alphanumeric() || matches!(c, ' '..='~'))
                    && !text.contains('\'') =>
            {
                self.text(&format!("r'{text}'"))
            }
            _ => self.expr(pattern, Level::Or),
        }
    }
}

/// Returns the columns of the sub-table.
fn leftmost(from: &From) -> &[crate::compiler::ir::Column] {
    match from {
        From::Table(table) => &table.columns,
        From::Join(join) => leftmost(&join.left),
        From::Derived { .. } | From::Unnest(_) | From::Filtered { .. } => &[],
    }
}

/// Returns the name that an item has without AS.
fn last_name(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Column { column, .. } => Some(column.as_str()),
        ExprKind::Field { base, index } => {
            Some(base.ty.fields()?.get(*index)?.name.as_ref()?.as_str())
        }
        _ => None,
    }
}

fn comparison(op: BinaryOp) -> Option<&'static str> {
    Some(match op {
        BinaryOp::Equal => " = ",
        BinaryOp::Less => " < ",
        BinaryOp::LessOrEqual => " <= ",
        BinaryOp::Greater => " > ",
        BinaryOp::GreaterOrEqual => " >= ",
        _ => return None,
    })
}

fn level(expr: &Expr) -> Level {
    match &expr.kind {
        ExprKind::Or(_) => Level::Or,
        ExprKind::And(_) => Level::And,
        ExprKind::Unary { .. } => Level::Not,
        ExprKind::Binary { .. }
        | ExprKind::IsNull { .. }
        | ExprKind::IsBool { .. }
        | ExprKind::Between { .. }
        | ExprKind::InList { .. }
        | ExprKind::InUnnest { .. } => Level::Comparison,
        _ => Level::Operand,
    }
}
