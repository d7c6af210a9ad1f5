//! The allow-list: every function a query may call, as one table.
//!
//! A function that is not here does not exist for a query. Each row says which arguments it takes,
//! what it gives, whether it can fail on a value (so that it must not move below a sub-table's own
//! filter), and how the embedded engine spells it. Source of the signatures: GoogleSQL reference,
//! "Functions".

mod aggregate;
mod array;
mod bytes;
mod format;
mod generated;
mod json;
mod number;
mod signature;
mod text;
mod time;

pub use format::check as check_format;
pub use generated::length as generated_length;
pub use signature::{Chosen, choose, describe};

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::compiler::ir::{DatePart, Type};

/// A function of the allow-list.
#[derive(Debug)]
pub struct Function {
    /// Canonical name in upper case, with its `NET.` prefix if it has one.
    pub name: &'static str,
    /// Other names that mean the same.
    pub aliases: &'static [&'static str],
    /// What it works on.
    pub kind: Kind,
    /// The arguments it takes; the first that fits best is chosen.
    pub signatures: &'static [Signature],
    /// Whether it can fail on a value of the right type.
    pub can_fail: bool,
    /// How the embedded engine spells it.
    pub embedded: Embedded,
    /// Types of arguments that the embedded engine lacks it for.
    pub without: &'static [T],
    /// What else differs between the engines, or holds on both beyond GoogleSQL, for the manual.
    pub differs: Option<&'static str>,
}

impl PartialEq for Function {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// What a function works on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One row.
    Scalar,
    /// The rows of a group, or of a window.
    Aggregate,
    /// The rows of a window only.
    Window,
}

/// How the embedded engine spells a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Embedded {
    /// A function of ours with GoogleSQL's meaning, named like it in lower case.
    Udf,
    /// A function of the engine that means the same.
    Native(&'static str),
    /// The printer has its own form for it.
    Form,
    /// The engine lacks it; what to write instead.
    Absent(&'static str),
}

/// One way of calling a function.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// The arguments.
    pub args: &'static [Arg],
    /// How many of the last ones may be left out.
    pub optional: usize,
    /// How many of the last ones may be repeated, together.
    pub repeated: usize,
    /// What it gives.
    pub result: Ret,
}

/// A type that a signature names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum T {
    /// BOOL.
    Bool,
    /// INT64.
    Int64,
    /// FLOAT64.
    Float64,
    /// NUMERIC.
    Numeric,
    /// BIGNUMERIC.
    BigNumeric,
    /// STRING.
    String,
    /// BYTES.
    Bytes,
    /// DATE.
    Date,
    /// TIME.
    Time,
    /// DATETIME.
    Datetime,
    /// TIMESTAMP.
    Timestamp,
    /// JSON.
    Json,
}

impl T {
    /// Returns the type it names.
    #[must_use]
    pub fn ty(self) -> Type {
        match self {
            T::Bool => Type::Bool,
            T::Int64 => Type::Int64,
            T::Float64 => Type::Float64,
            T::Numeric => Type::Numeric,
            T::BigNumeric => Type::BigNumeric,
            T::String => Type::String,
            T::Bytes => Type::Bytes,
            T::Date => Type::Date,
            T::Time => Type::Time,
            T::Datetime => Type::Datetime,
            T::Timestamp => Type::Timestamp,
            T::Json => Type::Json,
        }
    }
}

/// An argument of a signature.
#[derive(Clone, Copy, Debug)]
pub enum Arg {
    /// A value of this type.
    Of(T),
    /// A value of this type, for which no STRING literal stands.
    NoLiteral(T),
    /// A value of any type; all such arguments of a call have one common type.
    Any,
    /// A value of any type that can be ordered.
    Orderable,
    /// An array of any type.
    AnyArray,
    /// An array of this type.
    ArrayOf(T),
    /// An array of the common type of the `Any` and `Orderable` arguments.
    ArrayOfAny,
    /// A value of any type, unrelated to the other arguments.
    Free,
    /// A value of any type that can be ordered, unrelated to the other arguments.
    FreeOrderable,
    /// One of these date parts, written as a bare word.
    Part(&'static [DatePart]),
    /// `INTERVAL n part` with one of these parts.
    Interval(&'static [DatePart]),
    /// A regular expression: a STRING literal within RE2 syntax.
    Pattern,
    /// A regular expression for BYTES: a BYTES literal within RE2 syntax, each byte a character.
    BytesPattern,
    /// A STRING literal or a constant.
    LiteralString,
    /// An INT64 literal from 0 up to this.
    LiteralInt(i64),
    /// A literal or parameter of the common type of the `Any` arguments.
    AnyConstant,
    /// A literal of this type.
    Constant(T),
    /// A literal from 0 to 1, as a value of this type.
    Fraction(T),
    /// A value of this type given by name, as in `name => value`.
    Named(&'static str, T),
    /// One of Unicode's normalization forms, written as a bare word.
    Mode,
}

/// What a call gives.
#[derive(Clone, Copy, Debug)]
pub enum Ret {
    /// A value of this type.
    Of(T),
    /// A value of the common type of the `Any` arguments.
    Any,
    /// An array of that type.
    ArrayOfAny,
    /// An array of this type.
    ArrayOf(T),
    /// An element of the `AnyArray` argument.
    Element,
    /// DATE, TIME or DATETIME for such a part, else INT64. Only EXTRACT.
    Extracted,
    /// An array of records with a `value` of the common type and a field of this name and type.
    Top(&'static str, T),
}

/// Returns a signature with all arguments required.
const fn sig(args: &'static [Arg], result: Ret) -> Signature {
    Signature {
        args,
        optional: 0,
        repeated: 0,
        result,
    }
}

/// Returns a signature whose last arguments may be left out.
const fn opt(args: &'static [Arg], optional: usize, result: Ret) -> Signature {
    Signature {
        args,
        optional,
        repeated: 0,
        result,
    }
}

/// Returns a signature whose last argument may be repeated.
const fn many(args: &'static [Arg], result: Ret) -> Signature {
    Signature {
        args,
        optional: 0,
        repeated: 1,
        result,
    }
}

/// Returns a scalar function that cannot fail.
const fn total(name: &'static str, signatures: &'static [Signature]) -> Function {
    Function {
        name,
        aliases: &[],
        kind: Kind::Scalar,
        signatures,
        can_fail: false,
        embedded: Embedded::Udf,
        without: &[],
        differs: None,
    }
}

/// Returns a scalar function that can fail on a value.
const fn partial(name: &'static str, signatures: &'static [Signature]) -> Function {
    Function {
        can_fail: true,
        ..total(name, signatures)
    }
}

impl Function {
    /// Returns the same function with other names.
    const fn alias(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// Returns the same function with a spelling for the embedded engine.
    const fn spelt(self, embedded: Embedded) -> Self {
        Self { embedded, ..self }
    }

    /// Returns the same function as one that the embedded engine lacks.
    const fn absent(self, instead: &'static str) -> Self {
        self.spelt(Embedded::Absent(instead))
    }

    /// Returns the same function as one that the embedded engine lacks for arguments of these types.
    const fn without(self, without: &'static [T]) -> Self {
        Self { without, ..self }
    }

    /// Returns the same function with a sentence for the manual.
    const fn differs(self, differs: &'static str) -> Self {
        Self {
            differs: Some(differs),
            ..self
        }
    }

    /// Returns the name of our function on the embedded engine: lower case, `_` for the dot.
    #[must_use]
    pub fn udf_name(&self) -> String {
        self.name.to_ascii_lowercase().replace('.', "_")
    }
}

/// The functions by what they are about, in the order of the manual.
pub static GROUPS: &[(&str, &[Function])] = &[
    ("Conditional", text::CONDITIONAL),
    ("Text", text::STRINGS),
    ("Regular expressions", text::PATTERNS),
    ("Encodings and digests", bytes::ENCODINGS),
    ("Network addresses", bytes::ADDRESSES),
    ("Numbers", number::NUMBERS),
    ("Dates and times", time::FUNCTIONS),
    ("JSON", json::JSON),
    ("Arrays", array::ARRAYS),
    ("Aggregate", aggregate::AGGREGATES),
    ("Approximate aggregate", aggregate::APPROXIMATE),
    ("Window", aggregate::WINDOWS),
];

/// Returns every function of the allow-list.
pub fn all() -> impl Iterator<Item = &'static Function> {
    GROUPS.iter().flat_map(|(_, functions)| functions.iter())
}

/// Returns the function of a name, in any case.
#[must_use]
pub fn find(name: &str) -> Option<&'static Function> {
    /// By names and aliases, which are in upper case.
    static BY_NAME: LazyLock<BTreeMap<&str, &Function>> = LazyLock::new(|| {
        all()
            .flat_map(|f| {
                f.aliases
                    .iter()
                    .chain([&f.name])
                    .map(move |name| (*name, f))
            })
            .collect()
    });
    BY_NAME.get(name.to_ascii_uppercase().as_str()).copied()
}

/// Returns the function of a name that the table is known to have.
///
/// # Panics
/// When the table does not have it, which a test of the table rules out.
#[must_use]
pub fn known(name: &'static str) -> &'static Function {
    find(name).expect("a function that the compiler itself uses is in the table")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_canonical() {
        let mut seen = std::collections::BTreeSet::new();
        for function in all() {
            assert_eq!(function.name, function.name.to_ascii_uppercase());
            assert!(seen.insert(function.name), "{} twice", function.name);
            for alias in function.aliases {
                assert_eq!(**alias, alias.to_ascii_uppercase());
                assert!(seen.insert(alias), "{alias} twice");
            }
            assert!(!function.signatures.is_empty(), "{}", function.name);
        }
    }

    #[test]
    fn functions_the_compiler_uses_exist() {
        for name in ["COALESCE", "EXTRACT", "COUNT", "CURRENT_TIMESTAMP"] {
            assert_eq!(known(name).name, name);
        }
    }
}
