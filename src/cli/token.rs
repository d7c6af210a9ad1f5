//! `logboom token`: issues, lists and revokes access tokens.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use crate::server::auth::{NewToken, Scope, TokenRecord, TokenStore, last_use};

use super::source::load_config;

/// Issues, lists and revokes access tokens.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Makes a token and prints it, once.
    Create(Create),
    /// Lists the tokens.
    List {
        /// Print JSON.
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        file: TokensFile,
    },
    /// Takes a token out of force, in running servers within a second.
    Revoke {
        /// Name of the token.
        name: String,
        #[command(flatten)]
        file: TokensFile,
    },
}

#[derive(Debug, clap::Args)]
struct Create {
    /// What the token is called; unique.
    #[arg(long)]
    name: String,
    /// Endpoint it may call, with `*` for any characters; may be repeated. All when absent.
    #[arg(long = "endpoint", value_name = "PATTERN")]
    endpoints: Vec<String>,
    /// Parameter that the token sets and the caller cannot; may be repeated.
    #[arg(long = "pin", value_name = "PARAMETER=VALUE", value_parser = parse_pin)]
    pins: Vec<(String, String)>,
    /// How long it is good, such as 90d or 12h, or until when. For ever when absent.
    #[arg(long, value_name = "DURATION|TIME", value_parser = parse_expiry)]
    expires: Option<Expiry>,
    /// What it allows beyond stored queries: sandbox, unredacted, refresh; or none.
    #[arg(
        long = "scope",
        value_name = "SCOPE,…",
        value_delimiter = ',',
        default_value = "sandbox",
        value_parser = parse_scope
    )]
    scopes: Vec<Option<Scope>>,
    #[command(flatten)]
    file: TokensFile,
}

#[derive(Debug, clap::Args)]
struct TokensFile {
    /// File of tokens.
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,
    /// Configuration file.
    #[arg(long, value_name = "FILE", env = "LOGBOOM_CONFIG")]
    config: Option<PathBuf>,
}

impl TokensFile {
    fn open(self) -> anyhow::Result<TokenStore> {
        let path = match self.tokens {
            Some(path) => path,
            None => load_config(self.config.as_deref())?.tokens,
        };
        Ok(TokenStore::open(&path)?)
    }
}

/// Runs the command.
///
/// # Errors
/// A token that cannot be as asked for, a name that no token has, a file that cannot be read or
/// written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let mut out = io::stdout().lock();
    match args.command {
        Command::Create(create) => {
            let now = Timestamp::now();
            let (new, file) = create.into_token(now)?;
            let token = file.open()?.create(new)?;
            writeln!(out, "{token}")?;
            let mut err = io::stderr().lock();
            writeln!(err, "Keep it now: only a digest is stored.")?;
        }
        Command::List { json, file } => {
            let store = file.open()?;
            let used = last_use(store.path());
            write_list(&mut out, store.list(), &used, json, Timestamp::now())?;
        }
        Command::Revoke { name, file } => {
            if !file.open()?.revoke(&name)? {
                bail!("there is no token `{name}`");
            }
            writeln!(out, "revoked `{name}`")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

impl Create {
    fn into_token(self, now: Timestamp) -> anyhow::Result<(NewToken, TokensFile)> {
        let mut pins = BTreeMap::new();
        for (parameter, value) in self.pins {
            if pins.insert(parameter.clone(), value).is_some() {
                bail!("the parameter `{parameter}` is pinned twice");
            }
        }
        let expires = match self.expires {
            None => None,
            Some(Expiry::At(instant)) => Some(instant),
            Some(Expiry::After(duration)) => {
                let instant = now.checked_add(duration);
                Some(instant.context("the token would expire after the year 9999")?)
            }
        };
        let scopes: BTreeSet<Scope> = self.scopes.into_iter().flatten().collect();
        let new = NewToken {
            name: self.name,
            created: now,
            expires,
            endpoints: self.endpoints,
            pins,
            scopes,
        };
        Ok((new, self.file))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expiry {
    After(SignedDuration),
    At(Timestamp),
}

fn parse_expiry(text: &str) -> Result<Expiry, String> {
    if let Ok(instant) = text.parse() {
        return Ok(Expiry::At(instant));
    }
    let seconds = [
        ("s", 1),
        ("m", 60),
        ("h", 3_600),
        ("d", 86_400),
        ("w", 604_800),
    ]
    .into_iter()
    .find_map(|(unit, seconds)| {
        let number: u32 = text.strip_suffix(unit)?.parse().ok()?;
        Some(i64::from(number) * seconds)
    });
    match seconds {
        Some(seconds) if seconds > 0 => Ok(Expiry::After(SignedDuration::from_secs(seconds))),
        _ => Err(
            "write a number above 0 with s, m, h, d or w, or a time such as 2027-01-01T00:00:00Z"
                .into(),
        ),
    }
}

fn parse_pin(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((parameter, value)) if !parameter.is_empty() && !value.is_empty() => {
            Ok((parameter.to_owned(), value.to_owned()))
        }
        _ => Err("write parameter=value".into()),
    }
}

/// Returns `None` for the word that stands for no scope at all.
fn parse_scope(text: &str) -> Result<Option<Scope>, String> {
    if text == "none" {
        return Ok(None);
    }
    text.parse().map(Some)
}

fn write_list(
    out: &mut impl Write,
    records: &[TokenRecord],
    used: &BTreeMap<String, Timestamp>,
    json: bool,
    now: Timestamp,
) -> io::Result<()> {
    if json {
        let listed: Vec<serde_json::Value> = {
            let records = records.iter();
            records
                .map(|r| record_json(r, last_used(r, used), now))
                .collect()
        };
        return writeln!(out, "{:#}", serde_json::Value::Array(listed));
    }
    let heading = [
        "NAME",
        "ENDPOINTS",
        "SCOPES",
        "PINS",
        "CREATED",
        "EXPIRES",
        "LAST USED",
    ];
    let mut lines: Vec<[String; 7]> = vec![heading.map(str::to_owned)];
    lines.extend(
        records
            .iter()
            .map(|r| record_cells(r, last_used(r, used), now)),
    );
    let mut widths = [0; 7];
    for line in &lines {
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = (*width).max(cell.chars().count());
        }
    }
    for line in &lines {
        let padded: Vec<String> = line
            .iter()
            .zip(widths)
            .map(|(cell, width)| format!("{cell:width$}"))
            .collect();
        writeln!(out, "{}", padded.join("  ").trim_end())?;
    }
    Ok(())
}

/// Returns when a token was used last. What was noted before it was made is of an earlier one of its name.
fn last_used(record: &TokenRecord, used: &BTreeMap<String, Timestamp>) -> Option<Timestamp> {
    let used = used.get(&record.name).copied()?;
    // Uses are noted to the minute.
    let made = record.created.as_second().div_euclid(60);
    (used.as_second().div_euclid(60) >= made).then_some(used)
}

fn record_json(record: &TokenRecord, used: Option<Timestamp>, now: Timestamp) -> serde_json::Value {
    json!({
        "name": record.name,
        "endpoints": record.endpoints,
        "scopes": record.scopes,
        "pins": record.pins,
        "created": record.created,
        "expires": record.expires,
        "expired": record.is_expired(now),
        "last_used": used,
    })
}

fn record_cells(record: &TokenRecord, used: Option<Timestamp>, now: Timestamp) -> [String; 7] {
    let or_dash = |cells: Vec<String>| {
        if cells.is_empty() {
            "-".to_owned()
        } else {
            cells.join(",")
        }
    };
    let seconds = |instant: Timestamp| format!("{instant:.0}");
    let expires = match record.expires {
        None => "never".to_owned(),
        Some(instant) if record.is_expired(now) => format!("{} (expired)", seconds(instant)),
        Some(instant) => seconds(instant),
    };
    [
        record.name.clone(),
        record.endpoints.join(","),
        or_dash(
            record
                .scopes
                .iter()
                .map(|scope| scope.name().to_owned())
                .collect(),
        ),
        or_dash(
            record
                .pins
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect(),
        ),
        seconds(record.created),
        expires,
        used.map_or_else(|| "never".to_owned(), seconds),
    ]
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;

    #[derive(Debug, clap::Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    #[track_caller]
    fn create(flags: &[&str]) -> Result<NewToken, String> {
        let words = ["token", "create", "--name", "n"].iter().chain(flags);
        let cli = Cli::try_parse_from(words).map_err(|e| e.to_string())?;
        match cli.args.command {
            Command::Create(create) => create
                .into_token(Timestamp::UNIX_EPOCH)
                .map(|(new, _)| new)
                .map_err(|e| e.to_string()),
            other => panic!("{other:?} is not `create`"),
        }
    }

    #[test]
    fn flags_describe_the_token() {
        let plain = create(&[]).unwrap();
        assert_eq!(plain.scopes, BTreeSet::from([Scope::Sandbox]));
        assert_eq!(plain.endpoints, Vec::<String>::new());
        assert_eq!(plain.expires, None);

        let full = create(&[
            "--endpoint",
            "logs.all",
            "--endpoint",
            "usage.*",
            "--pin",
            "project=abc",
            "--pin",
            "interval=a=b",
            "--expires",
            "90d",
            "--scope",
            "sandbox,unredacted",
            "--scope",
            "refresh",
        ])
        .unwrap();
        assert_eq!(full.endpoints, ["logs.all", "usage.*"]);
        assert_eq!(full.pins["project"], "abc");
        assert_eq!(full.pins["interval"], "a=b");
        assert_eq!(full.expires, Some("1970-04-01T00:00:00Z".parse().unwrap()));
        assert_eq!(full.scopes, BTreeSet::from(Scope::ALL));
        assert_eq!(
            create(&["--scope", "none"]).unwrap().scopes,
            BTreeSet::new()
        );
    }

    #[test]
    fn wrong_flags_are_refused() {
        for (flags, expected) in [
            (&["--pin", "project"][..], "write parameter=value"),
            (&["--pin", "project="], "write parameter=value"),
            (
                &["--pin", "p=1", "--pin", "p=2"],
                "the parameter `p` is pinned twice",
            ),
            (&["--expires", "0d"], "write a number above 0"),
            (&["--expires", "tomorrow"], "write a number above 0"),
            (
                &["--expires", "4294967295w"],
                "the token would expire after the year 9999",
            ),
            (&["--scope", "admin"], "there is no scope `admin`"),
        ] {
            let error = create(flags).expect_err("the flags are wrong");
            assert!(error.contains(expected), "{flags:?}: {error}");
        }
    }

    #[test]
    fn the_list_shows_everything_but_the_token() {
        let dir = tempfile::tempdir().unwrap();
        let mut store = TokenStore::open(&dir.path().join("tokens.toml")).unwrap();
        store
            .create(create(&["--expires", "1h", "--pin", "project=abc"]).unwrap())
            .unwrap();
        let now = "1970-01-01T02:00:00Z".parse().unwrap();
        let mut text = Vec::new();
        let used = BTreeMap::from([("n".to_owned(), now)]);
        write_list(&mut text, store.list(), &used, false, now).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "NAME  ENDPOINTS  SCOPES   PINS         CREATED               EXPIRES                         LAST USED\n\
             n     *          sandbox  project=abc  1970-01-01T00:00:00Z  1970-01-01T01:00:00Z (expired)  1970-01-01T02:00:00Z\n"
        );
        let mut json = Vec::new();
        write_list(&mut json, store.list(), &BTreeMap::new(), true, now).unwrap();
        let json: serde_json::Value = serde_json::from_slice(&json).unwrap();
        assert_eq!(json[0]["expired"], true);
        assert_eq!(json[0]["last_used"], serde_json::Value::Null);
        assert_eq!(json[0]["pins"]["project"], "abc");
        assert_eq!(json[0].get("digest"), None);
    }
}
