//! NET functions: hosts of URLs, and IP addresses as BYTES in network order.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::adapt::Function;
use super::fault::{Outcome, mismatch, refuse};
use super::value::{Kind, Value};

pub(super) const FUNCTIONS: &[Function] = &[
    Function::new("net_host", Kind::String, |_, args| match args {
        [Value::Str(url)] => Ok(host(url).map_or(Value::Null, Value::Str)),
        _ => mismatch(args),
    }),
    Function::new("net_ip_from_string", Kind::Bytes, |_, args| {
        ip_from_string(args)
    }),
    Function::new("net_safe_ip_from_string", Kind::Bytes, |_, args| {
        ip_from_string(args)
    })
    .null_on_error(),
    Function::new("net_ip_to_string", Kind::String, |_, args| match args {
        [Value::Bin(bytes)] => {
            if let Ok(octets) = <[u8; 4]>::try_from(*bytes) {
                Ok(Value::Text(Ipv4Addr::from(octets).to_string()))
            } else if let Ok(octets) = <[u8; 16]>::try_from(*bytes) {
                Ok(Value::Text(ipv6_text(Ipv6Addr::from(octets))))
            } else {
                refuse("an IP address has 4 or 16 bytes")
            }
        }
        _ => mismatch(args),
    }),
    Function::new("net_ip_net_mask", Kind::Bytes, |_, args| match args {
        [Value::Int64(size @ (4 | 16)), Value::Int64(prefix)] => {
            let size = usize::try_from(*size).unwrap_or_default();
            masked(&vec![255; size], *prefix)
        }
        [Value::Int64(_), Value::Int64(_)] => refuse("an IP address has 4 or 16 bytes"),
        _ => mismatch(args),
    }),
    Function::new("net_ip_trunc", Kind::Bytes, |_, args| match args {
        [Value::Bin(bytes), Value::Int64(prefix)] if matches!(bytes.len(), 4 | 16) => {
            masked(bytes, *prefix)
        }
        [Value::Bin(_), Value::Int64(_)] => refuse("an IP address has 4 or 16 bytes"),
        _ => mismatch(args),
    }),
    Function::new("net_ipv4_from_int64", Kind::Bytes, |_, args| match args {
        [Value::Int64(number)] => {
            let address = u32::try_from(*number)
                .ok()
                .or_else(|| i32::try_from(*number).ok().map(i32::cast_unsigned));
            match address {
                Some(address) => Ok(Value::Binary(address.to_be_bytes().to_vec())),
                None => refuse("no such IPv4 address"),
            }
        }
        _ => mismatch(args),
    }),
    Function::new("net_ipv4_to_int64", Kind::Int64, |_, args| match args {
        [Value::Bin(bytes)] => match <[u8; 4]>::try_from(*bytes) {
            Ok(octets) => Ok(Value::Int64(i64::from(u32::from_be_bytes(octets)))),
            Err(_) => refuse("an IPv4 address has 4 bytes"),
        },
        _ => mismatch(args),
    }),
];

/// Writes an IPv6 address; one that holds nothing but an IPv4 address is written with its dots.
fn ipv6_text(address: Ipv6Addr) -> String {
    match address.octets() {
        [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, a, b, c, d] if a != 0 || b != 0 => {
            format!("::{}", Ipv4Addr::new(a, b, c, d))
        }
        _ => address.to_string(),
    }
}

fn ip_from_string<'a>(args: &[Value<'a>]) -> Outcome<Value<'a>> {
    match args {
        [Value::Str(text)] => match text.parse() {
            Ok(IpAddr::V4(address)) => Ok(Value::Binary(address.octets().to_vec())),
            Ok(IpAddr::V6(address)) => Ok(Value::Binary(address.octets().to_vec())),
            Err(_) => refuse("the text is no IP address"),
        },
        _ => mismatch(args),
    }
}

/// The first bits of an address; the rest are zero.
fn masked<'a>(address: &[u8], prefix: i64) -> Outcome<Value<'a>> {
    let bits = address.len() * 8;
    let Some(prefix) = usize::try_from(prefix)
        .ok()
        .filter(|prefix| *prefix <= bits)
    else {
        return refuse("no prefix of an IP address has that length");
    };
    Ok(Value::Binary(
        address
            .iter()
            .enumerate()
            .map(|(number, byte)| {
                let kept = prefix.saturating_sub(number * 8).min(8);
                let mask = u8::MAX.checked_shl(8 - u32::try_from(kept).unwrap_or_default());
                byte & mask.unwrap_or_default()
            })
            .collect(),
    ))
}

/// The host of a URL, as it is written: what stands between the scheme or the name of a user and the
/// port or the path.
fn host(url: &str) -> Option<&str> {
    // White space as C has it.
    let url = url.trim_matches(|c: char| c.is_ascii_whitespace() || c == '\x0b');
    let authority = match url.strip_prefix("//") {
        Some(rest) => rest,
        None => url
            .split_once("://")
            .filter(|(scheme, _)| !scheme.contains(['/', '?', '#']))
            .map_or(url, |(_, rest)| rest),
    };
    let end = authority
        .find(['/', '\\', '?', '#'])
        .unwrap_or(authority.len());
    let authority = authority.get(..end)?;
    let server = authority
        .rsplit_once('@')
        .map_or(authority, |(_, server)| server);
    // The colons of an IPv6 address are in brackets.
    let port = if server.starts_with('[') {
        let bracket = server.find(']').unwrap_or(server.len());
        let after = server.get(bracket..).unwrap_or_default();
        after.find(':').map(|at| bracket + at)
    } else {
        server.find(':')
    };
    let host = server.get(..port.unwrap_or(server.len()))?;
    (!host.is_empty()).then_some(host)
}
