//! Functions between BYTES and STRING: encodings and digests.

use base64::Engine;
use base64::alphabet;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, STANDARD};
use sha2::{Digest, Sha256, Sha512};

use super::adapt::Function;
use super::cast::is_blank;
use super::digest::{md5, sha1};
use super::farmhash::fingerprint;
use super::fault::{Outcome, mismatch, refuse};
use super::value::{Kind, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("to_hex", Kind::String, |_, args| match args {
        [Value::Bin(bytes)] => Ok(Value::Text(
            bytes
                .iter()
                .flat_map(|byte| [byte >> 4, byte & 15])
                .filter_map(|digit| char::from_digit(u32::from(digit), 16))
                .collect(),
        )),
        _ => mismatch(args),
    }),
    Function::new("from_hex", Kind::Bytes, |_, args| match args {
        [Value::Str(text)] => from_hex(text).map(Value::Binary),
        _ => mismatch(args),
    }),
    Function::new("to_base64", Kind::String, |_, args| match args {
        [Value::Bin(bytes)] => Ok(Value::Text(STANDARD.encode(bytes))),
        _ => mismatch(args),
    }),
    Function::new("from_base64", Kind::Bytes, |_, args| match args {
        [Value::Str(text)] => {
            let text: String = text.chars().filter(|c| !is_blank(*c)).collect();
            let padding = if text.ends_with('=') {
                DecodePaddingMode::RequireCanonical
            } else {
                DecodePaddingMode::RequireNone
            };
            match base64(padding).decode(text) {
                Ok(bytes) => Ok(Value::Binary(bytes)),
                Err(_) => refuse("the text is no base64"),
            }
        }
        _ => mismatch(args),
    }),
    Function::new("to_base32", Kind::String, |_, args| match args {
        [Value::Bin(bytes)] => Ok(Value::Text(to_base32(bytes))),
        _ => mismatch(args),
    }),
    Function::new("from_base32", Kind::Bytes, |_, args| match args {
        [Value::Str(text)] => match from_base32(text) {
            Some(bytes) => Ok(Value::Binary(bytes)),
            None => refuse("the text is no base32"),
        },
        _ => mismatch(args),
    }),
    Function::new(
        "safe_convert_bytes_to_string",
        Kind::String,
        |_, args| match args {
            [Value::Bin(bytes)] => match std::str::from_utf8(bytes) {
                Ok(text) => Ok(Value::Str(text)),
                Err(_) => Ok(Value::Text(replace_invalid(bytes))),
            },
            _ => mismatch(args),
        },
    ),
    Function::new("md5", Kind::Bytes, |_, args| {
        Ok(Value::Binary(md5(input(args)?).to_vec()))
    }),
    Function::new("sha1", Kind::Bytes, |_, args| {
        Ok(Value::Binary(sha1(input(args)?).to_vec()))
    }),
    Function::new("farm_fingerprint", Kind::Int64, |_, args| {
        Ok(Value::Int64(fingerprint(input(args)?).cast_signed()))
    }),
    Function::new("sha256", Kind::Bytes, |_, args| {
        Ok(Value::Binary(Sha256::digest(input(args)?).to_vec()))
    }),
    Function::new("sha512", Kind::Bytes, |_, args| {
        Ok(Value::Binary(Sha512::digest(input(args)?).to_vec()))
    }),
];

/// Base64 whose last bits may be anything.
fn base64(padding: DecodePaddingMode) -> GeneralPurpose {
    let config = GeneralPurposeConfig::new()
        .with_decode_padding_mode(padding)
        .with_decode_allow_trailing_bits(true);
    GeneralPurpose::new(&alphabet::STANDARD, config)
}

const BASE32: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

fn input<'a>(args: &[Value<'a>]) -> Outcome<&'a [u8]> {
    match args {
        [Value::Str(text)] => Ok(text.as_bytes()),
        [Value::Bin(bytes)] => Ok(bytes),
        _ => mismatch(args),
    }
}

fn from_hex(text: &str) -> Outcome<Vec<u8>> {
    let digits: Option<Vec<u8>> = text
        .chars()
        .map(|c| c.to_digit(16).and_then(|digit| u8::try_from(digit).ok()))
        .collect();
    let Some(mut digits) = digits else {
        return refuse("the text is not hexadecimal");
    };
    if digits.len() % 2 == 1 {
        digits.insert(0, 0);
    }
    Ok(digits
        .chunks(2)
        .map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit))
        .collect())
}

fn to_base32(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.chunks(5) {
        let mut group = chunk.to_vec();
        group.resize(5, 0);
        let bits = group
            .iter()
            .fold(0_u64, |bits, byte| bits << 8 | u64::from(*byte));
        let used = (chunk.len() * 8).div_ceil(5);
        for number in 0..8 {
            let digit = usize::try_from(bits >> (35 - 5 * number) & 31).unwrap_or_default();
            let letter = BASE32.get(digit).copied().unwrap_or(b'A');
            out.push(if number < used {
                char::from(letter)
            } else {
                '='
            });
        }
    }
    out
}

fn from_base32(text: &str) -> Option<Vec<u8>> {
    let letters = text.trim_end_matches('=');
    if !matches!(letters.len() % 8, 0 | 2 | 4 | 5 | 7) || !text.len().is_multiple_of(8) {
        return None;
    }
    let mut out = Vec::new();
    let (mut bits, mut count) = (0_u32, 0_u32);
    for letter in letters.bytes() {
        let digit = BASE32.iter().position(|known| *known == letter)?;
        bits = (bits << 5 | u32::try_from(digit).ok()?) & 0xFFFF;
        count += 5;
        if count >= 8 {
            count -= 8;
            out.push(u8::try_from(bits >> count & 255).ok()?);
        }
    }
    Some(out)
}

/// Puts U+FFFD in place of every byte that is not part of UTF-8 text.
fn replace_invalid(bytes: &[u8]) -> String {
    let mut out = String::new();
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| '\u{FFFD}'));
    }
    out
}
