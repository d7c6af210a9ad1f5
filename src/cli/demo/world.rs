//! Who causes the sample logs: projects, people, their devices and where they are, and when.

use super::random::Random;

const SECOND: i64 = 1_000_000;
const HOUR: i64 = 3600 * SECOND;
const DAYS: i64 = 8;
/// The share of the last hour, in hundredths, so that a chart by the minute shows something.
const LAST_HOUR: u64 = 8;
/// How busy the hours of a day are, in hundredths.
const RHYTHM: [u64; 24] = [
    22, 16, 12, 10, 10, 14, 24, 40, 62, 80, 90, 96, 92, 94, 100, 98, 92, 86, 78, 72, 66, 56, 44, 32,
];

/// Returns instants of the last days before `now`, in order.
pub(super) fn times(random: &mut Random, now: i64, rows: u64) -> Vec<i64> {
    let mut times: Vec<i64> = (0..rows)
        .map(|_| {
            if random.percent(LAST_HOUR) {
                return now - before(random, HOUR);
            }
            loop {
                let at = now - before(random, DAYS * 24 * HOUR);
                let hour = at.div_euclid(HOUR).rem_euclid(24);
                let busy = usize::try_from(hour).ok().and_then(|h| RHYTHM.get(h));
                if busy.is_some_and(|busy| random.percent(*busy)) {
                    return at;
                }
            }
        })
        .collect();
    times.sort_unstable();
    times
}

fn before(random: &mut Random, span: i64) -> i64 {
    let span = u64::try_from(span).unwrap_or_default();
    i64::try_from(random.below(span)).unwrap_or_default()
}

/// A place that requests come from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Location {
    pub(super) country: &'static str,
    pub(super) city: &'static str,
    pub(super) colo: &'static str,
    pub(super) continent: &'static str,
    pub(super) timezone: &'static str,
    pub(super) asn: u64,
    pub(super) organization: &'static str,
}

macro_rules! location {
    ($country:literal, $city:literal, $colo:literal, $continent:literal, $timezone:literal, $asn:literal, $organization:literal) => {
        Location {
            country: $country,
            city: $city,
            colo: $colo,
            continent: $continent,
            timezone: $timezone,
            asn: $asn,
            organization: $organization,
        }
    };
}

const HOME: Location = location!(
    "DE",
    "Berlin",
    "TXL",
    "EU",
    "Europe/Berlin",
    64496,
    "Example Telekom"
);
const ABROAD: [Location; 7] = [
    location!(
        "US",
        "Ashburn",
        "IAD",
        "NA",
        "America/New_York",
        64497,
        "Example Cloud"
    ),
    location!(
        "US",
        "San Jose",
        "SJC",
        "NA",
        "America/Los_Angeles",
        64498,
        "Example Cable"
    ),
    location!(
        "GB",
        "London",
        "LHR",
        "EU",
        "Europe/London",
        64499,
        "Example Broadband"
    ),
    location!(
        "IN",
        "Mumbai",
        "BOM",
        "AS",
        "Asia/Kolkata",
        64500,
        "Example Mobile"
    ),
    location!(
        "SG",
        "Singapore",
        "SIN",
        "AS",
        "Asia/Singapore",
        64501,
        "Example Net"
    ),
    location!(
        "BR",
        "São Paulo",
        "GRU",
        "SA",
        "America/Sao_Paulo",
        64502,
        "Exemplo Fibra"
    ),
    location!(
        "AU",
        "Sydney",
        "SYD",
        "OC",
        "Australia/Sydney",
        64503,
        "Example Link"
    ),
];

const PEOPLE: [&str; 11] = [
    "grace", "alan", "barbara", "edsger", "donald", "radia", "ken", "frances", "tony", "margaret",
    "niklaus",
];

const BROWSER: &str = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36";
const AGENTS: [&str; 6] = [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0",
    "node-fetch/1.0 (+https://github.com/bitinn/node-fetch)",
    "python-httpx/0.28.1",
    "Dart/3.9 (dart:io)",
    "curl/8.14.1",
];

/// Gives the parts that rows are made of.
pub(super) struct World {
    pub(super) random: Random,
}

impl World {
    pub(super) fn new(random: Random) -> Self {
        Self { random }
    }

    /// Returns a project; most traffic is that of `demo`.
    pub(super) fn project(&mut self) -> &'static str {
        self.random
            .weighted("initech", &[(60, "demo"), (20, "acme"), (14, "globex")])
    }

    pub(super) fn location(&mut self) -> Location {
        self.random.pick(HOME, &ABROAD)
    }

    pub(super) fn agent(&mut self) -> &'static str {
        self.random.pick(BROWSER, &AGENTS)
    }

    /// Returns an IP address, one in four of version 6.
    pub(super) fn ip(&mut self) -> String {
        let random = &mut self.random;
        if random.percent(25) {
            return format!(
                "2001:db8:{:x}:{:x}::{:x}",
                random.below(0x1_0000),
                random.below(0x1_0000),
                random.between(1, 0x1_0000)
            );
        }
        let net = random.pick("192.0.2", &["198.51.100", "203.0.113"]);
        format!("{net}.{}", random.between(1, 255))
    }

    /// Returns an e-mail address.
    pub(super) fn email(&mut self) -> String {
        let name = self.random.pick("ada", &PEOPLE);
        let domain = self
            .random
            .pick("example.com", &["example.org", "mail.example.net"]);
        format!("{name}.{}@{domain}", self.random.below(1000))
    }

    /// Returns a status code; some requests fail.
    pub(super) fn status(&mut self, success: u64) -> u64 {
        self.random.weighted(
            500,
            &[
                (91, success),
                (3, 404),
                (2, 401),
                (1, 400),
                (1, 403),
                (1, 429),
            ],
        )
    }
}

/// Writes an instant as RFC 3339.
pub(super) fn rfc3339(at: i64) -> String {
    jiff::Timestamp::from_microsecond(at).map_or_else(|_| String::new(), |at| at.to_string())
}
