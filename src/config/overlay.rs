//! The file, and the variables of the environment on top of it.

use serde::Deserialize;
use toml::{Table, Value};

use super::{Config, ConfigError};
use crate::toml_text::{self, Mistake};

/// Beginning of the names of all environment variables that set something.
const PREFIX: &str = "LOGBOOM_";

/// Variables with the prefix that are read elsewhere: where the file is and what is logged.
const OTHER_VARIABLES: [&str; 2] = ["LOGBOOM_CONFIG", "LOGBOOM_LOG"];

/// Reads the text of a file, which is called `name` in mistakes, and the variables of an environment.
pub(super) fn parse(
    name: &str,
    text: &str,
    env: impl Iterator<Item = (String, String)>,
) -> Result<Config, ConfigError> {
    let in_file = |mistake: Mistake| ConfigError::File(mistake.render(name, text));
    let mut config: Config = toml_text::read(text).map_err(in_file)?;
    let mut table: Table = toml_text::read(text).map_err(in_file)?;
    // The order of an environment is not fixed; that of the errors is.
    let mut variables: Vec<(String, String)> = env
        .filter(|(name, _)| name.starts_with(PREFIX) && !OTHER_VARIABLES.contains(&name.as_str()))
        .collect();
    variables.sort();
    for (variable, value) in variables {
        (table, config) = overlay(&table, &variable, &value)
            .map_err(|message| ConfigError::Environment { variable, message })?;
    }
    Ok(config)
}

/// Sets one variable and reads the whole again. What was there is right, so a mistake is the variable's.
fn overlay(table: &Table, variable: &str, text: &str) -> Result<(Table, Config), String> {
    let path = variable
        .strip_prefix(PREFIX)
        .unwrap_or(variable)
        .to_ascii_lowercase();
    let keys: Vec<&str> = path.split("__").collect();
    let mut mistake = None;
    for candidate in readings(text) {
        let mut changed = table.clone();
        set(&mut changed, &keys, candidate)?;
        match Config::deserialize(Value::Table(changed.clone())) {
            Ok(config) => return Ok((changed, config)),
            Err(error) => mistake = Some(Mistake::from(error).to_string()),
        }
    }
    Err(mistake.unwrap_or_default())
}

/// What the text of a variable may mean, the likeliest last: its mistake is the one that is reported.
fn readings(text: &str) -> Vec<Value> {
    let mut readings = vec![];
    let list = text
        .split(',')
        .map(str::trim)
        .filter(|item| !item.is_empty());
    readings.push(Value::Array(
        list.map(|item| Value::String(item.into())).collect(),
    ));
    readings.push(Value::String(text.into()));
    let literal = toml::from_str::<Table>(&format!("value = {text}"));
    readings.extend(literal.ok().and_then(|mut table| table.remove("value")));
    readings
}

fn set(table: &mut Table, keys: &[&str], value: Value) -> Result<(), String> {
    match keys {
        [] | [""] => Err("names no setting".into()),
        [key] => {
            table.insert((*key).to_owned(), value);
            Ok(())
        }
        [key, deeper @ ..] => {
            let entry = table
                .entry((*key).to_owned())
                .or_insert_with(|| Value::Table(Table::new()));
            match entry {
                Value::Table(inner) => set(inner, deeper, value),
                _ => Err(format!("`{key}` has no settings in it")),
            }
        }
    }
}
