//! What an error of the engine means to the caller.

use std::error::Error;

use arrow::error::ArrowError;
use datafusion::error::DataFusionError;
use parquet::errors::ParquetError;

use super::damage::Suspect;
use super::functions::EvaluationError;
use super::interrupt::Interrupted;
use crate::warehouse::WarehouseError;

/// A query that gave no rows.
pub(super) struct Failed {
    pub(super) error: WarehouseError,
    /// Whether, and where, stored data may be the reason.
    pub(super) suspect: Option<Suspect>,
}

/// Tells what kind of failure an engine's error is.
pub(super) fn classify(error: &DataFusionError) -> Failed {
    let mut suspect = None;
    let mut cause: Option<&(dyn Error + 'static)> = Some(error);
    while let Some(current) = cause {
        if let Some(error) = kind(current) {
            return Failed {
                error,
                suspect: None,
            };
        }
        if is_parquet(current) {
            suspect = Some(Suspect::Content);
        }
        cause = current.source();
    }
    Failed {
        error: WarehouseError::Failure(error.to_string()),
        suspect,
    }
}

/// What the engine puts before the error of a filter that runs inside of a scan. Behind it is the debug
/// output of that error, and nothing else is left of it.
const FILTER_FAILED: &str = "Error evaluating filter predicate: ";

/// Tells what kind of failure the text of a scan's error stands for.
fn kind_of_filter_failure(message: &str) -> Option<WarehouseError> {
    let (_, error) = message.split_once(FILTER_FAILED)?;
    let message = error.to_owned();
    let is = |name: &str| error.starts_with(name) || error.contains(&format!("({name}"));
    if is("ResourcesExhausted(") {
        return Some(WarehouseError::ResourcesExceeded(message));
    }
    let values = [
        "EvaluationError(",
        "DivideByZero",
        "ArithmeticOverflow(",
        "CastError(",
        "ParseError(",
        "ComputeError(",
    ];
    let of_a_value = values.iter().any(|name| is(name));
    of_a_value.then_some(WarehouseError::Evaluation(message))
}

fn is_parquet(error: &(dyn Error + 'static)) -> bool {
    error.is::<ParquetError>()
        || matches!(error.downcast_ref(), Some(ArrowError::ParquetError(_)))
        || match error.downcast_ref() {
            Some(DataFusionError::ParquetError(_)) => true,
            Some(DataFusionError::ArrowError(arrow, _)) => {
                matches!(**arrow, ArrowError::ParquetError(_))
            }
            _ => false,
        }
}

fn kind(error: &(dyn Error + 'static)) -> Option<WarehouseError> {
    if let Some(evaluation) = error.downcast_ref::<EvaluationError>() {
        return Some(WarehouseError::Evaluation(evaluation.to_string()));
    }
    if error.is::<Interrupted>() {
        return Some(WarehouseError::DeadlineExceeded);
    }
    if let Some(DataFusionError::ResourcesExhausted(message)) = error.downcast_ref() {
        return Some(WarehouseError::ResourcesExceeded(message.clone()));
    }
    if let Some(DataFusionError::Execution(message)) = error.downcast_ref()
        && message.starts_with("Scalar subquery returned more than one row")
    {
        return Some(WarehouseError::Evaluation(message.clone()));
    }
    let arrow = match error.downcast_ref() {
        Some(DataFusionError::ArrowError(arrow, _)) => Some(&**arrow),
        _ => error.downcast_ref::<ArrowError>(),
    };
    match arrow? {
        ArrowError::ComputeError(message) | ArrowError::ParquetError(message)
            if message.contains(FILTER_FAILED) =>
        {
            kind_of_filter_failure(message)
        }
        value @ (ArrowError::DivideByZero
        | ArrowError::ArithmeticOverflow(_)
        | ArrowError::CastError(_)
        | ArrowError::ParseError(_)
        | ArrowError::ComputeError(_)) => Some(WarehouseError::Evaluation(value.to_string())),
        _ => None,
    }
}
