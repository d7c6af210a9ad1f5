//! What one caller may ask of the service, so that others get their part.

mod deadline;
mod gate;
mod memory;
mod permits;
mod rate;

pub(crate) use deadline::{PREFER, Patience, REQUEST_TIMEOUT};
pub(crate) use gate::Gate;
pub(crate) use memory::Memory;
pub(crate) use permits::Permits;
pub(crate) use rate::{Allowance, Rates};
