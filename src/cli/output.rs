//! Tables and values as people read them.

use std::io::{self, Write};

use serde_json::Value;

use crate::compiler::ir::{Column, Type};

/// The widest a cell is drawn, in characters; `--json` prints everything.
const CELL: usize = 60;

/// Writes an aligned table: a line of names, a rule, the rows.
pub(super) fn table(out: &mut impl Write, head: &[String], rows: &[Vec<String>]) -> io::Result<()> {
    let widths: Vec<usize> = head
        .iter()
        .enumerate()
        .map(|(column, name)| {
            rows.iter()
                .filter_map(|row| row.get(column))
                .chain([name])
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let rule: Vec<String> = widths.iter().map(|&width| "-".repeat(width)).collect();
    for row in [head, &rule]
        .into_iter()
        .chain(rows.iter().map(Vec::as_slice))
    {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(&format!("{cell:width$}  "));
        }
        writeln!(out, "{}", line.trim_end())?;
    }
    Ok(())
}

/// Returns a value of a result as one line of text. Nothing in it can steer a terminal.
pub(super) fn cell(column: &Column, value: &Value) -> String {
    let text = match (value, &column.ty) {
        (Value::Null, _) => "NULL".to_owned(),
        (Value::String(text), _) => text.clone(),
        (Value::Number(number), Type::Timestamp) => number
            .as_i64()
            .and_then(|micros| jiff::Timestamp::from_microsecond(micros).ok())
            .map_or_else(|| number.to_string(), |instant| instant.to_string()),
        (other, _) => other.to_string(),
    };
    let mut line = String::new();
    for (position, character) in text.chars().enumerate() {
        if position == CELL {
            line.push('…');
            break;
        }
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::compiler::ir::ColumnName;

    #[test]
    fn aligned() {
        let text = |cells: &[&str]| cells.iter().map(|&c| c.to_owned()).collect::<Vec<_>>();
        let mut out = Vec::new();
        table(
            &mut out,
            &text(&["path", "n"]),
            &[text(&["/é", "10"]), text(&["/longer", "2"])],
        )
        .unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "path     n\n-------  --\n/é       10\n/longer  2\n"
        );
    }

    #[test]
    fn cells() {
        #[track_caller]
        fn check(ty: Type, value: &Value, expected: &str) {
            let column = Column {
                name: ColumnName::new("c"),
                ty,
            };
            assert_eq!(cell(&column, value), expected, "{value}");
        }
        check(Type::String, &json!(null), "NULL");
        check(Type::String, &json!("a\n\u{1b}[2J"), "a\\n\\u{1b}[2J");
        check(Type::Int64, &json!(7), "7");
        check(Type::Timestamp, &json!(1_500_000), "1970-01-01T00:00:01.5Z");
        check(Type::array(Type::Int64), &json!([1, 2]), "[1,2]");
        check(
            Type::String,
            &json!("x".repeat(61)),
            &format!("{}…", "x".repeat(60)),
        );
    }
}
