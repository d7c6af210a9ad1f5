//! AST to typed IR: resolves every name, types every expression, checks every call against the
//! allow-list.
//!
//! What is not listed here is refused with a span; nothing of the parser's tree passes through. A
//! caller's query is analysed in an [`Environment`] that holds the published sub-tables and no catalog,
//! so the tree it becomes cannot hold a stream.

mod arguments;
pub(in crate::compiler) mod build;
mod call;
mod cast;
mod coerce;
mod conditional;
mod distinct;
mod expr;
mod from;
pub mod functions;
mod group;
mod group_by;
mod items;
mod literal;
mod operator;
pub(in crate::compiler) mod pattern;
mod places;
mod predicate;
mod query;
mod record;
mod scope;
mod select;
mod set_operation;
mod window;

pub(crate) use group::has_window;

use std::collections::BTreeMap;

use sqlparser::ast;

use super::catalog::Catalog;
use super::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use super::ir::{Column, Cte, CteId, CteName, RangeId, Statement, Type};
use super::limits::Limits;
use super::parameter::Declaration;
use places::Places;

/// What a query may name.
#[derive(Clone, Copy, Debug)]
pub struct Environment<'a> {
    /// The streams; none for a caller's query.
    pub catalog: Option<&'a Catalog>,
    /// The parameters; none for a caller's query.
    pub parameters: &'a [Declaration],
    /// CTEs that are already there: the published sub-tables.
    pub subtables: &'a [Subtable],
    /// The first ids that are still free.
    pub ids: Ids,
    /// Limits on the query.
    pub limits: &'a Limits,
}

/// A CTE that a query may read without declaring it.
#[derive(Clone, Debug, PartialEq)]
pub struct Subtable {
    /// Its name.
    pub name: CteName,
    /// Its identity in the stored statement.
    pub id: CteId,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// The next free identities of a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ids {
    range: u32,
    cte: u32,
}

impl Ids {
    /// Returns an identity for a FROM item.
    pub fn range(&mut self) -> RangeId {
        self.range += 1;
        RangeId(self.range)
    }

    /// Returns an identity for a CTE.
    pub fn cte(&mut self) -> CteId {
        self.cte += 1;
        CteId(self.cte)
    }
}

/// What the analysis of a text gives.
#[derive(Clone, Debug)]
pub struct Analyzed {
    /// Its meaning.
    pub statement: Statement,
    /// The CTEs declared at its top, in order.
    pub top_level: Vec<CteId>,
    /// The ids that are free after it.
    pub ids: Ids,
}

/// Analyses a query.
///
/// # Errors
/// Every reason to refuse it that can be found in one go, in the order of the text.
pub fn analyze(query: &ast::Query, environment: &Environment<'_>) -> Result<Analyzed, Diagnostics> {
    let mut analyzer = Analyzer::new(environment);
    let result = analyzer.statement(query);
    for (declaration, used) in environment.parameters.iter().zip(&analyzer.used) {
        if !used && analyzer.diagnostics.is_empty() {
            analyzer.diagnostics.push(Diagnostic::general(
                Code::UnusedParameter,
                format!(
                    "parameter `{}` is declared but the query does not use it",
                    declaration.name
                ),
            ));
        }
    }
    match result {
        Ok(query) if analyzer.diagnostics.is_empty() => Ok(Analyzed {
            statement: Statement {
                ctes: analyzer.ctes,
                query,
            },
            top_level: analyzer.top_level,
            ids: analyzer.ids,
        }),
        _ => Err(Diagnostics(analyzer.diagnostics).sorted()),
    }
}

/// A mark that a part was refused; its diagnostics have been noted.
#[derive(Debug)]
pub(in crate::compiler) struct Refused;

type Result<T, E = Refused> = std::result::Result<T, E>;

/// The state of one analysis.
struct Analyzer<'a> {
    environment: Environment<'a>,
    ids: Ids,
    /// Every CTE so far, each after those it reads.
    ctes: Vec<Cte>,
    /// The CTE names in scope, innermost last; without an id where the CTE itself was refused.
    visible: Vec<(String, Option<CteId>)>,
    top_level: Vec<CteId>,
    diagnostics: Vec<Diagnostic>,
    /// Which declared parameters the query uses.
    used: Vec<bool>,
    /// References to tables so far: a CTE counts as many as it makes itself.
    table_references: usize,
    /// References to each CTE or sub-table so far.
    references: BTreeMap<CteId, usize>,
    /// How many references each CTE makes.
    expansions: BTreeMap<CteId, usize>,
    /// Queries around the current one.
    depth: usize,
    /// Whether the query is in a CTE that nothing outside of the text can read.
    in_private_cte: bool,
    /// Operators around the current expression.
    operators: usize,
    /// Pairs of fields in comparisons of STRUCTs so far.
    compared_fields: usize,
    /// How the values so far are known again.
    places: Places,
    /// Whether the next block makes rows of columns, also where it is SELECT AS STRUCT.
    struct_is_row: bool,
    /// The named windows of the current block.
    windows: Vec<window::NamedWindow>,
}

impl<'a> Analyzer<'a> {
    fn new(environment: &Environment<'a>) -> Self {
        Self {
            environment: *environment,
            ids: environment.ids,
            ctes: Vec::new(),
            visible: Vec::new(),
            top_level: Vec::new(),
            diagnostics: Vec::new(),
            used: vec![false; environment.parameters.len()],
            table_references: 0,
            references: BTreeMap::new(),
            expansions: BTreeMap::new(),
            depth: 0,
            in_private_cte: false,
            operators: 0,
            compared_fields: 0,
            places: Places::default(),
            struct_is_row: false,
            windows: Vec::new(),
        }
    }

    /// Notes a reason to refuse the query.
    fn refuse(&mut self, diagnostic: Diagnostic) -> Refused {
        self.diagnostics.push(diagnostic);
        Refused
    }

    /// Notes that a form of SQL is not accepted.
    fn unsupported(&mut self, span: Span, what: &str) -> Refused {
        self.refuse(Diagnostic::new(
            Code::Unsupported,
            span,
            format!("{what} is not accepted here"),
        ))
    }

    /// Notes a boxed diagnostic of a helper as a refusal.
    fn accept<T>(&mut self, result: Result<T, Box<Diagnostic>>) -> Result<T> {
        result.map_err(|diagnostic| self.refuse(*diagnostic))
    }

    /// Notes that there is more of something than the limit.
    fn check_count(
        &mut self,
        code: Code,
        count: usize,
        limit: usize,
        what: &str,
        key: &str,
        span: Span,
    ) -> Result<()> {
        if count <= limit {
            return Ok(());
        }
        Err(self.refuse(Diagnostic::new(
            code,
            span,
            format!("{count} {what}, the limit is {limit} (limits.{key})"),
        )))
    }

    /// Notes that the types of some values have more fields than the limit, at any depth, or are nested
    /// deeper than brackets may be. A type is small in a text that names it often, so nothing may walk one
    /// that was not checked.
    fn check_fields<'t>(
        &mut self,
        types: impl IntoIterator<Item = &'t Type>,
        what: &str,
        span: Span,
    ) -> Result<()> {
        let Limits {
            struct_fields,
            nesting,
            ..
        } = *self.environment.limits;
        let mut left = struct_fields;
        for ty in types {
            match fields_left(ty, left, nesting) {
                Ok(rest) => left = rest,
                Err(TooLarge::Fields) => {
                    return Err(self.refuse(Diagnostic::new(
                        Code::TooManyFields,
                        span,
                        format!(
                            "more than {struct_fields} fields in one {what}, those inside of others \
                             included (limits.struct_fields)"
                        ),
                    )));
                }
                Err(TooLarge::Levels) => {
                    return Err(self.refuse(Diagnostic::new(
                        Code::TooDeep,
                        span,
                        format!("a STRUCT is nested deeper than {nesting} levels (limits.nesting)"),
                    )));
                }
            }
        }
        Ok(())
    }
}

/// What is too large about a type.
enum TooLarge {
    Fields,
    Levels,
}

/// Returns how many of `fields` more fields are left after those of a type, which is nested at most `levels`
/// deep.
fn fields_left(ty: &Type, fields: usize, levels: usize) -> Result<usize, TooLarge> {
    if let Some(element) = ty.element() {
        return fields_left(element, fields, levels);
    }
    let Some(of_type) = ty.fields() else {
        return Ok(fields);
    };
    let levels = levels.checked_sub(1).ok_or(TooLarge::Levels)?;
    let left = fields.checked_sub(of_type.len()).ok_or(TooLarge::Fields)?;
    of_type
        .iter()
        .try_fold(left, |left, field| fields_left(&field.ty, left, levels))
}

/// Collects results, so that one refusal does not hide the next.
fn all<T>(results: impl IntoIterator<Item = Result<T>>) -> Result<Vec<T>> {
    let results = results.into_iter();
    let mut values = Vec::with_capacity(results.size_hint().0);
    let mut refused = false;
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(Refused) => refused = true,
        }
    }
    if refused { Err(Refused) } else { Ok(values) }
}
