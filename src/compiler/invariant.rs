//! What holds for every input, as plain functions: unit tests, property tests and fuzz targets share them.
//!
//! Nothing of the service calls them. Each takes an input that may be hostile and returns what it found
//! broken; that the compiler does not panic is part of every one of them.

mod embedded;
mod lexing;
mod literals;
mod meaning;
mod sandbox;

pub use lexing::lexer;
pub use literals::{literal_bytes, literal_text, literal_value};
pub use meaning::stands_for;
pub use sandbox::{Subject, sandbox};

use super::diagnostic::Diagnostics;

/// What was found broken, for whoever mends it.
pub type Broken = Result<(), String>;

/// Every diagnostic can be shown: its place lies within the text, on characters' borders, and it is drawn.
///
/// # Errors
/// The first diagnostic that cannot.
pub fn diagnostics(text: &str, diagnostics: &Diagnostics) -> Broken {
    if diagnostics.0.is_empty() || diagnostics.0.len() > Diagnostics::MOST {
        return Err(format!("{} diagnostics", diagnostics.0.len()));
    }
    for diagnostic in &diagnostics.0 {
        if let Some(span) = diagnostic.span
            && (span.start > span.end || text.get(span.start..span.end).is_none())
        {
            return Err(format!("{span:?} is no place in the text: {diagnostic:?}"));
        }
        let drawn = diagnostic.render("sql", text);
        if !drawn.starts_with(&diagnostic.code.to_string()) {
            return Err(format!("drawn as {drawn:?}: {diagnostic:?}"));
        }
    }
    Ok(())
}
