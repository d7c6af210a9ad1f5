//! The same calls over the caller's rows alone, and over those and the rows of somebody else.

mod attacks;
mod plans;
mod predicates;

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use datafusion::config::{ConfigNonZeroUsize, ConfigOptions};
use serde_json::Value as Json;
use tempfile::TempDir;

use crate::compiler::catalog::parse_schema;
use crate::compiler::ir::{Column, ParameterName, StreamName, Type, Value};
use crate::compiler::{
    AdHoc, Call, Catalog, Compiled, Declaration, Limits, Parameters, Redaction, Target, compile,
    prepare,
};
use crate::warehouse::embedded::import::import_file;
use crate::warehouse::embedded::{Embedded, EngineSettings, Store};
use crate::warehouse::{Rows, Terms, Warehouse};

const SCHEMA: &str = r#"[
    {"name": "id", "type": "STRING"},
    {"name": "timestamp", "type": "TIMESTAMP", "mode": "REQUIRED"},
    {"name": "project", "type": "STRING"},
    {"name": "text", "type": "STRING"},
    {"name": "day", "type": "STRING"},
    {"name": "json", "type": "STRING"},
    {"name": "n", "type": "INTEGER"},
    {"name": "tags", "type": "STRING", "mode": "REPEATED"},
    {"name": "metadata", "type": "RECORD", "mode": "REPEATED", "singleton": true, "fields": [
        {"name": "owner", "type": "STRING"},
        {"name": "request", "type": "RECORD", "mode": "REPEATED", "singleton": true, "fields": [
            {"name": "path", "type": "STRING"},
            {"name": "status", "type": "INTEGER"}]}]}
]"#;

/// Everything that a caller may try works on these rows.
const OWN: &str = r#"{"id":"a","timestamp":"2026-01-01T00:00:01Z","project":"mine","text":"1","day":"2026-01-01","json":"{\"k\":1}","n":1,"tags":["x","y"],"metadata":{"owner":"mine","request":{"path":"/1","status":200}}}
{"id":"b","timestamp":"2026-01-01T00:00:03Z","project":"mine","text":"2","day":"2026-01-02","json":"{\"k\":2}","n":2,"tags":["x","z"],"metadata":{"owner":"mine","request":{"path":"/2","status":404}}}
{"id":"c","timestamp":"2026-01-01T00:00:05Z","project":"mine","text":"3","day":"2026-01-03","json":"[]","n":3,"tags":["y","x"],"metadata":{"owner":"mine","request":{"path":"/3","status":500}}}
{"id":"d","timestamp":"2026-01-01T00:00:07Z","project":"mine","n":2,"tags":["y","x"]}
"#;

/// And nothing works on these.
const FOREIGN: &str = r#"{"id":"s","timestamp":"2026-01-01T00:00:02Z","project":"theirs","text":"secret","day":"never","json":"{","n":0,"metadata":{"owner":"theirs","request":{"path":"secret","status":0}}}
{"id":"t","timestamp":"2026-01-01T00:00:04Z","project":"theirs","text":"hunter2","day":"2026-13-01","json":"x","n":9223372036854775807,"tags":["one"],"metadata":{"owner":"theirs"}}
{"id":"u","timestamp":"2026-01-01T00:00:06Z","project":"theirs","text":"99999999999999999999","day":"2026-02-30","json":"","n":-9223372036854775808,"metadata":{"owner":"theirs","request":{"path":"","status":9223372036854775807}}}
{"id":"v","timestamp":"2026-01-01T00:00:09Z","project":"theirs","text":"secret","n":0,"metadata":{"owner":"theirs","request":{"path":"/1","status":0}}}
"#;

/// Sub-tables whose own columns cannot fail.
const PLAIN: &str = "
    WITH logs AS (
        SELECT t.id, t.timestamp, t.text, t.day, t.json, t.n, t.tags, t.metadata
        FROM edge AS t WHERE t.project = @project),
    owned AS (
        SELECT t.id, t.timestamp, t.text, t.n, m.owner, m.request
        FROM edge AS t CROSS JOIN UNNEST(t.metadata) AS m WHERE m.owner = @project),
    counts AS (SELECT l.n, l.text, COUNT(*) AS total FROM logs AS l GROUP BY l.n, l.text)
    SELECT id FROM logs, (SELECT 1 FROM counts), (SELECT 1 FROM owned)";

/// A sub-table with columns that fail on foreign rows.
const COMPUTED: &str = "
    WITH logs AS (
        SELECT t.id, CAST(t.text AS INT64) AS v, DIV(10, t.n) AS q, t.tags[OFFSET(1)] AS tag, t.n
        FROM edge AS t WHERE t.project = @project)
    SELECT id FROM logs";

/// How an engine is set up.
#[derive(Clone, Copy, Debug)]
struct Setting {
    threads: usize,
    late: bool,
    batch: usize,
}

const SETTINGS: [Setting; 4] = [
    Setting {
        threads: 1,
        late: true,
        batch: 8192,
    },
    Setting {
        threads: 4,
        late: true,
        batch: 8192,
    },
    Setting {
        threads: 2,
        late: false,
        batch: 8192,
    },
    Setting {
        threads: 4,
        late: false,
        batch: 1,
    },
];

impl Setting {
    fn tune(self, options: &mut ConfigOptions) {
        options.execution.parquet.pushdown_filters = self.late;
        options.execution.batch_size = ConfigNonZeroUsize::try_new(self.batch).unwrap();
        options.optimizer.repartition_file_min_size = 0;
    }
}

fn columns() -> Vec<Column> {
    parse_schema(SCHEMA).unwrap()
}

fn catalog() -> Catalog {
    let mut catalog = Catalog::default();
    catalog.insert(StreamName::new("edge"), columns());
    catalog
}

/// A folder with these rows in one file, and again, with later times, in another.
fn store(rows: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let later = rows.replace("2026-01-01T00:", "2026-01-01T01:");
    for (name, rows) in [("a.json", rows), ("b.json", &later)] {
        let path = folder.path().join(name);
        std::fs::write(&path, rows).unwrap();
        let store = Store::new(folder.path().join("data"));
        import_file(&store, &StreamName::new("edge"), &columns(), &path, &|_| {}).unwrap();
    }
    folder
}

/// An engine over the caller's rows alone, and one over those of both.
struct World {
    own: Embedded,
    both: Embedded,
}

impl World {
    fn of(setting: Setting) -> Self {
        static STORES: OnceLock<[TempDir; 2]> = OnceLock::new();
        let [own, both] = STORES.get_or_init(|| {
            let mut rows: Vec<&str> = OWN.lines().chain(FOREIGN.lines()).collect();
            rows.sort_by_key(|row| row.split("timestamp").nth(1));
            [store(OWN), store(&rows.join("\n"))]
        });
        let open = |folder: &TempDir| {
            let settings = EngineSettings {
                threads: Some(setting.threads.try_into().unwrap()),
                ..EngineSettings::default()
            };
            let data = folder.path().join("data");
            Embedded::tuned(data, &catalog(), settings, |options| setting.tune(options)).unwrap()
        };
        Self {
            own: open(own),
            both: open(both),
        }
    }
}

/// Returns a caller's query over a stored one, for a project.
#[track_caller]
fn compiled(stored: &str, sql: &str, project: &str) -> Compiled {
    compiled_under(stored, sql, project, None)
}

#[track_caller]
fn compiled_under(
    stored: &str,
    sql: &str,
    project: &str,
    redaction: Option<&Redaction>,
) -> Compiled {
    let limits = Limits::default();
    let project_name = ParameterName::new("project");
    let declaration = Declaration {
        name: project_name.clone(),
        ty: Type::String,
    };
    let stored = prepare(stored, &catalog(), &[declaration], None, &limits).unwrap();
    let call = Call {
        ad_hoc: Some(AdHoc::Sql(sql)),
        parameters: &Parameters::from([(project_name, Value::string(project))]),
        now: 0,
        max_rows: 1000,
        target: &Target::Embedded,
        redaction,
        limits: &limits,
    };
    match compile(&stored, &call, None) {
        Ok(compiled) => compiled,
        Err(refusal) => panic!("{sql}: {refusal:?}"),
    }
}

/// What a caller can tell of an answer: the rows, as a set, or the kind of error.
async fn outcome(engine: &Embedded, query: &Compiled) -> Result<Vec<Vec<Json>>, String> {
    let deadline = Instant::now() + Duration::from_secs(60);
    match engine.run(query, Terms::until(deadline)).await {
        Ok(Rows { mut rows, .. }) => {
            rows.sort_by_key(|row| format!("{row:?}"));
            Ok(rows)
        }
        Err(error) => Err(error.to_string()),
    }
}
