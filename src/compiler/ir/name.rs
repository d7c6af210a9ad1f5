//! Names as newtypes, so that a name of one kind cannot stand where another is meant.
//!
//! Only these types reach a printer, and only a printer quotes.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
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
    /// A sub-table of a stored query or a CTE of a caller.
    CteName;
    /// A log stream: what a stored query reads. Never shown to a caller.
    StreamName;
    /// A named query parameter, without its `@`. Always in lower case.
    ParameterName;
    /// A range variable: the alias of a FROM item.
    RangeName;
}

/// A column of a table, sub-query or result, in the spelling of its declaration.
///
/// The compiler names a column that has no name, or one that another column of its query has: results need
/// names, and so do the engines. Such a name cannot be referred to.
#[derive(Clone)]
pub struct ColumnName {
    text: Arc<str>,
    /// What a query can call the column; `None` when it has no name.
    called: Option<Arc<str>>,
}

impl ColumnName {
    /// Returns the name with this spelling.
    pub fn new(text: impl AsRef<str>) -> Self {
        let text: Arc<str> = Arc::from(text.as_ref());
        Self {
            called: Some(Arc::clone(&text)),
            text,
        }
    }

    /// Returns a name of the compiler's for a column that a query can only call otherwise, or not at all.
    pub fn generated(text: impl AsRef<str>, called: Option<&str>) -> Self {
        Self {
            text: Arc::from(text.as_ref()),
            called: called.map(Arc::from),
        }
    }

    /// Returns the spelling.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the name that a query can call the column by.
    #[must_use]
    pub fn called(&self) -> Option<&str> {
        self.called.as_deref()
    }

    /// Returns whether the two are the same name in GoogleSQL, where case does not count.
    #[must_use]
    pub fn matches(&self, other: &str) -> bool {
        self.text.eq_ignore_ascii_case(other)
    }
}

/// Two columns of one query are the same when they are spelt alike.
impl PartialEq for ColumnName {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for ColumnName {}

impl Hash for ColumnName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl PartialOrd for ColumnName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for ColumnName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.text.cmp(&other.text)
    }
}

impl fmt::Debug for ColumnName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for ColumnName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
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
