//! The endpoints and streams that the binary carries, so that it runs without a folder of them.

use super::source::{Source, Sources};

macro_rules! shipped {
    ($($name:literal),+ $(,)?) => {
        [$(($name, include_str!(concat!("../../endpoints/", $name)))),+]
    };
}

/// Every shipped file by its path in the folder.
const FILES: [(&str, &str); 13] = shipped![
    "logs.all.toml",
    "logs.all.sql",
    "usage.api-counts.toml",
    "usage.api-counts.sql",
    "streams/auth.json",
    "streams/database.json",
    "streams/edge.json",
    "streams/function.json",
    "streams/function_edge.json",
    "streams/pooler.json",
    "streams/realtime.json",
    "streams/rest_api.json",
    "streams/storage.json",
];

pub(super) fn sources() -> Sources {
    let mut sources = Sources::default();
    for (path, text) in FILES {
        let source = Source {
            file: path.to_owned(),
            text: text.to_owned(),
        };
        let (files, stem) = if let Some(stem) = path.strip_suffix(".toml") {
            (&mut sources.definitions, stem)
        } else if let Some(stem) = path.strip_suffix(".sql") {
            (&mut sources.queries, stem)
        } else {
            let file = path.strip_prefix("streams/").unwrap_or(path);
            (
                &mut sources.streams,
                file.strip_suffix(".json").unwrap_or(file),
            )
        };
        files.insert(stem.to_owned(), Some(source));
    }
    sources
}
