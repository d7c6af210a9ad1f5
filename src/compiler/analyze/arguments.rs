//! Arguments of calls: which signature takes them, and what values are asked of constants among them.

use super::functions::{self, Arg, Function};
use super::operator::in_days;
use super::{Analyzer, Refused, Result, all, coerce, pattern};
use crate::compiler::diagnostic::{Code, Diagnostic, Span};
use crate::compiler::ir::{DatePart, Expr, ExprKind, Type, Value};

impl Analyzer<'_> {
    /// Chooses the signature of a call and gives the arguments its types.
    pub(super) fn matched(
        &mut self,
        function: &'static Function,
        args: Vec<Expr>,
        span: Span,
    ) -> Result<(Vec<Expr>, Type)> {
        let args = with_part_of_null(function, args);
        let chosen = functions::choose(function, &args);
        let Some(chosen) = chosen.filter(|_| Self::has_arrays(function, &args)) else {
            return Err(self.no_signature(function, &args, span));
        };
        let args = all(args
            .into_iter()
            .zip(chosen.args)
            .map(|(arg, target)| match target {
                Some(ty) => self.coerced(arg, &ty),
                None => {
                    // Only the functions that say so see how an array is stored.
                    let lists = arg.ty.as_lists();
                    if arg.ty == lists || function.name == "ARRAY_LENGTH" {
                        Ok(arg)
                    } else {
                        self.coerced(arg, &lists)
                    }
                }
            }))?;
        self.check_patterns(function, &args)?;
        self.check_constants(function, &args)?;
        self.check_format(function, &args)?;
        self.check_generated(function, &args, span)?;
        Ok((args, chosen.result))
    }

    /// Checks constants of aggregate functions that GoogleSQL bounds further than by their type.
    fn check_constants(&mut self, function: &Function, args: &[Expr]) -> Result<()> {
        let counted = match function.name {
            "NTILE" => args.first(),
            "NTH_VALUE" | "APPROX_QUANTILES" | "APPROX_TOP_COUNT" => args.get(1),
            "APPROX_TOP_SUM" => args.get(2),
            _ => None,
        };
        if let Some(counted) = counted
            && counted.kind == ExprKind::Literal(Value::Int64(0))
        {
            let message = format!("{} counts from 1", function.name);
            let diagnostic = Diagnostic::new(Code::NoMatchingSignature, counted.span, message);
            return Err(self.refuse(diagnostic));
        }
        let first = args.first();
        if matches!(function.name, "FIRST_VALUE" | "LAST_VALUE")
            && let Some(null) = first.filter(|arg| coerce::is_null(arg))
        {
            let message = format!("the argument of {} cannot be NULL", function.name);
            let diagnostic = Diagnostic::new(Code::NoMatchingSignature, null.span, message);
            return Err(self.refuse(diagnostic));
        }
        let Some(constant) = args.get(1) else {
            return Ok(());
        };
        let problem = match (function.name, &constant.kind) {
            ("STRING_AGG", _) if constant.is_null_literal() => {
                "the separator of STRING_AGG cannot be NULL"
            }
            ("HLL_COUNT.INIT", ExprKind::Literal(Value::Int64(precision)))
                if !(10..=24).contains(precision) =>
            {
                "the precision of HLL_COUNT.INIT is a literal from 10 to 24"
            }
            _ => return Ok(()),
        };
        Err(self.refuse(Diagnostic::new(
            Code::NoMatchingSignature,
            constant.span,
            problem,
        )))
    }

    /// Returns whether a call has the arrays that its signatures want, where no value of another type stands for one.
    fn has_arrays(function: &Function, args: &[Expr]) -> bool {
        match (function.name, args) {
            ("ARRAY_CONCAT_AGG", [array]) => !array.is_untyped_null(),
            ("JSON_OBJECT", [keys, _]) => !coerce::is_empty_array(keys),
            _ => true,
        }
    }

    /// Checks the format of FORMAT against the types of its values.
    fn check_format(&mut self, function: &Function, args: &[Expr]) -> Result<()> {
        let [format, values @ ..] = args else {
            return Ok(());
        };
        let ExprKind::Literal(Value::String(text)) = &format.kind else {
            return Ok(());
        };
        if function.name != "FORMAT" {
            return Ok(());
        }
        let types: Vec<&Type> = values.iter().map(|value| &value.ty).collect();
        functions::check_format(text, &types)
            .map_err(|problem| self.refuse(Diagnostic::new(Code::BadPattern, format.span, problem)))
    }

    /// Checks how long a generated array gets.
    fn check_generated(&mut self, function: &Function, args: &[Expr], span: Span) -> Result<()> {
        if !function.name.starts_with("GENERATE_") {
            return Ok(());
        }
        let most = self.environment.limits.generated_elements;
        match functions::generated_length(args) {
            Some(length) if length <= f64::from(most) => Ok(()),
            Some(length) => Err(self.refuse(Diagnostic::new(
                Code::GeneratedTooLong,
                span,
                format!(
                    "{length} elements of {}, the limit is {most} (limits.generated_elements)",
                    function.name
                ),
            ))),
            None => Err(self.refuse(Diagnostic::new(
                Code::NoMatchingSignature,
                span,
                format!("the bounds and the step of {} are literals", function.name),
            ))),
        }
    }

    fn no_signature(&mut self, function: &Function, args: &[Expr], span: Span) -> Refused {
        let types: Vec<String> = args
            .iter()
            .map(|arg| match &arg.kind {
                ExprKind::Part(part) => part.as_str().to_owned(),
                ExprKind::Literal(Value::Null) => "NULL".to_owned(),
                _ => format!("{:#}", arg.ty),
            })
            .collect();
        let forms: Vec<String> = function
            .signatures
            .iter()
            .map(|signature| format!("{}{}", function.name, functions::describe(signature)))
            .collect();
        self.refuse(
            Diagnostic::new(
                Code::NoMatchingSignature,
                span,
                format!("{} does not take ({})", function.name, types.join(", ")),
            )
            .help(format!("write {}", forms.join(" or "))),
        )
    }

    /// Checks regular expressions before any engine sees them.
    fn check_patterns(&mut self, function: &Function, args: &[Expr]) -> Result<()> {
        let is_pattern = |index: usize| {
            function.signatures.iter().any(|signature| {
                let arg = signature.args.get(index);
                matches!(arg, Some(Arg::Pattern | Arg::BytesPattern))
            })
        };
        for (index, arg) in args.iter().enumerate() {
            if !is_pattern(index) {
                continue;
            }
            let (text, bytes) = match &arg.kind {
                ExprKind::Literal(Value::String(text)) => (text.to_string(), false),
                ExprKind::Literal(Value::Bytes(bytes)) => {
                    (bytes.iter().map(|byte| char::from(*byte)).collect(), true)
                }
                _ => continue,
            };
            let limits = self.environment.limits;
            let groups = self.accept(pattern::check(&text, bytes, arg.span, limits))?;
            let extracts =
                function.name.starts_with("REGEXP_EXTRACT") || function.name == "REGEXP_INSTR";
            if extracts && groups > 1 {
                return Err(self.refuse(
                    Diagnostic::new(
                        Code::BadPattern,
                        arg.span,
                        format!("{} takes at most one capturing group", function.name),
                    )
                    .help("write (?:…) for a group that captures nothing"),
                ));
            }
        }
        Ok(())
    }
}

/// Returns the arguments of a call that moves, cuts or subtracts times with a part that every type has, where what is
/// moved is the bare word NULL: it has no type that could lack the part, and the result is NULL.
fn with_part_of_null(function: &Function, mut args: Vec<Expr>) -> Vec<Expr> {
    let Some((name, verb)) = function.name.split_once('_') else {
        return args;
    };
    let any_part = match verb {
        "DIFF" | "TRUNC" => true,
        "ADD" | "SUB" => name != "TIME",
        _ => false,
    };
    if !any_part || !args.first().is_some_and(Expr::is_untyped_null) {
        return args;
    }
    let common = if name == "TIME" {
        DatePart::Hour
    } else {
        DatePart::Day
    };
    for arg in &mut args {
        if let ExprKind::Part(part) | ExprKind::Interval { value: _, part } = &mut arg.kind
            && part.is_length()
        {
            *part = common;
        }
    }
    args
}

/// Returns a call of dates and times as one of a function that is named for the types of its arguments.
pub(super) fn by_types(
    function: &'static Function,
    mut args: Vec<Expr>,
    safe: bool,
) -> (&'static Function, Vec<Expr>) {
    let is_bucket = matches!(
        function.name,
        "DATE_BUCKET" | "DATETIME_BUCKET" | "TIMESTAMP_BUCKET"
    );
    match args.as_mut_slice() {
        [text] if function.name == "DATE" && text.ty == Type::String => {
            // The DATE of the point in time that the text stands for.
            let operand = std::mem::replace(text, Expr::bool(false));
            let span = operand.span;
            let operand = Box::new(operand);
            *text = Expr::new(ExprKind::Cast { operand, safe }, Type::Timestamp, span);
            (function, args)
        }
        [point, interval, ..] if is_bucket => {
            let name = match point.ty {
                Type::Date => "DATE_BUCKET",
                Type::Datetime => "DATETIME_BUCKET",
                _ => "TIMESTAMP_BUCKET",
            };
            if point.ty == Type::Timestamp {
                let weeks = std::mem::replace(interval, Expr::bool(false));
                *interval = in_days(weeks);
            }
            (functions::known(name), args)
        }
        _ => (function, args),
    }
}
