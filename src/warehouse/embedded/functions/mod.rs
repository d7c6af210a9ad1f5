//! The scalar functions of GoogleSQL on the embedded engine, with GoogleSQL's exact meaning.
//!
//! A function is named as in GoogleSQL, in lower case and with `_` for each dot (`net_host`); with
//! `safe_` in front it gives NULL in place of an error. Date parts are STRING arguments in GoogleSQL's
//! spelling (`'WEEK(MONDAY)'`). Types were checked and casts written out before: a function gets
//! exactly the types of one of its signatures. JSON is kept as its text.
//!
//! Each family file holds plain functions over the values of one row and a table of names;
//! [`adapt`] makes functions over columns of them. Aggregate and window functions are not here.

mod adapt;
mod array;
mod bytes;
mod calendar;
mod cast;
mod civil_text;
mod column;
mod context;
mod decimal;
mod digest;
mod distinct;
mod exact_sum;
mod farmhash;
mod fault;
mod format_time;
mod gathered;
mod json;
mod json_path;
mod json_text;
pub mod lambda;
mod lists;
mod literal;
mod math;
mod net;
mod over;
mod parse_time;
mod pattern;
mod percentile;
mod printf;
mod redact;
mod regex;
mod stored;
mod string;
mod time;
mod top_sum;
mod value;
mod zone;

#[cfg(test)]
mod tests;

use datafusion::logical_expr::{AggregateUDF, ScalarUDF};

use crate::compiler::analyze::functions as compiler;

use adapt::{Function, Udf};
pub use fault::EvaluationError;
use pattern::Pattern;

const FAMILIES: &[&[Function]] = &[
    cast::FUNCTIONS,
    math::FUNCTIONS,
    string::FUNCTIONS,
    bytes::FUNCTIONS,
    regex::FUNCTIONS,
    time::FUNCTIONS,
    format_time::FUNCTIONS,
    parse_time::FUNCTIONS,
    json::FUNCTIONS,
    array::FUNCTIONS,
    net::FUNCTIONS,
    printf::FUNCTIONS,
];

/// Other names of functions.
const ALIASES: &[(&str, &str)] = &[
    ("ceiling", "ceil"),
    ("character_length", "char_length"),
    ("power", "pow"),
    ("substring", "substr"),
];

/// Returns every function that a compiled query may call.
#[must_use]
pub fn all() -> Vec<ScalarUDF> {
    library()
        .chain(stored::all())
        .chain([redact::function()])
        .chain(gathered::all())
        .chain([top_sum::function()])
        .chain(lists::all())
        .collect()
}

/// Returns every aggregate function that a compiled query may call beyond the engine's own.
#[must_use]
pub fn aggregates() -> Vec<AggregateUDF> {
    percentile::all().into_iter().chain(over::all()).collect()
}

/// Returns the functions of GoogleSQL, each with its `safe_` form.
fn library() -> impl Iterator<Item = ScalarUDF> {
    FAMILIES
        .iter()
        .flat_map(|family| family.iter())
        .flat_map(|function| {
            [false, true].map(|safe| {
                let prefix = if safe { "safe_" } else { "" };
                let aliases = ALIASES
                    .iter()
                    .filter(|(_, name)| *name == function.name)
                    .map(|(alias, _)| format!("{prefix}{alias}"));
                let udf = Udf::new(function, safe, aliases.collect());
                ScalarUDF::new_from_impl(udf)
            })
        })
}

/// Returns whether a function gives a value for any values of its columns, with these constant arguments.
/// Unknown functions and patterns that are none do not.
#[must_use]
pub fn is_total(name: &str, constants: &[&str]) -> bool {
    let known = compiler::all().any(|f| !f.can_fail && f.udf_name() == name);
    let pattern_fits = match name {
        "regexp_contains" => constants
            .iter()
            .all(|text| Pattern::new(text, false).is_ok()),
        _ => true,
    };
    known && pattern_fits
}

/// Calls a function with constants.
///
/// # Errors
/// What the function says, or that there is no such function.
#[cfg(test)]
pub fn evaluate(
    name: &str,
    args: &[datafusion::common::ScalarValue],
) -> datafusion::common::Result<datafusion::common::ScalarValue> {
    use datafusion::common::ScalarValue;
    use datafusion::logical_expr::ColumnarValue;

    let columns = args.iter().cloned().map(ColumnarValue::Scalar).collect();
    match tests::invoke(name, columns, args, 1)? {
        ColumnarValue::Scalar(value) => Ok(value),
        ColumnarValue::Array(array) => ScalarValue::try_from_array(&array, 0),
    }
}
