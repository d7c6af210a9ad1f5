//! Tests whether a record is there without reading the record.
//!
//! `is_present(record)` is `record IS NOT NULL`. Written that way the scan would read every field of the
//! record, which is most of a file. But each leaf column of a Parquet file tells by its definition levels
//! which of the records around it are there. So where the test reaches a scan it reads one leaf, the
//! cheapest: [`RecordPresent`] looks at the record that the reader builds around it.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use arrow::array::{Array, ArrayRef, AsArray, BooleanArray, RecordBatch};
use arrow::buffer::NullBuffer;
use arrow::compute::is_not_null;
use arrow::datatypes::{DataType, Fields, Schema, SchemaRef};
use datafusion::common::tree_node::{Transformed, TransformedResult as _, TreeNode as _};
use datafusion::common::{Result, ScalarValue, exec_err, internal_err};
use datafusion::config::ConfigOptions;
use datafusion::functions::core::getfield::GetFieldFunc;
use datafusion::logical_expr::{
    ColumnarValue, ExpressionPlacement, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature,
    Volatility,
};
use datafusion::physical_expr::expressions::{CastExpr, Column, Literal};
use datafusion::physical_expr::{PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_expr_adapter::{
    DefaultPhysicalExprAdapterFactory, PhysicalExprAdapter, PhysicalExprAdapterFactory,
};

/// `is_present(record)`: whether a record is not NULL.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct IsPresent {
    signature: Signature,
}

impl IsPresent {
    pub(super) fn function() -> ScalarUDF {
        ScalarUDF::new_from_impl(Self {
            signature: Signature::any(1, Volatility::Immutable),
        })
    }
}

impl ScalarUDFImpl for IsPresent {
    fn name(&self) -> &'static str {
        "is_present"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _: &[DataType]) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let [record] = args.args.as_slice() else {
            return exec_err!("is_present takes one argument");
        };
        Ok(match record {
            ColumnarValue::Array(array) => ColumnarValue::Array(Arc::new(is_not_null(array)?)),
            ColumnarValue::Scalar(value) => {
                ColumnarValue::Scalar(ScalarValue::Boolean(Some(!value.is_null())))
            }
        })
    }

    /// Like the read of a field it belongs where the record is read.
    fn placement(&self, args: &[ExpressionPlacement]) -> ExpressionPlacement {
        match args {
            [ExpressionPlacement::Column | ExpressionPlacement::MoveTowardsLeafNodes] => {
                ExpressionPlacement::MoveTowardsLeafNodes
            }
            _ => ExpressionPlacement::KeepInPlace,
        }
    }
}

/// Makes expressions over a table ones over a file: as the engine does, and with [`RecordPresent`].
#[derive(Debug)]
pub(super) struct AdapterFactory;

impl PhysicalExprAdapterFactory for AdapterFactory {
    fn create(
        &self,
        logical_file_schema: SchemaRef,
        physical_file_schema: SchemaRef,
    ) -> Result<Arc<dyn PhysicalExprAdapter>> {
        let file = Arc::clone(&physical_file_schema);
        let standard = DefaultPhysicalExprAdapterFactory.create(logical_file_schema, file)?;
        Ok(Arc::new(Adapter {
            standard,
            file: physical_file_schema,
        }))
    }
}

#[derive(Debug)]
struct Adapter {
    standard: Arc<dyn PhysicalExprAdapter>,
    file: SchemaRef,
}

impl PhysicalExprAdapter for Adapter {
    fn rewrite(&self, expr: Arc<dyn PhysicalExpr>) -> Result<Arc<dyn PhysicalExpr>> {
        let expr = self.standard.rewrite(expr)?;
        expr.transform_up(|expr| match present(&expr, &self.file)? {
            Some(present) => Ok(Transformed::yes(Arc::new(present) as Arc<dyn PhysicalExpr>)),
            None => Ok(Transformed::no(expr)),
        })
        .data()
    }
}

/// Returns a test of a file's record in terms of one of its leaves.
fn present(expr: &Arc<dyn PhysicalExpr>, file: &Schema) -> Result<Option<RecordPresent>> {
    let Some(call) = ScalarFunctionExpr::try_downcast_func::<IsPresent>(expr.as_ref()) else {
        return Ok(None);
    };
    let Some(mut record) = call.args().first() else {
        return Ok(None);
    };
    // A file of another schema is cast, which keeps what is NULL.
    while let Some(cast) = record.downcast_ref::<CastExpr>() {
        record = cast.expr();
    }
    let Some((column, mut path)) = path(record) else {
        return Ok(None);
    };
    let depth = path.len();
    let DataType::Struct(fields) = record.data_type(file)? else {
        return Ok(None);
    };
    let Some((_, leaf)) = cheapest(&fields) else {
        return Ok(None);
    };
    path.extend(leaf);
    let mut args: Vec<Arc<dyn PhysicalExpr>> = vec![Arc::clone(column)];
    args.extend(path.into_iter().map(|name| {
        Arc::new(Literal::new(ScalarValue::Utf8(Some(name)))) as Arc<dyn PhysicalExpr>
    }));
    let get_field = Arc::new(ScalarUDF::new_from_impl(GetFieldFunc::new()));
    let leaf =
        ScalarFunctionExpr::try_new(get_field, args, file, Arc::new(ConfigOptions::default()))?;
    Ok(Some(RecordPresent {
        leaf: Arc::new(leaf),
        depth,
    }))
}

/// Returns the column that an expression reads, and the names of the fields that lead to the value.
fn path(expr: &Arc<dyn PhysicalExpr>) -> Option<(&Arc<dyn PhysicalExpr>, Vec<String>)> {
    if expr.is::<Column>() {
        return Some((expr, Vec::new()));
    }
    let call = ScalarFunctionExpr::try_downcast_func::<GetFieldFunc>(expr.as_ref())?;
    let (record, names) = call.args().split_first()?;
    let (column, mut path) = self::path(record)?;
    for name in names {
        let name = name.downcast_ref::<Literal>()?.value();
        path.push(name.try_as_str().flatten()?.to_owned());
    }
    Some((column, path))
}

/// Returns the leaf of a record that is cheapest to read, as a path, with its cost. Leaves inside of lists
/// do not count.
fn cheapest(fields: &Fields) -> Option<(u8, Vec<String>)> {
    fields
        .iter()
        .filter_map(|field| {
            let (cost, mut path) = match field.data_type() {
                DataType::Struct(fields) => cheapest(fields)?,
                DataType::Boolean => (0, Vec::new()),
                ty if ty.is_primitive() => (1, Vec::new()),
                ty if ty.is_nested() => return None,
                _ => (2, Vec::new()),
            };
            path.insert(0, field.name().clone());
            Some((cost, path))
        })
        .min_by_key(|(cost, path)| (*cost, path.len()))
}

/// Whether a record is there, told from one of its leaves. The leaf is all that a scan reads of it.
#[derive(Debug)]
struct RecordPresent {
    /// The read of the leaf.
    leaf: Arc<dyn PhysicalExpr>,
    /// How many fields lead from the column to the record.
    depth: usize,
}

impl PartialEq for RecordPresent {
    fn eq(&self, other: &Self) -> bool {
        self.depth == other.depth && *self.leaf == *other.leaf
    }
}

impl Eq for RecordPresent {}

impl Hash for RecordPresent {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.depth.hash(state);
        self.leaf.hash(state);
    }
}

impl fmt::Display for RecordPresent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "is_present({} up to {})", self.leaf, self.depth)
    }
}

impl PhysicalExpr for RecordPresent {
    fn data_type(&self, _: &Schema) -> Result<DataType> {
        Ok(DataType::Boolean)
    }

    fn nullable(&self, _: &Schema) -> Result<bool> {
        Ok(false)
    }

    fn evaluate(&self, batch: &RecordBatch) -> Result<ColumnarValue> {
        let Some((column, path)) = path(&self.leaf) else {
            return internal_err!("{self} does not read a leaf");
        };
        let mut record: ArrayRef = column.evaluate(batch)?.into_array(batch.num_rows())?;
        let mut there: Option<NullBuffer> = record.logical_nulls();
        for name in path.iter().take(self.depth) {
            let inner = record.as_struct_opt().and_then(|r| r.column_by_name(name));
            let Some(inner) = inner.map(Arc::clone) else {
                return internal_err!("{self} finds no {name}");
            };
            there = NullBuffer::union(there.as_ref(), inner.logical_nulls().as_ref());
            record = inner;
        }
        let present = match there {
            Some(nulls) => BooleanArray::new(nulls.into_inner(), None),
            None => BooleanArray::from(vec![true; record.len()]),
        };
        Ok(ColumnarValue::Array(Arc::new(present)))
    }

    fn children(&self) -> Vec<&Arc<dyn PhysicalExpr>> {
        vec![&self.leaf]
    }

    fn with_new_children(
        self: Arc<Self>,
        mut children: Vec<Arc<dyn PhysicalExpr>>,
    ) -> Result<Arc<dyn PhysicalExpr>> {
        match (children.pop(), children.pop()) {
            (Some(leaf), None) if path(&leaf).is_some() => Ok(Arc::new(Self {
                leaf,
                depth: self.depth,
            })),
            _ => internal_err!("{self} reads one leaf"),
        }
    }

    fn fmt_sql(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}
