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
mod tests;
