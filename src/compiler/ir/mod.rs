//! The typed intermediate representation: what a query means, with every name resolved and every
//! expression typed.
//!
//! Trees are made by `analyze` (and, for LQL, by its lowering), rewritten by the passes of `rewrite`
//! and printed by one printer per engine. A tree that comes from a caller was analysed in a scope of
//! published sub-tables only, so it cannot hold a stream.

pub mod expr;
pub mod name;
pub mod query;
pub mod types;
pub mod value;
pub mod visit;

pub use expr::{
    Aggregate, BinaryOp, CaseBranch, DatePart, Expr, ExprKind, Frame, FrameBound, FrameUnit,
    NormalizationForm, SortKey, SubqueryKind, SubscriptMode, UnaryOp, Window,
};
pub use name::{ColumnName, CteId, CteName, ParameterName, RangeId, RangeName, StreamName};
pub use query::{
    Body, Column, Cte, From, GroupBy, Item, Join, JoinKind, OrderItem, Query, Select, SetOperation,
    SetOperator, Source, Statement, Table, Unnest,
};
pub use types::{ArrayType, Field, Type};
pub use value::Value;
