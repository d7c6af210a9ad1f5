//! The security barrier: what a caller writes is evaluated on the rows of its sub-tables and on no other.
//!
//! An optimiser is free to evaluate a caller's predicate before the stored query's filter, and a failing
//! cast or a division by zero then tells of rows that the caller may not see. So to the caller's part of
//! a query a sub-table is a table like any other, [`Subtable`], planned on its own, and the optimiser sees
//! nothing of what is behind it. Below it go only filters that cannot fail on any value ([`leakproof`]),
//! in the logical plan and in the physical one ([`exec`]), and reads of record fields ([`narrow`]).
//!
//! This says nothing of time: how long a query takes still depends on how much is stored.

mod exec;
mod leakproof;
mod lineage;
mod narrow;
mod subtable;

pub(super) use lineage::is_total;
pub(super) use narrow::NarrowSubtables;
pub(super) use subtable::Subtable;

#[cfg(test)]
mod tests;
