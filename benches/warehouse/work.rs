//! The workloads: a call of an endpoint, and what a user of DuckDB would write in its place.

/// The instant of every call.
pub const NOW: &str = "2026-03-15T12:00:00Z";
/// The instant a day before.
const YESTERDAY: &str = "2026-03-14T12:00:00Z";
/// The instant a week before.
const LAST_WEEK: &str = "2026-03-08T12:00:00Z";

/// One thing to do.
pub struct Work {
    /// Its name in the table.
    pub name: &'static str,
    /// The endpoint.
    pub endpoint: &'static str,
    /// The arguments of the call; `sql` is the caller's own query.
    pub arguments: Vec<(&'static str, &'static str)>,
    /// The SQL over lists of structs, in the fastest spelling found.
    pub on_lists: String,
    /// The SQL over the files that the import writes.
    pub on_structs: String,
    /// The most that the engine may take, as ratios to these two.
    pub targets: Option<(f64, f64)>,
}

/// Returns the workloads. The tables of the SQL are called `lists` and `structs`.
pub fn all() -> Vec<Work> {
    vec![
        newest("logs.all, no window", None),
        newest("logs.all, 24 h", Some(YESTERDAY)),
        usage("usage daily", "daily", "day", LAST_WEEK),
        usage("usage hourly", "hourly", "hour", "2026-03-15T11:00:00Z"),
        usage(
            "usage minutely",
            "minutely",
            "minute",
            "2026-03-15T11:00:00Z",
        ),
        by_status(),
        search(),
        error_paths(),
    ]
}

fn newest(name: &'static str, start: Option<&'static str>) -> Work {
    let mut arguments = vec![("project", "acme")];
    arguments.extend(start.map(|start| ("iso_timestamp_start", start)));
    let window = start.map_or(String::new(), |start| format!(" AND timestamp > '{start}'"));
    let sql = |table: &str| {
        format!(
            "SELECT id, timestamp, event_message, metadata FROM {table} \
             WHERE project = 'acme'{window} ORDER BY timestamp DESC LIMIT 100"
        )
    };
    Work {
        name,
        endpoint: "logs.all",
        arguments,
        on_lists: sql("lists"),
        on_structs: sql("structs"),
        targets: Some((0.1, 1.0)),
    }
}

fn usage(name: &'static str, interval: &'static str, part: &str, since: &str) -> Work {
    let areas = ["rest", "storage", "auth", "realtime"];
    let counts = |path: &str| {
        areas
            .map(|area| format!("count(*) FILTER (regexp_matches({path}, '/{area}'))"))
            .join(", ")
    };
    let query = |counts: String, from: &str, url: &str| {
        format!(
            "SELECT date_trunc('{part}', timestamp) AS t, {counts} FROM {from} \
             WHERE regexp_matches({url}, 'demo') AND timestamp >= '{since}' GROUP BY t ORDER BY t"
        )
    };
    let unnested = format!(
        "(SELECT timestamp, unnest(m.request) AS r FROM \
         (SELECT timestamp, unnest(metadata) AS m FROM lists WHERE timestamp >= '{since}'))"
    );
    Work {
        name,
        endpoint: "usage.api-counts",
        arguments: vec![("project", "demo"), ("interval", interval)],
        on_lists: query(counts("r.path"), &unnested, "r.url"),
        on_structs: query(
            counts("metadata.request.path"),
            "structs",
            "metadata.request.url",
        ),
        targets: (interval == "daily").then_some((0.1, 1.0)),
    }
}

fn by_status() -> Work {
    let query = |from: &str, status: &str| {
        format!(
            "SELECT {status} AS s, date_trunc('hour', timestamp) AS h, count(*) AS n FROM {from} \
             GROUP BY s, h ORDER BY h, s"
        )
    };
    let condition = format!("WHERE project = 'acme' AND timestamp > '{YESTERDAY}'");
    Work {
        name: "by status and hour, 24 h",
        endpoint: "logs.all",
        arguments: vec![
            ("project", "acme"),
            ("iso_timestamp_start", YESTERDAY),
            (
                "sql",
                "select s.status_code, timestamp_trunc(timestamp, hour) as h, count(*) as n from edge_logs \
                 cross join unnest(metadata) as m cross join unnest(m.response) as s \
                 group by s.status_code, h order by h, s.status_code",
            ),
        ],
        on_lists: query(
            &format!(
                "(SELECT timestamp, unnest(m.response) AS r FROM \
                 (SELECT timestamp, unnest(metadata) AS m FROM lists {condition}))"
            ),
            "r.status_code",
        ),
        on_structs: query(
            &format!("(SELECT * FROM structs {condition} AND metadata.response IS NOT NULL)"),
            "metadata.response.status_code",
        ),
        targets: Some((0.1, 1.0)),
    }
}

fn search() -> Work {
    let query = |table: &str| {
        format!(
            "SELECT id, timestamp, event_message FROM {table} WHERE project = 'acme' \
             AND timestamp > '{YESTERDAY}' AND regexp_matches(event_message, 'POST.*50[0-9]') \
             ORDER BY timestamp DESC LIMIT 100"
        )
    };
    Work {
        name: "regex search, 24 h",
        endpoint: "logs.all",
        arguments: vec![
            ("project", "acme"),
            ("iso_timestamp_start", YESTERDAY),
            (
                "sql",
                "select id, timestamp, event_message from edge_logs \
                 where regexp_contains(event_message, 'POST.*50[0-9]') order by timestamp desc limit 100",
            ),
        ],
        on_lists: query("lists"),
        on_structs: query("structs"),
        targets: Some((1.0, 1.0)),
    }
}

fn error_paths() -> Work {
    Work {
        name: "top 100 error paths",
        endpoint: "logs.all",
        arguments: vec![
            ("project", "acme"),
            (
                "sql",
                "select r.path, count(*) as n from edge_logs cross join unnest(metadata) as m \
                 cross join unnest(m.request) as r cross join unnest(m.response) as s \
                 where s.status_code >= 400 group by r.path order by n desc, r.path limit 100",
            ),
        ],
        on_lists: "SELECT r.path AS p, count(*) AS n FROM (SELECT unnest(m.request) AS r, unnest(m.response) AS s \
                   FROM (SELECT unnest(metadata) AS m FROM lists WHERE project = 'acme')) \
                   WHERE s.status_code >= 400 GROUP BY p ORDER BY n DESC, p LIMIT 100"
            .to_owned(),
        on_structs: "SELECT metadata.request.path AS p, count(*) AS n FROM structs \
                     WHERE project = 'acme' AND metadata.response.status_code >= 400 \
                     AND metadata.request IS NOT NULL GROUP BY p ORDER BY n DESC, p LIMIT 100"
            .to_owned(),
        targets: None,
    }
}
