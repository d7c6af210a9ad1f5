//! Format strings of the FORMAT and PARSE functions, read once into a list of elements.
//!
//! The elements are those of GoogleSQL's manual ("Format elements for date and time parts"), and before a padded
//! number the flags on which C libraries agree. What else GoogleSQL accepts means what its C library makes of it,
//! so it is refused.

/// A format string.
#[derive(Debug)]
pub struct Format {
    /// Its pieces in order.
    pub tokens: Vec<Token>,
}

/// A piece of a format string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// Text that stands for itself.
    Literal(String),
    /// An element.
    Element {
        /// What it stands for.
        element: Element,
        /// How its number is padded, if a flag says so; only where a value is written.
        pad: Option<Pad>,
        /// How it was written.
        source: String,
    },
    /// A percent sign at the end.
    LonePercent,
    /// What has no meaning of its own, as a caller is told.
    Unknown {
        /// What it is.
        what: String,
        /// Whether no C library reads such an element, whatever the text.
        never_read: bool,
    },
}

/// An element of a format string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    /// `%Y` and its kin, by their letter.
    Letter(char),
    /// `%E4Y`: at least four digits.
    FourDigitYear,
    /// `%E*S`, or `%E3S` with so many digits of fraction.
    Seconds(Option<usize>),
    /// `%Ez`: `+HH:MM`.
    OffsetMinutes,
}

/// What stands in front of a number that is shorter than its element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pad {
    /// `-`: nothing.
    Nothing,
    /// `_`: blanks.
    Blanks,
    /// `0`: zeros.
    Zeros,
}

/// What a value has: which elements mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Has {
    /// A year, month and day.
    pub date: bool,
    /// A time of day.
    pub time: bool,
    /// A time zone.
    pub zone: bool,
}

/// Elements of a date, by their letter.
const OF_DATE: &str = "AaBbCDdeFGghjmQUuVWwxYy";
/// Elements of a time of day.
const OF_TIME: &str = "HIklMPpRrSTX";
/// Elements of both.
const OF_BOTH: &str = "cs";
/// Elements of a time zone.
const OF_ZONE: &str = "Zz";
/// Elements that stand for a character.
const CHARACTERS: &str = "nt%";
/// Elements that are padded numbers, which flags go with. The years `%G` and `%Y` are none, because C libraries
/// pad them to different lengths.
const PADDED: &str = "CdegHIjMmSUVWy";

impl Has {
    /// What a DATE has.
    pub const DATE: Has = Has {
        date: true,
        time: false,
        zone: false,
    };
    /// What a TIME has.
    pub const TIME: Has = Has {
        date: false,
        time: true,
        zone: false,
    };
    /// What a DATETIME has.
    pub const DATETIME: Has = Has {
        date: true,
        time: true,
        zone: false,
    };
    /// What a TIMESTAMP has.
    pub const TIMESTAMP: Has = Has {
        date: true,
        time: true,
        zone: true,
    };

    /// Returns whether an element means something for such a value.
    pub fn allows(self, element: Element) -> bool {
        match element {
            Element::FourDigitYear => self.date,
            Element::Seconds(_) => self.time,
            Element::OffsetMinutes => self.zone,
            Element::Letter(letter) => {
                self.date && OF_DATE.contains(letter)
                    || self.time && OF_TIME.contains(letter)
                    || self.date && self.time && OF_BOTH.contains(letter)
                    || self.zone && OF_ZONE.contains(letter)
                    || CHARACTERS.contains(letter)
            }
        }
    }
}

impl Format {
    /// Reads a format by which a value is written.
    ///
    /// # Errors
    ///
    /// What in it has no meaning of its own, as a caller is told.
    pub fn for_writing(text: &str, has: Has) -> Result<Self, String> {
        let format = Self::known(text)?;
        for token in &format.tokens {
            if let Token::Element {
                element,
                pad: Some(_),
                source,
            } = token
                && !has.allows(*element)
            {
                return Err(unknown(source));
            }
        }
        Ok(format)
    }

    /// Reads a format by which a text is read, where no element has flags.
    ///
    /// # Errors
    ///
    /// What in it has no meaning of its own, as a caller is told.
    pub fn for_reading(text: &str) -> Result<Self, String> {
        let format = Self::known(text)?;
        for token in &format.tokens {
            if let Token::Element {
                pad: Some(_),
                source,
                ..
            } = token
            {
                return Err(unknown(source));
            }
        }
        Ok(format)
    }

    fn known(text: &str) -> Result<Self, String> {
        let format = Self::parse(text);
        for token in &format.tokens {
            if let Token::Unknown { what, .. } = token {
                return Err(what.clone());
            }
        }
        Ok(format)
    }

    /// Reads a format with all that is in it.
    pub fn parse(text: &str) -> Self {
        let mut tokens = Vec::new();
        let mut rest = text;
        while let Some((literal, after)) = rest.split_once('%') {
            push_literal(&mut tokens, literal);
            if after.is_empty() {
                tokens.push(Token::LonePercent);
                rest = after;
            } else {
                let (token, after) = element(after);
                tokens.push(token);
                rest = after;
            }
        }
        push_literal(&mut tokens, rest);
        Self { tokens }
    }
}

fn push_literal(tokens: &mut Vec<Token>, text: &str) {
    let (before, nul) = match text.split_once('\0') {
        Some((before, _)) => (before, true),
        None => (text, false),
    };
    if !before.is_empty() {
        tokens.push(Token::Literal(before.to_owned()));
    }
    if nul {
        let what = "a format with the character NUL".to_owned();
        tokens.push(Token::Unknown {
            what,
            never_read: false,
        });
    }
}

/// Reads the element behind a percent sign; returns it and what follows it.
fn element(text: &str) -> (Token, &str) {
    let (pad, unflagged) = match text.split_at_checked(1) {
        Some(("-", rest)) => (Some(Pad::Nothing), rest),
        Some(("_", rest)) => (Some(Pad::Blanks), rest),
        Some(("0", rest)) => (Some(Pad::Zeros), rest),
        _ => (None, text),
    };
    let found = match pad {
        None => extended(text).or_else(|| letter(text)),
        Some(_) => letter(unflagged).filter(
            |(element, _)| matches!(element, Element::Letter(letter) if PADDED.contains(*letter)),
        ),
    };
    let source = |rest: &str| {
        let length = text.len() - rest.len();
        format!("%{}", text.get(..length).unwrap_or(text))
    };
    match found {
        Some((element, rest)) => {
            let source = source(rest);
            let token = Token::Element {
                element,
                pad,
                source,
            };
            (token, rest)
        }
        None => {
            // As far as it could be one: to the first letter behind flags, digits and modifiers.
            let behind = text.trim_start_matches(|c: char| "EO".contains(c) || !c.is_alphabetic());
            let mut chars = behind.chars();
            chars.next();
            let rest = chars.as_str();
            let token = Token::Unknown {
                what: unknown(&source(rest)),
                never_read: is_never_read(text),
            };
            (token, rest)
        }
    }
}

/// Returns whether no C library's `strptime` knows what is behind a percent sign: neither a flag, a width or a modifier
/// before something, nor a letter that one of them has.
fn is_never_read(text: &str) -> bool {
    const OF_NONE: &str = "fiKLNoqv";
    let flags = |c: char| "-_0^#".contains(c);
    match text.chars().next() {
        Some(c) if c.is_ascii_alphabetic() => OF_NONE.contains(c),
        Some(c) if flags(c) => text.trim_start_matches(flags).is_empty(),
        Some(c) => !(c.is_ascii_digit() || "+:".contains(c)),
        None => true,
    }
}

/// Reads an element of one letter.
fn letter(text: &str) -> Option<(Element, &str)> {
    let mut chars = text.chars();
    let letter = chars.next()?;
    let known = [OF_DATE, OF_TIME, OF_BOTH, OF_ZONE, CHARACTERS]
        .iter()
        .any(|letters| letters.contains(letter));
    known.then_some((Element::Letter(letter), chars.as_str()))
}

/// Reads an element that begins with `E`.
fn extended(text: &str) -> Option<(Element, &str)> {
    const FIXED: [(&str, Element); 3] = [
        ("E*S", Element::Seconds(None)),
        ("E4Y", Element::FourDigitYear),
        ("Ez", Element::OffsetMinutes),
    ];
    for (written, element) in FIXED {
        if let Some(rest) = text.strip_prefix(written) {
            return Some((element, rest));
        }
    }
    let mut chars = text.strip_prefix('E')?.chars();
    let digits = chars.next()?.to_digit(10)?;
    let rest = chars.as_str().strip_prefix('S')?;
    Some((Element::Seconds(usize::try_from(digits).ok()), rest))
}

/// Names an element, as a caller is told of it.
pub fn unknown(source: &str) -> String {
    let shown: String = source.chars().take(12).collect();
    format!("the format element {shown}")
}

/// The days of the week from Sunday, in full; the short name is the first three letters.
pub const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

/// The months, in full; the short name is the first three letters.
pub const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats that mean nothing of their own, with what is said of them.
    #[test]
    fn what_a_c_library_decides_is_refused() {
        for (text, refused) in [
            ("%J", "%J"),
            ("a %f", "%f"),
            ("%+", "%+"),
            ("%E", "%E"),
            ("%Ey", "%Ey"),
            ("%OS", "%OS"),
            ("%E10S", "%E10S"),
            ("%E*", "%E*"),
            ("%E*z", "%E*z"),
            ("%3d", "%3d"),
            ("%-0d", "%-0d"),
            ("%-Y", "%-Y"),
            ("%_x", "%_x"),
            ("%-%", "%-%"),
            ("%^a", "%^a"),
            ("%:z", "%:z"),
            ("%\u{e9}", "%\u{e9}"),
            ("%%%", ""),
            ("%-d%_d%0d", ""),
            ("%-H", "%-H"),
        ] {
            let problem = Format::for_writing(text, Has::DATE).err();
            let expected = (!refused.is_empty()).then(|| unknown(refused));
            assert_eq!(problem, expected, "{text}");
        }
        assert!(Format::for_writing("%-H", Has::TIME).is_ok());
        assert!(Format::for_writing("a\0", Has::TIME).is_err());
        assert!(Format::for_reading("%-d").is_err());
        assert!(Format::for_reading("%d%H").is_ok());
    }
}
