//! Calls: scalar, aggregate and window functions of the allow-list.

use sqlparser::ast::{self, Spanned};

use super::arguments::by_types;
use super::functions::{self, Arg, Function, Kind};
use super::operator::as_texts;
use super::scope::Scope;
use super::{Analyzer, Result, all, group};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::googlesql::parse::span_of;
use crate::compiler::ir::{
    Aggregate, DatePart, Expr, ExprKind, NormalizationForm, SortKey, SubqueryKind, Type, Value,
};

/// What stands in the parentheses of a call beside the arguments.
#[derive(Default)]
pub(super) struct Modifiers {
    pub(super) distinct: bool,
    pub(super) ignore_nulls: Option<bool>,
    pub(super) order_by: Vec<SortKey>,
    pub(super) limit: Option<u64>,
    /// The function that `HAVING MAX x` or `HAVING MIN x` makes of ANY_VALUE, and its `x`.
    pub(super) having: Option<(&'static str, Expr)>,
}

impl Modifiers {
    fn is_empty(&self) -> bool {
        !self.distinct
            && self.ignore_nulls.is_none()
            && self.order_by.is_empty()
            && self.limit.is_none()
            && self.having.is_none()
    }
}

impl Analyzer<'_> {
    /// Analyses a function call, which may have had the prefix `SAFE.` already.
    pub(super) fn call(
        &mut self,
        call: &ast::Function,
        prefixed: bool,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Expr> {
        let ast::Function {
            name,
            uses_odbc_syntax,
            parameters,
            args,
            within_group,
            filter,
            null_treatment,
            over,
        } = call;
        if *uses_odbc_syntax
            || !matches!(parameters, ast::FunctionArguments::None)
            || !within_group.is_empty()
            || filter.is_some()
        {
            return Err(self.unsupported(span, "this form of call"));
        }
        let (name, name_span, safe) = self.function_name(name)?;
        let safe = safe || prefixed;

        let list = match args {
            ast::FunctionArguments::Subquery(subquery) => {
                if !name.eq_ignore_ascii_case("array") || safe || over.is_some() {
                    return Err(self.unsupported(span, "a query as the argument of a function"));
                }
                let (query, ty) =
                    self.one_column(subquery, scope, "the sub-query of ARRAY", span)?;
                if ty.element().is_some() {
                    return Err(self.no_array_of_arrays(span));
                }
                return Ok(Expr::new(
                    ExprKind::Subquery {
                        kind: SubqueryKind::Array,
                        query: Box::new(query),
                    },
                    Type::array(ty.as_lists()),
                    span,
                ));
            }
            ast::FunctionArguments::List(list) => Some(list),
            ast::FunctionArguments::None => None,
        };
        let function = if name.eq_ignore_ascii_case("if") {
            None
        } else {
            Some(self.function(&name, name_span)?)
        };
        if null_treatment.is_some() {
            return Err(self.refuse(
                Diagnostic::new(
                    Code::ForeignSyntax,
                    span,
                    "IGNORE NULLS and RESPECT NULLS stand inside of the brackets",
                )
                .help(format!(
                    "write {}(x IGNORE NULLS) OVER (…)",
                    name.to_ascii_uppercase()
                )),
            ));
        }
        let mut modifiers = self.modifiers(list, scope, span)?;
        let mut args = self.args(list, function, scope, span)?;

        let Some(mut function) = function else {
            if safe || over.is_some() || !modifiers.is_empty() {
                return Err(self.unsupported(span, "this form of IF"));
            }
            return self.if_call(args, span);
        };
        if let Some((name, by)) = modifiers.having.take() {
            if function.name != "ANY_VALUE" {
                return Err(self.unsupported(span, "HAVING in this call"));
            }
            function = functions::known(name);
            args.push(by);
        }
        // It passes over NULL in any case.
        if function.name == "APPROX_QUANTILES" && modifiers.ignore_nulls == Some(true) {
            modifiers.ignore_nulls = None;
        }
        let of_record = args.iter().any(|arg| arg.ty.fields().is_some());
        if function.name == "NULLIF" && of_record && !safe && over.is_none() {
            return self.nullif_record(args, span);
        }
        match (function.kind, over) {
            (Kind::Scalar, None) => {
                if !modifiers.is_empty() {
                    return Err(self.refuse(Diagnostic::new(
                        Code::Syntax,
                        span,
                        format!("{} is no aggregate function", function.name),
                    )));
                }
                self.scalar(function, args, safe, span)
            }
            (Kind::Scalar, Some(_)) => Err(self.refuse(Diagnostic::new(
                Code::MisplacedWindow,
                span,
                format!("{} cannot have OVER", function.name),
            ))),
            (_, _) if safe => Err(self.refuse(
                Diagnostic::new(Code::Syntax, span, "SAFE. goes with scalar functions only")
                    .help("write it before those in the argument: SUM(SAFE.f(x))"),
            )),
            (Kind::Aggregate, None) => self.aggregate(function, args, modifiers, span),
            (Kind::Aggregate | Kind::Window, Some(over)) => {
                self.window(function, args, modifiers, over, scope, span)
            }
            (Kind::Window, None) => Err(self.refuse(Diagnostic::new(
                Code::MisplacedWindow,
                span,
                format!("{} needs OVER (…)", function.name),
            ))),
        }
    }

    /// Returns a call of a scalar function that the compiler itself asks for.
    pub(super) fn call_known(
        &mut self,
        name: &'static str,
        args: Vec<Expr>,
        span: Span,
    ) -> Result<Expr> {
        self.scalar(functions::known(name), args, false, span)
    }

    /// Returns the name of a function without its SAFE prefix, and whether it had one.
    fn function_name(&mut self, name: &ast::ObjectName) -> Result<(String, Span, bool)> {
        let span = span_of(name.span());
        let parts = self.name_parts(name)?;
        match parts.as_slice() {
            // A dot in backticks is part of the name of someone's own function.
            [(name, _)] if !name.contains('.') => Ok(((*name).to_owned(), span, false)),
            [(prefix, _), (name, _)] if prefix.eq_ignore_ascii_case("safe") => {
                Ok(((*name).to_owned(), span, true))
            }
            [(prefix, _), (name, _)] if is_family(prefix) => {
                Ok((format!("{prefix}.{name}"), span, false))
            }
            [(safe, _), (prefix, _), (name, _)]
                if safe.eq_ignore_ascii_case("safe") && is_family(prefix) =>
            {
                Ok((format!("{prefix}.{name}"), span, true))
            }
            _ => Err(self.refuse(Diagnostic::new(
                Code::UnknownFunction,
                span,
                "functions of other data sets cannot be called",
            ))),
        }
    }

    fn function(&mut self, name: &str, span: Span) -> Result<&'static Function> {
        // EXTRACT(part FROM x) has a syntax of its own and no other.
        if let Some(function) = functions::find(name)
            && function.name != "EXTRACT"
        {
            return Ok(function);
        }
        let diagnostic = Diagnostic::new(
            Code::UnknownFunction,
            span,
            format!("unknown function `{name}`"),
        );
        let foreign = foreign_function(name);
        let diagnostic = if let Some(help) = foreign {
            diagnostic.help(help)
        } else {
            let names: Vec<String> = functions::all().map(|f| f.name.to_owned()).collect();
            super::scope::suggest(diagnostic, name, names.iter())
        };
        Err(self.refuse(diagnostic))
    }

    fn modifiers(
        &mut self,
        list: Option<&ast::FunctionArgumentList>,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Modifiers> {
        let mut modifiers = Modifiers::default();
        let Some(list) = list else {
            return Ok(modifiers);
        };
        let ast::FunctionArgumentList {
            duplicate_treatment,
            args: _,
            clauses,
        } = list;
        modifiers.distinct = *duplicate_treatment == Some(ast::DuplicateTreatment::Distinct);
        for clause in clauses {
            match clause {
                ast::FunctionArgumentClause::IgnoreOrRespectNulls(treatment) => {
                    modifiers.ignore_nulls = Some(*treatment == ast::NullTreatment::IgnoreNulls);
                }
                ast::FunctionArgumentClause::OrderBy(keys) => {
                    if let Some(span) = keys.iter().find_map(|key| constant(&key.expr)) {
                        return Err(self.constant_key("ORDER BY in a call", span));
                    }
                    modifiers.order_by = self.sort_keys(keys, scope)?;
                }
                ast::FunctionArgumentClause::Limit(limit) => {
                    let limit = self.expr(limit, scope)?;
                    let ExprKind::Literal(Value::Int64(count)) = limit.kind else {
                        return Err(self.refuse(Diagnostic::new(
                            Code::BadLimit,
                            limit.span,
                            "LIMIT takes an integer literal",
                        )));
                    };
                    let Ok(count) = u64::try_from(count) else {
                        return Err(self.refuse(Diagnostic::new(
                            Code::BadLimit,
                            limit.span,
                            "LIMIT cannot be negative",
                        )));
                    };
                    modifiers.limit = Some(count);
                }
                ast::FunctionArgumentClause::Having(ast::HavingBound(kind, by)) => {
                    let name = match kind {
                        ast::HavingBoundKind::Max => "MAX_BY",
                        ast::HavingBoundKind::Min => "MIN_BY",
                    };
                    modifiers.having = Some((name, self.expr(by, scope)?));
                }
                _ => return Err(self.unsupported(span, "this clause of a call")),
            }
        }
        Ok(modifiers)
    }

    pub(super) fn sort_keys(
        &mut self,
        keys: &[ast::OrderByExpr],
        scope: &Scope<'_>,
    ) -> Result<Vec<SortKey>> {
        all(keys.iter().map(|key| {
            let expr = self.expr(&key.expr, scope)?;
            self.sort_key(key, expr)
        }))
    }

    fn args(
        &mut self,
        list: Option<&ast::FunctionArgumentList>,
        function: Option<&'static Function>,
        scope: &Scope<'_>,
        span: Span,
    ) -> Result<Vec<Expr>> {
        let Some(list) = list else {
            return Ok(Vec::new());
        };
        let most = self.environment.limits.arguments;
        self.check_count(
            Code::TooManyArguments,
            list.args.len(),
            most,
            "arguments of a call",
            "arguments",
            span,
        )?;
        let takes_rows = function.is_some_and(|f| f.name == "COUNT");
        if takes_rows
            && let [ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Wildcard)] =
                list.args.as_slice()
        {
            return Ok(Vec::new());
        }
        let args = all(list.args.iter().enumerate().map(|(index, arg)| match arg {
            ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(arg)) => {
                if takes(function, index, |arg| matches!(arg, Arg::Part(_)))
                    && let Some(part) = date_part(arg)
                {
                    let span = span_of(arg.span());
                    return Ok(Expr::new(ExprKind::Part(part), Type::String, span));
                }
                if takes(function, index, |arg| matches!(arg, Arg::Mode))
                    && let ast::Expr::Identifier(word) = arg
                    && let Some(form) = NormalizationForm::parse(&word.value)
                {
                    return Ok(Expr::new(ExprKind::Mode(form), Type::String, span));
                }
                self.expr_or_interval(arg, scope)
            }
            ast::FunctionArg::Unnamed(_) => Err(self.refuse(Diagnostic::new(
                Code::Syntax,
                span,
                "* can be the argument of COUNT only",
            ))),
            ast::FunctionArg::Named {
                name,
                arg: ast::FunctionArgExpr::Expr(value),
                operator: ast::FunctionArgOperator::RightArrow,
            } => {
                let value = self.expr(value, scope)?;
                self.named_argument(function, name, value)
            }
            ast::FunctionArg::Named { .. } | ast::FunctionArg::ExprNamed { .. } => {
                Err(self.unsupported(span, "this form of a named argument"))
            }
        }))?;
        if args.is_empty() && takes_rows {
            return Err(self.refuse(
                Diagnostic::new(Code::NoMatchingSignature, span, "COUNT needs an argument")
                    .help("write COUNT(*)"),
            ));
        }
        Ok(args)
    }

    fn named_argument(
        &mut self,
        function: Option<&'static Function>,
        name: &ast::Ident,
        value: Expr,
    ) -> Result<Expr> {
        let span = span_of(name.span).to(value.span);
        let declared = function
            .into_iter()
            .flat_map(|function| function.signatures)
            .flat_map(|signature| signature.args)
            .find_map(|arg| match arg {
                Arg::Named(declared, _) if declared.eq_ignore_ascii_case(&name.value) => {
                    Some(*declared)
                }
                _ => None,
            });
        let Some(declared) = declared else {
            let what = function.map_or("IF", |function| function.name);
            return Err(self.refuse(Diagnostic::new(
                Code::NoMatchingSignature,
                span,
                format!("{what} has no argument named `{}`", name.value),
            )));
        };
        let ty = value.ty.clone();
        Ok(Expr::new(
            ExprKind::Named {
                name: declared,
                value: Box::new(value),
            },
            ty,
            span,
        ))
    }

    fn scalar(
        &mut self,
        function: &'static Function,
        args: Vec<Expr>,
        safe: bool,
        span: Span,
    ) -> Result<Expr> {
        let args = match function.name {
            "CONCAT" => as_texts(args),
            _ => args,
        };
        let (args, ty) = self.matched(function, args, span)?;
        let (function, args) = by_types(function, args, safe);
        Ok(Expr::new(
            ExprKind::Call {
                function,
                args,
                safe,
            },
            ty,
            span,
        ))
    }

    pub(super) fn aggregate(
        &mut self,
        function: &'static Function,
        args: Vec<Expr>,
        modifiers: Modifiers,
        span: Span,
    ) -> Result<Expr> {
        let inside = args
            .iter()
            .chain(modifiers.order_by.iter().map(|key| &key.expr));
        for expr in inside {
            if let Some(span) = group::first_aggregate(expr) {
                return Err(self.refuse(Diagnostic::new(
                    Code::MisplacedAggregate,
                    span,
                    "an aggregate function cannot stand inside another",
                )));
            }
            if group::has_window(expr) {
                return Err(self.refuse(Diagnostic::new(
                    Code::MisplacedWindow,
                    expr.span,
                    "a window function cannot stand inside an aggregate function",
                )));
            }
        }
        let (args, ty) = self.matched(function, args, span)?;
        self.check_modifiers(function, &args, &modifiers, span)?;
        Ok(Expr::new(
            ExprKind::Aggregate(Box::new(Aggregate {
                function,
                args,
                distinct: modifiers.distinct,
                ignore_nulls: modifiers.ignore_nulls,
                order_by: modifiers.order_by,
                limit: modifiers.limit,
            })),
            ty,
            span,
        ))
    }

    pub(super) fn check_modifiers(
        &mut self,
        function: &Function,
        args: &[Expr],
        modifiers: &Modifiers,
        span: Span,
    ) -> Result<()> {
        let ordered = matches!(
            function.name,
            "ARRAY_AGG" | "STRING_AGG" | "ARRAY_CONCAT_AGG"
        );
        if !ordered && (!modifiers.order_by.is_empty() || modifiers.limit.is_some()) {
            return Err(self.unsupported(span, "ORDER BY and LIMIT in this call"));
        }
        let nulls = matches!(
            function.name,
            "ARRAY_AGG"
                | "FIRST_VALUE"
                | "LAST_VALUE"
                | "NTH_VALUE"
                | "PERCENTILE_CONT"
                | "PERCENTILE_DISC"
        );
        if modifiers.ignore_nulls.is_some() && !nulls {
            let what = "IGNORE NULLS and RESPECT NULLS in this call are not accepted here";
            let diagnostic = Diagnostic::new(Code::Unsupported, span, what);
            return Err(self.refuse(match function.name {
                "LAG" | "LEAD" => diagnostic.help(
                    "write LAST_VALUE(x IGNORE NULLS) OVER (ORDER BY … ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)",
                ),
                _ => diagnostic,
            }));
        }
        if function.name == "APPROX_COUNT_DISTINCT"
            && let Some(arg) = args.first()
            && arg.ty == Type::Json
        {
            let message =
                "values of type JSON cannot be compared, which APPROX_COUNT_DISTINCT needs";
            return Err(self.refuse(
                Diagnostic::new(Code::TypeMismatch, arg.span, message)
                    .help("count its text: APPROX_COUNT_DISTINCT(TO_JSON_STRING(x))"),
            ));
        }
        if function.name == "ARRAY_AGG"
            && let Some(arg) = args.first()
            && arg.ty.element().is_some()
        {
            return Err(self.refuse(
                Diagnostic::new(Code::TypeMismatch, arg.span, "an array cannot hold arrays")
                    .help("write ARRAY_CONCAT_AGG(x), or ARRAY_AGG(STRUCT(x))"),
            ));
        }
        if modifiers.distinct && matches!(function.name, "CORR" | "COVAR_POP" | "COVAR_SAMP") {
            let message = format!("{} cannot have DISTINCT", function.name);
            return Err(self.refuse(Diagnostic::new(Code::Syntax, span, message)));
        }
        if modifiers.distinct {
            let by_other = |key: &&SortKey| {
                let mut args = args.iter();
                !args.any(|arg| self.places.are_one(arg, &key.expr))
            };
            if let Some(key) = modifiers.order_by.iter().find(by_other) {
                return Err(self.refuse(Diagnostic::new(
                    Code::NotGrouped,
                    key.expr.span,
                    "with DISTINCT, ORDER BY in a call can use its arguments only",
                )));
            }
            let Some(arg) = args.first() else {
                return Err(self.refuse(Diagnostic::new(
                    Code::Syntax,
                    span,
                    "DISTINCT needs an argument",
                )));
            };
            if !arg.ty.is_groupable() {
                let message = format!(
                    "values of type {:#} cannot be compared, which DISTINCT needs",
                    arg.ty
                );
                return Err(self.refuse(
                    Diagnostic::new(Code::TypeMismatch, arg.span, message)
                        .help("take its text: COUNT(DISTINCT TO_JSON_STRING(x))"),
                ));
            }
        }
        Ok(())
    }
}

/// Returns where a constant stands that is all of an expression but for brackets and signs.
fn constant(expr: &ast::Expr) -> Option<Span> {
    match expr {
        ast::Expr::Value(value) => Some(span_of(value.span)),
        ast::Expr::Nested(inner)
        | ast::Expr::UnaryOp {
            op: ast::UnaryOperator::Plus,
            expr: inner,
        } => constant(inner),
        ast::Expr::UnaryOp {
            op: ast::UnaryOperator::Minus,
            expr: inner,
        } if matches!(**inner, ast::Expr::Value(_)) => constant(inner),
        _ => None,
    }
}

/// Returns whether a prefix belongs to the names of a family of functions.
fn is_family(prefix: &str) -> bool {
    prefix.eq_ignore_ascii_case("net") || prefix.eq_ignore_ascii_case("hll_count")
}

/// Returns whether some signature of a function has such an argument at a position.
fn takes(function: Option<&Function>, index: usize, wanted: fn(&Arg) -> bool) -> bool {
    function.is_some_and(|function| {
        function
            .signatures
            .iter()
            .any(|signature| signature.args.get(index).is_some_and(wanted))
    })
}

/// Returns the date part that a bare word, or `WEEK(MONDAY)`, stands for.
fn date_part(expr: &ast::Expr) -> Option<DatePart> {
    match expr {
        ast::Expr::Identifier(ident) if ident.quote_style.is_none() => {
            DatePart::parse(&ident.value)
        }
        ast::Expr::Function(function) => {
            let [ast::ObjectNamePart::Identifier(name)] = function.name.0.as_slice() else {
                return None;
            };
            let ast::FunctionArguments::List(list) = &function.args else {
                return None;
            };
            match list.args.as_slice() {
                [
                    ast::FunctionArg::Unnamed(ast::FunctionArgExpr::Expr(ast::Expr::Identifier(
                        day,
                    ))),
                ] => DatePart::parse(&format!("{}({})", name.value, day.value)),
                _ => None,
            }
        }
        _ => None,
    }
}

/// Returns what to write for a function of another database.
fn foreign_function(name: &str) -> Option<&'static str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "date_part" => "write EXTRACT(HOUR FROM ts)",
        "now" => "write CURRENT_TIMESTAMP()",
        "to_timestamp" => "write TIMESTAMP_SECONDS(n) or PARSE_TIMESTAMP(format, text)",
        "len" => "write LENGTH(x)",
        "isnull" | "nvl" => "write IFNULL(a, b)",
        "quantile" | "percentile" | "median" | "quantile_cont" | "approx_percentile" => {
            "write APPROX_QUANTILES(x, 100)[OFFSET(95)]"
        }
        "regexp_matches" | "regexp_like" | "regexp" => "write REGEXP_CONTAINS(x, r'pattern')",
        "string" | "to_char" => "write CAST(x AS STRING) or FORMAT_TIMESTAMP(format, ts)",
        "group_concat" | "listagg" => "write STRING_AGG(x, ', ')",
        "json_extract_path_text" => "write JSON_VALUE(x, '$.a.b')",
        "charindex" | "locate" | "position" => "write STRPOS(text, part)",
        "split_part" => "write SPLIT(x, '-')[SAFE_OFFSET(0)]",
        "explode" | "flatten" => "write CROSS JOIN UNNEST(array) AS x",
        "size" | "cardinality" => "write ARRAY_LENGTH(x)",
        "contains_substr" | "search" => "write STRPOS(LOWER(text), 'part') > 0",
        "row" => "write STRUCT(a, b)",
        "iif" => "write IF(condition, then, otherwise)",
        "convert" => "write CAST(x AS type)",
        "datediff" => "write TIMESTAMP_DIFF(a, b, DAY)",
        "dateadd" => "write TIMESTAMP_ADD(ts, INTERVAL 1 DAY)",
        "rand" | "random" | "generate_uuid" | "uuid" => {
            "a query gives the same rows each time; sort by a hash: FARM_FINGERPRINT(id)"
        }
        "uniq" | "count_distinct" => "write COUNT(DISTINCT x)",
        _ => return None,
    })
}
