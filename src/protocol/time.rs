//! Points in time and spans, in microseconds: the finest unit that every dialect stores.

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};

use super::InvalidInput;

/// A point in time by the database's clock: microseconds since 1970-01-01T00:00:00Z.
///
/// PostgreSQL's `infinity` and `-infinity` are [`Timestamp::MAX`] and [`Timestamp::MIN`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Timestamp(i64);

impl Timestamp {
    /// Later than every other point in time.
    pub const MAX: Self = Self(i64::MAX);
    /// Earlier than every other point in time.
    pub const MIN: Self = Self(i64::MIN);
    /// 2000-01-01T00:00:00Z. A clock at or before it was never set by an application that is
    /// alive: such rows are reported and never touched.
    pub const OLDEST_PLAUSIBLE: Self = Self(946_684_800_000_000);

    /// From microseconds since the Unix epoch.
    pub const fn from_micros(micros: i64) -> Self {
        Self(micros)
    }

    /// Microseconds since the Unix epoch.
    pub const fn as_micros(self) -> i64 {
        self.0
    }

    /// The moment `span` later; stays at the end of time instead of overflowing.
    #[must_use]
    pub fn plus(self, span: Duration) -> Self {
        Self(self.0.saturating_add(micros(span)))
    }

    /// The moment `span` earlier; stays at the start of time instead of overflowing.
    #[must_use]
    pub fn minus(self, span: Duration) -> Self {
        Self(self.0.saturating_sub(micros(span)))
    }

    /// How long ago `earlier` was, seen from here; zero when it is still to come.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    /// As a calendar date and time; `None` beyond what a calendar can say (infinity).
    pub fn to_datetime(self) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp_micros(self.0)
    }
}

impl From<DateTime<Utc>> for Timestamp {
    fn from(at: DateTime<Utc>) -> Self {
        Self(at.timestamp_micros())
    }
}

impl fmt::Display for Timestamp {
    /// RFC 3339 in UTC with microseconds; `infinity` and `-infinity` beyond the calendar.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_datetime() {
            Some(at) => f.write_str(&at.to_rfc3339_opts(SecondsFormat::Micros, true)),
            None if self.0 > 0 => f.write_str("infinity"),
            None => f.write_str("-infinity"),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A duration in whole microseconds, saturating at what an `i64` holds (292,000 years).
pub(crate) fn micros(span: Duration) -> i64 {
    i64::try_from(span.as_micros()).unwrap_or(i64::MAX)
}

/// A bounded duration: at least [`Span::MIN`], so that nothing is born expired.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(Duration);

impl Span {
    /// One second, the shortest ttl and the shortest lease.
    pub const MIN: Duration = Duration::from_secs(1);
    /// One hundred years of 365.25 days, the longest.
    pub const MAX: Duration = Duration::from_secs(3_155_760_000);

    /// Checks the bounds.
    ///
    /// # Errors
    /// [`InvalidInput::Span`] below one second or above one hundred years.
    pub fn new(span: Duration) -> Result<Self, InvalidInput> {
        if span < Self::MIN || span > Self::MAX {
            return Err(InvalidInput::Span { span });
        }
        Ok(Self(span))
    }

    /// The duration.
    pub const fn get(self) -> Duration {
        self.0
    }

    /// The duration in microseconds.
    pub fn as_micros(self) -> i64 {
        micros(self.0)
    }
}

/// How long a key is remembered after it was claimed, and again after it was settled.
pub type Ttl = Span;
/// How long a claim is protected from the reaper unless it is renewed.
pub type Lease = Span;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_ends_of_time() {
        assert_eq!(Timestamp::MAX.to_string(), "infinity");
        assert_eq!(Timestamp::MIN.to_string(), "-infinity");
        assert_eq!(Timestamp::OLDEST_PLAUSIBLE.to_string(), "2000-01-01T00:00:00.000000Z");
    }

    #[test]
    fn spans_have_bounds() {
        assert!(Span::new(Duration::from_millis(999)).is_err());
        assert!(Span::new(Duration::from_secs(1)).is_ok());
        assert!(Span::new(Span::MAX).is_ok());
        assert!(Span::new(Span::MAX + Duration::from_nanos(1)).is_err());
    }

    #[test]
    fn arithmetic_saturates() {
        assert_eq!(Timestamp::MAX.plus(Duration::from_secs(1)), Timestamp::MAX);
        assert_eq!(Timestamp::MIN.minus(Duration::MAX), Timestamp::MIN);
        assert_eq!(Timestamp::MIN.since(Timestamp::MAX), Duration::ZERO);
    }
}
