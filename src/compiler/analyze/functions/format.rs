//! What FORMAT makes of its format and of the types of its values.
//!
//! GoogleSQL checks both when it analyses a query, as far as the format is a literal. Source: GoogleSQL
//! reference, "FORMAT clause" and "FORMAT function".

use crate::compiler::ir::Type;

/// Returns what is wrong with the format of a call of FORMAT, if anything.
///
/// # Errors
/// A sentence without full stop about the format or the value that does not fit it.
pub fn check(format: &str, values: &[&Type]) -> Result<(), String> {
    let mut values = values.iter();
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '%' {
            continue;
        }
        if chars.next_if_eq(&'%').is_some() {
            continue;
        }
        while chars.next_if(|c| "-+ #0'".contains(*c)).is_some() {}
        count(&mut chars, &mut values)?;
        if chars.next_if_eq(&'.').is_some() {
            count(&mut chars, &mut values)?;
        }
        let Some(letter) = chars.next() else {
            return Err("a format cannot end within %".to_owned());
        };
        if !"diouxXfFeEgGspPtT".contains(letter) {
            return Err(format!("a format has no %{letter}"));
        }
        let Some(ty) = values.next() else {
            return Err("the format takes more values than it is given".to_owned());
        };
        if !takes(letter, ty) {
            return Err(format!("%{letter} does not take {ty:#}"));
        }
    }
    if values.next().is_some() {
        return Err("the format takes fewer values than it is given".to_owned());
    }
    Ok(())
}

/// Passes over a number, or over an asterisk, which stands for an INT64 value.
fn count<'t>(
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    values: &mut impl Iterator<Item = &'t &'t Type>,
) -> Result<(), String> {
    if chars.next_if_eq(&'*').is_none() {
        while chars.next_if(char::is_ascii_digit).is_some() {}
        return Ok(());
    }
    match values.next() {
        Some(Type::Int64) => Ok(()),
        Some(ty) => Err(format!("* stands for a value of type INT64, not {ty:#}")),
        None => Err("the format takes more values than it is given".to_owned()),
    }
}

fn takes(letter: char, ty: &Type) -> bool {
    match letter {
        'd' | 'i' | 'o' | 'x' | 'X' => *ty == Type::Int64,
        'f' | 'F' | 'e' | 'E' | 'g' | 'G' => {
            matches!(ty, Type::Float64 | Type::Numeric | Type::BigNumeric)
        }
        's' => *ty == Type::String,
        'p' | 'P' => *ty == Type::Json,
        't' | 'T' => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_checked_against_the_types_of_values() {
        for (format, values, fits) in [
            ("plain %%", &[][..], true),
            (
                "%d|%5.2f|%s",
                &[&Type::Int64, &Type::Float64, &Type::String][..],
                true,
            ),
            ("%-*d", &[&Type::Int64, &Type::Int64][..], true),
            ("%*d", &[&Type::String, &Type::Int64][..], false),
            ("%t%T", &[&Type::Date, &Type::Json][..], true),
            ("%P", &[&Type::String][..], false),
            ("%d", &[&Type::Float64][..], false),
            ("%d", &[][..], false),
            ("x", &[&Type::Int64][..], false),
            ("%", &[][..], false),
            ("%5%", &[][..], false),
            ("%u", &[&Type::Int64][..], false),
        ] {
            assert_eq!(check(format, values).is_ok(), fits, "{format}");
        }
    }
}
