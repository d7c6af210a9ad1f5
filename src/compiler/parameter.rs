//! Parameters of a stored query: their declarations and values.

use std::collections::BTreeMap;

use super::ir::{ParameterName, Type, Value};

/// The declaration of one parameter, as far as the compiler needs it.
#[derive(Clone, Debug, PartialEq)]
pub struct Declaration {
    /// Its name.
    pub name: ParameterName,
    /// Its type: a scalar, or an array of scalars.
    pub ty: Type,
}

/// The values of one call by parameter name. A declared parameter without a value is NULL.
pub type Parameters = BTreeMap<ParameterName, Value>;
