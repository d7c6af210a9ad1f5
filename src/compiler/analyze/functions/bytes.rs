//! Encodings, digests and network addresses.

use super::{Arg, Function, Ret, Signature, T, partial, sig, total};

use Arg::Of;
use T::{Bytes, Int64, String};

pub(super) static ENCODINGS: &[Function] = &[
    partial("TO_BASE64", &[sig(&[Of(Bytes)], Ret::Of(String))]),
    partial("FROM_BASE64", &[sig(&[Of(String)], Ret::Of(Bytes))]),
    partial("TO_BASE32", &[sig(&[Of(Bytes)], Ret::Of(String))]),
    partial("FROM_BASE32", &[sig(&[Of(String)], Ret::Of(Bytes))]),
    partial("TO_HEX", &[sig(&[Of(Bytes)], Ret::Of(String))]),
    partial("FROM_HEX", &[sig(&[Of(String)], Ret::Of(Bytes))]),
    partial(
        "SAFE_CONVERT_BYTES_TO_STRING",
        &[sig(&[Of(Bytes)], Ret::Of(String))],
    ),
    total("MD5", HASH),
    total("SHA1", HASH),
    total("SHA256", HASH),
    total("SHA512", HASH),
    total(
        "FARM_FINGERPRINT",
        &[
            sig(&[Of(String)], Ret::Of(Int64)),
            sig(&[Of(Bytes)], Ret::Of(Int64)),
        ],
    ),
];

pub(super) static ADDRESSES: &[Function] = &[
    total("NET.HOST", TEXT),
    total("NET.REG_DOMAIN", TEXT)
        .absent("the list of public suffixes is not part of it; take NET.HOST(url)"),
    total("NET.PUBLIC_SUFFIX", TEXT)
        .absent("the list of public suffixes is not part of it; take NET.HOST(url)"),
    partial("NET.IP_FROM_STRING", &[sig(&[Of(String)], Ret::Of(Bytes))]),
    total(
        "NET.SAFE_IP_FROM_STRING",
        &[sig(&[Of(String)], Ret::Of(Bytes))],
    ),
    partial("NET.IP_TO_STRING", &[sig(&[Of(Bytes)], Ret::Of(String))]),
    partial(
        "NET.IP_NET_MASK",
        &[sig(&[Of(Int64), Of(Int64)], Ret::Of(Bytes))],
    ),
    partial(
        "NET.IP_TRUNC",
        &[sig(&[Of(Bytes), Of(Int64)], Ret::Of(Bytes))],
    ),
    partial("NET.IPV4_FROM_INT64", &[sig(&[Of(Int64)], Ret::Of(Bytes))]),
    partial("NET.IPV4_TO_INT64", &[sig(&[Of(Bytes)], Ret::Of(Int64))]),
];

const TEXT: &[Signature] = &[sig(&[Of(String)], Ret::Of(String))];

const HASH: &[Signature] = &[
    sig(&[Of(String)], Ret::Of(Bytes)),
    sig(&[Of(Bytes)], Ret::Of(Bytes)),
];
