//! The built-in rules.
//!
//! RE2 has no lookaround, so what must stand beside a match is asked for with `\b` and `\B` or not at all,
//! and a separator is never part of a match: then matches beside each other are all found. Where a text may
//! go on with characters of the same kind, a pattern takes them too, so that what is left does not depend on
//! what was there. In JSON text, an escape such as `\n` before a match goes with it as a whole.

/// A rule that ships.
#[derive(Debug)]
pub struct BuiltIn {
    /// Its name.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub about: &'static str,
    /// Whether it is on unless the operator says otherwise.
    pub default: bool,
    /// The regular expression, RE2.
    pub pattern: &'static str,
    /// Whether a text may have a match at all; cheap, and never false for one that has.
    pub(super) candidate: fn(&str) -> bool,
}

/// A hexadecimal digit.
macro_rules! hex {
    () => {
        "[0-9A-Fa-f]"
    };
}

/// A group of an IPv6 address that is not its first or last one.
macro_rules! group {
    () => {
        "[0-9A-Fa-f]{1,4}"
    };
}

/// A colon, as it is or as URLs encode it.
macro_rules! colon {
    () => {
        "(?::|%3[Aa])"
    };
}

/// Four numbers with dots, or more of them. Those in the middle have at most three digits, which tells an
/// address from most versions of four parts.
macro_rules! ipv4 {
    () => {
        r"[0-9]+\.[0-9]{1,3}\.[0-9]{1,3}(?:\.[0-9]+)+"
    };
}

/// What the first group of an address in use looks like: four digits, one of them below ten, or a unique
/// local one. Names in code with `::` behind them seldom do.
macro_rules! prefix {
    () => {
        "(?:[0-9][0-9A-Fa-f]{3}|[0-9A-Fa-f][0-9][0-9A-Fa-f]{2}|[0-9A-Fa-f]{2}[0-9][0-9A-Fa-f]|[0-9A-Fa-f]{3}[0-9]|[Ff][CcDd][0-9A-Fa-f]{2})"
    };
}

/// IPv4, and IPv6 in all forms of RFC 4291, section 2.2. Times and MAC addresses have too few groups for the
/// full form; `a::b` without anything that only an address has is taken for code.
const IP: &str = concat!(
    r"(?:\\u[0-9A-Fa-f]{4})?(?:",
    // The last 32 bits as IPv4: `::ffff:1.2.3.4`, and the full form of it.
    "(?:",
    hex!(),
    "+(?:",
    colon!(),
    group!(),
    ")*)?",
    colon!(),
    colon!(),
    "(?:",
    group!(),
    colon!(),
    ")*",
    ipv4!(),
    "|",
    hex!(),
    "+",
    colon!(),
    "(?:",
    group!(),
    colon!(),
    "){5}",
    ipv4!(),
    // Eight groups, or more.
    "|",
    hex!(),
    "+(?:",
    colon!(),
    group!(),
    "){6,}",
    colon!(),
    hex!(),
    "+",
    // Two groups or more before `::`, with anything behind it: `2001:db8::1`.
    "|",
    hex!(),
    "+(?:",
    colon!(),
    group!(),
    ")+",
    colon!(),
    colon!(),
    "(?:(?:",
    group!(),
    colon!(),
    ")*",
    hex!(),
    "+)?",
    // IPv4 in hexadecimal: `::ffff:c0a8:1`.
    "|",
    colon!(),
    colon!(),
    "(?:0",
    colon!(),
    ")?[Ff]{4}",
    colon!(),
    group!(),
    colon!(),
    hex!(),
    "+",
    // Four groups or more behind `::`.
    "|",
    hex!(),
    "*",
    colon!(),
    colon!(),
    group!(),
    "(?:",
    colon!(),
    group!(),
    "){3,}",
    // A digit behind `::`, where no name of a program can begin: `::1`, `fe80::1:2`.
    "|",
    hex!(),
    "*",
    colon!(),
    colon!(),
    "[0-9]",
    hex!(),
    "{0,3}(?:",
    colon!(),
    group!(),
    r")*\b",
    // A letter behind it, or nothing: `fe80::abcd`, `fe80::/10`.
    "|",
    prefix!(),
    colon!(),
    colon!(),
    "[A-Fa-f]",
    hex!(),
    "{0,3}(?:",
    colon!(),
    group!(),
    r")*\b",
    "|",
    prefix!(),
    colon!(),
    colon!(),
    r"\B",
    "|",
    ipv4!(),
    ")",
);

/// The local part and one domain or more. What `ip` has made of an address in the place of the domain counts
/// as one.
const EMAIL: &str = concat!(
    r"(?:\\(?:u[0-9A-Fa-f]{4}|[bfnrt]))?",
    r"[0-9A-Za-z._%+'~\x{80}-\x{10FFFF}-]+",
    r"(?:(?:@|%40)(?:(?:[0-9A-Za-z_\x{80}-\x{10FFFF}-]+\.)+[A-Za-z\x{80}-\x{10FFFF}][0-9A-Za-z\x{80}-\x{10FFFF}-]*[0-9A-Za-z\x{80}-\x{10FFFF}]|\[?REDACTED))+",
);

/// JSON Web Tokens in the compact form, RFC 7515 and RFC 7516: two to five parts, the first of them a JSON
/// object.
const JWT: &str = r"eyJ[0-9A-Za-z_-]{8,}(?:\.[0-9A-Za-z_-]*){1,4}";

/// The scheme with its credentials, RFC 6750, section 2.1. A word that follows is taken for credentials when
/// it has a digit or is long.
const BEARER: &str = r"(?i:bearer)(?:\s|\+|%20)+(?:[A-Za-z._~+/=-]*[0-9][0-9A-Za-z._~+/=-]*|[0-9A-Za-z._~+/=-]{16,})";

/// Numbers of payment cards by the prefixes and lengths of the large networks, also in groups.
const CARD: &str = concat!(
    r"(?:\\[bfnrt]|\b)(?:",
    // Visa.
    "4[0-9]{3}(?:[ -]?[0-9]{4}){3}(?:[0-9]{3})?|4[0-9]{12}",
    // Mastercard, Discover, JCB.
    "|(?:5[1-5][0-9]{2}|222[1-9]|22[3-9][0-9]|2[3-6][0-9]{2}|27[01][0-9]|2720|6011|64[4-9][0-9]|65[0-9]{2}|352[89]|35[3-8][0-9])(?:[ -]?[0-9]{4}){3}",
    // UnionPay.
    "|62[0-9]{2}(?:[ -]?[0-9]{4}){3}(?:[ -]?[0-9]{1,3})?",
    // American Express, Diners Club.
    "|3[47][0-9]{2}[ -]?[0-9]{6}[ -]?[0-9]{5}|3(?:0[0-5]|[68][0-9])[0-9][ -]?[0-9]{6}[ -]?[0-9]{4}",
    r")\b",
);

/// Numbers with their country code (ITU-T E.164), and those of North America in the usual groups.
const PHONE: &str = concat!(
    r"(?:\+|%2[Bb])[1-9](?:[ ().-]{0,2}[0-9]){6,14}",
    r"|(?:\([2-9][0-9]{2}\) ?|\b[2-9][0-9]{2}[ .-])[2-9][0-9]{2}[ .-][0-9]{4}\b",
);

/// Every rule that ships, in the order in which they are applied. `ip` is the first, so that it sees every
/// text as it was.
pub const BUILT_IN: &[BuiltIn] = &[
    BuiltIn {
        name: "ip",
        about: "IPv4 and IPv6 addresses",
        default: true,
        pattern: IP,
        candidate: may_have_ip,
    },
    BuiltIn {
        name: "email",
        about: "e-mail addresses",
        default: true,
        pattern: EMAIL,
        candidate: |text| text.contains('@') || text.contains("%40"),
    },
    BuiltIn {
        name: "jwt",
        about: "JSON Web Tokens",
        default: false,
        pattern: JWT,
        candidate: |text| text.contains("eyJ"),
    },
    BuiltIn {
        name: "bearer",
        about: "bearer credentials",
        default: false,
        pattern: BEARER,
        candidate: |_| true,
    },
    BuiltIn {
        name: "card",
        about: "payment card numbers, by prefix and length",
        default: false,
        pattern: CARD,
        candidate: |text| text.bytes().filter(u8::is_ascii_digit).count() >= 13,
    },
    BuiltIn {
        name: "phone",
        about: "phone numbers",
        default: false,
        pattern: PHONE,
        candidate: |text| text.bytes().filter(u8::is_ascii_digit).count() >= 7,
    },
];

/// Returns the rule of a name.
pub(super) fn built_in(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|rule| rule.name == name)
}

/// Returns the names of all rules, for messages.
pub(super) fn names() -> String {
    let names: Vec<&str> = BUILT_IN.iter().map(|rule| rule.name).collect();
    names.join(", ")
}

/// Three dots, two colons beside each other, seven colons, or an encoded colon.
fn may_have_ip(text: &str) -> bool {
    let (mut dots, mut colons) = (0, 0);
    let mut before = 0;
    for byte in text.bytes() {
        match byte {
            b'.' => dots += 1,
            b':' if before == b':' => return true,
            b':' => colons += 1,
            b'3' if before == b'%' => return true,
            _ => {}
        }
        if dots >= 3 || colons >= 7 {
            return true;
        }
        before = byte;
    }
    false
}
