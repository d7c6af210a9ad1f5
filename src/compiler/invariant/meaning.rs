//! A printed text against the statement it was printed from.

use std::collections::BTreeMap;

use super::Broken;
use super::lexing::tile;
use crate::compiler::analyze::{Analyzed, Environment, Ids, analyze};
use crate::compiler::catalog::Catalog;
use crate::compiler::diagnostic::Span;
use crate::compiler::googlesql::lexer::{Token, TokenKind, lex};
use crate::compiler::googlesql::{parse, print};
use crate::compiler::ir::visit::{
    VisitMut, walk_expr_mut, walk_from_mut, walk_query_mut, walk_select_mut,
};
use crate::compiler::ir::{
    Body, ColumnName, CteId, Expr, ExprKind, From, Query, RangeId, RangeName, Select, SortKey,
    Source, Statement, Type, UnaryOp, Value,
};
use crate::compiler::limits::Limits;
use crate::compiler::parameter::Declaration;

/// Levels of nesting in a printed text: a chain of operators is nested as deep as it is long.
const DEPTH: usize = 4_000;

/// The GoogleSQL text of a statement holds exactly the names, literals and parameters that the printer
/// meant, and analysed again as a stored query it means the same. Returns the text.
///
/// # Errors
/// The first difference.
pub fn stands_for(
    statement: &Statement,
    catalog: &Catalog,
    parameters: &[Declaration],
) -> Result<String, String> {
    let (text, meant) = print::print_with_values(statement, &BTreeMap::new());
    same_values(&text, &meant)?;
    let again = read(&text, catalog, parameters)?;
    let (meant, read) = (canonical(statement.clone()), canonical(again));
    if meant == read {
        return Ok(text);
    }
    let difference = difference(&format!("{meant:?}"), &format!("{read:?}"));
    Err(format!("{text}\n{difference}"))
}

/// Returns what stands around the first place where two texts differ.
fn difference(meant: &str, read: &str) -> String {
    let same = meant.chars().zip(read.chars()).take_while(|(a, b)| a == b);
    let same = same.count();
    let around = |text: &str| -> String {
        let from = text.chars().skip(same.saturating_sub(300));
        from.take(600).collect()
    };
    format!("meant\n{}\nreads as\n{}", around(meant), around(read))
}

/// The text reads as the tokens that hold a value, at their places, and fixed words and symbols.
pub(super) fn same_values(text: &str, meant: &[Token]) -> Broken {
    let tokens = lex(text, &unlimited()).map_err(|refused| format!("{refused}: {text}"))?;
    tile(text, &tokens)?;
    let holds_value = |token: &&Token| match token.kind {
        TokenKind::Word(_) | TokenKind::Symbol(_) => false,
        TokenKind::Quoted(_)
        | TokenKind::String(_)
        | TokenKind::Bytes(_)
        | TokenKind::Number(_)
        | TokenKind::Parameter(_) => true,
    };
    let mut read = tokens.iter().filter(holds_value);
    let mut meant = meant.iter();
    loop {
        let place = |token: &Token| (token.span.start, token.span.end);
        match (read.next(), meant.next()) {
            (None, None) => break,
            (Some(read), Some(meant)) if read == meant && place(read) == place(meant) => {}
            (read, meant) => return Err(format!("read {read:?}, meant {meant:?}: {text}")),
        }
    }
    // Fixed text holds no comment.
    let comments = ["--", "/*", "#"];
    let mut end = 0;
    for token in &tokens {
        let gap = text.get(end..token.span.start).unwrap_or("");
        if comments.iter().any(|comment| gap.contains(comment)) {
            return Err(format!("a comment {gap:?}: {text}"));
        }
        end = token.span.end;
    }
    Ok(())
}

/// Reads a printed text as a stored query.
pub(super) fn read(
    text: &str,
    catalog: &Catalog,
    parameters: &[Declaration],
) -> Result<Statement, String> {
    let limits = unlimited();
    let refused = |why| format!("{why}: {text}");
    let query = parse::parse(text, &limits).map_err(refused)?;
    let environment = Environment {
        catalog: Some(catalog),
        parameters,
        subtables: &[],
        ids: Ids::default(),
        limits: &limits,
    };
    let Analyzed {
        statement,
        top_level: _,
        ids: _,
    } = analyze(&query, &environment).map_err(refused)?;
    Ok(statement)
}

/// Limits are for callers. What is printed has passed them, and is nested deeper for its parentheses.
fn unlimited() -> Limits {
    Limits {
        query_bytes: usize::MAX,
        tokens: usize::MAX,
        nesting: usize::MAX,
        depth: DEPTH,
        chain: usize::MAX,
        set_arms: usize::MAX,
        ctes: usize::MAX,
        cte_references: usize::MAX,
        table_references: usize::MAX,
        from_items: usize::MAX,
        cross_joins: usize::MAX,
        select_items: usize::MAX,
        struct_fields: usize::MAX,
        group_items: usize::MAX,
        sort_items: usize::MAX,
        arguments: usize::MAX,
        list_items: usize::MAX,
        case_branches: usize::MAX,
        literal_bytes: usize::MAX,
        name_bytes: usize::MAX,
        pattern_bytes: usize::MAX,
        lql_clauses: usize::MAX,
        lql_columns: usize::MAX,
        offset: u64::MAX,
        ..Limits::default()
    }
}

/// Returns a statement with what a printer chooses left out: FROM items and CTEs are numbered in their
/// order, FROM items have no names, places in the text and how arrays are stored are gone, casts that change nothing and constants to sort by are
/// gone, signs are parts of numbers, FROM with one row of nothing is gone, and group keys that became columns
/// of a join stand where they were.
fn canonical(mut statement: Statement) -> Statement {
    let mut numbers = Numbers::default();
    for cte in &mut statement.ctes {
        numbers.define_cte(cte.id);
    }
    for cte in &mut statement.ctes {
        numbers.query(&mut cte.query);
        cte.id = numbers.cte(cte.id);
    }
    numbers.query(&mut statement.query);
    statement
}

/// New numbers of what a statement identifies by number.
#[derive(Default)]
struct Numbers {
    ranges: BTreeMap<RangeId, RangeId>,
    ctes: BTreeMap<CteId, CteId>,
}

impl Numbers {
    fn define_cte(&mut self, id: CteId) {
        let number = u32::try_from(self.ctes.len()).unwrap_or(u32::MAX);
        self.ctes.entry(id).or_insert(CteId(number));
    }

    fn cte(&self, id: CteId) -> CteId {
        self.ctes.get(&id).copied().unwrap_or(id)
    }

    fn range(&mut self, id: &mut RangeId) {
        let number = u32::try_from(self.ranges.len()).unwrap_or(u32::MAX);
        *id = *self.ranges.entry(*id).or_insert(RangeId(number));
    }
}

impl VisitMut for Numbers {
    fn expr(&mut self, expr: &mut Expr) {
        expr.span = Span::default();
        expr.ty = expr.ty.as_lists();
        match &mut expr.kind {
            ExprKind::Column { range, column: _ }
            | ExprKind::Element(range)
            | ExprKind::Offset(range)
            | ExprKind::Row(range) => self.range(range),
            ExprKind::Cast { operand, safe: _ } if operand.ty.same(&expr.ty) => {
                *expr = std::mem::replace(operand.as_mut(), Expr::bool(false));
                self.expr(expr);
            }
            // GoogleSQL has no literal for these, so they are cast from text.
            ExprKind::Literal(Value::Float64(number)) if !number.is_finite() => {
                let text = Value::string(number.to_string().to_ascii_lowercase());
                let operand = Expr::new(ExprKind::Literal(text), Type::String, expr.span);
                expr.kind = ExprKind::Cast {
                    operand: Box::new(operand),
                    safe: false,
                };
            }
            ExprKind::Unary {
                op: UnaryOp::Minus,
                operand,
            } if negative(operand).is_some() => {
                if let Some(value) = negative(operand) {
                    expr.kind = ExprKind::Literal(value);
                }
            }
            _ => {
                match &mut expr.kind {
                    ExprKind::Aggregate(aggregate) => drop_constants(&mut aggregate.order_by),
                    ExprKind::Window(window) => drop_constants(&mut window.order_by),
                    _ => {}
                }
                walk_expr_mut(self, expr);
            }
        }
    }

    fn query(&mut self, query: &mut Query) {
        query.span = Span::default();
        drop_constants(&mut query.order_by);
        if let Body::Set(set) = &mut query.body {
            for column in &mut set.columns {
                column.ty = column.ty.as_lists();
            }
        }
        walk_query_mut(self, query);
    }

    fn select(&mut self, select: &mut Select) {
        // Keys that are computed where WHERE holds are those of a text with this WHERE alone.
        if let Some(keyed) = select.from.as_ref().and_then(keyed)
            && (keyed.condition.is_none() || keyed.condition == select.filter)
        {
            let Keyed {
                from, range, keys, ..
            } = keyed;
            select.from = Some(*from);
            walk_select_mut(&mut Inline { range, keys }, select);
        }
        select.from.take_if(|from| is_nothing(from));
        walk_select_mut(self, select);
    }

    fn from(&mut self, from: &mut From) {
        let anonymous = RangeName::new("");
        match from {
            From::Table(table) => {
                self.range(&mut table.range);
                table.name = anonymous;
                for column in &mut table.columns {
                    column.ty = column.ty.as_lists();
                }
                if let Source::Cte(id) = &mut table.source {
                    *id = self.cte(*id);
                }
            }
            From::Derived {
                range,
                name,
                query: _,
            } => {
                self.range(range);
                *name = anonymous;
            }
            From::Unnest(unnest) => {
                self.range(&mut unnest.range);
                unnest.name = anonymous;
                if let Some(offset) = &mut unnest.offset {
                    *offset = ColumnName::new("");
                }
            }
            From::Join(_) | From::Filtered { .. } => {}
        }
        walk_from_mut(self, from);
    }
}

/// Returns the negative of a constant, which is read as one constant.
fn negative(operand: &Expr) -> Option<Value> {
    match &operand.kind {
        ExprKind::Literal(Value::Int64(number)) => Some(Value::Int64(number.checked_neg()?)),
        ExprKind::Literal(Value::Float64(number)) => Some(Value::Float64(-number)),
        _ => None,
    }
}

/// A constant orders nothing.
fn drop_constants(keys: &mut Vec<SortKey>) {
    fn is_constant(expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Literal(_) => true,
            ExprKind::Cast { operand, safe: _ } => {
                operand.ty.same(&expr.ty) && !operand.is_untyped_null() && is_constant(operand)
            }
            _ => false,
        }
    }
    keys.retain(|key| !is_constant(&key.expr));
}

/// Returns whether FROM is one row of nothing, which a printer writes where clauses need a FROM.
fn is_nothing(from: &From) -> bool {
    let From::Derived { query, .. } = from else {
        return false;
    };
    let Body::Select(select) = &query.body else {
        return false;
    };
    let [item] = select.items.as_slice() else {
        return false;
    };
    item.expr.is_null_literal() && select.from.is_none() && select.filter.is_none()
}

/// The join that a printer makes of group keys.
struct Keyed {
    /// What the keys are joined to.
    from: Box<From>,
    range: RangeId,
    keys: Vec<Expr>,
    /// Where the keys are computed, if not everywhere.
    condition: Option<Expr>,
}

/// Takes the join of group keys apart, if FROM ends in one.
fn keyed(from: &From) -> Option<Keyed> {
    let From::Join(join) = from else { return None };
    let From::Unnest(unnest) = &join.right else {
        return None;
    };
    let (rows, condition) = match &unnest.array.kind {
        ExprKind::Case {
            operand: None,
            branches,
            otherwise: Some(otherwise),
        } => match (branches.as_slice(), &otherwise.kind) {
            ([branch], ExprKind::Array(none)) if none.is_empty() => {
                (&branch.value.kind, Some(branch.condition.clone()))
            }
            _ => return None,
        },
        rows => (rows, None),
    };
    let ExprKind::Array(rows) = rows else {
        return None;
    };
    let [row] = rows.as_slice() else { return None };
    let ExprKind::Struct(keys) = &row.kind else {
        return None;
    };
    let is_key = |name: &ColumnName| name.as_str().starts_with("key_");
    let mut fields = row.ty.fields().unwrap_or_default().iter();
    let are_keys = fields.all(|field| field.name.as_ref().is_some_and(is_key));
    (join.on.is_none() && are_keys).then(|| Keyed {
        from: Box::new(join.left.clone()),
        range: unnest.range,
        keys: keys.clone(),
        condition,
    })
}

/// Puts the fields of a FROM item where they are read.
struct Inline {
    range: RangeId,
    keys: Vec<Expr>,
}

impl VisitMut for Inline {
    fn expr(&mut self, expr: &mut Expr) {
        if let ExprKind::Field { base, index } = &expr.kind
            && base.kind == ExprKind::Element(self.range)
            && let Some(key) = self.keys.get(*index)
        {
            *expr = key.clone();
            return;
        }
        walk_expr_mut(self, expr);
    }
}
