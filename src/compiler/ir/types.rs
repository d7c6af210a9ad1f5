//! GoogleSQL's types, as far as log queries have them.
//!
//! Source: GoogleSQL reference, "Data types" and "Conversion rules".

use std::fmt;
use std::sync::Arc;

use super::name::ColumnName;

/// The type of an expression or column.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// Truth value.
    Bool,
    /// 64-bit signed integer.
    Int64,
    /// IEEE 754 double.
    Float64,
    /// Decimal with 29 digits before and 9 after the point.
    Numeric,
    /// Decimal with 38 digits before and 38 after the point.
    BigNumeric,
    /// Unicode text.
    String,
    /// Raw bytes.
    Bytes,
    /// Calendar date.
    Date,
    /// Time of day, microseconds.
    Time,
    /// Date and time without zone, microseconds.
    Datetime,
    /// Point in time, microseconds.
    Timestamp,
    /// Duration in months, days and microseconds.
    Interval,
    /// JSON document.
    Json,
    /// Ordered list.
    Array(Arc<ArrayType>),
    /// Ordered fields.
    Struct(Arc<[Field]>),
}

/// An array type and how an engine of ours stores it.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct ArrayType {
    /// Type of the elements.
    pub element: Type,
    /// `true` when the array never holds more than one element and the embedded store keeps it as
    /// that element itself, NULL when the array is empty. The type is the same to a query either way.
    pub singleton: bool,
}

/// A field of a STRUCT.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Field {
    /// Name, or `None` for a field of a constructor without alias.
    pub name: Option<ColumnName>,
    /// Type of the value.
    pub ty: Type,
}

impl Field {
    /// Returns the name that a query can call the field by.
    #[must_use]
    pub fn called(&self) -> Option<&str> {
        self.name.as_ref().and_then(ColumnName::called)
    }

    /// Returns the name of the field in results; one without a name is called by its place, which counts
    /// from 0.
    #[must_use]
    pub fn result_name(&self, index: usize) -> String {
        match &self.name {
            Some(name) => name.to_string(),
            None => format!("_field_{}", index + 1),
        }
    }
}

impl Type {
    /// Returns the type of an ordinary array.
    #[must_use]
    pub fn array(element: Type) -> Self {
        Type::Array(Arc::new(ArrayType {
            element,
            singleton: false,
        }))
    }

    /// Returns the type of an array that is stored as its only element.
    #[must_use]
    pub fn singleton(element: Type) -> Self {
        Type::Array(Arc::new(ArrayType {
            element,
            singleton: true,
        }))
    }

    /// Returns the type of a record with these fields.
    pub fn record(fields: impl IntoIterator<Item = Field>) -> Self {
        Type::Struct(fields.into_iter().collect())
    }

    /// Returns the element type of an array.
    #[must_use]
    pub fn element(&self) -> Option<&Type> {
        match self {
            Type::Array(array) => Some(&array.element),
            Type::Bool
            | Type::Int64
            | Type::Float64
            | Type::Numeric
            | Type::BigNumeric
            | Type::String
            | Type::Bytes
            | Type::Date
            | Type::Time
            | Type::Datetime
            | Type::Timestamp
            | Type::Interval
            | Type::Json
            | Type::Struct(_) => None,
        }
    }

    /// Returns whether the array is stored as its only element.
    #[must_use]
    pub fn is_singleton(&self) -> bool {
        matches!(self, Type::Array(array) if array.singleton)
    }

    /// Returns the fields of a STRUCT.
    #[must_use]
    pub fn fields(&self) -> Option<&[Field]> {
        if let Type::Struct(fields) = self {
            Some(fields)
        } else {
            None
        }
    }

    /// Returns whether the type is one of the four numeric ones.
    #[must_use]
    pub fn is_numeric(&self) -> bool {
        matches!(
            self,
            Type::Int64 | Type::Float64 | Type::Numeric | Type::BigNumeric
        )
    }

    /// Returns the same type with every array an ordinary one.
    #[must_use]
    pub fn as_lists(&self) -> Type {
        match self {
            Type::Array(array) => Type::array(array.element.as_lists()),
            Type::Struct(fields) => Type::record(fields.iter().map(|f| Field {
                name: f.name.clone(),
                ty: f.ty.as_lists(),
            })),
            other => other.clone(),
        }
    }

    /// Returns whether the two are one type to a query, whatever the storage.
    #[must_use]
    pub fn same(&self, other: &Type) -> bool {
        self == other || self.as_lists() == other.as_lists()
    }

    /// Returns whether values can be grouped, compared for DISTINCT or joined by equality.
    ///
    /// Source: GoogleSQL reference, "Data type properties", groupable types.
    #[must_use]
    pub fn is_groupable(&self) -> bool {
        !matches!(self, Type::Json | Type::Array(_) | Type::Struct(_))
    }

    /// Returns whether values can be sorted.
    ///
    /// Source: GoogleSQL reference, "Data type properties", orderable types.
    #[must_use]
    pub fn is_orderable(&self) -> bool {
        !matches!(self, Type::Json | Type::Array(_) | Type::Struct(_))
    }
}

/// Writes the type as GoogleSQL spells it; with `{:#}` without the fields of records, for messages.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Bool => f.write_str("BOOL"),
            Type::Int64 => f.write_str("INT64"),
            Type::Float64 => f.write_str("FLOAT64"),
            Type::Numeric => f.write_str("NUMERIC"),
            Type::BigNumeric => f.write_str("BIGNUMERIC"),
            Type::String => f.write_str("STRING"),
            Type::Bytes => f.write_str("BYTES"),
            Type::Date => f.write_str("DATE"),
            Type::Time => f.write_str("TIME"),
            Type::Datetime => f.write_str("DATETIME"),
            Type::Timestamp => f.write_str("TIMESTAMP"),
            Type::Interval => f.write_str("INTERVAL"),
            Type::Json => f.write_str("JSON"),
            Type::Array(array) => {
                f.write_str("ARRAY<")?;
                array.element.fmt(f)?;
                f.write_str(">")
            }
            Type::Struct(_) if f.alternate() => f.write_str("STRUCT"),
            Type::Struct(fields) => {
                f.write_str("STRUCT<")?;
                for (i, field) in fields.iter().enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    if let Some(name) = &field.name {
                        write!(f, "{name} ")?;
                    }
                    write!(f, "{}", field.ty)?;
                }
                f.write_str(">")
            }
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
