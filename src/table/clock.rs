//! Columns that hold points in time, and how each of them is written.
//!
//! A statement compares such a column with a bound that this module computes in the column's own
//! encoding, never with the server's `now()`: the comparison then uses the column's index, and means
//! the same whatever the session's time zone is.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, LocalResult, NaiveDate, NaiveDateTime, Offset as _, TimeDelta, TimeZone as _, Utc};
use chrono_tz::Tz;

use super::Ident;
use crate::protocol::Timestamp;
use crate::sql::{Dialect, TextClock, Value};

pub use crate::sql::Fraction;

/// A column that holds a point in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clock {
    /// The column.
    pub column: Ident,
    /// How it is written.
    pub encoding: Encoding,
    /// The moment is so long before the one that is stored: of an expiry, the ttl that it was counted with.
    pub minus: Duration,
}

impl Clock {
    /// A column that holds the moment itself.
    pub fn new(column: Ident, encoding: Encoding) -> Self {
        Self { column, encoding, minus: Duration::ZERO }
    }

    /// What stands for `at` in comparisons, see [`Encoding::bound`].
    pub(crate) fn bound(&self, at: Timestamp) -> Value {
        self.encoding.bound(at.plus(self.minus))
    }

    /// The moment that a stored value means; `None` where it is not written as declared.
    pub(crate) fn decode(&self, stored: &Value) -> Option<Timestamp> {
        let at = self.encoding.decode(stored)?;
        Some(if at == Timestamp::MAX { at } else { at.minus(self.minus) })
    }
}

/// How a point in time is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// `timestamptz`. In our own table on SQLite, which has no such type, whole microseconds since 1970.
    Timestamptz,
    /// `timestamp` without a zone: what a clock on the wall shows in this zone.
    Naive(Tz),
    /// Units since 1970-01-01T00:00:00Z.
    Epoch(Unit),
    /// Text in exactly this spelling.
    Text(Spelling),
}

/// The unit in which an epoch is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Millis,
    /// Microseconds.
    Micros,
}

impl Unit {
    const fn micros(self) -> i64 {
        match self {
            Self::Seconds => 1_000_000,
            Self::Millis => 1_000,
            Self::Micros => 1,
        }
    }
}

/// A spelling of points in time as text whose order is the order of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spelling {
    /// `T` or a space.
    pub separator: char,
    /// The fraction of a second.
    pub fraction: Fraction,
    /// What follows: nothing, or one of the ways to say UTC.
    pub suffix: &'static str,
    /// The zone of a text that names none.
    pub zone: Tz,
}

/// A text that describes no spelling we can compare.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSpelling {
    /// It is none that we know.
    #[error(
        "{0:?} is no spelling of a point in time; write \"iso8601\", or a pattern such as \
         \"YYYY-MM-DD HH:MM:SS\", \"YYYY-MM-DDTHH:MM:SS.sssZ\" or \"YYYY-MM-DDTHH:MM:SS[.s]+00:00\""
    )]
    Unknown(String),
    /// Texts with another offset than UTC's.
    #[error(
        "{0:?} has an offset: texts that change it with the season do not compare in the order of time. Only texts in \
         UTC can be read (Z, +00:00, +00, +0000 or UTC at the end), or texts without an offset and their `zone`"
    )]
    Offset(String),
}

/// The ways to say UTC at the end of a text, the shorter ones first.
const SUFFIXES: [&str; 9] = ["", "Z", "+00", "+0000", "+00:00", " +0000", " +00:00", " UTC", " +0000 UTC"];

/// `2026-01-31T09:00:00`: so long is every text before its fraction.
const WHOLE_SECONDS: usize = 19;

impl Spelling {
    /// Reads the name of a spelling, or its pattern: `iso8601` is `YYYY-MM-DDTHH:MM:SS[.s]Z`, with a fraction or
    /// without; `sqlite` is what SQLite's `datetime()` writes.
    ///
    /// # Errors
    /// [`InvalidSpelling`] when it is neither.
    pub fn parse(text: &str, zone: Tz) -> Result<Self, InvalidSpelling> {
        let wrong = || InvalidSpelling::Unknown(text.to_owned());
        match text {
            "iso8601" | "rfc3339" => {
                return Ok(Self { separator: 'T', fraction: Fraction::Any, suffix: "Z", zone: Tz::UTC });
            }
            "sqlite" => return Ok(Self { separator: ' ', fraction: Fraction::None, suffix: "", zone }),
            _ => {}
        }
        let letters = text
            .replace("%Y", "YYYY")
            .replace("%m", "MM")
            .replace("%d", "DD")
            .replace("%H", "HH")
            .replace("%M", "MM")
            .replace("%S", "SS")
            .replace("%fZ", "sssZ");
        let rest = letters.strip_prefix("YYYY-MM-DD").ok_or_else(wrong)?;
        let separator = match rest.chars().next() {
            Some(separator @ ('T' | ' ')) => separator,
            _ => return Err(wrong()),
        };
        let rest = rest[1..].strip_prefix("HH:MM:SS").ok_or_else(wrong)?;
        let (fraction, rest) = match (rest.strip_prefix("[.s]"), rest.strip_prefix('.')) {
            (Some(rest), _) => (Fraction::Any, rest),
            (None, None) => (Fraction::None, rest),
            (None, Some(rest)) => {
                let digits = rest.chars().take_while(|c| matches!(c, 's' | 'S' | 'f')).count();
                let count = u8::try_from(digits).ok().filter(|count| (1..=9).contains(count));
                (Fraction::Digits(count.ok_or_else(wrong)?), &rest[digits..])
            }
        };
        let Some(suffix) = SUFFIXES.into_iter().find(|suffix| *suffix == rest) else {
            let offset = rest.trim_start().strip_prefix(['+', '-']);
            let is_offset = offset.is_some_and(|offset| offset.starts_with(|c: char| c.is_ascii_digit()));
            return Err(if is_offset { InvalidSpelling::Offset(text.to_owned()) } else { wrong() });
        };
        let zone = if suffix.is_empty() { zone } else { Tz::UTC };
        Ok(Self { separator, fraction, suffix, zone })
    }

    /// The spelling that a text has, where it is one that we can compare.
    #[cfg(feature = "cli")]
    pub(crate) fn of(text: &str) -> Option<Self> {
        let fraction = if text.contains('.') { Fraction::Any } else { Fraction::None };
        let spelling = |separator, suffix| Self { separator, fraction, suffix, zone: Tz::UTC };
        let all =
            ['T', ' '].into_iter().flat_map(|separator| SUFFIXES.map(|suffix| spelling(separator, suffix)));
        all.into_iter().find(|spelling| spelling.decode(text).is_some())
    }

    /// The condition that a column holds exactly this spelling. `''` would compare as long expired, and
    /// another separator or an offset would compare wrongly: such rows are never touched.
    fn condition(self, column: &str, dialect: Dialect) -> String {
        let Self { separator, fraction, suffix, .. } = self;
        dialect.grammar().is_spelled(column, TextClock { separator, fraction, suffix })
    }

    /// Every text of a moment before the second of `at` is at most this, every other one is greater,
    /// whatever their fractions: `:05.5Z` comes before `:05Z`, but both come after `:05`.
    fn bound(self, at: Timestamp) -> String {
        self.whole_seconds(wall_bound(at, self.zone))
    }

    /// The finest step that a text of it can tell, in microseconds.
    fn unit(self) -> i64 {
        match self.fraction {
            Fraction::None => 1_000_000,
            Fraction::Any => 1_000,
            Fraction::Digits(digits) => 10_i64.pow(6 - u32::from(digits.min(6))),
        }
    }

    fn encode(self, at: Timestamp) -> String {
        let micros = format!("{:06}", at.as_micros().rem_euclid(1_000_000));
        let fraction = match self.fraction {
            Fraction::None => String::new(),
            Fraction::Any => format!(".{}", &micros[..3]),
            Fraction::Digits(digits) => {
                let width = usize::from(digits);
                format!(".{:0<width$}", micros.chars().take(width).collect::<String>())
            }
        };
        format!("{}{fraction}{}", self.whole_seconds(local(calendar(at), self.zone)), self.suffix)
    }

    /// A clock on the wall without its fraction.
    fn whole_seconds(self, wall: NaiveDateTime) -> String {
        wall.format(if self.separator == 'T' { "%Y-%m-%dT%H:%M:%S" } else { "%Y-%m-%d %H:%M:%S" }).to_string()
    }

    fn decode(self, text: &str) -> Option<Timestamp> {
        let (whole, rest) = (text.get(..WHOLE_SECONDS)?, text.get(WHOLE_SECONDS..)?);
        let digits = rest.strip_suffix(self.suffix)?;
        let digits = match digits.strip_prefix('.') {
            None if digits.is_empty() => "",
            None => return None,
            Some("") => return None,
            Some(digits) => digits,
        };
        let fits = match self.fraction {
            Fraction::None => digits.is_empty(),
            Fraction::Digits(count) => digits.len() == usize::from(count),
            Fraction::Any => digits.len() <= 9,
        };
        if !fits || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let bytes = whole.as_bytes();
        let punctuation = [(4, b'-'), (7, b'-'), (10, self.separator as u8), (13, b':'), (16, b':')];
        if punctuation.iter().any(|(at, wanted)| bytes[*at] != *wanted) {
            return None;
        }
        let number = |from: usize, to: usize| {
            let part = &whole[from..to];
            part.bytes().all(|byte| byte.is_ascii_digit()).then(|| part.parse::<u32>().ok()).flatten()
        };
        let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
        let date = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day)?;
        let wall = date.and_hms_opt(number(11, 13)?, number(14, 16)?, number(17, 19)?)?;
        let micros: i64 = format!("{digits:0<6}").get(..6)?.parse().ok()?;
        Some(from_wall(wall.checked_add_signed(TimeDelta::microseconds(micros))?, self.zone))
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Timestamptz => f.write_str("timestamptz"),
            Self::Naive(zone) => write!(f, "{{ naive = \"{}\" }}", zone.name()),
            Self::Epoch(Unit::Seconds) => f.write_str("epoch_s"),
            Self::Epoch(Unit::Millis) => f.write_str("epoch_ms"),
            Self::Epoch(Unit::Micros) => f.write_str("epoch_us"),
            Self::Text(spelling) => write!(
                f,
                "{{ text = \"YYYY-MM-DD{}HH:MM:SS{}{}\" }}",
                spelling.separator,
                match spelling.fraction {
                    Fraction::None => String::new(),
                    Fraction::Digits(digits) => format!(".{}", "s".repeat(usize::from(digits))),
                    Fraction::Any => "[.s]".to_owned(),
                },
                spelling.suffix
            ),
        }
    }
}

impl Encoding {
    /// The bound that stands for `at` in comparisons: what is at or before `at` is at most this, what is
    /// after `at` is greater. Where the column is coarser than a microsecond, a row may count as later
    /// than it is by less than one of its units, never as earlier.
    pub(crate) fn bound(self, at: Timestamp) -> Value {
        match self {
            Self::Timestamptz => Value::Time(Some(at)),
            Self::Naive(_) if at == Timestamp::MAX || at == Timestamp::MIN => Value::Naive(Some(at)),
            Self::Naive(zone) => {
                Value::Naive(Some(Timestamp::from_micros(wall_bound(at, zone).and_utc().timestamp_micros())))
            }
            Self::Epoch(unit) => Value::Int(Some(at.as_micros().div_euclid(unit.micros()))),
            Self::Text(spelling) => Value::Text(Some(spelling.bound(at))),
        }
    }

    /// The least moment whose bound is not before the stored value: where a walk goes on from.
    pub(crate) fn after(self, at: Timestamp) -> Timestamp {
        match self {
            Self::Text(_) => {
                let second = at.as_micros().div_euclid(1_000_000);
                Timestamp::from_micros(second.saturating_add(1).saturating_mul(1_000_000))
            }
            _ => at,
        }
    }

    /// What a stored value means; `None` where it is not written as declared.
    pub(crate) fn decode(self, stored: &Value) -> Option<Timestamp> {
        match (self, stored) {
            // Further away than any ttl: it means never.
            (Self::Timestamptz | Self::Naive(_), Value::Far(_)) => Some(Timestamp::MAX),
            (Self::Timestamptz, Value::Time(at)) => *at,
            (Self::Timestamptz, Value::Int(micros)) => micros.map(Timestamp::from_micros),
            (Self::Naive(_), Value::Naive(Some(at))) if *at == Timestamp::MAX || *at == Timestamp::MIN => {
                Some(*at)
            }
            (Self::Naive(zone), Value::Naive(Some(wall))) => {
                wall.to_datetime().map(|wall| from_wall(wall.naive_utc(), zone))
            }
            (Self::Epoch(unit), Value::Int(Some(count))) => {
                Some(Timestamp::from_micros(count.saturating_mul(unit.micros())))
            }
            // Whole units rounded up, as the statements have it; the conversion saturates.
            (Self::Epoch(unit), Value::Real(Some(count))) => {
                Some(Timestamp::from_micros((count.get().ceil() as i64).saturating_mul(unit.micros())))
            }
            (Self::Text(spelling), Value::Text(Some(text))) => spelling.decode(text),
            _ => None,
        }
    }

    /// The value to store for `at`. A moment in the hour that comes twice is written as the clock on the wall
    /// shows it, which is read as the later of the two.
    pub(crate) fn encode(self, at: Timestamp) -> Value {
        match self {
            Self::Timestamptz | Self::Epoch(_) => self.bound(at),
            Self::Naive(_) if at == Timestamp::MAX || at == Timestamp::MIN => self.bound(at),
            Self::Naive(zone) => {
                let wall = local(calendar(at), zone);
                Value::Naive(Some(Timestamp::from_micros(wall.and_utc().timestamp_micros())))
            }
            Self::Text(spelling) => Value::Text(Some(spelling.encode(at))),
        }
    }

    /// The value to store for an expiry: never one that is read as an earlier moment. `None` where the
    /// encoding has no such value.
    pub(crate) fn encode_expiry(self, at: Timestamp) -> Option<Value> {
        let unit = match self {
            Self::Timestamptz | Self::Naive(_) => 1,
            Self::Epoch(unit) => unit.micros(),
            Self::Text(spelling) => spelling.unit(),
        };
        let whole = at.as_micros().div_euclid(unit).checked_mul(unit)?;
        let rounded = if whole == at.as_micros() { whole } else { whole.checked_add(unit)? };
        let value = self.encode(Timestamp::from_micros(rounded));
        self.decode(&value).is_some_and(|read| read >= at).then_some(value)
    }

    /// The condition that the column is written as declared, where its type alone does not say so.
    pub(crate) fn condition(self, column: &str, dialect: Dialect) -> Option<String> {
        match self {
            Self::Text(spelling) => Some(spelling.condition(column, dialect)),
            Self::Epoch(_) => dialect.grammar().is_number(column),
            Self::Timestamptz | Self::Naive(_) => None,
        }
    }
}

/// What the clock on the wall shows at `at`, so that comparisons with stored walls are right: a wall
/// time that exists twice means the later moment, so that none of them counts as past before that.
fn wall_bound(at: Timestamp, zone: Tz) -> NaiveDateTime {
    let utc = calendar(at);
    let wall = local(utc, zone);
    match zone.from_local_datetime(&wall) {
        LocalResult::Ambiguous(first, second) if first.to_utc() == utc => {
            // The first of two passages: nothing of the hour that comes again is over. It begins where
            // the clock is put back to.
            let back = first_moment(utc, second.to_utc(), |moment| {
                zone.offset_from_utc_datetime(&moment.naive_utc()).fix() != first.offset().fix()
            });
            local(back, zone) - TimeDelta::microseconds(1)
        }
        _ => wall,
    }
}

/// The moment that a wall time means: the later one of two, and the jump itself for a wall time that
/// the clock jumps over.
fn from_wall(wall: NaiveDateTime, zone: Tz) -> Timestamp {
    match zone.from_local_datetime(&wall) {
        LocalResult::Single(at) => at.to_utc(),
        LocalResult::Ambiguous(_, later) => later.to_utc(),
        LocalResult::None => {
            // No zone is further from UTC than this.
            let (from, to) = (wall.and_utc() - TimeDelta::hours(26), wall.and_utc() + TimeDelta::hours(26));
            first_moment(from, to, |moment| local(moment, zone) > wall)
        }
    }
    .into()
}

fn local(at: DateTime<Utc>, zone: Tz) -> NaiveDateTime {
    zone.from_utc_datetime(&at.naive_utc()).naive_local()
}

/// The first moment, to the microsecond, of which `holds`; it does so of `to`, and not of `from`.
fn first_moment(
    from: DateTime<Utc>,
    to: DateTime<Utc>,
    holds: impl Fn(DateTime<Utc>) -> bool,
) -> DateTime<Utc> {
    let (mut before, mut at) = (from.timestamp_micros(), to.timestamp_micros());
    while at - before > 1 {
        let middle = before + (at - before) / 2;
        if DateTime::from_timestamp_micros(middle).is_none_or(&holds) { at = middle } else { before = middle }
    }
    DateTime::from_timestamp_micros(at).unwrap_or(to)
}

/// Within the years that four digits can say.
fn calendar(at: Timestamp) -> DateTime<Utc> {
    // 0001-01-02 and 9999-12-30, a day off the ends for the zones' sake.
    let (first, last) = (-62_135_510_400_000_000, 253_402_128_000_000_000);
    DateTime::from_timestamp_micros(at.as_micros().clamp(first, last)).unwrap_or(DateTime::UNIX_EPOCH)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        DateTime::parse_from_rfc3339(text).unwrap().to_utc().into()
    }

    fn wall(text: &str) -> Value {
        let wall = NaiveDateTime::parse_from_str(text, "%Y-%m-%d %H:%M:%S").unwrap();
        Value::Naive(Some(wall.and_utc().into()))
    }

    #[test]
    fn a_local_time_that_exists_twice_means_the_later_moment() {
        let berlin = Encoding::Naive(chrono_tz::Europe::Berlin);
        // 2026-10-25: 03:00 summer time becomes 02:00 winter time, at 01:00Z.
        assert_eq!(berlin.decode(&wall("2026-10-25 02:30:00")), Some(at("2026-10-25T01:30:00Z")));
        // While 02:30 passes for the first time, no 02:xx has passed.
        let Value::Naive(Some(bound)) = berlin.bound(at("2026-10-25T00:30:00Z")) else { panic!() };
        assert_eq!(bound, at("2026-10-25T01:59:59.999999Z"));
        assert_eq!(berlin.bound(at("2026-10-25T01:30:00Z")), wall("2026-10-25 02:30:00"));
        // 2026-03-29: 02:00 becomes 03:00, at 01:00Z.
        assert_eq!(berlin.decode(&wall("2026-03-29 02:30:00")), Some(at("2026-03-29T01:00:00Z")));
    }

    #[test]
    fn bounds_split_what_is_due_from_what_is_not() {
        for encoding in [
            Encoding::Naive(chrono_tz::Asia::Tokyo),
            Encoding::Naive(chrono_tz::America::St_Johns),
            Encoding::Epoch(Unit::Seconds),
            Encoding::Epoch(Unit::Millis),
        ] {
            let moment = at("2026-11-01T04:30:00Z");
            assert_eq!(encoding.decode(&encoding.bound(moment)), Some(moment), "{encoding}");
        }
    }

    #[test]
    fn spellings_are_exact() {
        let spelling = |text| Encoding::Text(Spelling::parse(text, Tz::UTC).unwrap());
        let read = |encoding: Encoding, text: &str| encoding.decode(&Value::Text(Some(text.to_owned())));
        let moment = at("2026-01-31T09:00:05.500Z");
        let iso = spelling("iso8601");
        assert_eq!(read(iso, "2026-01-31T09:00:05.500Z"), Some(moment));
        assert_eq!(read(iso, "2026-01-31T09:00:05Z"), Some(at("2026-01-31T09:00:05Z")));
        for wrong in [
            "",
            "2026-01-31 09:00:05Z",
            "2026-01-31T09:00:05+02:00",
            "2026-01-31T09:00:05",
            "2026-13-31T09:00:05Z",
            "2026-01-31T09:00:05.Z",
            "infinity",
            "2026-01-31T09:00:05.5xZ",
            "2026-02-29T09:00:05Z",
            "2026-04-31T09:00:05Z",
        ] {
            assert_eq!(read(iso, wrong), None, "{wrong}");
        }
        let sqlite = spelling("%Y-%m-%d %H:%M:%S");
        assert_eq!(sqlite, spelling("sqlite"));
        assert_eq!(read(sqlite, "2026-01-31 09:00:05"), Some(at("2026-01-31T09:00:05Z")));
        assert_eq!(
            spelling("YYYY-MM-DDTHH:MM:SS.sssZ").encode(moment),
            Value::Text(Some("2026-01-31T09:00:05.500Z".into()))
        );
        for wrong in [
            "",
            "DD.MM.YYYY",
            "YYYY-MM-DD",
            "YYYY-MM-DDTHH:MM:SS.",
            "YYYY-MM-DDTHH:MMZ",
            "YYYY-MM-DD HH:MM:SS CET",
        ] {
            let error = Spelling::parse(wrong, Tz::UTC).unwrap_err();
            assert!(matches!(error, InvalidSpelling::Unknown(_)), "{wrong}");
        }
        for offset in ["YYYY-MM-DD HH:MM:SS+02:00", "YYYY-MM-DDTHH:MM:SS[.s]-0500", "YYYY-MM-DD HH:MM:SS +01"]
        {
            let error = Spelling::parse(offset, Tz::UTC).unwrap_err();
            assert!(error.to_string().contains("has an offset"), "{offset}");
        }
    }

    /// Each with what wrote it; all of one moment but for the fractions that the language drops.
    #[test]
    fn what_languages_write_is_read() {
        let (whole, half) = (at("2026-01-31T09:00:05Z"), at("2026-01-31T09:00:05.5Z"));
        for (pattern, writer, texts) in [
            (
                "YYYY-MM-DDTHH:MM:SS[.s]+00:00",
                "Python",
                ["2026-01-31T09:00:05+00:00", "2026-01-31T09:00:05.500000+00:00"],
            ),
            (
                "YYYY-MM-DD HH:MM:SS[.s]+00:00",
                "Python, str",
                ["2026-01-31 09:00:05+00:00", "2026-01-31 09:00:05.500000+00:00"],
            ),
            (
                "YYYY-MM-DDTHH:MM:SS[.s]",
                "Python, naive",
                ["2026-01-31T09:00:05", "2026-01-31T09:00:05.500000"],
            ),
            ("iso8601", "Java's Instant", ["2026-01-31T09:00:05Z", "2026-01-31T09:00:05.500Z"]),
            ("iso8601", "Java's Instant", ["2026-01-31T09:00:05.000000Z", "2026-01-31T09:00:05.500000001Z"]),
            ("iso8601", "Go, RFC3339Nano", ["2026-01-31T09:00:05Z", "2026-01-31T09:00:05.5Z"]),
            (
                "YYYY-MM-DD HH:MM:SS[.s] +0000 UTC",
                "Go, String",
                ["2026-01-31 09:00:05 +0000 UTC", "2026-01-31 09:00:05.5 +0000 UTC"],
            ),
            (
                "YYYY-MM-DDTHH:MM:SS.sssZ",
                "JavaScript",
                ["2026-01-31T09:00:05.000Z", "2026-01-31T09:00:05.500Z"],
            ),
            (
                "YYYY-MM-DDTHH:MM:SS.fffffffZ",
                ".NET, o",
                ["2026-01-31T09:00:05.0000000Z", "2026-01-31T09:00:05.5000000Z"],
            ),
            (
                "YYYY-MM-DDTHH:MM:SS.fffffff+00:00",
                ".NET, o",
                ["2026-01-31T09:00:05.0000000+00:00", "2026-01-31T09:00:05.5000000+00:00"],
            ),
            ("YYYY-MM-DD HH:MM:SS[.s] UTC", "Ruby", ["2026-01-31 09:00:05 UTC", "2026-01-31 09:00:05.5 UTC"]),
            (
                "YYYY-MM-DD HH:MM:SS[.s] +0000",
                "Ruby",
                ["2026-01-31 09:00:05 +0000", "2026-01-31 09:00:05.5 +0000"],
            ),
            (
                "YYYY-MM-DD HH:MM:SS[.s]+00",
                "PostgreSQL",
                ["2026-01-31 09:00:05+00", "2026-01-31 09:00:05.5+00"],
            ),
        ] {
            let spelling = Spelling::parse(pattern, Tz::UTC).unwrap();
            let encoding = Encoding::Text(spelling);
            for (text, moment) in texts.into_iter().zip([whole, half]) {
                let stored = Value::Text(Some(text.to_owned()));
                assert_eq!(encoding.decode(&stored), Some(moment), "{writer}: {text}");
                let found = Spelling::of(text).map(|found| (found.separator, found.suffix));
                assert_eq!(found, Some((spelling.separator, spelling.suffix)), "{writer}: {text}");
                // At most what stands for a second later, and no earlier one.
                let due = |at: Timestamp| is_at_most(&stored, &encoding.bound(at));
                assert!(
                    due(at("2026-01-31T09:00:06Z")) && !due(at("2026-01-31T09:00:04.9Z")),
                    "{writer}: {text}"
                );
                // What is written is read back.
                assert_eq!(encoding.decode(&encoding.encode(moment)), Some(moment), "{writer}");
            }
            // As it is shown, it can be written.
            let shown = encoding.to_string();
            let shown = shown.strip_prefix("{ text = \"").and_then(|text| text.strip_suffix("\" }")).unwrap();
            assert_eq!(Spelling::parse(shown, Tz::UTC), Ok(spelling), "{shown}");
        }
        assert_eq!(Spelling::of("2026-01-31T09:00:05+02:00"), None);
    }

    #[test]
    fn a_text_bound_lies_between_seconds() {
        let iso = Encoding::Text(Spelling::parse("iso8601", Tz::UTC).unwrap());
        let Value::Text(Some(bound)) = iso.bound(at("2026-01-31T09:00:05.700Z")) else { panic!() };
        assert!("2026-01-31T09:00:04.999Z" <= bound.as_str());
        assert!("2026-01-31T09:00:05Z" > bound.as_str() && "2026-01-31T09:00:05.1Z" > bound.as_str());
        assert_eq!(iso.after(at("2026-01-31T09:00:05.700Z")), at("2026-01-31T09:00:06Z"));
    }

    fn every_encoding(zone: Tz) -> Vec<Encoding> {
        let texts = [
            "sqlite",
            "YYYY-MM-DD HH:MM:SS[.s]+00",
            "YYYY-MM-DDTHH:MM:SS.sss",
            "YYYY-MM-DD HH:MM:SS.s",
            "YYYY-MM-DDTHH:MM:SS.sssssssss",
        ];
        let texts = texts.map(|text| Encoding::Text(Spelling::parse(text, zone).unwrap()));
        let iso = Encoding::Text(Spelling::parse("iso8601", zone).unwrap());
        let epochs = [Unit::Seconds, Unit::Millis, Unit::Micros].map(Encoding::Epoch);
        [Encoding::Timestamptz, Encoding::Naive(zone), iso].into_iter().chain(texts).chain(epochs).collect()
    }

    /// As a statement compares a stored value with a bound.
    fn is_at_most(stored: &Value, bound: &Value) -> bool {
        match (stored, bound) {
            (Value::Text(Some(stored)), Value::Text(Some(bound))) => stored <= bound,
            (Value::Int(Some(stored)), Value::Int(Some(bound))) => stored <= bound,
            (
                Value::Naive(Some(stored)) | Value::Time(Some(stored)),
                Value::Naive(Some(bound)) | Value::Time(Some(bound)),
            ) => stored <= bound,
            other => panic!("{other:?}"),
        }
    }

    proptest::proptest! {
        /// Around the changes of the clock and far from them: an expiry is never read as an earlier moment
        /// than it was written for, nor as one much later, and no row is due before its moment.
        #[test]
        fn no_expiry_is_born_expired_and_none_is_due_too_early(
            zone in proptest::sample::select(vec![
                "UTC", "Europe/Berlin", "America/New_York", "America/St_Johns", "Australia/Lord_Howe",
                "Asia/Kathmandu", "Pacific/Apia", "Africa/Casablanca", "America/Sao_Paulo",
            ]),
            change in proptest::sample::select(vec![
                "2026-10-25T01:00:00Z", "2026-03-29T01:00:00Z", "2026-11-01T06:00:00Z", "2026-11-01T04:30:00Z",
                "2026-04-04T15:00:00Z", "2026-10-03T15:30:00Z", "2011-12-30T10:00:00Z", "2027-07-01T12:00:00Z",
            ]),
            away in -10_800_000_000_i64..10_800_000_000,
            later in 0_i64..10_800_000_000,
        ) {
            let zone: Tz = zone.parse().unwrap();
            let moment = Timestamp::from_micros(at(change).as_micros() + away);
            let asked = Timestamp::from_micros(moment.as_micros() + later);
            for encoding in every_encoding(zone) {
                let stored = encoding.encode_expiry(moment).unwrap();
                let read = encoding.decode(&stored).unwrap();
                proptest::prop_assert!(read >= moment, "{encoding}: {moment} is read as {read}");
                // An hour that comes twice, or half of one.
                let slack = 3_601_000_000;
                proptest::prop_assert!(read.as_micros() - moment.as_micros() <= slack, "{encoding}: {read}");
                proptest::prop_assert!(!is_at_most(&stored, &encoding.bound(Timestamp::from_micros(moment.as_micros() - 1))));
                if is_at_most(&stored, &encoding.bound(asked)) {
                    proptest::prop_assert!(read <= asked, "{encoding}: due at {asked}, and read as {read}");
                }
                // What was written at a moment does not count as past before that.
                let written = encoding.encode(asked);
                if is_at_most(&written, &encoding.bound(moment)) {
                    proptest::prop_assert!(encoding.decode(&written).unwrap() <= moment, "{encoding}: {written:?}");
                }
            }
        }
    }

    #[test]
    fn the_ends_of_time_do_not_overflow() {
        for moment in [Timestamp::MIN, Timestamp::MAX] {
            for encoding in [
                Encoding::Timestamptz,
                Encoding::Naive(chrono_tz::Asia::Tokyo),
                Encoding::Epoch(Unit::Seconds),
                Encoding::Text(Spelling::parse("sqlite", chrono_tz::Asia::Tokyo).unwrap()),
            ] {
                let _ = (encoding.bound(moment), encoding.encode(moment), encoding.after(moment));
            }
        }
    }
}
