//! What a name means at one place of a query.
//!
//! A scope is the list of range variables that a FROM clause has brought so far, with the scope of the
//! enclosing query behind it. Names compare without case. Source: GoogleSQL reference, "Query syntax",
//! sections on aliases, range variables and ambiguity.

use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::ir::{Column, ColumnName, Expr, ExprKind, Field, RangeId, Type};

/// A range variable.
#[derive(Clone, Debug)]
pub(super) struct Range {
    /// The FROM item.
    pub(super) id: RangeId,
    /// Its name, when it has one.
    pub(super) name: Option<String>,
    /// What it stands for.
    pub(super) shape: Shape,
}

/// What a range variable stands for.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    /// A row of these columns.
    Row(Vec<Column>),
    /// An element of an array. The fields of a STRUCT are in scope by themselves.
    Element(Type),
    /// The position of an element, from 0.
    Offset,
}

impl Range {
    /// Returns the value that the variable itself is.
    pub(super) fn value(&self, span: Span) -> Expr {
        let (kind, ty) = match &self.shape {
            Shape::Row(columns) => (
                ExprKind::Row(self.id),
                Type::record(columns.iter().map(Column::to_field)),
            ),
            Shape::Element(ty) => (ExprKind::Element(self.id), ty.clone()),
            Shape::Offset => (ExprKind::Offset(self.id), Type::Int64),
        };
        Expr::new(kind, ty, span)
    }

    /// Returns the variable as a value of its own. A column without a name is a field without one.
    pub(super) fn as_value(expr: Expr) -> Expr {
        let unnamed = |field: &Field| field.called().is_none();
        let ty = match (&expr.kind, expr.ty.fields()) {
            (ExprKind::Row(_), Some(fields)) if fields.iter().any(unnamed) => {
                Type::record(fields.iter().map(|field| Field {
                    name: field.name.clone().filter(|_| !unnamed(field)),
                    ty: field.ty.clone(),
                }))
            }
            _ => return expr,
        };
        let span = expr.span;
        let kind = ExprKind::Cast {
            operand: Box::new(expr),
            safe: false,
        };
        Expr::new(kind, ty, span)
    }

    /// Returns the names that a query calls the columns by that are in scope without a qualifier, in order.
    pub(super) fn names(&self) -> impl Iterator<Item = Option<&str>> {
        let (columns, fields): (&[Column], &[Field]) = match &self.shape {
            Shape::Row(columns) => (columns, &[]),
            Shape::Element(Type::Struct(fields)) => (&[], fields),
            Shape::Element(_) | Shape::Offset => (&[], &[]),
        };
        let columns = columns.iter().map(|column| column.name.called());
        columns.chain(fields.iter().map(Field::called))
    }

    /// Returns one of these columns, from 0.
    pub(super) fn column(&self, index: usize, span: Span) -> Option<Expr> {
        match &self.shape {
            Shape::Row(columns) => {
                let Column { name, ty } = columns.get(index)?;
                let kind = ExprKind::Column {
                    range: self.id,
                    column: name.clone(),
                };
                Some(Expr::new(kind, ty.clone(), span))
            }
            Shape::Element(Type::Struct(fields)) => {
                let ty = fields.get(index)?.ty.clone();
                let base = Box::new(self.value(span));
                Some(Expr::new(ExprKind::Field { base, index }, ty, span))
            }
            Shape::Element(_) | Shape::Offset => None,
        }
    }
}

/// A name of the select list, which overrides those of FROM in GROUP BY, HAVING, QUALIFY and ORDER BY.
#[derive(Clone, Copy, Debug)]
pub(super) struct Alias<'p> {
    /// The name, also when it was not written out.
    pub(super) name: &'p str,
    /// What it stands for.
    pub(super) expr: &'p Expr,
}

/// A column that USING has merged of two.
#[derive(Clone, Debug)]
pub(super) struct Merged {
    /// Its name, as USING has it.
    pub(super) name: ColumnName,
    /// What it is.
    pub(super) expr: Expr,
    /// How many range variables it stands behind where `*` is written.
    pub(super) behind: usize,
}

/// The names at one place.
#[derive(Debug, Default)]
pub(super) struct Scope<'p> {
    /// The range variables, left to right.
    pub(super) ranges: Vec<Range>,
    /// Columns that USING has merged.
    pub(super) merged: Vec<Merged>,
    /// Columns that are in scope only with a qualifier, because USING has merged them.
    pub(super) hidden: Vec<(RangeId, ColumnName)>,
    /// Names of the select list.
    pub(super) aliases: Vec<Alias<'p>>,
    /// Names of the select list where they are not in scope, for who takes them to be.
    pub(super) later: Vec<String>,
    /// The enclosing query.
    pub(super) parent: Option<&'p Scope<'p>>,
}

/// What became of a look-up.
enum Found {
    One(Expr),
    Many,
    None,
}

impl<'p> Scope<'p> {
    /// Returns an empty scope inside another.
    pub(super) fn inside(parent: Option<&'p Scope<'p>>) -> Self {
        Self {
            parent,
            ..Self::default()
        }
    }

    /// Returns this scope with other names of a select list.
    pub(super) fn with_aliases<'a>(&'a self, aliases: Vec<Alias<'a>>) -> Scope<'a> {
        Scope {
            ranges: self.ranges.clone(),
            merged: self.merged.clone(),
            hidden: self.hidden.clone(),
            later: self.later.clone(),
            parent: self.parent,
            aliases,
        }
    }

    /// Returns the range variable of a name in this scope or an enclosing one.
    pub(super) fn range(&self, name: &str) -> Option<&Range> {
        self.own_range(name)
            .or_else(|| self.parent.and_then(|parent| parent.range(name)))
    }

    /// Returns the range variable of a name in this scope alone.
    pub(super) fn own_range(&self, name: &str) -> Option<&Range> {
        self.ranges.iter().find(|range| {
            range
                .name
                .as_deref()
                .is_some_and(|n| n.eq_ignore_ascii_case(name))
        })
    }

    /// Returns what a path of names means: a column or range variable, then fields of it.
    pub(super) fn path(&self, parts: &[(&str, Span)]) -> Result<Expr, Box<Diagnostic>> {
        let Some(((first, span), rest)) = parts.split_first() else {
            return Err(Box::new(Diagnostic::general(Code::Syntax, "empty path")));
        };
        let mut expr = self.name(first, *span)?;
        for (name, span) in rest {
            expr = field(expr, name, *span)?;
        }
        Ok(expr)
    }

    fn name(&self, name: &str, span: Span) -> Result<Expr, Box<Diagnostic>> {
        match self.find(name, span) {
            Found::One(expr) => Ok(expr),
            Found::Many => Err(Box::new(
                Diagnostic::new(
                    Code::AmbiguousColumn,
                    span,
                    format!("column name `{name}` is ambiguous"),
                )
                .help(match self.qualified(name).as_slice() {
                    [] => "give the columns of the sub-query different names".to_owned(),
                    names => format!("write it with its table: {}", names.join(" or ")),
                }),
            )),
            Found::None => {
                let diagnostic = Diagnostic::new(
                    Code::UnknownColumn,
                    span,
                    format!("unknown column `{name}`"),
                );
                if self
                    .later
                    .iter()
                    .any(|alias| alias.eq_ignore_ascii_case(name))
                {
                    return Err(Box::new(diagnostic.help(
                        "an alias of the select list is not known here: repeat its expression, or select \
                         from a sub-query",
                    )));
                }
                let names = self.names();
                Err(Box::new(suggest(diagnostic, name, names.iter())))
            }
        }
    }

    /// Returns what a name of the select list stands for.
    pub(super) fn alias(&self, name: &str) -> Option<&Expr> {
        let mut aliases = self.aliases.iter();
        let alias = aliases.find(|alias| alias.name.eq_ignore_ascii_case(name))?;
        Some(alias.expr)
    }

    fn find(&self, name: &str, span: Span) -> Found {
        let mut aliases = self
            .aliases
            .iter()
            .filter(|a| a.name.eq_ignore_ascii_case(name));
        if let Some(alias) = aliases.next() {
            if aliases.any(|other| other.expr != alias.expr) {
                return Found::Many;
            }
            let mut expr = alias.expr.clone();
            expr.span = span;
            return Found::One(expr);
        }
        if let Some(range) = self.own_range(name) {
            return Found::One(range.value(span));
        }
        let merged = self.merged.iter().find(|column| column.name.matches(name));
        let mut columns = self.ranges.iter().flat_map(|range| {
            let is_it = |column: &str| {
                column.eq_ignore_ascii_case(name) && !self.is_hidden(range.id, column)
            };
            let names = range.names().enumerate();
            names
                .filter(move |(_, column)| column.is_some_and(is_it))
                .map(move |(index, _)| (range, index))
        });
        match (merged, columns.next(), columns.next()) {
            (Some(Merged { expr, .. }), None, _) => {
                let mut expr = expr.clone();
                expr.span = span;
                Found::One(expr)
            }
            (None, Some((range, index)), None) => {
                range.column(index, span).map_or(Found::None, Found::One)
            }
            (Some(_), Some(_), _) | (None, Some(_), Some(_)) => Found::Many,
            (None, None, _) => self
                .parent
                .map_or(Found::None, |parent| parent.find(name, span)),
        }
    }

    /// Returns whether USING has merged a column, so that it needs a qualifier.
    pub(super) fn is_hidden(&self, range: RangeId, column: &str) -> bool {
        self.hidden
            .iter()
            .any(|(id, name)| *id == range && name.as_str() == column)
    }

    /// Returns all names that a person may have meant.
    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self.aliases.iter().map(|a| a.name.to_owned()).collect();
        for range in &self.ranges {
            names.extend(range.name.clone());
            names.extend(range.names().flatten().map(ToOwned::to_owned));
        }
        if let Some(parent) = self.parent {
            names.extend(parent.names());
        }
        names
    }

    fn qualified(&self, name: &str) -> Vec<String> {
        self.ranges
            .iter()
            .filter(|range| {
                let mut named = range.names().flatten();
                named
                    .by_ref()
                    .any(|column| column.eq_ignore_ascii_case(name))
                    && !named.any(|column| column.eq_ignore_ascii_case(name))
            })
            .filter_map(|range| range.name.as_ref())
            .map(|range| format!("`{range}.{name}`"))
            .collect()
    }
}

/// Returns a field of a value.
pub(super) fn field(base: Expr, name: &str, span: Span) -> Result<Expr, Box<Diagnostic>> {
    let whole = base.span.to(span);
    match &base.ty {
        Type::Struct(fields) => {
            let mut matching = fields.iter().enumerate().filter(|(_, f)| {
                let called = f.called();
                called.is_some_and(|n| n.eq_ignore_ascii_case(name))
            });
            let Some((index, found)) = matching.next() else {
                let diagnostic =
                    Diagnostic::new(Code::UnknownColumn, span, format!("no field `{name}` here"));
                let names: Vec<String> = fields
                    .iter()
                    .filter_map(|f| f.name.as_ref()?.called().map(ToOwned::to_owned))
                    .collect();
                return Err(Box::new(suggest(diagnostic, name, names.iter())));
            };
            if matching.next().is_some() {
                return Err(Box::new(Diagnostic::new(
                    Code::AmbiguousColumn,
                    span,
                    format!("field name `{name}` is ambiguous"),
                )));
            }
            let ty = found.ty.clone();
            let name = found.name.clone();
            let kind = field_kind(base, index, name.as_ref());
            Ok(Expr::new(kind, ty, whole))
        }
        Type::Array(array) => {
            let diagnostic = Diagnostic::new(
                Code::UnknownColumn,
                span,
                format!("cannot read field `{name}` of an array"),
            );
            let help = if matches!(array.element, Type::Struct(_)) {
                "unnest the array first: CROSS JOIN UNNEST(…) AS x, then x.field; or take one element: …[SAFE_OFFSET(0)].field"
            } else {
                "the elements of this array have no fields"
            };
            Err(Box::new(diagnostic.help(help)))
        }
        other => {
            let diagnostic = Diagnostic::new(
                Code::UnknownColumn,
                span,
                format!("cannot read field `{name}` of a value of type {other:#}"),
            );
            Err(Box::new(if *other == Type::Json {
                diagnostic.help(format!("write JSON_VALUE(x, '$.{name}')"))
            } else {
                diagnostic
            }))
        }
    }
}

/// Returns how a field of a value is read: a column of a row that FROM brings is read as that column.
pub(super) fn field_kind(base: Expr, index: usize, name: Option<&ColumnName>) -> ExprKind {
    match (&base.kind, name) {
        (ExprKind::Row(range), Some(column)) => ExprKind::Column {
            range: *range,
            column: column.clone(),
        },
        _ => ExprKind::Field {
            base: Box::new(base),
            index,
        },
    }
}

/// Adds the nearest of some names as help, or the list of them when it is short.
pub(super) fn suggest<'n>(
    diagnostic: Diagnostic,
    name: &str,
    names: impl Iterator<Item = &'n String>,
) -> Diagnostic {
    let mut all: Vec<&String> = names.collect();
    if let Some(nearest) = nearest(name, all.iter().copied()) {
        return diagnostic.help(format!("did you mean `{nearest}`?"));
    }
    all.sort();
    all.dedup();
    if all.is_empty() || all.len() > 40 {
        return diagnostic;
    }
    let list: Vec<String> = all.iter().map(|n| format!("`{n}`")).collect();
    diagnostic.help(format!("there are {}", list.join(", ")))
}

/// Returns the name that a person may have meant by another one.
pub(super) fn nearest<'n>(
    name: &str,
    names: impl Iterator<Item = &'n String>,
) -> Option<&'n String> {
    let wanted = name.to_ascii_lowercase();
    names
        .map(|n| (strsim::osa_distance(&wanted, &n.to_ascii_lowercase()), n))
        .filter(|(distance, n)| *distance <= 1 + n.len().min(wanted.len()) / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, nearest)| nearest)
}
