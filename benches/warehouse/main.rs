//! The embedded warehouse beside DuckDB, over the same rows.
//!
//! `cargo bench --bench warehouse -- --rows 1000000,5000000` makes that many edge rows, imports them, gives
//! DuckDB the same rows as nested Parquet (lists of structs), and runs each workload in turn through the
//! library, over HTTP, with DuckDB on the lists and with DuckDB on our own files; `--only daily` leaves out the
//! workloads that have no `daily` in their names, `--alone` leaves out DuckDB. Needs python3 and a package
//! registry for DuckDB.

#![expect(clippy::print_stdout, reason = "the table is what it is for")]

mod process;
mod work;

use std::fs::{self, File};
use std::io::Write as _;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use logboom::cli::demo;
use logboom::compiler::ir::{Column, StreamName, Type};
use logboom::compiler::{AdHoc, Call, Limits, Target, compile};
use logboom::endpoint::{Argument, Endpoints};
use logboom::warehouse::embedded::import::import_file;
use logboom::warehouse::embedded::{Embedded, EngineSettings, Store};
use logboom::warehouse::{Terms, Warehouse as _};
use process::{Duckdb, Run, Server};
use work::{NOW, Work};

/// Threads of either engine.
const THREADS: NonZeroUsize = NonZeroUsize::MIN.saturating_add(1);
/// Timed runs of each workload, after one that is not.
const RUNS: usize = 5;
/// Text that is imported at a time.
const PART_BYTES: u64 = 4_000_000_000;
const DEADLINE: Duration = Duration::from_secs(300);

fn main() -> Result<()> {
    // Cargo adds `--bench`.
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let (mut sizes, mut only, mut alone) = (vec![1_000_000], String::new(), false);
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().context("a value is missing");
        match argument.as_str() {
            "--rows" => {
                let number = |size: &str| {
                    size.parse()
                        .with_context(|| format!("not a number: {size}"))
                };
                sizes = value()?.split(',').map(number).collect::<Result<_>>()?;
            }
            "--only" => only = value()?,
            "--alone" => alone = true,
            _ => bail!("the arguments are --rows N[,N…], --only PART-OF-A-NAME and --alone"),
        }
    }
    let cache = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let endpoints = Endpoints::built_in(&Limits::default());
    for rows in sizes {
        let folder = cache.join(format!("warehouse-{rows}"));
        println!("\n{rows} edge rows in {}", folder.display());
        make(&folder, &endpoints, rows)?;
        let mut duckdb = None;
        if !alone {
            let duckdb = duckdb.insert(Duckdb::start(&cache, THREADS.get())?);
            views(duckdb, &folder, &endpoints)?;
        }
        measure(&folder, &endpoints, duckdb, &only)?;
    }
    Ok(())
}

/// Makes and imports the rows, if that was not done before.
fn make(folder: &Path, endpoints: &Endpoints, rows: u64) -> Result<()> {
    let done = folder.join("imported");
    if done.exists() {
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let text = folder.join("edge.ndjson");
    let (stream, columns) = edge(endpoints)?;
    let store = Store::new(folder.join("data"));
    let mut chunks = demo::chunks("edge", NOW.parse()?, rows)?;
    let (mut took, mut read, mut written, mut files) = (Duration::ZERO, 0, 0, 0);
    // A part at a time, so that the text need not be on the disk as a whole.
    loop {
        let mut file = File::create(&text)?;
        let mut size = 0;
        while size < PART_BYTES
            && let Some(chunk) = chunks()
        {
            file.write_all(&chunk.text)?;
            size += chunk.text.len() as u64;
        }
        drop(file);
        if size == 0 {
            break;
        }
        let start = Instant::now();
        let imported = import_file(&store, stream, columns, &text, &|_| {})?;
        took += start.elapsed();
        read += size;
        written += imported.bytes;
        files += imported.files.len();
    }
    #[expect(clippy::cast_precision_loss, reason = "a rate for reading")]
    let rate = rows as f64 / took.as_secs_f64();
    println!(
        "import: {rate:.0} rows/s, {} MB of text became {} MB in {files} files",
        read / 1_000_000,
        written / 1_000_000,
    );
    fs::remove_file(text)?;
    File::create(done)?;
    Ok(())
}

fn edge(endpoints: &Endpoints) -> Result<(&StreamName, &[Column])> {
    endpoints.catalog().stream("edge").context("no stream edge")
}

/// Gives DuckDB the rows, as lists of structs and as our own files.
fn views(duckdb: &mut Duckdb, folder: &Path, endpoints: &Endpoints) -> Result<()> {
    let structs = format!(
        "read_parquet('{}')",
        folder.join("data/edge/*.parquet").display()
    );
    let lists = folder.join("lists.parquet");
    if !lists.exists() {
        let (_, columns) = edge(endpoints)?;
        let items: Vec<String> = columns
            .iter()
            .map(|c| {
                format!(
                    "{} AS {}",
                    as_lists(&quoted(c.name.as_str()), &c.ty),
                    c.name
                )
            })
            .collect();
        let unfinished = folder.join("lists.tmp");
        duckdb.run(&format!(
            "COPY (SELECT {} FROM {structs} ORDER BY timestamp) TO '{}' \
             (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 131072)",
            items.join(", "),
            unfinished.display()
        ))?;
        fs::rename(unfinished, &lists)?;
    }
    duckdb.run(&format!("CREATE VIEW structs AS FROM {structs}"))?;
    duckdb.run(&format!(
        "CREATE VIEW lists AS FROM read_parquet('{}')",
        lists.display()
    ))?;
    Ok(())
}

fn quoted(name: &str) -> String {
    format!("\"{name}\"")
}

/// Returns a stored value with every record a list of at most one.
fn as_lists(value: &str, ty: &Type) -> String {
    match ty {
        Type::Array(array) if array.singleton => {
            let element = as_lists(value, &array.element);
            format!("CASE WHEN {value} IS NULL THEN [] ELSE [{element}] END")
        }
        Type::Struct(fields) => {
            let fields = fields.iter().filter_map(|field| {
                let name = field.name.as_ref()?.as_str();
                let inner = as_lists(&format!("{value}.{}", quoted(name)), &field.ty);
                Some(format!("{} := {inner}", quoted(name)))
            });
            format!("struct_pack({})", fields.collect::<Vec<_>>().join(", "))
        }
        _ => value.to_owned(),
    }
}

fn measure(
    folder: &Path,
    endpoints: &Endpoints,
    mut duckdb: Option<Duckdb>,
    only: &str,
) -> Result<()> {
    let runtime = tokio::runtime::Runtime::new()?;
    let settings = EngineSettings {
        threads: Some(THREADS),
        ..EngineSettings::default()
    };
    let engine = Embedded::open(folder.join("data"), endpoints.catalog(), settings)?;
    let server = Server::start(folder, THREADS.get())?;
    println!(
        "{:26} {:>9} {:>9} {:>9} {:>9} {:>15} {:>15} {:>15} {:>15}",
        "median ms",
        "query",
        "HTTP",
        "lists",
        "structs",
        "query/lists",
        "query/structs",
        "memory MB",
        "read MB"
    );
    for work in work::all().into_iter().filter(|w| w.name.contains(only)) {
        let mut runs: [Vec<Run>; 4] = Default::default();
        for round in 0..=RUNS {
            let query = runtime.block_on(call(&engine, endpoints, &work))?;
            let rows = query.rows;
            let mut round_runs = vec![query, server.run(&work)?];
            if let Some(duckdb) = &mut duckdb {
                for sql in [&work.on_lists, &work.on_structs] {
                    let run = duckdb.run(sql)?;
                    if run.rows != rows {
                        bail!("{}: {rows} rows, DuckDB has {}", work.name, run.rows);
                    }
                    round_runs.push(run);
                }
            }
            if round > 0 {
                for (all, run) in runs.iter_mut().zip(round_runs) {
                    all.push(run);
                }
            }
        }
        print(&work, &runs);
    }
    Ok(())
}

/// Compiles and runs a call in this process.
async fn call(engine: &Embedded, endpoints: &Endpoints, work: &Work) -> Result<Run> {
    let start = Instant::now();
    let endpoint = endpoints.get(work.endpoint).context("no such endpoint")?;
    let mut arguments = Vec::new();
    let mut sql = None;
    for (name, value) in &work.arguments {
        if *name == "sql" {
            sql = Some(*value);
        } else {
            arguments.push(((*name).to_owned(), Argument::Text((*value).to_owned())));
        }
    }
    let refused = |e: logboom::compiler::Diagnostics| anyhow::anyhow!(e.render("call", ""));
    let bound = endpoint.bind(&arguments).map_err(refused)?;
    let now: jiff::Timestamp = NOW.parse()?;
    let call = Call {
        ad_hoc: sql.map(AdHoc::Sql),
        parameters: &bound.parameters,
        now: now.as_microsecond(),
        max_rows: endpoint.max_rows,
        redaction: None,
        target: &Target::Embedded,
        limits: &Limits::default(),
    };
    let compiled = compile(&endpoint.query, &call, None).map_err(refused)?;
    let rows = engine
        .run(&compiled, Terms::until(Instant::now() + DEADLINE))
        .await?;
    Ok(Run {
        ms: start.elapsed().as_secs_f64() * 1000.0,
        rows: rows.rows.len(),
        memory: 0,
        read: 0,
    })
}

fn print(work: &Work, runs: &[Vec<Run>; 4]) {
    let medians: Vec<f64> = runs.iter().map(|runs| median(runs)).collect();
    let [query, http, lists, structs] = medians.as_slice() else {
        return;
    };
    let ratio = |by: f64, target: Option<f64>| {
        let met = match target {
            _ if by.is_nan() => return "-".to_owned(),
            Some(target) if query / by <= target => format!(" ok {target}"),
            Some(target) => format!(" MISSED {target}"),
            None => String::new(),
        };
        format!("{:.3}{met}", query / by)
    };
    let [_, served, on_lists, on_structs] = runs;
    let most = |value: fn(&Run) -> u64| {
        let of = |runs: &[Run]| runs.iter().map(value).max().unwrap_or(0) / 1_000_000;
        format!("{}/{}/{}", of(served), of(on_lists), of(on_structs))
    };
    println!(
        "{:26} {query:9.1} {http:9.1} {lists:9.1} {structs:9.1} {:>15} {:>15} {:>15} {:>15}",
        work.name,
        ratio(*lists, work.targets.map(|t| t.0)),
        ratio(*structs, work.targets.map(|t| t.1)),
        most(|run| run.memory),
        most(|run| run.read),
    );
}

fn median(runs: &[Run]) -> f64 {
    let mut times: Vec<f64> = runs.iter().map(|run| run.ms).collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
}
