//! Why a function gives no value: the value cannot be worked on, or the engine is at fault.

use datafusion::common::DataFusionError;

use super::value::Value;

/// A value that a function cannot work on: a failed cast, a division by zero, an overflow.
///
/// The message may hold values of the data, so it is for the operator's log only.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EvaluationError(pub(super) String);

/// Why a kernel gives no value.
#[derive(Clone, Debug)]
pub(super) enum Fault {
    /// The value's fault; NULL under the `SAFE.` prefix.
    Value(String),
    /// What GoogleSQL gives a value for, and the engine does not: a failure under the `SAFE.` prefix, too.
    Beyond(String),
    /// A call that the compiler should not have made.
    Call(String),
}

/// The result of a kernel.
pub(super) type Outcome<T> = Result<T, Fault>;

impl From<Fault> for DataFusionError {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::Value(message) | Fault::Beyond(message) => {
                DataFusionError::External(Box::new(EvaluationError(message)))
            }
            Fault::Call(message) => DataFusionError::Internal(message),
        }
    }
}

/// Returns a refusal of a value.
pub(super) fn refuse<T>(message: impl Into<String>) -> Outcome<T> {
    Err(Fault::Value(message.into()))
}

/// Returns a refusal of what GoogleSQL gives a value for.
pub(super) fn beyond<T>(message: impl Into<String>) -> Outcome<T> {
    Err(Fault::Beyond(message.into()))
}

/// Returns the fault of a call with arguments that no signature has.
pub(super) fn mismatch<T>(args: &[Value<'_>]) -> Outcome<T> {
    let types: Vec<&str> = args.iter().map(Value::type_name).collect();
    Err(Fault::Call(format!(
        "no signature for arguments ({})",
        types.join(", ")
    )))
}
