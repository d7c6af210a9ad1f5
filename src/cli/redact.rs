//! `logboom redact`: what each rule of redaction catches in a text.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use serde_json::json;

use super::source;
use crate::compiler::redaction::{BUILT_IN, Redaction, Redactor, Rule};

/// The flags of `redact`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The text.
    text: String,
    /// The configuration file [default: ./logboom.toml if there is one].
    #[arg(long, value_name = "FILE", env = "LOGBOOM_CONFIG")]
    config: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// A rule, and what it finds on its own.
struct Found<'t> {
    rule: Rule,
    on: bool,
    caught: Vec<&'t str>,
}

/// Prints what every rule catches, those that are off included, and the text as it is redacted.
///
/// # Errors
/// The configuration cannot be read, or the output not be written.
pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Args { text, config, json } = args;
    let redaction = source::load_config(config.as_deref())?.redaction;
    let found = find(&redaction, &text);
    let redacted = Redactor::from(&redaction).redact(&text).into_owned();
    let mut out = io::stdout().lock();
    if json {
        let rules: Vec<_> = found
            .iter()
            .map(|f| json!({"name": f.rule.name, "on": f.on, "caught": f.caught}))
            .collect();
        writeln!(out, "{:#}", json!({"rules": rules, "redacted": redacted}))?;
        return Ok(ExitCode::SUCCESS);
    }
    let width = found.iter().map(|f| f.rule.name.len()).max().unwrap_or(0);
    for Found { rule, on, caught } in &found {
        let on = if *on { "on " } else { "off" };
        let line = format!("{:width$}  {on}  {}", rule.name, caught.join("  "));
        writeln!(out, "{}", line.trim_end())?;
    }
    writeln!(out, "\n{redacted}")?;
    Ok(ExitCode::SUCCESS)
}

fn find<'t>(redaction: &Redaction, text: &'t str) -> Vec<Found<'t>> {
    let on = redaction.rules();
    let off = BUILT_IN.iter().map(Rule::from);
    let off: Vec<Rule> = off.filter(|rule| !on.contains(rule)).collect();
    let rules = on.iter().map(|rule| (rule, true));
    rules
        .chain(off.iter().map(|rule| (rule, false)))
        .map(|(rule, on)| {
            let ranges = Redactor::of(rule).matches(text);
            Found {
                rule: rule.clone(),
                on,
                caught: ranges.into_iter().filter_map(|r| text.get(r)).collect(),
            }
        })
        .collect()
}
