//! GoogleSQL in and out: the lexer, the parser, the printer.
//!
//! Text becomes tokens by GoogleSQL's own rules (`lexer`, `literal`), tokens become the parser
//! library's own (`feed`) and a tree in `dialect`'s grammar (`parse`). The library never sees the text,
//! and nothing it prints is used: what leaves the compiler is written by `print` from the IR alone.

mod brackets;
pub mod dialect;
mod feed;
mod joins;
pub mod lexer;
mod literal;
pub mod parse;
pub mod print;
mod typed_array;
mod words;

pub(in crate::compiler) use print::constant;
pub(in crate::compiler) use typed_array::ELEMENT;
pub(in crate::compiler) use words::is_reserved;
