//! A sub-table as the caller's part of a query sees it: a table with columns and nothing behind them.

use std::sync::Arc;

use arrow::datatypes::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, internal_err};
use datafusion::datasource::TableType;
use datafusion::error::Result;
use datafusion::execution::session_state::{SessionState, SessionStateBuilder};
use datafusion::logical_expr::{
    Expr, LogicalPlan, LogicalPlanBuilder, TableProviderFilterPushDown,
};
use datafusion::physical_plan::ExecutionPlan;

use super::exec::SubtableExec;
use super::leakproof::Input;
use super::lineage;

/// The rows of a stored query's CTE.
#[derive(Debug)]
pub(in crate::warehouse::embedded) struct Subtable {
    plan: LogicalPlan,
    schema: SchemaRef,
    /// For each column whether reading it cannot fail.
    readable: Vec<bool>,
    /// Whether anything of the caller's may move below: not where a condition of the sub-table itself can
    /// fail, because the caller would choose on which rows it is tried.
    open: bool,
    state: Arc<SessionState>,
}

impl Subtable {
    /// Returns a session for the plans behind sub-tables. It leaves the physical optimisation to that of
    /// the whole query, which would do it once more.
    pub(in crate::warehouse::embedded) fn session(state: &SessionState) -> Arc<SessionState> {
        let builder = SessionStateBuilder::new_from_existing(state.clone());
        Arc::new(builder.with_physical_optimizer_rules(Vec::new()).build())
    }

    /// Returns the table of a plan's rows. `state` is a session of [`Subtable::session`].
    pub(in crate::warehouse::embedded) fn new(
        plan: LogicalPlan,
        state: Arc<SessionState>,
    ) -> Result<Self> {
        // The types are final only behind the analysis.
        let plan = state
            .analyzer()
            .execute_and_check(plan, state.config_options(), |_, _| ())?;
        let open = lineage::chooses_without_failing(&plan);
        let mut readable = lineage::readable(&plan);
        if !open {
            readable.fill(false);
        }
        Ok(Self {
            schema: Arc::clone(plan.schema().inner()),
            readable,
            open,
            plan,
            state,
        })
    }

    fn column(&self, index: usize) -> Expr {
        Expr::Column(Column::from(self.plan.schema().qualified_field(index)))
    }

    /// Returns an expression over the table's columns as one over the plan's.
    fn resolved(&self, expr: &Expr) -> Result<Expr> {
        let resolved = expr.clone().transform_up(|expr| match expr {
            Expr::Column(column) => {
                let index = self.schema.index_of(&column.name)?;
                Ok(Transformed::yes(self.column(index)))
            }
            expr => Ok(Transformed::no(expr)),
        })?;
        Ok(resolved.data)
    }

    fn is_leakproof(&self, predicate: &Expr) -> bool {
        self.resolved(predicate)
            .is_ok_and(|predicate| self.input(&self.readable).is_leakproof(&predicate))
    }

    fn input<'a>(&'a self, readable: &'a [bool]) -> Input<'a> {
        Input {
            schema: self.plan.schema(),
            readable,
        }
    }

    /// Returns the plan of the rows that pass filters.
    fn filtered(&self, filters: &[Expr]) -> Result<LogicalPlanBuilder> {
        let mut plan = LogicalPlanBuilder::from(self.plan.clone());
        for filter in filters {
            // What was agreed to may have been rewritten since.
            if !self.is_leakproof(filter) {
                return internal_err!("a filter that can fail reached a sub-table");
            }
            plan = plan.filter(self.resolved(filter)?)?;
        }
        Ok(plan)
    }

    /// Returns a table of the rows that pass filters, with these columns in place of its own. `None` where
    /// they are more than reads of columns and record fields.
    pub(super) fn narrowed(
        &self,
        filters: &[Expr],
        columns: &[Expr],
        names: &[String],
    ) -> Result<Option<Self>> {
        // Behind the barrier it does not matter whether what is read could be computed: it is anyway.
        let readable = vec![true; self.readable.len()];
        let mut list = Vec::with_capacity(columns.len());
        for (column, name) in columns.iter().zip(names) {
            let column = self.resolved(column)?.unalias_nested().data;
            if !self.input(&readable).is_value(&column) {
                return Ok(None);
            }
            list.push(column.alias(name));
        }
        let plan = self.filtered(filters)?.project(list)?.build()?;
        Self::new(plan, Arc::clone(&self.state)).map(Some)
    }
}

#[async_trait]
impl TableProvider for Subtable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::View
    }

    fn supports_filters_pushdown(
        &self,
        filters: &[&Expr],
    ) -> Result<Vec<TableProviderFilterPushDown>> {
        Ok(filters
            .iter()
            .map(|filter| {
                if !filter.column_refs().is_empty() && self.is_leakproof(filter) {
                    TableProviderFilterPushDown::Exact
                } else {
                    TableProviderFilterPushDown::Unsupported
                }
            })
            .collect())
    }

    async fn scan(
        &self,
        _: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let mut plan = self.filtered(filters)?;
        let mut readable = self.readable.clone();
        if let Some(projection) = projection {
            plan = plan.project(projection.iter().map(|index| self.column(*index)))?;
            readable = projection
                .iter()
                .map(|index| self.readable.get(*index).copied().unwrap_or(false))
                .collect();
        }
        if self.open && limit.is_some() {
            plan = plan.limit(0, limit)?;
        }
        let input = self.state.create_physical_plan(&plan.build()?).await?;
        Ok(Arc::new(SubtableExec::new(input, readable, self.open)))
    }
}
