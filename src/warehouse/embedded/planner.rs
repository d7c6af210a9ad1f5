//! SQL of the compiler to a logical plan, with nothing in reach but the streams that the query reads.
//!
//! The engine's own session would resolve every registered table, file formats and table functions.
//! Here a name is one of the given tables or an error, and only a single query is a statement. A caller's
//! part of a query is planned over its sub-tables alone.

use std::any::TypeId;
use std::collections::BTreeMap;
use std::sync::Arc;

use arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{ParamValues, ScalarValue, TableReference, plan_datafusion_err};
use datafusion::config::ConfigOptions;
use datafusion::datasource::provider_as_source;
use datafusion::error::{DataFusionError, Result};
use datafusion::execution::session_state::SessionState;
use datafusion::logical_expr::planner::{ContextProvider, ExprPlanner};
use datafusion::logical_expr::{
    AggregateUDF, HigherOrderUDF, LogicalPlan, LogicalPlanBuilder, ScalarUDF, TableSource,
    WindowUDF,
};
use datafusion::sql::planner::{ParserOptions, PlannerContext, SqlToRel};
use datafusion::sql::sqlparser::ast::{Query, Statement, With};
use datafusion::sql::sqlparser::dialect::{Dialect, GenericDialect};
use datafusion::sql::sqlparser::parser::Parser;

use super::barrier::Subtable;
use crate::compiler::ir::CteName;

/// Nesting of the text. The compiler parenthesises every operator and bounds their chains; this is
/// beyond what its limits let pass, and the planner's stack is made for it.
const PARSER_RECURSION: usize = 4096;

/// What a query is planned with.
pub(super) struct Planner<'a> {
    pub(super) state: &'a SessionState,
    /// The session of the plans behind sub-tables.
    pub(super) subtables: &'a Arc<SessionState>,
    /// The streams that the query reads.
    pub(super) tables: &'a BTreeMap<String, Arc<dyn TableSource>>,
    /// What its `$name` placeholders stand for.
    pub(super) parameters: Vec<(String, ScalarValue)>,
}

impl Planner<'_> {
    /// Plans a query. Of its CTEs the first are these sub-tables, and the rest of it is the caller's: it
    /// reads them through the barrier, and cannot name a stream.
    pub(super) fn plan(&self, sql: &str, subtables: &[CteName]) -> Result<LogicalPlan> {
        let mut query = parse(sql)?;
        if subtables.is_empty() {
            return self.statement(query, self.tables, &mut self.context());
        }
        let mut ctes = match &mut query.with {
            Some(with) => std::mem::take(&mut with.cte_tables),
            None => Vec::new(),
        }
        .into_iter();
        let mut context = self.context();
        let mut tables: BTreeMap<String, Arc<dyn TableSource>> = BTreeMap::new();
        for name in subtables {
            let cte = ctes
                .next()
                .filter(|cte| cte.alias.name.value == name.as_str())
                .ok_or_else(|| plan_datafusion_err!("the sub-table {name} is not where it was"))?;
            let plan = self.statement(cte.query, self.tables, &mut context)?;
            let table = Subtable::new(plan.clone(), Arc::clone(self.subtables))?;
            tables.insert(name.to_string(), provider_as_source(Arc::new(table)));
            // Among themselves the sub-tables are one query.
            let alias = TableReference::bare(name.as_str());
            let plan = LogicalPlanBuilder::from(plan).alias(alias)?.build()?;
            context.insert_cte(name.as_str(), plan);
        }
        let rest: Vec<_> = ctes.collect();
        query.with = query.with.filter(|_| !rest.is_empty()).map(|with| With {
            cte_tables: rest,
            ..with
        });
        self.statement(query, &tables, &mut self.context())
    }

    fn context(&self) -> PlannerContext {
        // Placeholders are typed while they are planned, because overloads are chosen by type.
        let fields = self
            .parameters
            .iter()
            .map(|(name, value)| {
                let field: FieldRef = Arc::new(Field::new(name, value.data_type(), true));
                Some(field)
            })
            .collect::<Vec<_>>();
        PlannerContext::new().with_prepare_param_data_types(fields)
    }

    fn statement(
        &self,
        query: Box<Query>,
        tables: &BTreeMap<String, Arc<dyn TableSource>>,
        context: &mut PlannerContext,
    ) -> Result<LogicalPlan> {
        let provider = Provider {
            state: self.state,
            tables,
        };
        let planner = SqlToRel::new_with_options(&provider, options(self.state));
        let plan = planner.sql_statement_to_plan_with_context(Statement::Query(query), context)?;
        if self.parameters.is_empty() {
            return Ok(plan);
        }
        let values: Vec<ScalarValue> = self.parameters.iter().map(|(_, v)| v.clone()).collect();
        plan.with_param_values(ParamValues::from(values))
    }
}

/// The dialect of the compiler's printer: the generic one with lambdas, and without what is never printed.
#[derive(Debug)]
struct EngineDialect;

impl Dialect for EngineDialect {
    fn dialect(&self) -> TypeId {
        TypeId::of::<GenericDialect>()
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        GenericDialect.is_identifier_start(ch)
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        GenericDialect.is_identifier_part(ch)
    }

    fn supports_lambda_functions(&self) -> bool {
        true
    }

    fn supports_group_by_expr(&self) -> bool {
        true
    }

    fn supports_filter_during_aggregation(&self) -> bool {
        true
    }

    fn supports_parens_around_table_factor(&self) -> bool {
        true
    }

    fn supports_left_associative_joins_without_parens(&self) -> bool {
        true
    }
}

fn parse(sql: &str) -> Result<Box<Query>> {
    let syntax = |e| DataFusionError::SQL(Box::new(e), None);
    let mut statements = Parser::new(&EngineDialect)
        .with_recursion_limit(PARSER_RECURSION)
        .try_with_sql(sql)
        .and_then(|mut parser| parser.parse_statements())
        .map_err(syntax)?;
    match (statements.pop(), statements.pop()) {
        (Some(Statement::Query(query)), None) => Ok(query),
        _ => Err(plan_datafusion_err!("not a single query")),
    }
}

fn options(state: &SessionState) -> ParserOptions {
    let options = &state.config_options().sql_parser;
    ParserOptions {
        parse_float_as_decimal: options.parse_float_as_decimal,
        enable_ident_normalization: options.enable_ident_normalization,
        enable_options_value_normalization: options.enable_options_value_normalization,
        support_varchar_with_length: options.support_varchar_with_length,
        map_string_types_to_utf8view: options.map_string_types_to_utf8view,
        collect_spans: options.collect_spans,
        default_null_ordering: options.default_null_ordering.as_str().into(),
    }
}

struct Provider<'a> {
    state: &'a SessionState,
    tables: &'a BTreeMap<String, Arc<dyn TableSource>>,
}

impl ContextProvider for Provider<'_> {
    fn get_table_source(&self, name: TableReference) -> Result<Arc<dyn TableSource>> {
        match &name {
            TableReference::Bare { table } => self.tables.get(&**table).cloned(),
            TableReference::Partial { .. } | TableReference::Full { .. } => None,
        }
        .ok_or_else(|| plan_datafusion_err!("the query does not read {name}"))
    }

    fn get_expr_planners(&self) -> &[Arc<dyn ExprPlanner>] {
        self.state.expr_planners()
    }

    fn get_function_meta(&self, name: &str) -> Option<Arc<ScalarUDF>> {
        self.state.scalar_functions().get(name).cloned()
    }

    fn get_higher_order_meta(&self, name: &str) -> Option<Arc<HigherOrderUDF>> {
        self.state.higher_order_functions().get(name).cloned()
    }

    fn get_aggregate_meta(&self, name: &str) -> Option<Arc<AggregateUDF>> {
        self.state.aggregate_functions().get(name).cloned()
    }

    fn get_window_meta(&self, name: &str) -> Option<Arc<WindowUDF>> {
        self.state.window_functions().get(name).cloned()
    }

    fn get_variable_type(&self, _: &[String]) -> Option<DataType> {
        None
    }

    fn options(&self) -> &ConfigOptions {
        self.state.config_options()
    }

    fn udf_names(&self) -> Vec<String> {
        self.state.scalar_functions().keys().cloned().collect()
    }

    fn higher_order_function_names(&self) -> Vec<String> {
        self.state
            .higher_order_functions()
            .keys()
            .cloned()
            .collect()
    }

    fn udaf_names(&self) -> Vec<String> {
        self.state.aggregate_functions().keys().cloned().collect()
    }

    fn udwf_names(&self) -> Vec<String> {
        self.state.window_functions().keys().cloned().collect()
    }
}
