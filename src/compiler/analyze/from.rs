//! FROM: tables, sub-queries, arrays and joins, and the range variables they bring.

use sqlparser::ast::{self, Spanned};

use super::scope::{Merged, Range, Scope, Shape, suggest};
use super::{Analyzer, Refused, Result};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::googlesql::parse::span_of;
use crate::compiler::ir::{
    BinaryOp, ColumnName, CteId, Expr, ExprKind, From, Join, JoinKind, RangeName, Source, Table,
    Type, Unnest,
};

/// A FROM item before it is joined.
struct Factor {
    from: From,
    ranges: Vec<Range>,
    merged: Vec<Merged>,
    hidden: Vec<(crate::compiler::ir::RangeId, ColumnName)>,
}

impl Factor {
    fn of(from: From, ranges: Vec<Range>) -> Self {
        Self {
            from,
            ranges,
            merged: Vec::new(),
            hidden: Vec::new(),
        }
    }
}

/// How many range variables and merged columns the left side of a join has.
#[derive(Clone, Copy)]
struct Left {
    ranges: usize,
    merged: usize,
}

/// What to write where a join cannot have UNNEST.
const ARRAY_AS_ROWS: &str =
    "select from the array in a sub-query: JOIN (SELECT x FROM UNNEST(…) AS x) USING (x)";

/// Returns whether an expression is a column of a table, or one that USING has merged of such.
fn is_column(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Column { .. } => true,
        ExprKind::Call { function, args, .. } => {
            function.name == "COALESCE" && args.iter().all(is_column)
        }
        ExprKind::Cast { operand, .. } => is_column(operand),
        _ => false,
    }
}

impl Analyzer<'_> {
    /// Analyses a FROM clause; returns the tree and the scope of what it brings.
    pub(super) fn from<'p>(
        &mut self,
        tables: &[ast::TableWithJoins],
        parent: Option<&'p Scope<'p>>,
    ) -> Result<(Option<From>, Scope<'p>)> {
        let mut scope = Scope::inside(parent);
        let mut tree = None;
        for (index, table) in tables.iter().enumerate() {
            let ast::TableWithJoins { relation, joins } = table;
            let factor = self.factor(relation, &scope)?;
            tree = Some(self.join(
                tree,
                factor,
                JoinKind::Cross,
                None,
                &mut scope,
                span_of(relation.span()),
            )?);
            for join in joins {
                tree = Some(self.joined(tree, join, index > 0, &mut scope)?);
            }
        }
        if let (Some(tree), Some(first)) = (&tree, tables.first()) {
            self.check_count(
                Code::TooManyCrossJoins,
                cross_joins(tree),
                self.environment.limits.cross_joins,
                "joins of every row with every other",
                "cross_joins",
                span_of(first.span()),
            )?;
        }
        Ok((tree, scope))
    }

    fn joined(
        &mut self,
        left: Option<From>,
        join: &ast::Join,
        after_comma: bool,
        scope: &mut Scope<'_>,
    ) -> Result<From> {
        let ast::Join {
            relation,
            global,
            join_operator,
        } = join;
        let span = span_of(relation.span());
        if *global {
            return Err(self.unsupported(span, "GLOBAL JOIN"));
        }
        use ast::JoinOperator as Operator;
        let (kind, constraint) = match join_operator {
            Operator::Join(constraint) | Operator::Inner(constraint) => {
                (JoinKind::Inner, constraint)
            }
            Operator::CrossJoin(constraint) => (JoinKind::Cross, constraint),
            Operator::Left(constraint) | Operator::LeftOuter(constraint) => {
                (JoinKind::Left, constraint)
            }
            Operator::Right(constraint) | Operator::RightOuter(constraint) => {
                (JoinKind::Right, constraint)
            }
            Operator::FullOuter(constraint) => (JoinKind::Full, constraint),
            _ => return Err(self.unsupported(span, "this kind of join")),
        };
        if after_comma && matches!(kind, JoinKind::Right | JoinKind::Full) {
            return Err(self.refuse(
                Diagnostic::new(
                    Code::Syntax,
                    span,
                    "RIGHT and FULL joins after a comma need parentheses",
                )
                .help("write a CROSS JOIN in place of the comma"),
            ));
        }
        let factor = self.factor(relation, scope)?;
        self.join(left, factor, kind, Some(constraint), scope, span)
    }

    /// Joins a factor to what stands on its left, and brings its names into scope.
    fn join(
        &mut self,
        left: Option<From>,
        factor: Factor,
        kind: JoinKind,
        constraint: Option<&ast::JoinConstraint>,
        scope: &mut Scope<'_>,
        span: Span,
    ) -> Result<From> {
        let Factor {
            from,
            ranges,
            merged,
            hidden,
        } = factor;
        for range in &ranges {
            if let Some(name) = &range.name
                && scope.own_range(name).is_some()
            {
                return Err(self.refuse(
                    Diagnostic::new(
                        Code::DuplicateName,
                        span,
                        format!("two items of FROM are called `{name}`"),
                    )
                    .help("give one of them another alias: … AS name"),
                ));
            }
        }
        let left_ranges = scope.ranges.len();
        scope.ranges.extend(ranges);
        self.check_count(
            Code::TooManyFromItems,
            scope.ranges.len(),
            self.environment.limits.from_items,
            "items of FROM",
            "from_items",
            span,
        )?;
        let left_merged = scope.merged.len();
        scope.merged.extend(merged.into_iter().map(|merged| Merged {
            behind: merged.behind + left_ranges,
            ..merged
        }));
        scope.hidden.extend(hidden);
        let Some(left) = left else {
            return Ok(from);
        };

        let is_unnest = matches!(from, From::Unnest(_));
        if is_unnest && matches!(kind, JoinKind::Right | JoinKind::Full) {
            let message = "RIGHT or FULL JOIN with UNNEST is not accepted here";
            let diagnostic = Diagnostic::new(Code::Unsupported, span, message);
            return Err(self.refuse(diagnostic.help(ARRAY_AS_ROWS)));
        }
        let on = match (kind, constraint) {
            (JoinKind::Cross, None | Some(ast::JoinConstraint::None)) => None,
            (JoinKind::Cross, Some(_)) => {
                return Err(self.refuse(Diagnostic::new(
                    Code::Syntax,
                    span,
                    "CROSS JOIN takes no condition",
                )));
            }
            (_, Some(ast::JoinConstraint::On(on))) => Some(self.condition(on, scope, "ON")?),
            (_, Some(ast::JoinConstraint::Using(names))) => {
                let left = Left {
                    ranges: left_ranges,
                    merged: left_merged,
                };
                Some(self.using(names, kind, left, scope, span)?)
            }
            (JoinKind::Inner | JoinKind::Left, None | Some(ast::JoinConstraint::None))
                if is_unnest =>
            {
                None
            }
            (_, Some(ast::JoinConstraint::Natural)) => {
                return Err(self.unsupported(span, "NATURAL JOIN"));
            }
            (_, None | Some(ast::JoinConstraint::None)) => {
                return Err(self.refuse(
                    Diagnostic::new(Code::Syntax, span, "this join needs ON or USING")
                        .help("write ON left.id = right.id, or CROSS JOIN for every pair"),
                ));
            }
        };
        if let Some(on) = &on {
            if let Some(span) = super::group::first_aggregate(on) {
                return Err(self.refuse(Diagnostic::new(
                    Code::MisplacedAggregate,
                    span,
                    "an aggregate function cannot stand in ON",
                )));
            }
            if super::group::has_window(on) {
                return Err(self.refuse(Diagnostic::new(
                    Code::MisplacedWindow,
                    on.span,
                    "a window function cannot stand in ON",
                )));
            }
        }
        // ON TRUE says nothing.
        let on = on.filter(|on| *on != Expr::bool(true) || !is_unnest);
        let kind = if on.is_none() && kind == JoinKind::Inner {
            JoinKind::Cross
        } else {
            kind
        };
        Ok(From::Join(Box::new(Join {
            kind,
            left,
            right: from,
            on,
        })))
    }

    /// Writes USING as a condition, and merges its columns into one name each.
    fn using(
        &mut self,
        names: &[ast::ObjectName],
        kind: JoinKind,
        left_side: Left,
        scope: &mut Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        let (left_merged, right_merged) = scope.merged.split_at(left_side.merged);
        let (mut left_merged, right_merged) = (left_merged.to_vec(), right_merged.to_vec());
        let mut conditions = Vec::new();
        for name in names {
            if let [ast::ObjectNamePart::Identifier(name)] = name.0.as_slice() {
                self.no_reserved_word(name)?;
            }
            let parts = self.name_parts(name)?;
            let [(name, name_span)] = parts.as_slice() else {
                return Err(self.unsupported(span, "a path in USING"));
            };
            let side = |ranges: &[Range], merged: &[Merged]| Scope {
                ranges: ranges.to_vec(),
                merged: merged.to_vec(),
                hidden: scope.hidden.clone(),
                aliases: Vec::new(),
                later: Vec::new(),
                parent: None,
            };
            let (left, right) = scope.ranges.split_at(left_side.ranges);
            let left_scope = side(left, &left_merged);
            let right_scope = side(right, &right_merged);
            let left = self.accept(left_scope.path(&[(name, *name_span)]))?;
            let right = self.accept(right_scope.path(&[(name, *name_span)]))?;
            if !is_column(&left) || !is_column(&right) {
                let message = "USING with anything but columns of tables is not accepted here";
                let diagnostic = Diagnostic::new(Code::Unsupported, span, message);
                return Err(self.refuse(diagnostic.help(ARRAY_AS_ROWS)));
            }
            for side in [&left, &right] {
                if let ExprKind::Column { range, column } = &side.kind {
                    scope.hidden.push((*range, column.clone()));
                }
            }
            let column = ColumnName::new(*name);
            let merged = match kind {
                JoinKind::Cross | JoinKind::Inner | JoinKind::Left => left.clone(),
                JoinKind::Right => right.clone(),
                JoinKind::Full => {
                    self.call_known("COALESCE", vec![left.clone(), right.clone()], *name_span)?
                }
            };
            left_merged.retain(|other| !other.name.matches(name));
            scope.merged.retain(|other| !other.name.matches(name));
            let at = conditions.len();
            scope.merged.insert(
                at,
                Merged {
                    name: column,
                    expr: merged,
                    behind: 0,
                },
            );
            conditions.push(self.comparison(BinaryOp::Equal, left, right, *name_span)?);
        }
        Ok(match conditions.len() {
            1 => conditions.pop().ok_or(Refused)?,
            _ => Expr::new(ExprKind::And(conditions), Type::Bool, span),
        })
    }

    fn factor(&mut self, factor: &ast::TableFactor, scope: &Scope<'_>) -> Result<Factor> {
        let span = span_of(factor.span());
        match factor {
            ast::TableFactor::Table {
                name,
                alias,
                args,
                with_hints,
                version,
                with_ordinality,
                partitions,
                json_path,
                sample,
                index_hints,
            } => {
                if args.is_some() {
                    return Err(self.unsupported(span, "a table function"));
                }
                if version.is_some() || sample.is_some() {
                    return Err(self.unsupported(span, "FOR SYSTEM_TIME and TABLESAMPLE"));
                }
                if !with_hints.is_empty()
                    || *with_ordinality
                    || !partitions.is_empty()
                    || json_path.is_some()
                    || !index_hints.is_empty()
                {
                    return Err(self.unsupported(span, "this form of table reference"));
                }
                let alias = self.alias(alias.as_ref())?;
                let parts = self.path_parts(name)?;
                match parts.as_slice() {
                    [(name, name_span)] => self.table(name, alias, *name_span),
                    [(first, _), .., (last, _)]
                        if !is_dotted(&parts) && scope.range(first).is_some() =>
                    {
                        let array = self.accept(scope.path(&parts))?;
                        let name = alias.unwrap_or_else(|| (*last).to_owned());
                        self.unnest(array, Some(name), None)
                    }
                    _ => {
                        // A path, in one pair of backticks or several, is the name of a stream.
                        let path: Vec<&str> = parts.iter().map(|(part, _)| *part).collect();
                        let path = path.join(".");
                        let last = path.rsplit('.').next().unwrap_or(&path);
                        let alias = alias.unwrap_or_else(|| last.to_owned());
                        self.table(&path, Some(alias), span)
                    }
                }
            }
            ast::TableFactor::Derived {
                lateral,
                subquery,
                alias,
                sample,
            } => {
                if *lateral || sample.is_some() {
                    return Err(self.unsupported(span, "LATERAL and TABLESAMPLE"));
                }
                let alias = self.alias(alias.as_ref())?;
                // A sub-query in FROM sees enclosing queries but not its neighbours.
                self.struct_rows(subquery)?;
                let query = self.query(subquery, scope.parent)?;
                let id = self.ids.range();
                let range = Range {
                    id,
                    name: alias.clone(),
                    shape: Shape::Row(query.columns()),
                };
                let from = From::Derived {
                    range: id,
                    name: RangeName::new(alias.unwrap_or_else(|| "q".to_owned())),
                    query: Box::new(query),
                };
                Ok(Factor::of(from, vec![range]))
            }
            ast::TableFactor::UNNEST {
                alias,
                array_exprs,
                with_offset,
                with_offset_alias,
                with_ordinality,
            } => {
                let [array] = array_exprs.as_slice() else {
                    return Err(self.unsupported(span, "UNNEST of several arrays"));
                };
                if *with_ordinality {
                    return Err(self.refuse(
                        Diagnostic::new(
                            Code::ForeignSyntax,
                            span,
                            "WITH ORDINALITY is not GoogleSQL",
                        )
                        .help("write WITH OFFSET AS name"),
                    ));
                }
                let alias = self.alias(alias.as_ref())?;
                let offset = match (with_offset, with_offset_alias) {
                    (false, _) => None,
                    (true, None) => Some("offset".to_owned()),
                    (true, Some(name)) => {
                        self.no_reserved_word(name)?;
                        Some(self.identifier(name)?.to_owned())
                    }
                };
                let array = self.expr(array, scope)?;
                if let Some(span) = super::group::first_aggregate(&array) {
                    return Err(self.refuse(Diagnostic::new(
                        Code::MisplacedAggregate,
                        span,
                        "an aggregate function cannot stand in UNNEST",
                    )));
                }
                self.unnest(array, alias, offset)
            }
            ast::TableFactor::NestedJoin {
                table_with_joins,
                alias,
            } => {
                if alias.is_some() {
                    return Err(self.unsupported(span, "an alias after a join in parentheses"));
                }
                let tables = std::slice::from_ref(table_with_joins.as_ref());
                let (from, inner) = self.from(tables, scope.parent)?;
                let Some(from) = from else {
                    return Err(self.unsupported(span, "empty parentheses in FROM"));
                };
                Ok(Factor {
                    from,
                    ranges: inner.ranges,
                    merged: inner.merged,
                    hidden: inner.hidden,
                })
            }
            ast::TableFactor::Pivot { .. } | ast::TableFactor::Unpivot { .. } => {
                Err(self.unsupported(span, "PIVOT and UNPIVOT"))
            }
            _ => Err(self.unsupported(span, "this form of table reference")),
        }
    }

    fn alias(&mut self, alias: Option<&ast::TableAlias>) -> Result<Option<String>> {
        let Some(alias) = alias else {
            return Ok(None);
        };
        let ast::TableAlias {
            explicit: _,
            name,
            columns,
            at,
        } = alias;
        if !columns.is_empty() || at.is_some() {
            return Err(self.refuse(
                Diagnostic::new(
                    Code::Unsupported,
                    span_of(name.span),
                    "a column list after a table alias is not accepted here",
                )
                .help("name the columns inside: (SELECT 1 AS a) AS t"),
            ));
        }
        Ok(Some(self.identifier(name)?.to_owned()))
    }

    fn table(&mut self, name: &str, alias: Option<String>, span: Span) -> Result<Factor> {
        let declared = self
            .visible
            .iter()
            .rev()
            .find(|(visible, _)| visible.eq_ignore_ascii_case(name));
        let (source, columns) = if let Some((_, id)) = declared {
            // A CTE that was refused has its diagnostics already.
            let id = id.ok_or(Refused)?;
            let cte = self.ctes.iter().find(|cte| cte.id == id).ok_or(Refused)?;
            (Source::Cte(id), cte.query.columns())
        } else if let Some(subtable) = self
            .environment
            .subtables
            .iter()
            .find(|subtable| subtable.name.matches(name))
        {
            (Source::Cte(subtable.id), subtable.columns.clone())
        } else if let Some((stream, columns)) = self
            .environment
            .catalog
            .and_then(|catalog| catalog.stream(name))
        {
            (Source::Stream(stream.clone()), columns.to_vec())
        } else {
            return Err(self.unknown_table(name, span));
        };
        let expansion = match &source {
            Source::Cte(id) => self.expansions.get(id).copied().unwrap_or(1).max(1),
            Source::Stream(_) => 1,
        };
        if let Source::Cte(id) = &source {
            self.check_references(*id, name, span)?;
        }
        self.table_references = self.table_references.saturating_add(expansion);
        self.check_count(
            Code::TooManyTables,
            self.table_references,
            self.environment.limits.table_references,
            "table references",
            "table_references",
            span,
        )?;
        let id = self.ids.range();
        let name = alias.unwrap_or_else(|| name.to_owned());
        let range = Range {
            id,
            name: Some(name.clone()),
            shape: Shape::Row(columns.clone()),
        };
        let from = From::Table(Table {
            range: id,
            name: RangeName::new(name),
            source,
            columns,
        });
        Ok(Factor::of(from, vec![range]))
    }

    /// Notes a reference to a CTE or sub-table: an engine may evaluate it as often as it is read. Limits on
    /// what a query reads are for callers.
    fn check_references(&mut self, id: CteId, name: &str, span: Span) -> Result<()> {
        if self.environment.catalog.is_some() {
            return Ok(());
        }
        let count = self.references.entry(id).or_default();
        *count += 1;
        let count = *count;
        self.check_count(
            Code::TooManyReferences,
            count,
            self.environment.limits.cte_references,
            &format!("references to `{name}`"),
            "cte_references",
            span,
        )
    }

    /// Refuses a table name. What may be named instead is what the caller can see: the sub-tables and
    /// the CTEs of the query itself.
    fn unknown_table(&mut self, name: &str, span: Span) -> Refused {
        let mut known: Vec<String> = self
            .environment
            .subtables
            .iter()
            .map(|table| table.name.to_string())
            .collect();
        known.extend(self.visible.iter().map(|(name, _)| name.clone()));
        if let Some(catalog) = self.environment.catalog {
            known.extend(catalog.streams().map(|(stream, _)| stream.to_string()));
        }
        let mut message = format!("unknown table `{name}`");
        let list: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
        if self.environment.catalog.is_none() {
            message = format!("{message}: a query can read only the sub-tables of this endpoint");
        }
        let diagnostic = Diagnostic::new(Code::UnknownTable, span, message);
        let suggested = suggest(diagnostic.clone(), name, known.iter());
        let help = match suggested.help {
            Some(help) if help.starts_with("did you mean") => {
                format!("{help} There are {}", list.join(", "))
            }
            _ if list.is_empty() => "this endpoint has no sub-tables".to_owned(),
            _ => format!("there are {}", list.join(", ")),
        };
        self.refuse(diagnostic.help(help))
    }

    fn unnest(
        &mut self,
        array: Expr,
        alias: Option<String>,
        offset: Option<String>,
    ) -> Result<Factor> {
        let span = array.span;
        let Some(element) = array.ty.element().cloned() else {
            return Err(self.refuse(Diagnostic::new(
                Code::TypeMismatch,
                span,
                format!("UNNEST needs an array, found {:#}", array.ty),
            )));
        };
        let id = self.ids.range();
        let mut ranges = vec![Range {
            id,
            name: alias.clone(),
            shape: Shape::Element(element),
        }];
        if let Some(name) = &offset {
            ranges.push(Range {
                id,
                name: Some(name.clone()),
                shape: Shape::Offset,
            });
        }
        let from = From::Unnest(Unnest {
            range: id,
            name: RangeName::new(alias.unwrap_or_else(|| "element".to_owned())),
            array,
            offset: offset.map(ColumnName::new),
        });
        Ok(Factor::of(from, ranges))
    }

    /// Returns the parts of a name that is not the name of a table.
    pub(super) fn name_parts<'n>(
        &mut self,
        name: &'n ast::ObjectName,
    ) -> Result<Vec<(&'n str, Span)>> {
        let parts = self.path_parts(name)?;
        if is_dotted(&parts) {
            return Err(self.refuse(
                Diagnostic::new(
                    Code::BadIdentifier,
                    span_of(name.span()),
                    "a dot in backticks can stand in the name of a table alone",
                )
                .help("put each part of a path in backticks of its own: `a`.`b`"),
            ));
        }
        Ok(parts)
    }

    /// Returns the parts of a dotted name. The parser splits a name in backticks at its dots.
    fn path_parts<'n>(&mut self, name: &'n ast::ObjectName) -> Result<Vec<(&'n str, Span)>> {
        super::all(name.0.iter().map(|part| match part {
            ast::ObjectNamePart::Identifier(ident) => {
                Ok((ident.value.as_str(), span_of(ident.span)))
            }
            ast::ObjectNamePart::Function(_) => {
                Err(self.unsupported(span_of(part.span()), "a function as a name"))
            }
        }))
    }
}

/// Returns whether parts of a name stood in one pair of backticks.
fn is_dotted(parts: &[(&str, Span)]) -> bool {
    let mut places = parts.iter().map(|(_, span)| span.start);
    let mut last = places.next();
    places.any(|place| last.replace(place) == Some(place))
}

/// Returns the number of joins that pair every row with every other. The elements of an array in the row
/// itself are no such join.
fn cross_joins(from: &From) -> usize {
    match from {
        From::Table(_) | From::Derived { .. } | From::Unnest(_) => 0,
        From::Filtered {
            input,
            condition: _,
        } => cross_joins(input),
        From::Join(join) => {
            let own_array = match &join.right {
                From::Unnest(unnest) => !super::group::is_constant(&unnest.array),
                From::Table(_) | From::Derived { .. } | From::Join(_) | From::Filtered { .. } => {
                    false
                }
            };
            let unconditional = join.on.as_ref().is_none_or(|on| *on == Expr::bool(true));
            usize::from(unconditional && !own_array)
                + cross_joins(&join.left)
                + cross_joins(&join.right)
        }
    }
}
