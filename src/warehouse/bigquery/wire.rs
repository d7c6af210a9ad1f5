//! The messages of BigQuery's REST API, as far as they are used.
//!
//! Source: BigQuery API reference v2 (discovery document of October 2026). Integers of 64 bits are text.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// `QueryRequest`, the body of jobs.query.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct QueryRequest {
    pub(super) query: String,
    pub(super) use_legacy_sql: bool,
    pub(super) use_query_cache: bool,
    pub(super) parameter_mode: &'static str,
    pub(super) query_parameters: Vec<QueryParameter>,
    pub(super) max_results: u32,
    pub(super) timeout_ms: u64,
    pub(super) job_timeout_ms: String,
    pub(super) maximum_bytes_billed: String,
    pub(super) labels: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) location: Option<String>,
    pub(super) request_id: String,
    pub(super) format_options: FormatOptions,
}

/// `DataFormatOptions`.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct FormatOptions {
    pub(super) use_int64_timestamp: bool,
}

/// `QueryParameter`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct QueryParameter {
    pub(super) name: String,
    pub(super) parameter_type: ParameterType,
    pub(super) parameter_value: ParameterValue,
}

/// `QueryParameterType`.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ParameterType {
    #[serde(rename = "type")]
    pub(super) name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) array_type: Option<Box<ParameterType>>,
}

/// `QueryParameterValue`. NULL is a `value` that is null.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum ParameterValue {
    Scalar {
        value: Option<String>,
    },
    Array {
        #[serde(rename = "arrayValues")]
        array_values: Vec<ParameterValue>,
    },
}

/// `Job`, the body of jobs.insert for a dry run.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DryRunRequest {
    pub(super) job_reference: JobLocation,
    pub(super) configuration: DryRunConfiguration,
}

/// `JobReference` of a job that is given no id.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct JobLocation {
    pub(super) project_id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) location: Option<String>,
}

/// `JobConfiguration`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DryRunConfiguration {
    pub(super) dry_run: bool,
    pub(super) labels: BTreeMap<String, String>,
    pub(super) query: DryRunQuery,
}

/// `JobConfigurationQuery`.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct DryRunQuery {
    pub(super) query: String,
    pub(super) use_legacy_sql: bool,
    pub(super) parameter_mode: &'static str,
    pub(super) query_parameters: Vec<QueryParameter>,
}

/// `QueryResponse` and `GetQueryResultsResponse`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct QueryResponse {
    pub(super) job_reference: Option<JobReference>,
    pub(super) job_complete: bool,
    pub(super) schema: Option<TableSchema>,
    pub(super) rows: Vec<Value>,
    pub(super) total_rows: Option<String>,
    pub(super) page_token: Option<String>,
    pub(super) total_bytes_billed: Option<String>,
    pub(super) cache_hit: Option<bool>,
    /// May also hold warnings of a query that succeeded.
    pub(super) errors: Vec<ErrorProto>,
    /// The length of the message.
    #[serde(skip)]
    pub(super) bytes: usize,
}

/// `JobReference`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct JobReference {
    pub(super) project_id: String,
    pub(super) job_id: String,
    pub(super) location: Option<String>,
}

/// `Job`, the answer of jobs.insert and jobs.get.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Job {
    pub(super) statistics: JobStatistics,
    pub(super) status: Option<JobStatus>,
}

/// `JobStatus`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct JobStatus {
    pub(super) error_result: Option<ErrorProto>,
}

/// `JobStatistics`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct JobStatistics {
    pub(super) total_bytes_processed: Option<String>,
    pub(super) query: QueryStatistics,
}

/// `JobStatistics2`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct QueryStatistics {
    pub(super) total_bytes_processed: Option<String>,
    pub(super) total_bytes_billed: Option<String>,
    /// Absent where the query reads no table.
    pub(super) referenced_tables: Vec<TableReference>,
    pub(super) schema: Option<TableSchema>,
}

/// `TableReference`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct TableReference {
    pub(super) project_id: String,
    pub(super) dataset_id: String,
    pub(super) table_id: String,
}

/// `Table`, the answer of tables.get.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Table {
    /// `TABLE`, `VIEW`, `EXTERNAL`, `MATERIALIZED_VIEW`, `SNAPSHOT`, `CLONE`.
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    #[serde(default)]
    pub(super) schema: TableSchema,
}

/// `TableSchema`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
pub(super) struct TableSchema {
    #[serde(default)]
    pub(super) fields: Vec<TableField>,
}

/// `TableFieldSchema`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct TableField {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) ty: String,
    pub(super) mode: Option<String>,
    #[serde(default)]
    pub(super) fields: Vec<TableField>,
    pub(super) description: Option<String>,
}

/// The body of a failed request.
#[derive(Debug, Deserialize)]
pub(super) struct Failure {
    pub(super) error: FailureError,
}

/// The error of a failed request.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FailureError {
    pub(super) message: String,
    pub(super) status: String,
    pub(super) errors: Vec<ErrorProto>,
}

/// `ErrorProto`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub(super) struct ErrorProto {
    pub(super) reason: String,
    pub(super) message: String,
}
