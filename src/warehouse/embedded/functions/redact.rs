//! `redact(value, leaves, rule, …)`: the value with every text in it redacted. No query can name it.
//!
//! The value may be of any type. The leaves say what the storage does not: `t` for text, `j` for JSON, `b` for
//! bytes, `.` for anything else; a record is its fields in parentheses, an array what its elements are. A
//! rule is its key, see `Rule::key`. For a text the result is what `REGEXP_REPLACE` with the pattern of each
//! rule in turn gives; for JSON, that of its text, or NULL where that is no JSON; for bytes NULL.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use arrow::array::{
    Array, ArrayRef, AsArray, LargeStringArray, ListArray, StringArray, StringViewArray,
    StructArray, new_null_array,
};
use arrow::compute::take;
use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{ScalarValue, exec_err, plan_err};
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};

use super::json::normalized;
use crate::compiler::redaction::Redactor;

/// How many compiled redactions are kept for later batches.
const KEPT: usize = 8;

/// The latest compiled redactions, by the keys of their rules.
static COMPILED: Mutex<Vec<(Vec<String>, Arc<Redactor>)>> = Mutex::new(Vec::new());

/// Returns the function.
pub(super) fn function() -> ScalarUDF {
    ScalarUDF::new_from_impl(Redact {
        signature: Signature::variadic_any(Volatility::Immutable),
    })
}

#[derive(Debug, PartialEq, Eq, Hash)]
struct Redact {
    signature: Signature,
}

impl ScalarUDFImpl for Redact {
    fn name(&self) -> &'static str {
        "redact"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arg_types: &[DataType]) -> Result<DataType> {
        plan_err!("redact needs its leaves")
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let ([value, ..], [_, Some(leaves), ..]) = (args.arg_fields, args.scalar_arguments) else {
            return plan_err!("redact takes a value, its leaves and rules");
        };
        let ty = Leaves::parse(text(leaves)?)?.result(value.data_type())?;
        Ok(Arc::new(Field::new(self.name(), ty, true)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [value, ColumnarValue::Scalar(leaves), rules @ ..] = args.args.as_slice() else {
            return exec_err!("redact takes a value, its leaves and rules");
        };
        let leaves = Leaves::parse(text(leaves)?)?;
        let redactor = compiled(rules)?;
        Ok(match value {
            ColumnarValue::Array(array) => ColumnarValue::Array(leaves.redacted(array, &redactor)?),
            ColumnarValue::Scalar(scalar) => {
                let redacted = leaves.redacted(&scalar.to_array()?, &redactor)?;
                ColumnarValue::Scalar(ScalarValue::try_from_array(&redacted, 0)?)
            }
        })
    }
}

fn text(scalar: &ScalarValue) -> Result<&str> {
    match scalar.try_as_str() {
        Some(Some(text)) => Ok(text),
        _ => plan_err!("leaves and rules are texts"),
    }
}

/// Returns the rules, compiled at most once.
fn compiled(rules: &[ColumnarValue]) -> Result<Arc<Redactor>> {
    let keys: Vec<&str> = rules
        .iter()
        .map(|rule| match rule {
            ColumnarValue::Scalar(key) => text(key),
            ColumnarValue::Array(_) => exec_err!("the rules of redact are constants"),
        })
        .collect::<Result<_>>()?;
    let mut cache = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, known)) = cache.iter().find(|(known, _)| *known == keys) {
        return Ok(Arc::clone(known));
    }
    let redactor = Redactor::from_keys(keys.iter().copied())
        .map_err(|error| DataFusionError::Internal(error.to_string()))?;
    let redactor = Arc::new(redactor);
    let keys = keys.into_iter().map(str::to_owned).collect();
    cache.insert(0, (keys, Arc::clone(&redactor)));
    cache.truncate(KEPT);
    Ok(redactor)
}

/// What the leaves of a value are.
#[derive(Debug)]
enum Leaves {
    Text,
    Json,
    Bytes,
    Other,
    Record(Vec<Leaves>),
}

impl Leaves {
    fn parse(text: &str) -> Result<Self> {
        let mut rest = text.chars();
        match Self::next(&mut rest) {
            Some(leaves) if rest.next().is_none() => Ok(leaves),
            _ => plan_err!("malformed leaves"),
        }
    }

    fn next(rest: &mut std::str::Chars<'_>) -> Option<Self> {
        Some(match rest.next()? {
            't' => Leaves::Text,
            'j' => Leaves::Json,
            'b' => Leaves::Bytes,
            '.' => Leaves::Other,
            '(' => {
                let mut fields = Vec::new();
                while !rest.as_str().starts_with(')') {
                    fields.push(Self::next(rest)?);
                }
                rest.next();
                Leaves::Record(fields)
            }
            _ => return None,
        })
    }

    /// Returns the storage of the result: the same, without dictionaries of texts, and with NULL allowed.
    fn result(&self, ty: &DataType) -> Result<DataType> {
        let nullable = |field: &FieldRef, ty: DataType| {
            let field = Field::clone(field).with_data_type(ty);
            Arc::new(field.with_nullable(true))
        };
        Ok(match (self, ty) {
            (Leaves::Other, ty) | (_, ty @ DataType::Null) => ty.clone(),
            (_, DataType::List(field)) => {
                DataType::List(nullable(field, self.result(field.data_type())?))
            }
            (Leaves::Record(leaves), DataType::Struct(fields)) if leaves.len() == fields.len() => {
                let fields = leaves.iter().zip(fields).map(|(leaves, field)| {
                    Ok::<_, DataFusionError>(nullable(field, leaves.result(field.data_type())?))
                });
                DataType::Struct(fields.collect::<Result<_>>()?)
            }
            (Leaves::Record(_), ty) => return plan_err!("leaves that do not fit {ty}"),
            (Leaves::Text | Leaves::Json, DataType::Dictionary(_, ty)) => self.result(ty)?,
            (_, ty) => ty.clone(),
        })
    }

    fn redacted(&self, array: &ArrayRef, redactor: &Redactor) -> Result<ArrayRef> {
        match (self, array.data_type()) {
            (Leaves::Other, _) | (_, DataType::Null) => Ok(Arc::clone(array)),
            (_, DataType::List(_)) => self.list(array, redactor),
            (Leaves::Record(leaves), DataType::Struct(_)) => {
                Self::record(leaves, array, self.result(array.data_type())?, redactor)
            }
            (Leaves::Bytes, ty) => Ok(new_null_array(ty, array.len())),
            (Leaves::Text, _) => texts(array, |text| Some(redactor.redact(text))),
            (Leaves::Json, _) => texts(array, |text| json(text, redactor)),
            (Leaves::Record(_), ty) => exec_err!("leaves that do not fit {ty}"),
        }
    }

    fn list(&self, array: &ArrayRef, redactor: &Redactor) -> Result<ArrayRef> {
        let list = array.as_list::<i32>();
        let DataType::List(field) = self.result(array.data_type())? else {
            return exec_err!("leaves that do not fit {}", array.data_type());
        };
        let values = self.redacted(list.values(), redactor)?;
        let (offsets, nulls) = (list.offsets().clone(), list.nulls().cloned());
        Ok(Arc::new(ListArray::try_new(field, offsets, values, nulls)?))
    }

    fn record(
        leaves: &[Leaves],
        array: &ArrayRef,
        ty: DataType,
        redactor: &Redactor,
    ) -> Result<ArrayRef> {
        let record = array.as_struct();
        let DataType::Struct(fields) = ty else {
            return exec_err!("leaves that do not fit {ty}");
        };
        let columns = leaves.iter().zip(record.columns());
        let columns: Result<Vec<ArrayRef>> = columns
            .map(|(leaves, column)| leaves.redacted(column, redactor))
            .collect();
        let nulls = record.nulls().cloned();
        Ok(Arc::new(StructArray::try_new_with_length(
            fields,
            columns?,
            nulls,
            array.len(),
        )?))
    }
}

/// Returns what the text of a JSON value becomes; `None` when that is no JSON.
fn json<'t>(text: &str, redactor: &Redactor) -> Option<Cow<'t, str>> {
    let printed = normalized(text, true).ok()?;
    let redacted = redactor.redact(&printed);
    normalized(&redacted, false).ok().map(Cow::Owned)
}

/// Returns a column of texts with each of them changed; of a dictionary each distinct one once.
fn texts(
    array: &ArrayRef,
    change: impl for<'t> Fn(&'t str) -> Option<Cow<'t, str>>,
) -> Result<ArrayRef> {
    macro_rules! changed {
        ($array:expr, $made:ty) => {{
            let texts = $array.iter().map(|text| text.map(&change));
            let texts: Vec<Option<Cow<'_, str>>> = texts.map(Option::flatten).collect();
            let borrowed = |text: &Option<Cow<'_, str>>| !matches!(text, Some(Cow::Owned(_)));
            let same = texts.iter().all(borrowed)
                && texts.iter().filter(|text| text.is_none()).count() == array.null_count();
            if same {
                Ok(Arc::clone(array))
            } else {
                Ok(Arc::new(
                    texts.iter().map(Option::as_deref).collect::<$made>(),
                ))
            }
        }};
    }
    match array.data_type() {
        DataType::Utf8View => changed!(array.as_string_view(), StringViewArray),
        DataType::Utf8 => changed!(array.as_string::<i32>(), StringArray),
        DataType::LargeUtf8 => changed!(array.as_string::<i64>(), LargeStringArray),
        DataType::Dictionary(_, _) => {
            let Some(dictionary) = array.as_any_dictionary_opt() else {
                return exec_err!("a malformed dictionary");
            };
            let distinct = texts(dictionary.values(), change)?;
            Ok(take(&distinct, dictionary.keys(), None)?)
        }
        ty => exec_err!("texts are not stored as {ty}"),
    }
}

#[cfg(test)]
mod tests;
