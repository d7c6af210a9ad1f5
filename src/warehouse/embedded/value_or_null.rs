//! The value of a sub-query, which is NULL where the sub-query has no row.
//!
//! The engine takes a sub-query as a value for one that is never NULL when its column is not, such as a constant or a
//! count: it answered `(SELECT 1 FROM t WHERE FALSE) IS NULL` with FALSE, and failed on the NULL otherwise.
//! `value_or_null(x)` is `x`, may be NULL as far as the engine knows, and is not computed when it plans.

use arrow::datatypes::DataType;
use datafusion::common::{Result, exec_err};
use datafusion::logical_expr::{
    ColumnarValue, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

/// The function.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct ValueOrNull {
    signature: Signature,
}

impl ValueOrNull {
    pub(super) fn function() -> ScalarUDF {
        ScalarUDF::new_from_impl(Self {
            signature: Signature::any(1, Volatility::Volatile),
        })
    }
}

impl ScalarUDFImpl for ValueOrNull {
    fn name(&self) -> &'static str {
        "value_or_null"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        match types {
            [ty] => Ok(ty.clone()),
            _ => exec_err!("value_or_null takes one argument"),
        }
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        match args.args.as_slice() {
            [value] => Ok(value.clone()),
            _ => exec_err!("value_or_null takes one argument"),
        }
    }
}
