//! A call with a lambda as one piece.
//!
//! The engine computes what a condition of a join needs of one side below the join, down to the parts of an expression. A
//! lambda is no value that could be computed there, nor is a part of one that reads its parameter.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::RecordBatch;
use arrow::datatypes::{FieldRef, Schema};
use datafusion::common::internal_err;
use datafusion::common::tree_node::{Transformed, TreeNode as _, TreeNodeRecursion};
use datafusion::error::Result;
use datafusion::logical_expr::ColumnarValue;
use datafusion::physical_expr::expressions::Column;
use datafusion::physical_expr::{HigherOrderFunctionExpr, PhysicalExpr};

/// Returns an expression in which every call with a lambda is one piece.
pub(super) fn whole(expr: Arc<dyn PhysicalExpr>) -> Result<Transformed<Arc<dyn PhysicalExpr>>> {
    expr.transform_down(|expr| {
        Ok(if expr.is::<HigherOrderFunctionExpr>() {
            let call: Arc<dyn PhysicalExpr> = Arc::new(WholeCall::new(expr)?);
            Transformed::new(call, true, TreeNodeRecursion::Jump)
        } else {
            Transformed::no(expr)
        })
    })
}

/// A call whose parts are the columns that it reads.
#[derive(Debug)]
struct WholeCall {
    call: Arc<dyn PhysicalExpr>,
    columns: Vec<Arc<dyn PhysicalExpr>>,
}

impl WholeCall {
    fn new(call: Arc<dyn PhysicalExpr>) -> Result<Self> {
        let mut columns: Vec<Arc<dyn PhysicalExpr>> = Vec::new();
        call.apply(|part| {
            if part.is::<Column>() && !columns.contains(part) {
                columns.push(Arc::clone(part));
            }
            Ok(TreeNodeRecursion::Continue)
        })?;
        Ok(Self { call, columns })
    }
}

impl PartialEq for WholeCall {
    fn eq(&self, other: &Self) -> bool {
        *self.call == *other.call
    }
}

impl Eq for WholeCall {}

impl Hash for WholeCall {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.call.hash(state);
    }
}

impl fmt::Display for WholeCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.call.fmt(f)
    }
}

impl PhysicalExpr for WholeCall {
    fn return_field(&self, input: &Schema) -> Result<FieldRef> {
        self.call.return_field(input)
    }

    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        self.call.evaluate(batch)
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        self.columns.iter().collect()
    }

    fn with_new_children(
        self: Arc<Self>,
        children: Vec<Arc<dyn PhysicalExpr>>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        if children.len() != self.columns.len()
            || !children.iter().all(|child| child.is::<Column>())
        {
            return internal_err!("{self} reads {} columns", self.columns.len());
        }
        let call = Arc::clone(&self.call).transform_down(|part| {
            let column = self.columns.iter().position(|column| column == &part);
            Ok(match column.and_then(|index| children.get(index)) {
                Some(child) => Transformed::yes(Arc::clone(child)),
                None => Transformed::no(part),
            })
        })?;
        Ok(Arc::new(Self::new(call.data)?))
    }

    fn fmt_sql(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.call.fmt_sql(f)
    }
}
