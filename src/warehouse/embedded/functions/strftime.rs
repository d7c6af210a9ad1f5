//! Format strings of the FORMAT and PARSE functions, read once into a list of elements.

/// A format string.
#[derive(Debug)]
pub(super) struct Format {
    pub(super) tokens: Vec<Token>,
}

/// A piece of a format string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// Text that stands for itself.
    Literal(String),
    /// An element.
    Element {
        /// What it stands for.
        element: Element,
        /// How it was written.
        source: String,
    },
    /// A percent sign at the end.
    LonePercent,
}

/// An element of a format string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// `%Y` and its kin, by their letter.
    Letter(char),
    /// `%E4Y`: at least four digits.
    FourDigitYear,
    /// `%E*S`, or `%E3S` with so many digits of fraction.
    Seconds(Option<usize>),
    /// `%Ez`: `+HH:MM`.
    OffsetMinutes,
    /// `%E*z`: `+HH:MM:SS`.
    OffsetSeconds,
}

/// What a value has: which elements mean something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Has {
    pub(super) date: bool,
    pub(super) time: bool,
    pub(super) zone: bool,
}

impl Has {
    pub(super) const DATE: Has = Has {
        date: true,
        time: false,
        zone: false,
    };
    pub(super) const TIME: Has = Has {
        date: false,
        time: true,
        zone: false,
    };
    pub(super) const DATETIME: Has = Has {
        date: true,
        time: true,
        zone: false,
    };
    pub(super) const TIMESTAMP: Has = Has {
        date: true,
        time: true,
        zone: true,
    };

    /// Returns whether an element means something for such a value.
    pub(super) fn allows(self, element: Element) -> bool {
        match element {
            Element::FourDigitYear => self.date,
            Element::Seconds(_) => self.time,
            Element::OffsetMinutes | Element::OffsetSeconds => self.zone,
            Element::Letter(letter) => match letter {
                'A' | 'a' | 'B' | 'b' | 'C' | 'D' | 'd' | 'e' | 'F' | 'G' | 'g' | 'h' | 'j'
                | 'm' | 'Q' | 'U' | 'u' | 'V' | 'W' | 'w' | 'x' | 'Y' | 'y' => self.date,
                'H' | 'I' | 'k' | 'l' | 'M' | 'P' | 'p' | 'R' | 'r' | 'S' | 'T' | 'X' => self.time,
                'c' | 's' => self.date && self.time,
                'Z' | 'z' => self.zone,
                'n' | 't' | '%' => true,
                _ => false,
            },
        }
    }
}

impl Format {
    /// Reads a format string; every text is one.
    pub(super) fn parse(text: &str) -> Self {
        let mut tokens = Vec::new();
        let mut literal = String::new();
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            if c != '%' {
                literal.push(c);
                continue;
            }
            if !literal.is_empty() {
                tokens.push(Token::Literal(std::mem::take(&mut literal)));
            }
            let mut source = String::from('%');
            let mut next = || {
                let c = chars.next()?;
                source.push(c);
                Some(c)
            };
            let element = match next() {
                None => {
                    tokens.push(Token::LonePercent);
                    break;
                }
                Some('E') => match next() {
                    Some('z') => Some(Element::OffsetMinutes),
                    Some('*') => match next() {
                        Some('S') => Some(Element::Seconds(None)),
                        Some('z') => Some(Element::OffsetSeconds),
                        _ => None,
                    },
                    Some(digit) if digit.is_ascii_digit() => match (digit, next()) {
                        ('4', Some('Y')) => Some(Element::FourDigitYear),
                        (_, Some('S')) => digit
                            .to_digit(10)
                            .and_then(|digits| usize::try_from(digits).ok())
                            .map(|digits| Element::Seconds(Some(digits))),
                        _ => None,
                    },
                    Some(letter) if letter.is_ascii_alphabetic() => Some(Element::Letter(letter)),
                    _ => None,
                },
                Some('O') => match next() {
                    Some(letter) if letter.is_ascii_alphabetic() => Some(Element::Letter(letter)),
                    _ => None,
                },
                Some(letter) => Some(Element::Letter(letter)),
            };
            match element {
                Some(element) => tokens.push(Token::Element { element, source }),
                None => literal.push_str(&source),
            }
        }
        if !literal.is_empty() {
            tokens.push(Token::Literal(literal));
        }
        Self { tokens }
    }
}

/// The days of the week from Sunday, in full; the short name is the first three letters.
pub(super) const WEEKDAYS: [&str; 7] = [
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
];

/// The months, in full; the short name is the first three letters.
pub(super) const MONTHS: [&str; 12] = [
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
