//! Text to the tree of its clauses.
//!
//! The grammar takes any text apart; here every part that is no LQL becomes a diagnostic at its clause.
//! Groups come as marks in a flat list and are nested here, so that depth is a number and not a stack.

use pest::Parser as _;
use pest::iterators::Pair;

use super::ast::{Aggregate, Chart, Filter, Name, Query, Select, Test, TestKind};
use super::chart::{aggregate, bad_chart, period};
use super::field;
use super::grammar::{Grammar, Rule, span_of};
use super::path::{invalid_path, is_name, path};
use super::time;
use crate::compiler::diagnostic::{Code, Diagnostic, Diagnostics, Span};
use crate::compiler::ir::DatePart;
use crate::compiler::limits::Limits;

/// What a part of the text gives.
pub(super) type Parsed<T> = Result<T, Box<Diagnostic>>;

/// Reads an LQL text.
///
/// # Errors
/// Every mistake in its form, in the order of the text.
pub fn parse(text: &str, limits: &Limits) -> Result<Query, Diagnostics> {
    if text.len() > limits.query_bytes {
        return Err(Diagnostic::general(
            Code::TooLong,
            format!(
                "the query has {} bytes, the limit is {} (limits.query_bytes)",
                text.len(),
                limits.query_bytes
            ),
        )
        .into());
    }
    let parsed = Grammar::parse(Rule::query, text);
    let mut query = parsed.map_err(|_| Diagnostic::general(Code::Syntax, "this is no LQL"))?;
    let items: Vec<Pair<'_, Rule>> = query
        .next()
        .map_or_else(Vec::new, |q| q.into_inner().collect());
    let mut reader = Reader {
        limits,
        grouped: items.iter().any(|item| item.as_rule() == Rule::open),
        whole: Group::default(),
        groups: Vec::new(),
        clauses: 0,
        query: Query::default(),
        aggregate: None,
        period: None,
        diagnostics: Vec::new(),
    };
    for item in items {
        let Err(diagnostic) = reader.item(item) else {
            continue;
        };
        let limit = matches!(diagnostic.code, Code::ClauseLimit | Code::TooDeep);
        reader.diagnostics.push(*diagnostic);
        // The rest of a text that is too long is not worth reading, nor are endless mistakes.
        if limit || reader.diagnostics.len() > limits.lql_clauses {
            return Err(Diagnostics(reader.diagnostics).sorted());
        }
    }
    reader.finish()
}

/// The state of one reading.
struct Reader<'a> {
    limits: &'a Limits,
    /// Whether the text has a group, which makes `OR` an operator everywhere.
    grouped: bool,
    /// The text itself.
    whole: Group,
    /// The open groups, innermost last.
    groups: Vec<Group>,
    clauses: usize,
    query: Query,
    aggregate: Option<(Aggregate, Span)>,
    period: Option<(DatePart, Span)>,
    diagnostics: Vec<Diagnostic>,
}

/// Filters up to a `)`.
#[derive(Default)]
struct Group {
    negated: bool,
    /// The opening parenthesis.
    span: Span,
    /// What has been read between two ORs.
    arms: Vec<Filter>,
    /// What has been read since the last OR.
    filters: Vec<Filter>,
    /// The OR that waits for its right side.
    or: Option<Span>,
    /// Whether a filter of it was refused, so that what is missing is no news.
    refused: bool,
}

impl Group {
    /// Ends what stands between two ORs.
    fn end_arm(&mut self, at: Span) -> Parsed<()> {
        let filters = std::mem::take(&mut self.filters);
        if filters.is_empty() && !self.refused {
            return Err(
                fault(Code::GroupInvalid, at, "OR needs a filter on both sides")
                    .help("quote it to look for the text: \"OR\"")
                    .into(),
            );
        }
        self.arms.extend(all_of(filters));
        Ok(())
    }
}

/// Returns one filter for several that all hold.
fn all_of(mut filters: Vec<Filter>) -> Option<Filter> {
    if filters.len() > 1 {
        Some(Filter::All(filters))
    } else {
        filters.pop()
    }
}

impl Reader<'_> {
    fn item(&mut self, item: Pair<'_, Rule>) -> Parsed<()> {
        let span = span_of(&item);
        match item.as_rule() {
            Rule::open => self.open(item, span),
            Rule::close => self.close(item, span),
            Rule::or if self.grouped => {
                let group = self.group();
                let ended = group.end_arm(span);
                group.or = Some(span);
                ended
            }
            Rule::or => {
                self.count(span)?;
                self.group().filters.push(contains(item.as_str(), span));
                Ok(())
            }
            Rule::clause => {
                self.count(span)?;
                self.clause(item, span)
            }
            _ => Ok(()),
        }
    }

    fn group(&mut self) -> &mut Group {
        self.groups.last_mut().unwrap_or(&mut self.whole)
    }

    fn open(&mut self, item: Pair<'_, Rule>, span: Span) -> Parsed<()> {
        self.groups.push(Group {
            negated: item
                .into_inner()
                .any(|part| part.as_rule() == Rule::negation),
            span,
            ..Group::default()
        });
        let (depth, most) = (self.groups.len(), self.limits.nesting);
        if depth <= most {
            return Ok(());
        }
        Err(fault(
            Code::TooDeep,
            span,
            format!("groups are nested more than {most} deep (limits.nesting)"),
        )
        .into())
    }

    fn close(&mut self, item: Pair<'_, Rule>, span: Span) -> Parsed<()> {
        let Some(mut group) = self.groups.pop() else {
            return Ok(());
        };
        if let Some(or) = group.or {
            group.end_arm(or)?;
        }
        let filter = if group.arms.is_empty() {
            all_of(group.filters)
        } else if group.arms.len() == 1 {
            group.arms.pop()
        } else {
            Some(Filter::Any(group.arms))
        };
        self.group().refused |= group.refused;
        let stray = item.into_inner().find(|part| part.as_rule() == Rule::stray);
        if let Some(stray) = stray {
            self.group().refused = true;
            return Err(after_closing(&stray, group.span.to(span)));
        }
        match filter {
            Some(filter) => {
                self.group().filters.push(if group.negated {
                    Filter::Not(Box::new(filter))
                } else {
                    filter
                });
                Ok(())
            }
            None if group.refused => Ok(()),
            None => {
                self.group().refused = true;
                Err(fault(
                    Code::GroupInvalid,
                    group.span.to(span),
                    "this group is empty",
                )
                .into())
            }
        }
    }

    fn count(&mut self, span: Span) -> Parsed<()> {
        self.clauses += 1;
        let most = self.limits.lql_clauses;
        if self.clauses <= most {
            return Ok(());
        }
        Err(fault(
            Code::ClauseLimit,
            span,
            format!("more than {most} clauses (limits.lql_clauses)"),
        )
        .into())
    }

    fn clause(&mut self, clause: Pair<'_, Rule>, span: Span) -> Parsed<()> {
        let mut parts = clause.into_inner().peekable();
        let negated = parts
            .next_if(|part| part.as_rule() == Rule::negation)
            .is_some();
        let Some(body) = parts.next() else {
            return Err(
                fault(Code::NegationInvalid, span, "`-` stands before nothing")
                    .help("quote it to look for the text: \"-\"")
                    .into(),
            );
        };
        let read = self
            .body(body, negated, span)
            .and_then(|test| match parts.next() {
                Some(stray) => Err(after_closing(&stray, span)),
                None => Ok(test),
            });
        match read {
            Ok(Some(test)) => {
                self.group().filters.push(if negated {
                    Filter::Not(Box::new(test))
                } else {
                    test
                });
                Ok(())
            }
            Ok(None) => Ok(()),
            Err(diagnostic) => {
                self.group().refused = true;
                Err(diagnostic)
            }
        }
    }

    /// Reads a clause without its `-`; gives a filter if it is one.
    fn body(&mut self, body: Pair<'_, Rule>, negated: bool, span: Span) -> Parsed<Option<Filter>> {
        let kind = match body.as_rule() {
            Rule::word if self.grouped && body.as_str() == "AND" => {
                return Err(fault(
                    Code::GroupInvalid,
                    span,
                    "filters side by side must all hold, so there is no AND",
                )
                .help("leave it out, or quote it to look for the text: \"AND\"")
                .into());
            }
            Rule::word => return Ok(Some(contains(body.as_str(), span))),
            Rule::phrase => TestKind::Contains(field::quoted_text(body, span)?),
            Rule::matches => {
                TestKind::Matches(field::pattern(body.into_inner().next(), span, self.limits)?)
            }
            Rule::field => field::field(body, span, self.limits)?,
            Rule::time => TestKind::Time(time::time(body, span)?),
            Rule::broken => return Err(broken(body.as_str(), span)),
            Rule::from | Rule::select | Rule::chart if negated => {
                return Err(fault(
                    Code::NegationInvalid,
                    span,
                    "only a filter can be negated, not `f:`, `s:` or `c:`",
                )
                .into());
            }
            Rule::from | Rule::select | Rule::chart if !self.groups.is_empty() => {
                return Err(fault(
                    Code::GroupInvalid,
                    span,
                    "a group can hold filters only, not `f:`, `s:` or `c:`",
                )
                .into());
            }
            Rule::from => return self.from(body, span).map(|()| None),
            Rule::select => return self.select(body, span).map(|()| None),
            Rule::chart => return self.chart(body, span).map(|()| None),
            _ => return Ok(None),
        };
        Ok(Some(Filter::Test(Test { kind, span })))
    }

    fn from(&mut self, from: Pair<'_, Rule>, span: Span) -> Parsed<()> {
        let Some(name) = from
            .into_inner()
            .next()
            .filter(|name| !name.as_str().is_empty())
        else {
            return Err(missing(span));
        };
        let name = Name {
            text: name.as_str().to_owned(),
            span,
        };
        if self.query.from.replace(name).is_some() {
            return Err(fault(Code::FromRepeated, span, "`f:` can stand once").into());
        }
        Ok(())
    }

    fn select(&mut self, select: Pair<'_, Rule>, span: Span) -> Parsed<()> {
        let mut parts = select.into_inner();
        let (first, alias) = (parts.next(), parts.next());
        let Some(first) = first else {
            return Err(missing(span));
        };
        match first.as_rule() {
            Rule::star => {
                self.query.star = true;
                return Ok(());
            }
            Rule::path => {}
            _ => return Err(bad_select(first.as_str(), span)),
        }
        let path = path(first.as_str(), span_of(&first).start, span)?;
        let name = alias.map_or_else(|| path.column(), |alias| alias.as_str().to_owned());
        let most = self.limits.name_bytes;
        if name.len() > most {
            return Err(fault(
                Code::NameTooLong,
                span,
                format!(
                    "the name of this column has {} bytes, the limit is {most} (limits.name_bytes)",
                    name.len()
                ),
            )
            .help("give it a shorter name: s:path@name")
            .into());
        }
        let select = Select { path, name, span };
        let taken = self
            .query
            .selects
            .iter()
            .find(|s| s.name.eq_ignore_ascii_case(&select.name));
        match taken {
            Some(same) if same.path == select.path && same.name == select.name => return Ok(()),
            Some(_) => {
                return Err(fault(
                    Code::DuplicateName,
                    span,
                    format!("the result has two columns named `{}`", select.name),
                )
                .help("give one of them another name: s:path@name")
                .into());
            }
            None => self.query.selects.push(select),
        }
        let most = self.limits.lql_columns;
        if self.query.selects.len() != most + 1 {
            return Ok(());
        }
        Err(fault(
            Code::SelectLimit,
            span,
            format!("more than {most} columns (limits.lql_columns)"),
        )
        .into())
    }

    fn chart(&mut self, chart: Pair<'_, Rule>, span: Span) -> Parsed<()> {
        let Some(part) = chart.into_inner().next() else {
            return Err(missing(span));
        };
        let repeated = match part.as_rule() {
            Rule::aggregate => {
                let aggregate = aggregate(part, span)?;
                self.aggregate.replace((aggregate, span)).is_some()
            }
            Rule::grouping => {
                let period = part
                    .into_inner()
                    .next()
                    .map_or(DatePart::Minute, |p| period(p.as_str()));
                self.period.replace((period, span)).is_some()
            }
            _ if part.as_str().is_empty() => return Err(missing(span)),
            _ => return Err(bad_chart(part.as_str(), span)),
        };
        if repeated {
            return Err(fault(
                Code::ChartRepeated,
                span,
                "a chart has one aggregate and one period",
            )
            .into());
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Query, Diagnostics> {
        for group in self.groups.drain(..) {
            let open = fault(Code::QuoteOpen, group.span, "this `(` is not closed");
            self.diagnostics.push(open);
        }
        let mut whole = self.whole;
        if let Some(or) = whole.or {
            if let Err(diagnostic) = whole.end_arm(or) {
                self.diagnostics.push(*diagnostic);
            }
            whole.filters = match whole.arms.len() {
                0 | 1 => whole.arms,
                _ => vec![Filter::Any(whole.arms)],
            };
        }
        self.query.filters = whole.filters;
        if !self.diagnostics.is_empty() {
            return Err(Diagnostics(self.diagnostics).sorted());
        }
        let spans = [
            self.aggregate.as_ref().map(|a| a.1),
            self.period.as_ref().map(|p| p.1),
        ];
        if let Some(span) = spans.into_iter().flatten().reduce(Span::to) {
            self.query.chart = Some(Chart {
                aggregate: self.aggregate.map_or(Aggregate::Count(None), |a| a.0),
                period: self.period.map_or(DatePart::Minute, |p| p.0),
                span,
            });
        }
        Ok(self.query)
    }
}

/// Returns a diagnostic about a clause.
pub(super) fn fault(code: Code, clause: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(code, clause, message)
}

/// Refuses a clause that ends after its operator.
pub(super) fn missing(clause: Span) -> Box<Diagnostic> {
    fault(Code::ValueMissing, clause, "a value is missing")
        .help("write \"\" for the empty text")
        .into()
}

fn after_closing(stray: &Pair<'_, Rule>, clause: Span) -> Box<Diagnostic> {
    fault(
        Code::QuoteOpen,
        clause.to(span_of(stray)),
        format!("`{}` follows where the clause has ended", stray.as_str()),
    )
    .help("put a space between two clauses, or the whole text into quotes")
    .into()
}

fn contains(text: &str, span: Span) -> Filter {
    let kind = TestKind::Contains(text.to_owned());
    Filter::Test(Test { kind, span })
}

/// Refuses what is no word: it has a colon, or a quote that is not escaped.
fn broken(text: &str, span: Span) -> Box<Diagnostic> {
    let colon = text.find(':').unwrap_or(text.len());
    let quote = text.find('"').unwrap_or(text.len());
    if colon < quote {
        return fault(Code::WordColon, span, "a word cannot have a colon in it")
            .help(format!("to look for the text, quote it: \"{text}\""))
            .into();
    }
    fault(Code::QuoteOpen, span, "a quote stands inside a word")
        .help("write \\\" for it inside of quotes")
        .into()
}

fn bad_select(text: &str, span: Span) -> Box<Diagnostic> {
    if text.is_empty() {
        return missing(span);
    }
    match text.split_once('@') {
        Some((column, "")) if column.split('.').all(is_name) => {
            fault(Code::SelectAlias, span, "a name is missing after `@`")
                .help("write s:path@name, or s:path alone")
                .into()
        }
        Some((column, alias)) if column.split('.').all(is_name) => fault(
            Code::SelectAlias,
            span,
            format!("`{alias}` is no name for a column"),
        )
        .help("a name is letters, digits and _: s:path@name")
        .into(),
        _ => invalid_path(text, span),
    }
}
