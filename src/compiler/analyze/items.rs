//! The select list: columns, stars, and their names.

use sqlparser::ast::{self, Spanned};

use super::scope::{Scope, Shape, field_kind};
use super::{Analyzer, Refused, Result, all};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::googlesql::parse::span_of;
use crate::compiler::ir::{ColumnName, Expr, Type};

/// An item of the select list before it has its final name.
pub(super) struct RawItem {
    /// The name, written out or implied.
    pub(super) name: Option<ColumnName>,
    /// The value.
    pub(super) expr: Expr,
    /// Where the item was written.
    span: Span,
}
impl Analyzer<'_> {
    pub(super) fn items(
        &mut self,
        projection: &[ast::SelectItem],
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Vec<RawItem>> {
        let items = all(projection.iter().map(|item| self.item(item, scope)))?;
        let items: Vec<RawItem> = items.into_iter().flatten().collect();
        let most = self.environment.limits.select_items;
        self.check_count(
            Code::TooManySelectItems,
            items.len(),
            most,
            "select items",
            "select_items",
            span,
        )?;
        let types = items.iter().map(|item| &item.expr.ty);
        self.check_fields(types, "SELECT", span)?;
        if items.is_empty() {
            return Err(self.refuse(Diagnostic::new(
                Code::Syntax,
                span,
                "SELECT needs at least one column",
            )));
        }
        Ok(items)
    }

    fn item(&mut self, item: &ast::SelectItem, scope: &Scope<'_>) -> Result<Vec<RawItem>> {
        let span = span_of(item.span());
        match item {
            ast::SelectItem::UnnamedExpr(expr) => Ok(vec![RawItem {
                name: implicit_name(expr).map(ColumnName::new),
                expr: self.expr(expr, scope)?,
                span,
            }]),
            ast::SelectItem::ExprWithAlias { expr, alias } => {
                let name = self.identifier(alias).map(ColumnName::new);
                let expr = self.expr(expr, scope)?;
                Ok(vec![RawItem {
                    name: Some(name?),
                    expr,
                    span,
                }])
            }
            ast::SelectItem::Wildcard(options) => {
                let columns = self.all_columns(scope, span)?;
                self.wildcard(columns, options, scope, span)
            }
            ast::SelectItem::QualifiedWildcard(kind, options) => {
                let columns = self.columns_of(kind, scope, span)?;
                self.wildcard(columns, options, scope, span)
            }
            ast::SelectItem::ExprWithAliases { .. } => {
                Err(self.unsupported(span, "a list of aliases"))
            }
        }
    }

    /// Returns the columns that `*` stands for.
    fn all_columns(&mut self, scope: &Scope<'_>, span: Span) -> Result<Vec<RawItem>> {
        if scope.ranges.is_empty() {
            return Err(self.refuse(Diagnostic::new(
                Code::UnknownColumn,
                span,
                "SELECT * needs a FROM clause",
            )));
        }
        let mut items: Vec<RawItem> = Vec::new();
        for (index, range) in scope.ranges.iter().enumerate() {
            if matches!(range.shape, Shape::Element(Type::Struct(_))) {
                self.places.star(span);
            }
            let here = scope.merged.iter().filter(|merged| merged.behind == index);
            items.extend(here.map(|merged| RawItem {
                name: Some(merged.name.clone()),
                expr: merged.expr.clone(),
                span,
            }));
            let mut names = range.names().enumerate().peekable();
            if names.peek().is_none() {
                // An element that is no STRUCT, or an offset, is a column itself.
                items.push(RawItem {
                    name: range.name.as_ref().map(ColumnName::new),
                    expr: range.value(span),
                    span,
                });
            }
            let shown =
                names.filter(|(_, name)| !name.is_some_and(|name| scope.is_hidden(range.id, name)));
            items.extend(shown.filter_map(|(index, name)| {
                Some(RawItem {
                    name: name.map(ColumnName::new),
                    expr: range.column(index, span)?,
                    span,
                })
            }));
        }
        Ok(items)
    }

    /// Returns the columns that `t.*` or `expr.*` stands for.
    fn columns_of(
        &mut self,
        kind: &ast::SelectItemQualifiedWildcardKind,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Vec<RawItem>> {
        let base = match kind {
            ast::SelectItemQualifiedWildcardKind::ObjectName(name) => {
                let parts = self.name_parts(name)?;
                self.accept(scope.path(&parts))?
            }
            ast::SelectItemQualifiedWildcardKind::Expr(expr) => self.expr(expr, scope)?,
        };
        let Some(fields) = base.ty.fields().map(<[_]>::to_vec) else {
            return Err(self.refuse(Diagnostic::new(
                Code::TypeMismatch,
                span,
                format!(".* needs a row or a STRUCT, found {:#}", base.ty),
            )));
        };
        self.places.star(span);
        Ok(fields
            .iter()
            .enumerate()
            .map(|(index, field)| {
                let kind = field_kind(base.clone(), index, field.name.as_ref());
                RawItem {
                    name: field.called().map(ColumnName::new),
                    expr: Expr::new(kind, field.ty.clone(), span),
                    span,
                }
            })
            .collect())
    }

    /// Applies EXCEPT and REPLACE to the columns of a star.
    fn wildcard(
        &mut self,
        mut items: Vec<RawItem>,
        options: &ast::WildcardAdditionalOptions,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Vec<RawItem>> {
        let ast::WildcardAdditionalOptions {
            wildcard_token: _,
            opt_ilike,
            opt_exclude,
            opt_except,
            opt_replace,
            opt_rename,
            opt_alias,
        } = options;
        if opt_ilike.is_some()
            || opt_exclude.is_some()
            || opt_rename.is_some()
            || opt_alias.is_some()
        {
            return Err(self.refuse(
                Diagnostic::new(Code::ForeignSyntax, span, "this form of * is not GoogleSQL")
                    .help("write * EXCEPT (a, b) or * REPLACE (expression AS a)"),
            ));
        }
        if let Some(except) = opt_except {
            let ast::ExceptSelectItem {
                first_element,
                additional_elements,
            } = except;
            for name in std::iter::once(first_element).chain(additional_elements) {
                self.no_reserved_word(name)?;
                let before = items.len();
                items.retain(|item| !is_named(item, &name.value));
                if items.len() == before {
                    return Err(self.refuse(Diagnostic::new(
                        Code::UnknownColumn,
                        span_of(name.span),
                        format!("EXCEPT names `{}`, which * does not have", name.value),
                    )));
                }
            }
        }
        if let Some(replace) = opt_replace {
            for (index, element) in replace.items.iter().enumerate() {
                self.no_reserved_word(&element.column_name)?;
                let name = element.column_name.value.as_str();
                let mut before = replace.items.iter().take(index);
                if before.any(|other| other.column_name.value.eq_ignore_ascii_case(name)) {
                    return Err(self.refuse(Diagnostic::new(
                        Code::DuplicateName,
                        span_of(element.column_name.span),
                        format!("REPLACE names `{name}` twice"),
                    )));
                }
                let ast::ReplaceSelectElement {
                    expr,
                    column_name,
                    as_keyword: _,
                } = element.as_ref();
                let value = self.expr(expr, scope)?;
                let Some(item) = items
                    .iter_mut()
                    .find(|item| is_named(item, &column_name.value))
                else {
                    return Err(self.refuse(Diagnostic::new(
                        Code::UnknownColumn,
                        span_of(column_name.span),
                        format!(
                            "REPLACE names `{}`, which * does not have",
                            column_name.value
                        ),
                    )));
                };
                item.expr = value;
                // As it is written here, which may differ in case.
                item.name = Some(ColumnName::new(name));
            }
        }
        Ok(items)
    }

    /// Returns a name for every item that is unique in the block. The result of the whole text must not have
    /// two columns of one name, because a row is an object with the columns as keys.
    pub(super) fn output_names(&mut self, items: &[RawItem]) -> Result<Vec<ColumnName>> {
        let mut named: Vec<ColumnName> = Vec::with_capacity(items.len());
        let mut anonymous = 0;
        let written: Vec<&ColumnName> = items.iter().filter_map(|i| i.name.as_ref()).collect();
        for item in items {
            let taken = |name: &str, named: &[ColumnName]| named.iter().any(|n| n.matches(name));
            let name = match &item.name {
                Some(name) if !taken(name.as_str(), &named) => name.clone(),
                Some(name) if self.names_stay() => {
                    return Err(self.two_columns(name.as_str(), item.span));
                }
                Some(name) => {
                    let text = free_name(name.as_str(), &named, &written);
                    ColumnName::generated(text, Some(name.as_str()))
                }
                None => {
                    let name = format!("f{anonymous}_");
                    anonymous += 1;
                    let is_written = written.iter().any(|other| other.as_str() == name);
                    let free = !taken(&name, &named) && !is_written;
                    if !free && self.names_stay() {
                        return Err(self.two_columns(&name, item.span));
                    }
                    let text = if free {
                        name
                    } else {
                        free_name(&name, &named, &written)
                    };
                    ColumnName::generated(text, None)
                }
            };
            named.push(name);
        }
        Ok(named)
    }

    /// Returns whether the columns of this block are seen outside of the text.
    fn names_stay(&self) -> bool {
        self.depth == 1 && !self.in_private_cte
    }

    fn two_columns(&mut self, name: &str, span: Span) -> Refused {
        self.refuse(
            Diagnostic::new(
                Code::DuplicateName,
                span,
                format!("the result has two columns named `{name}`"),
            )
            .help("give one of them another name: expression AS name"),
        )
    }
}

fn is_named(item: &RawItem, name: &str) -> bool {
    item.name.as_ref().is_some_and(|n| n.matches(name))
}

fn free_name(name: &str, named: &[ColumnName], written: &[&ColumnName]) -> String {
    let mut number = 1;
    loop {
        let candidate = format!("{name}_{number}");
        if !named.iter().any(|other| other.matches(&candidate))
            && !written.iter().any(|other| other.matches(&candidate))
        {
            return candidate;
        }
        number += 1;
    }
}

/// Returns the name that an item or a field of STRUCT has without AS: the last part of a path.
pub(super) fn implicit_name(expr: &ast::Expr) -> Option<&str> {
    match expr {
        ast::Expr::Identifier(ident) => Some(&ident.value),
        ast::Expr::CompoundIdentifier(idents) => idents.last().map(|ident| ident.value.as_str()),
        ast::Expr::CompoundFieldAccess { access_chain, .. } => match access_chain.last() {
            Some(ast::AccessExpr::Dot(expr)) => implicit_name(expr),
            _ => None,
        },
        ast::Expr::Nested(expr) => implicit_name(expr),
        _ => None,
    }
}
