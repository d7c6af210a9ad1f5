//! Names as newtypes, so that a name of one kind cannot stand where another is meant.
//!
//! Only these types reach a printer, and only a printer quotes.

use std::fmt;
use std::sync::Arc;

macro_rules! names {
    ($($(#[doc = $doc:literal])+ $name:ident;)+) => {$(
        $(#[doc = $doc])+
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Returns the name with this spelling.
            pub fn new(text: impl AsRef<str>) -> Self {
                Self(Arc::from(text.as_ref()))
            }

            /// Returns the spelling.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Returns whether the two are the same name in GoogleSQL, where case does not count.
            #[must_use]
            pub fn matches(&self, other: &str) -> bool {
                self.0.eq_ignore_ascii_case(other)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )+};
}

names! {
    /// A column of a table, sub-query or result, in the spelling of its declaration.
    ColumnName;
    /// A sub-table of a stored query or a CTE of a caller.
    CteName;
    /// A log stream: what a stored query reads. Never shown to a caller.
    StreamName;
    /// A named query parameter, without its `@`. Always in lower case.
    ParameterName;
    /// A range variable: the alias of a FROM item.
    RangeName;
}

/// Identifies a FROM item within one statement, whatever it is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RangeId(pub u32);

impl fmt::Debug for RangeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "range-{}", self.0)
    }
}

/// Identifies a CTE within one statement, whatever it is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CteId(pub u32);

impl fmt::Debug for CteId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cte-{}", self.0)
    }
}
