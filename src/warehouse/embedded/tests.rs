//! The store and the engine together, over folders of their own.

mod scans;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};
use tempfile::TempDir;

use super::import::{ImportError, Imported, compact, import_file};
use super::{Embedded, EngineSettings, Store};
use crate::compiler::catalog::parse_schema;
use crate::compiler::ir::{Column, ColumnName, ParameterName, StreamName, Type, Value};
use crate::compiler::{BoundParameter, Catalog, Compiled};
use crate::warehouse::{Rows, Terms, Warehouse, WarehouseError};

const EDGE: &str = r#"[
    {"name": "id", "type": "STRING"},
    {"name": "timestamp", "type": "TIMESTAMP", "mode": "REQUIRED"},
    {"name": "project", "type": "STRING"},
    {"name": "metadata", "type": "RECORD", "mode": "REPEATED", "singleton": true, "fields": [
        {"name": "request", "type": "RECORD", "mode": "REPEATED", "singleton": true, "fields": [
            {"name": "path", "type": "STRING"},
            {"name": "status", "type": "INTEGER"}]},
        {"name": "tags", "type": "STRING", "mode": "REPEATED"}]}
]"#;

const ROWS: &str = r#"{"id":"b","timestamp":"2026-01-01T00:00:02Z","project":"demo","metadata":[{"request":[{"path":"/b","status":404}],"tags":["x","y"]}]}
{"id":"a","timestamp":1767225601000000,"project":"demo","metadata":{"request":{"path":"/a","status":200}}}

{"id":"c","timestamp":"2026-01-01T01:00:03+01:00","project":"other"}
"#;

struct Fixture {
    folder: TempDir,
    columns: Vec<Column>,
}

impl Fixture {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            columns: parse_schema(EDGE).unwrap(),
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.path().join("da*ta [1]")
    }

    fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    fn import(&self, file: &Path) -> Result<Imported, ImportError> {
        let stream = StreamName::new("edge");
        import_file(
            &Store::new(self.data()),
            &stream,
            &self.columns,
            file,
            &|_| {},
        )
    }

    fn stored(&self) -> Vec<PathBuf> {
        let folder = Store::new(self.data()).folder(&StreamName::new("edge"));
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        entries.map(|e| e.unwrap().path()).collect()
    }

    fn engine(&self) -> Embedded {
        self.engine_with(EngineSettings::default())
    }

    fn engine_with(&self, settings: EngineSettings) -> Embedded {
        let mut catalog = Catalog::default();
        catalog.insert(StreamName::new("edge"), self.columns.clone());
        catalog.insert(StreamName::new("auth"), self.columns.clone());
        Embedded::open(self.data(), &catalog, settings).unwrap()
    }
}

fn query(sql: &str, columns: &[(&str, Type)], max_rows: u64) -> Compiled {
    Compiled {
        sql: sql.to_owned(),
        parameters: Vec::new(),
        columns: columns
            .iter()
            .map(|(name, ty)| Column {
                name: ColumnName::new(name),
                ty: ty.clone(),
            })
            .collect(),
        reads: vec![StreamName::new("edge")],
        subtables: Vec::new(),
        max_rows,
    }
}

fn soon() -> Terms {
    Terms::until(Instant::now() + Duration::from_secs(60))
}

async fn rows(engine: &Embedded, query: &Compiled) -> Json {
    let Rows { rows, .. } = engine.run(query, soon()).await.unwrap();
    json!(rows)
}

async fn count(engine: &Embedded) -> Json {
    let count = query(r#"SELECT count(*) FROM "edge""#, &[("n", Type::Int64)], 1);
    rows(engine, &count).await[0][0].clone()
}

#[tokio::test]
async fn imported_rows_come_back_whole() {
    let fixture = Fixture::new();
    let imported = fixture
        .import(&fixture.write("a.json", ROWS.as_bytes()))
        .unwrap();
    assert_eq!((imported.rows, imported.files.len()), (3, 1));
    let metadata = fixture.columns[3].ty.clone();
    let all = query(
        r#"SELECT "id", "timestamp", "metadata" FROM "edge""#,
        &[
            ("id", Type::String),
            ("timestamp", Type::Timestamp),
            ("metadata", metadata),
        ],
        10,
    );
    assert_eq!(
        rows(&fixture.engine(), &all).await,
        json!([
            ["a", 1_767_225_601_000_000_i64, [{"request": [{"path": "/a", "status": 200}], "tags": []}]],
            ["b", 1_767_225_602_000_000_i64, [{"request": [{"path": "/b", "status": 404}], "tags": ["x", "y"]}]],
            ["c", 1_767_225_603_000_000_i64, []],
        ]),
        "sorted by time, arrays at every level"
    );
}

#[tokio::test]
async fn compression_is_told_from_the_content() {
    let fixture = Fixture::new();
    let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gz.write_all(ROWS.as_bytes()).unwrap();
    let zst = zstd::encode_all(ROWS.as_bytes(), 1).unwrap();
    let gz_bytes = gz.finish().unwrap();
    fixture.import(&fixture.write("a", &gz_bytes)).unwrap();
    fixture.import(&fixture.write("b", &zst)).unwrap();
    fixture
        .import(&fixture.write("c", ROWS.as_bytes()))
        .unwrap();
    let cut = gz_bytes.get(..gz_bytes.len() / 2).unwrap();
    let error = fixture.import(&fixture.write("cut", cut)).unwrap_err();
    assert!(
        error.to_string().ends_with("cut: reading the file"),
        "{error}"
    );
    // Our own files are Parquet as any other writer's.
    let parquet = fixture.stored().remove(0);
    let copy = fixture.folder.path().join("copy");
    std::fs::copy(parquet, &copy).unwrap();
    assert_eq!(fixture.import(&copy).unwrap().rows, 3);
    assert_eq!(count(&fixture.engine()).await, json!(12));
}

#[test]
fn a_bad_file_leaves_nothing_behind() {
    for (content, expected) in [
        (
            format!(
                "{ROWS}{{\"timestamp\":1,\"metadata\":{{\"request\":{{\"status\":\"x\"}}}}}}\n"
            ),
            "bad:5: metadata.request.status: expected INT64, found \"x\"",
        ),
        (
            "{\"timestamp\":1}\n{".to_owned(),
            "bad:2: column 1: not JSON: EOF while parsing an object",
        ),
        (
            "PAR1 and then nothing of the kind".to_owned(),
            "bad: cannot be read as Parquet: ",
        ),
        (
            "\u{1f}no gzip".to_owned(),
            "bad:1: column 1: not JSON: expected value",
        ),
    ] {
        let fixture = Fixture::new();
        let file = fixture.write("bad", content.as_bytes());
        let error = fixture.import(&file).unwrap_err().to_string();
        let folder = format!("{}/", fixture.folder.path().display());
        assert!(error.replace(&folder, "").starts_with(expected), "{error}");
        assert_eq!(fixture.stored(), Vec::<PathBuf>::new());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn each_row_is_seen_once_while_files_are_merged() {
    let fixture = Fixture::new();
    let file = fixture.write("a.json", ROWS.as_bytes());
    let engine = fixture.engine();
    let (store, stream) = (Store::new(fixture.data()), StreamName::new("edge"));
    for imports in [1, 5, 9] {
        while fixture.stored().len() < imports {
            fixture.import(&file).unwrap();
        }
        let expected = count(&engine).await;
        let (store, stream, columns) = (store.clone(), stream.clone(), fixture.columns.clone());
        let merge = tokio::task::spawn_blocking(move || compact(&store, &stream, &columns, 2));
        while !merge.is_finished() {
            assert_eq!(count(&engine).await, expected);
        }
        assert_eq!(count(&engine).await, expected);
        let merged = merge.await.unwrap().unwrap().unwrap();
        assert_eq!(merged.replaced > 0, imports > 1);
    }
    assert_eq!(store.files(&stream).unwrap().len(), 1);
}

#[tokio::test]
async fn a_stream_without_files_is_empty_and_new_files_are_seen() {
    let fixture = Fixture::new();
    let engine = fixture.engine();
    engine.ready().await.unwrap();
    assert_eq!(count(&engine).await, json!(0));
    let file = fixture.write("a.json", ROWS.as_bytes());
    for imports in 1..=2 {
        fixture.import(&file).unwrap();
        assert_eq!(count(&engine).await, json!(3 * imports));
    }
    std::fs::remove_file(&fixture.stored()[0]).unwrap();
    assert_eq!(count(&engine).await, json!(3));
}

#[tokio::test]
async fn parameters_are_bound_with_their_types() {
    let fixture = Fixture::new();
    fixture
        .import(&fixture.write("a.json", ROWS.as_bytes()))
        .unwrap();
    let mut select = query(
        r#"SELECT "id" FROM (SELECT "id", "timestamp", "project", "metadata"['request']['path'] AS p FROM "edge")
           WHERE "project" = $project AND "timestamp" > $start AND array_has($paths, p) AND coalesce($none, p) = p
           AND starts_with(p, $prefix) AND timestamp_trunc("timestamp", $part) > $start
           ORDER BY "timestamp" DESC LIMIT 11"#,
        &[("id", Type::String)],
        10,
    );
    select.parameters = [
        ("project", Type::String, Value::string("demo")),
        (
            "start",
            Type::Timestamp,
            Value::Timestamp(1_767_225_600_000_000),
        ),
        (
            "paths",
            Type::array(Type::String),
            Value::Array(vec![Value::string("/a"), Value::string("/b")]),
        ),
        ("none", Type::String, Value::Null),
        ("prefix", Type::String, Value::string("/")),
        ("part", Type::String, Value::string("SECOND")),
    ]
    .into_iter()
    .map(|(name, ty, value)| BoundParameter {
        name: ParameterName::new(name),
        ty,
        value,
    })
    .collect();
    assert_eq!(
        rows(&fixture.engine(), &select).await,
        json!([["b"], ["a"]])
    );
}

#[tokio::test]
async fn results_are_cut_at_max_rows() {
    let fixture = Fixture::new();
    fixture
        .import(&fixture.write("a.json", ROWS.as_bytes()))
        .unwrap();
    let engine = fixture.engine();
    for (max_rows, expected) in [(2, (2, true)), (3, (3, false)), (4, (3, false))] {
        let select = query(
            r#"SELECT "id" FROM "edge""#,
            &[("id", Type::String)],
            max_rows,
        );
        let result = engine.run(&select, soon()).await.unwrap();
        assert_eq!((result.rows.len(), result.truncated), expected);
    }
}

#[tokio::test]
async fn files_of_an_older_schema_have_null_in_new_fields() {
    let mut fixture = Fixture::new();
    fixture
        .import(&fixture.write("a.json", ROWS.as_bytes()))
        .unwrap();
    let newer = EDGE
        .replace(
            r#"{"name": "path""#,
            r#"{"name": "host", "type": "STRING"}, {"name": "path""#,
        )
        .replace(
            r#"{"name": "project""#,
            r#"{"name": "level", "type": "STRING"}, {"name": "project""#,
        );
    fixture.columns = parse_schema(&newer).unwrap();
    let row = r#"{"id":"n","timestamp":"2026-01-02T00:00:00Z","level":"info","metadata":{"request":{"host":"h","path":"/n"}}}"#;
    fixture
        .import(&fixture.write("b.json", row.as_bytes()))
        .unwrap();
    let engine = fixture.engine();
    let select = query(
        r#"SELECT "id", "level", "metadata"['request']['host'], "metadata"['request']['path'] FROM "edge"
           WHERE "timestamp" >= '2026-01-01T00:00:02Z' ORDER BY "timestamp" DESC"#,
        &[
            ("id", Type::String),
            ("level", Type::String),
            ("host", Type::String),
            ("path", Type::String),
        ],
        10,
    );
    assert_eq!(
        rows(&engine, &select).await,
        json!([
            ["n", "info", "h", "/n"],
            ["c", null, null, null],
            ["b", null, null, "/b"]
        ])
    );
    let present = query(
        r#"SELECT "id", "is_present"("metadata"), "is_present"("metadata"['request']) FROM "edge"
           ORDER BY "timestamp""#,
        &[("id", Type::String), ("m", Type::Bool), ("r", Type::Bool)],
        10,
    );
    assert_eq!(
        rows(&engine, &present).await,
        json!([
            ["a", true, true],
            ["b", true, true],
            ["c", false, false],
            ["n", true, true]
        ])
    );
    let filtered = query(
        r#"SELECT "id", "metadata" FROM "edge" WHERE "metadata"['request']['host'] IS NULL ORDER BY "id" LIMIT 1"#,
        &[
            ("id", Type::String),
            ("metadata", fixture.columns[4].ty.clone()),
        ],
        10,
    );
    assert_eq!(
        rows(&engine, &filtered).await,
        json!([["a", [{"request": [{"host": null, "path": "/a", "status": 200}], "tags": []}]]])
    );
}

#[tokio::test]
async fn a_damaged_file_is_named_and_spares_other_streams() {
    let fixture = Fixture::new();
    fixture
        .import(&fixture.write("a.json", ROWS.as_bytes()))
        .unwrap();
    let good = std::fs::read(&fixture.stored()[0]).unwrap();
    let mut bad_page = good.clone();
    bad_page[40..60].fill(0xff);
    let damaged = fixture.data().join("edge").join("damaged.parquet");
    let engine = fixture.engine();
    let select = query(r#"SELECT "id" FROM "edge""#, &[("id", Type::String)], 10);
    for content in [
        b"PAR1 but nothing else PAR1".as_slice(),
        &good[..99],
        &bad_page,
    ] {
        std::fs::write(&damaged, content).unwrap();
        match engine.run(&select, soon()).await {
            Err(WarehouseError::Failure(message)) => {
                assert!(message.contains("damaged.parquet"), "{message}");
            }
            other => panic!("{other:?}"),
        }
    }
    let mut other = query(r#"SELECT count(*) FROM "auth""#, &[("n", Type::Int64)], 10);
    other.reads = vec![StreamName::new("auth")];
    assert_eq!(rows(&engine, &other).await, json!([[0]]));
}

#[tokio::test]
async fn failures_are_told_apart() {
    let fixture = Fixture::new();
    fixture
        .import(&fixture.write("a.json", ROWS.as_bytes()))
        .unwrap();
    let engine = fixture.engine();
    let kind = |sql: &'static str| {
        let engine = &engine;
        async move {
            match engine
                .run(&query(sql, &[("x", Type::Int64)], 10), soon())
                .await
            {
                Ok(_) => "rows",
                Err(WarehouseError::Evaluation(_)) => "evaluation",
                Err(WarehouseError::ResourcesExceeded(_)) => "resources",
                Err(WarehouseError::DeadlineExceeded) => "deadline",
                Err(WarehouseError::Unavailable(_)) => "unavailable",
                Err(WarehouseError::BytesBilledExceeded { .. }) => "cost",
                Err(WarehouseError::OtherTables(_)) => "tables",
                Err(WarehouseError::Failure(_)) => "failure",
            }
        }
    };
    for (sql, expected) in [
        (r#"SELECT 1 FROM "edge""#, "rows"),
        (
            r#"SELECT 1 / ("metadata"['request']['status'] - 200) FROM "edge""#,
            "evaluation",
        ),
        (r#"SELECT CAST("id" AS BIGINT) FROM "edge""#, "evaluation"),
        // Filters that run inside of the scan, of which the engine keeps the text alone.
        (
            r#"SELECT 1 FROM "edge" WHERE CAST("id" AS BIGINT) = 1"#,
            "evaluation",
        ),
        (
            r#"SELECT 1 FROM "edge" WHERE "cast_to_int64"("id") = 1"#,
            "evaluation",
        ),
        (
            r#"SELECT 1 FROM "edge" WHERE 1 / ("metadata"['request']['status'] - 200) = 1"#,
            "evaluation",
        ),
        (r#"SELECT 1 FROM "auth""#, "failure"),
        (r#"SELECT 1 FROM generate_series(1, 3)"#, "failure"),
        ("SELECT 1 FROM information_schema.tables", "failure"),
        ("CREATE TABLE t AS SELECT 1", "failure"),
        ("COPY (SELECT 1) TO 'x.csv'", "failure"),
        ("SELECT 1; SELECT 2", "failure"),
        ("SELECT 1 FROM '/etc/passwd'", "failure"),
    ] {
        assert_eq!(kind(sql).await, expected, "{sql}");
    }
}

/// Makes the engine work: every row of the stream is joined with every other, several times over.
const HEAVY: &str = r#"SELECT count(*) FROM "edge" a, "edge" b, "edge" c, "edge" d
    WHERE a."id" || b."id" || c."id" || d."id" = 'x'"#;
const HEAVY_SORT: &str = r#"SELECT 1 FROM "edge" a CROSS JOIN "edge" b CROSS JOIN "edge" c
    CROSS JOIN "edge" d ORDER BY a."id" || d."id""#;

fn many_rows(fixture: &Fixture) {
    let text: String = (0..1000)
        .map(|i| format!("{{\"id\":\"{i}\",\"timestamp\":{i}}}\n"))
        .collect();
    fixture
        .import(&fixture.write("many.json", text.as_bytes()))
        .unwrap();
}

#[tokio::test]
async fn a_query_ends_when_nobody_waits_for_it() {
    let fixture = Fixture::new();
    many_rows(&fixture);
    let engine = Arc::new(fixture.engine_with(EngineSettings {
        max_concurrent: std::num::NonZeroUsize::MIN,
        ..EngineSettings::default()
    }));
    for sql in [HEAVY, HEAVY_SORT] {
        let heavy = query(sql, &[("n", Type::Int64)], 1);
        let running = tokio::spawn({
            let (engine, heavy) = (Arc::clone(&engine), heavy.clone());
            async move { engine.run(&heavy, soon()).await }
        });
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(300) {
            tokio::task::yield_now().await;
        }
        assert!(!running.is_finished(), "{sql}");
        running.abort();
        // There is one place: this query runs only after the other has left it.
        let start = Instant::now();
        assert_eq!(count(&engine).await, json!(1000));
        // A task of the other may still be at its last batch.
        while engine.reserved() > 0 {
            assert!(start.elapsed() < Duration::from_secs(5), "{sql}");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }
}

/// The key that comes first is constant in each branch, and the branch that comes last is the quicker one.
#[tokio::test]
async fn branches_are_sorted_together() {
    let fixture = Fixture::new();
    many_rows(&fixture);
    let engine = fixture.engine();
    let sql = r#"SELECT "s"."id", "s"."kind" FROM (
        (SELECT "x"."id", 'a' AS "kind" FROM "edge" AS "x" JOIN "edge" AS "y" ON "x"."id" = "y"."id"
            WHERE "x"."id" > '9') UNION ALL
        (SELECT "id", 'b' AS "kind" FROM "edge" WHERE "id" < '1')) AS "s"
        ORDER BY "upper"("s"."kind") ASC, "s"."id" ASC LIMIT 3"#;
    let query = query(sql, &[("id", Type::String), ("kind", Type::String)], 10);
    let plan = engine.explain(&query).await.unwrap();
    assert!(
        plan.contains("SortExec: TopK(fetch=3), expr=[upper(kind@1) ASC"),
        "{plan}"
    );
    assert_eq!(
        rows(&engine, &query).await,
        json!([["90", "a"], ["900", "a"], ["901", "a"]])
    );
}

#[tokio::test]
async fn a_query_ends_at_its_deadline() {
    let fixture = Fixture::new();
    many_rows(&fixture);
    let engine = fixture.engine();
    for sql in [HEAVY, HEAVY_SORT] {
        let heavy = query(sql, &[("n", Type::Int64)], 1);
        let deadline = Instant::now() + Duration::from_millis(300);
        match engine.run(&heavy, Terms::until(deadline)).await {
            Err(WarehouseError::DeadlineExceeded | WarehouseError::ResourcesExceeded(_)) => {}
            other => panic!("{sql}: {other:?}"),
        }
        assert!(deadline.elapsed() < Duration::from_secs(2));
    }
    assert_eq!(count(&engine).await, json!(1000));
}

#[tokio::test]
async fn a_query_that_finds_no_place_is_turned_away() {
    let fixture = Fixture::new();
    many_rows(&fixture);
    let engine = fixture.engine_with(EngineSettings {
        max_concurrent: std::num::NonZeroUsize::MIN,
        ..EngineSettings::default()
    });
    let heavy = query(HEAVY, &[("n", Type::Int64)], 1);
    let short = query("SELECT 1", &[("n", Type::Int64)], 1);
    let deadline = Instant::now() + Duration::from_millis(300);
    let (first, second) = tokio::join!(
        engine.run(&heavy, Terms::until(deadline + Duration::from_millis(300))),
        engine.run(&short, Terms::until(deadline))
    );
    assert!(matches!(first, Err(WarehouseError::DeadlineExceeded)));
    assert!(matches!(second, Err(WarehouseError::Unavailable(_))));
}

#[tokio::test]
async fn memory_is_bounded() {
    let fixture = Fixture::new();
    many_rows(&fixture);
    let engine = fixture.engine_with(EngineSettings {
        memory_limit_bytes: 2 * 1024 * 1024,
        ..EngineSettings::default()
    });
    let hungry = query(
        r#"SELECT array_length(x) FROM (SELECT array_agg(a."id" || b."id") AS x FROM "edge" a, "edge" b)"#,
        &[("n", Type::Int64)],
        1,
    );
    match engine.run(&hungry, soon()).await {
        Err(WarehouseError::ResourcesExceeded(_)) => {}
        other => panic!("{other:?}"),
    }
    assert_eq!(count(&engine).await, json!(1000));
}

#[tokio::test]
async fn the_deepest_queries_that_the_compiler_lets_pass_are_planned() {
    let fixture = Fixture::new();
    fixture
        .import(&fixture.write("a.json", ROWS.as_bytes()))
        .unwrap();
    let engine = fixture.engine();
    let chain = (0..300).fold("FALSE".to_owned(), |chain, i| {
        format!(r#"({chain} OR ("id" = 'x{i}'))"#)
    });
    let sum = (0..300).fold("0".to_owned(), |sum, _| format!("({sum} + 1)"));
    let derived = (0..40).fold(r#"SELECT "id" FROM "edge""#.to_owned(), |query, i| {
        format!(r#"SELECT t{i}."id" FROM ({query}) AS t{i}"#)
    });
    let arms = vec![r#"SELECT "id" FROM "edge""#; 32].join(" UNION ALL ");
    for (sql, expected) in [
        (format!(r#"SELECT count(*) FROM "edge" WHERE {chain}"#), 0),
        (format!(r#"SELECT max({sum}) FROM "edge""#), 300),
        (format!("SELECT count(*) FROM ({derived})"), 3),
        (format!("SELECT count(*) FROM ({arms})"), 96),
    ] {
        let result = rows(&engine, &query(&sql, &[("n", Type::Int64)], 1)).await;
        assert_eq!(result, json!([[expected]]), "{sql}");
    }
}
