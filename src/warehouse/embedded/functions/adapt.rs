//! From a kernel over the values of one row to a function over columns, once for all functions.
//!
//! A function takes its arguments in whatever storage they come, so that the engine adds no casts.
//! A row with a NULL argument is NULL without a call of the kernel, unless the function says
//! otherwise; under the `SAFE.` prefix a refusal of the kernel is NULL too.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, new_null_array};
use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{DataFusionError, Result, ScalarValue};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};

use super::column::{Builder, Reader, readable};
use super::context::Context;
use super::distinct::Distinct;
use super::fault::{Fault, Outcome};
use super::value::{Kind, MAX_ELEMENTS, MAX_VALUE_BYTES, Value};
use crate::warehouse::embedded::budget;

/// Computes the result for the arguments of one row.
pub(super) type RowKernel = for<'a> fn(&Context, &[Value<'a>]) -> Outcome<Value<'a>>;

/// Computes a column of results from columns of arguments, each of this many rows. The last
/// argument tells whether NULL stands for an error.
pub(super) type ColumnKernel = fn(&[ArrayRef], usize, bool) -> Result<ArrayRef>;

/// Computes a column of results from some forms of arguments; `None` for the others. It never fails on a value.
pub(super) type QuickKernel = fn(&[ColumnarValue]) -> Option<Result<ArrayRef>>;

/// The type of a result.
pub(super) enum Returns {
    /// Always this type.
    Kind(Kind),
    /// Always an array of this type.
    List(Kind),
    /// Depends on the types of the arguments; `None` when no signature has them.
    Rule(fn(&[DataType]) -> Option<DataType>),
    /// Depends on the text of the first argument, which is a literal.
    Literal(fn(&str) -> Kind),
}

/// How a function is computed.
pub(super) enum Kernel {
    /// Row by row.
    Row(RowKernel),
    /// Column by column.
    Column(ColumnKernel),
}

/// A function of the library.
pub(super) struct Function {
    /// The name that queries for the engine use.
    pub(super) name: &'static str,
    returns: Returns,
    keeps_nulls: bool,
    null_on_error: bool,
    kernel: Kernel,
    quick: Option<QuickKernel>,
}

impl Function {
    /// A function of rows with one result type.
    pub(super) const fn new(name: &'static str, kind: Kind, kernel: RowKernel) -> Self {
        Self::with(name, Returns::Kind(kind), Kernel::Row(kernel))
    }

    /// A function of rows whose result is an array.
    pub(super) const fn list(name: &'static str, kind: Kind, kernel: RowKernel) -> Self {
        Self::with(name, Returns::List(kind), Kernel::Row(kernel))
    }

    /// A function of rows whose result type depends on its arguments.
    pub(super) const fn typed(
        name: &'static str,
        rule: fn(&[DataType]) -> Option<DataType>,
        kernel: RowKernel,
    ) -> Self {
        Self::with(name, Returns::Rule(rule), Kernel::Row(kernel))
    }

    /// A function of columns whose result type depends on its arguments.
    pub(super) const fn columns(
        name: &'static str,
        rule: fn(&[DataType]) -> Option<DataType>,
        kernel: ColumnKernel,
    ) -> Self {
        Self::with(name, Returns::Rule(rule), Kernel::Column(kernel))
    }

    /// A function of rows whose result type depends on a literal, its first argument.
    pub(super) const fn of_literal(
        name: &'static str,
        kind: fn(&str) -> Kind,
        kernel: RowKernel,
    ) -> Self {
        Self::with(name, Returns::Literal(kind), Kernel::Row(kernel))
    }

    const fn with(name: &'static str, returns: Returns, kernel: Kernel) -> Self {
        Self {
            name,
            returns,
            keeps_nulls: false,
            null_on_error: false,
            kernel,
            quick: None,
        }
    }

    /// The same function, called for rows with NULL arguments as well.
    pub(super) const fn keeping_nulls(mut self) -> Self {
        self.keeps_nulls = true;
        self
    }

    /// The same function, with a shorter way for some forms of arguments.
    pub(super) const fn with_quick(mut self, kernel: QuickKernel) -> Self {
        self.quick = Some(kernel);
        self
    }

    /// The same function, NULL in place of an error under its own name too.
    pub(super) const fn null_on_error(mut self) -> Self {
        self.null_on_error = true;
        self
    }

    fn return_type(&self, arguments: &[DataType], literal: Option<&str>) -> Result<DataType> {
        match self.returns {
            Returns::Literal(kind) => match literal {
                Some(text) => Ok(kind(text).data_type()),
                None => Err(DataFusionError::Plan(format!(
                    "the first argument of {} must be a literal",
                    self.name
                ))),
            },
            Returns::Kind(kind) => Ok(kind.data_type()),
            Returns::List(kind) => Ok(kind.list_type()),
            Returns::Rule(rule) => rule(arguments).ok_or_else(|| {
                DataFusionError::Plan(format!("no signature of {} takes {arguments:?}", self.name))
            }),
        }
    }

    fn evaluate(
        &self,
        args: &[ColumnarValue],
        rows: usize,
        result: &DataType,
        safe: bool,
    ) -> Result<ArrayRef> {
        match self.kernel {
            Kernel::Column(kernel) => {
                let arrays = args
                    .iter()
                    .map(|arg| {
                        if let ColumnarValue::Scalar(list @ ScalarValue::List(_)) = arg {
                            budget::charge(list.size().saturating_mul(rows))?;
                        }
                        readable(&arg.to_array(rows)?)
                    })
                    .collect::<Result<Vec<_>>>()?;
                kernel(&arrays, rows, safe)
            }
            Kernel::Row(kernel) => {
                if let Some(array) = self.quick.and_then(|quick| quick(args)) {
                    return array;
                }
                if let Some(array) = self.evaluate_distinct(args, result, safe)? {
                    return Ok(array);
                }
                self.evaluate_rows(kernel, args, rows, result, safe)
            }
        }
    }

    /// Computes once per distinct value when the only argument that is no constant tells which rows share one.
    /// `None` when it does not, or when a distinct value is refused: no row may hold that value.
    fn evaluate_distinct(
        &self,
        args: &[ColumnarValue],
        result: &DataType,
        safe: bool,
    ) -> Result<Option<ArrayRef>> {
        let mut arrays = args.iter().enumerate().filter_map(|(i, arg)| match arg {
            ColumnarValue::Array(array) => Some((i, array)),
            ColumnarValue::Scalar(_) => None,
        });
        let (Some((position, array)), None) = (arrays.next(), arrays.next()) else {
            return Ok(None);
        };
        if self.keeps_nulls {
            return Ok(None);
        }
        let Some(Distinct { values, keys }) = Distinct::of(array)? else {
            return Ok(None);
        };
        let rows = values.len();
        let mut distinct = args.to_vec();
        if let Some(arg) = distinct.get_mut(position) {
            *arg = ColumnarValue::Array(values);
        }
        let Ok(values) = self.evaluate(&distinct, rows, result, safe) else {
            return Ok(None);
        };
        Ok(Some(arrow::compute::take(&values, keys.as_ref(), None)?))
    }

    fn evaluate_rows(
        &self,
        kernel: RowKernel,
        args: &[ColumnarValue],
        rows: usize,
        result: &DataType,
        safe: bool,
    ) -> Result<ArrayRef> {
        let mut arrays = Vec::with_capacity(args.len());
        for arg in args {
            arrays.push(match arg {
                ColumnarValue::Array(array) => (readable(array)?, false),
                ColumnarValue::Scalar(scalar) => (readable(&scalar.to_array()?)?, true),
            });
        }
        let mut values = Vec::with_capacity(args.len());
        let mut columns = Vec::new();
        for (position, (array, constant)) in arrays.iter().enumerate() {
            let reader = Reader::new(array.as_ref())?;
            if *constant {
                values.push(reader.value(0));
            } else {
                values.push(Value::Null);
                columns.push((position, reader));
            }
        }
        let known_null = arrays
            .iter()
            .zip(&values)
            .any(|((_, constant), value)| *constant && value.is_null());
        if known_null && !self.keeps_nulls {
            return Ok(new_null_array(result, rows));
        }
        let context = Context::default();
        let mut builder = Builder::new(result, rows)?;
        'rows: for row in 0..rows {
            for (position, reader) in &columns {
                let value = reader.value(row);
                if value.is_null() && !self.keeps_nulls {
                    builder.push(Value::Null)?;
                    continue 'rows;
                }
                if let Some(slot) = values.get_mut(*position) {
                    *slot = value;
                }
            }
            match kernel(&context, &values).and_then(|value| bounded(value, &values)) {
                Ok(value) => {
                    budget::charge(size_of_result(&value))?;
                    builder.push(value)?;
                }
                Err(Fault::Value(_)) if safe => builder.push(Value::Null)?,
                Err(fault) => return Err(fault.into()),
            }
        }
        builder.finish()
    }
}

/// The memory that a result takes beyond what every row takes.
fn size_of_result(value: &Value<'_>) -> usize {
    match value {
        Value::Text(text) => text.len(),
        Value::Binary(bytes) => bytes.len(),
        Value::List(list) => list.iter().map(|item| 16 + size_of_result(item)).sum(),
        _ => 0,
    }
}

/// Refuses a value that is longer than values may get, unless an argument was as long already.
fn bounded<'a>(value: Value<'a>, args: &[Value<'_>]) -> Outcome<Value<'a>> {
    let length = match &value {
        Value::Text(text) => text.len(),
        Value::Binary(bytes) => bytes.len(),
        Value::List(list) if list.len() > MAX_ELEMENTS => {
            return Err(Fault::Beyond("the array is too long".to_owned()));
        }
        _ => return Ok(value),
    };
    if length <= MAX_VALUE_BYTES {
        return Ok(value);
    }
    let longest = args
        .iter()
        .map(|arg| match arg {
            Value::Str(text) => text.len(),
            Value::Bin(bytes) => bytes.len(),
            _ => 0,
        })
        .max();
    if longest.is_some_and(|longest| length <= longest) {
        return Ok(value);
    }
    Err(Fault::Beyond(format!(
        "a value of {length} bytes is longer than {MAX_VALUE_BYTES}"
    )))
}

/// A [`Function`] as the engine sees it.
pub(super) struct Udf {
    function: &'static Function,
    name: String,
    aliases: Vec<String>,
    safe: bool,
    signature: Signature,
}

impl Udf {
    /// The function itself, or the function under the `SAFE.` prefix.
    pub(super) fn new(function: &'static Function, safe: bool, aliases: Vec<String>) -> Self {
        let prefix = if safe { "safe_" } else { "" };
        Self {
            function,
            name: format!("{prefix}{}", function.name),
            aliases,
            safe,
            signature: Signature::user_defined(Volatility::Immutable),
        }
    }
}

impl std::fmt::Debug for Udf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Udf").field(&self.name).finish()
    }
}

impl PartialEq for Udf {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Udf {}

impl Hash for Udf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.name.hash(state);
    }
}

impl ScalarUDFImpl for Udf {
    fn name(&self) -> &str {
        &self.name
    }

    fn aliases(&self) -> &[String] {
        &self.aliases
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn coerce_types(&self, arg_types: &[DataType]) -> Result<Vec<DataType>> {
        Ok(arg_types.to_vec())
    }

    fn return_type(&self, arg_types: &[DataType]) -> Result<DataType> {
        self.function.return_type(arg_types, None)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let types: Vec<DataType> = args
            .arg_fields
            .iter()
            .map(|field| field.data_type().clone())
            .collect();
        let literal = args.scalar_arguments.first().copied().flatten();
        let literal = literal.and_then(|scalar| scalar.try_as_str().flatten());
        let result = self.function.return_type(&types, literal)?;
        Ok(Arc::new(Field::new(&self.name, result, true)))
    }

    fn is_strict(&self) -> bool {
        !self.function.keeps_nulls && matches!(self.function.kernel, Kernel::Row(_))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let constant = args
            .args
            .iter()
            .all(|arg| matches!(arg, ColumnarValue::Scalar(_)));
        let rows = if constant { 1 } else { args.number_rows };
        let result = args.return_field.data_type();
        let safe = self.safe || self.function.null_on_error;
        let array = self.function.evaluate(&args.args, rows, result, safe)?;
        if constant {
            Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(
                &array, 0,
            )?))
        } else {
            Ok(ColumnarValue::Array(array))
        }
    }
}
