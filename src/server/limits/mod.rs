//! What one caller may ask of the service, so that others get their part.

mod deadline;
mod gate;
mod rate;

pub(crate) use deadline::Patience;
pub(crate) use gate::Gate;
pub(crate) use rate::{Allowance, Rates};
