//! What an answer is written as: media types by `Accept`, content codings by `Accept-Encoding`.

mod accept;
mod coding;
mod format;

pub(crate) use coding::Coding;
pub(crate) use format::Format;
