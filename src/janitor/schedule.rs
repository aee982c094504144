//! When a pass starts: crontab expressions, their nicknames, and `@every`.
//!
//! The `cron` crate walks the calendar. What it does otherwise than crontab(5) is translated before
//! (`schedule/fields.rs`: Sunday is 1 there, steps over a field's end are refused, six fields are
//! the least) or decided here:
//!
//! - It joins the two day fields with AND. crontab(5) lets either suffice when both are restricted:
//!   two engines then, and the earlier start of both. A field that starts with `*` counts as
//!   unrestricted, also `*/2`; then both must match.
//! - Asked in a time zone, it loses what a change of the clock skips, and gives the starts of a
//!   repeated hour twice and out of order. So it is asked about wall clock times only, as if they
//!   were UTC; how they map to points in time is decided here, by the rule of cron(8).

mod fields;

use std::fmt;
use std::time::Duration;

use chrono::{DateTime, Datelike, LocalResult, NaiveDateTime, TimeDelta, TimeZone, Utc};
use chrono_tz::{GapInfo, Tz};

use fields::{DAY_OF_MONTH, DAY_OF_WEEK, Field, FieldValues, HOUR, MINUTE, MONTH, SECOND};

/// The engine knows no years before and after these.
const YEARS: std::ops::RangeInclusive<i32> = 1970..=2100;
const SECOND_BEFORE: TimeDelta = TimeDelta::seconds(-1);

/// When a pass starts, in a time zone.
///
/// - Five fields as in crontab(5): minute, hour, day of month, month, day of week. `*`, lists,
///   ranges, steps after `*` or a range; months and days also by their first three letters, in any
///   case; 0 and 7 are Sunday. Where both day fields are restricted, either suffices; a field that
///   starts with `*` is unrestricted. A range ends with its week: `fri-sun` and `5-7` are fine,
///   `fri-mon` is refused (Debian's cron accepts it and never runs it).
/// - Six fields: the same with seconds first.
/// - `@hourly`, `@daily` or `@midnight`, `@weekly`, `@monthly`, `@yearly` or `@annually`.
/// - `@every 30s`: a duration of at least one second, counted from 1970-01-01T00:00:00Z, so that
///   a restart shifts nothing and every host starts at the same moments.
///
/// Where the clock changes, cron(8)'s rule holds. A schedule at fixed hours and minutes neither
/// starts twice nor is lost: what falls into a skipped hour starts once right after it, and a
/// repeated hour counts the first time only. A schedule whose hour or minute starts with `*`
/// (`@hourly` too) just goes on, in both passes of a repeated hour. Other than in cron(8) this
/// holds for changes of any size.
///
/// ```
/// use chrono::{DateTime, Utc};
/// use idemctl::janitor::Schedule;
///
/// let schedule = Schedule::parse("30 3 * * mon-fri", chrono_tz::Europe::Berlin)?;
/// let saturday: DateTime<Utc> = "2026-05-02T12:00:00Z".parse()?;
/// assert_eq!(schedule.after(saturday), Some("2026-05-04T01:30:00Z".parse()?));
///
/// let error = Schedule::parse("0 25 * * *", chrono_tz::UTC).unwrap_err();
/// assert_eq!(
///     error.to_string(),
///     "the schedule \"0 25 * * *\" cannot be read: hour (field 2): \"25\" is not a number from 0 \
///      to 23; an example: \"30 1-5 * * *\""
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    text: String,
    zone: Tz,
    starts: Starts,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Starts {
    /// Every so often, counted from the epoch.
    Every(Duration),
    /// On the wall clock.
    Calendar {
        /// Whichever comes first: two where either day field suffices.
        engines: Vec<cron::Schedule>,
        /// The hour or the minute starts with `*`.
        wildcard: bool,
    },
}

/// A schedule that cannot be read, or that would never start anything.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the schedule {} cannot be read: {wrong}; an example: {example:?}", shortened(.text))]
pub struct InvalidSchedule {
    text: String,
    wrong: String,
    example: &'static str,
}

impl Schedule {
    /// Reads `text`; the fields mean the wall clock of `zone`.
    ///
    /// # Errors
    ///
    /// An invalid schedule, and one that never comes (30 February). The error says which
    /// field and what about it, and gives an example.
    pub fn parse(text: &str, zone: Tz) -> Result<Self, InvalidSchedule> {
        let invalid = |(wrong, example): Wrong| InvalidSchedule { text: text.to_owned(), wrong, example };
        let starts = starts(text.trim()).map_err(invalid)?;
        let schedule = Self { text: text.to_owned(), zone, starts };
        // Every combination of day, month and weekday that exists at all comes between the engine's
        // first and last year.
        if schedule.after(DateTime::UNIX_EPOCH).is_none() {
            let wrong = "there is no such day in any year, it would never start".to_owned();
            return Err(invalid((wrong, "0 3 28 2 *")));
        }
        Ok(schedule)
    }

    /// The next start strictly after `at`.
    ///
    /// `None` when there is none: calendars end with the year 2100.
    pub fn after(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        match &self.starts {
            Starts::Every(span) => next_multiple(*span, at),
            Starts::Calendar { .. } if at.year() > *YEARS.end() => None,
            Starts::Calendar { wildcard, .. } => {
                let at = at.max(DateTime::UNIX_EPOCH + SECOND_BEFORE);
                if *wildcard { self.next_wildcard(at) } else { self.next_fixed(at) }
            }
        }
    }

    /// The time between the next two starts after `at`; zero where there are no two.
    pub fn interval(&self, at: DateTime<Utc>) -> Duration {
        let next = self.after(at);
        let one_more = next.and_then(|next| self.after(next));
        next.zip(one_more).and_then(|(next, one_more)| (one_more - next).to_std().ok()).unwrap_or_default()
    }

    /// The time zone whose wall clock the fields mean.
    pub fn zone(&self) -> Tz {
        self.zone
    }

    /// Every wall clock time of the schedule starts once: a skipped one right after the gap, a
    /// repeated one the first time.
    fn next_fixed(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let mut wall = self.wall(at);
        loop {
            wall = self.next_on_wall(wall)?;
            let start = match self.zone.from_local_datetime(&wall) {
                LocalResult::Single(start) | LocalResult::Ambiguous(start, _) => start,
                LocalResult::None => self.gap_end(&wall)?,
            };
            // In the second pass of a repeated hour the first one's starts are met again.
            if start > at {
                return Some(start.to_utc());
            }
        }
    }

    /// Every point in time whose wall clock is one of the schedule's.
    fn next_wildcard(&self, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let here = self.wall(at);
        let next = self.next_wildcard_from(here, at);
        // In the first pass of a repeated hour: the second one begins at an earlier wall clock time
        // than this, and may hold the next start.
        let LocalResult::Ambiguous(first, second) = self.zone.from_local_datetime(&here) else {
            return next;
        };
        if first.timestamp() != at.timestamp() {
            return next;
        }
        let turn = self.change_between(first.to_utc(), second.to_utc());
        match next {
            Some(next) if next < turn => Some(next),
            _ => self.next_wildcard_from(self.wall(turn) + SECOND_BEFORE, turn + SECOND_BEFORE),
        }
    }

    /// The first start after `at` whose wall clock time is past `wall`.
    fn next_wildcard_from(&self, mut wall: NaiveDateTime, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
        loop {
            wall = self.next_on_wall(wall)?;
            match self.zone.from_local_datetime(&wall) {
                LocalResult::Single(start) | LocalResult::Ambiguous(start, _) if start > at => {
                    return Some(start.to_utc());
                }
                LocalResult::Ambiguous(_, start) if start > at => return Some(start.to_utc()),
                LocalResult::Single(_) | LocalResult::Ambiguous(..) => {}
                LocalResult::None => wall = self.gap_end(&wall)?.naive_local() + SECOND_BEFORE,
            }
        }
    }

    /// The first moment after the gap in which `wall` lies.
    fn gap_end(&self, wall: &NaiveDateTime) -> Option<DateTime<Tz>> {
        GapInfo::new(wall, &self.zone)?.end
    }

    /// The first second after `before` at the offset of `after`, by bisection; one change of the
    /// clock lies between the two.
    fn change_between(&self, before: DateTime<Utc>, after: DateTime<Utc>) -> DateTime<Utc> {
        let shift = |at: DateTime<Utc>| self.wall(at) - at.naive_utc();
        let old = shift(before);
        let (mut before, mut after) = (before, after);
        while (after - before).num_seconds() > 1 {
            let middle = before + TimeDelta::seconds((after - before).num_seconds() / 2);
            if shift(middle) == old { before = middle } else { after = middle }
        }
        after
    }

    /// What the clock on the wall shows, in whole seconds.
    fn wall(&self, at: DateTime<Utc>) -> NaiveDateTime {
        let wall = at.with_timezone(&self.zone).naive_local();
        wall - TimeDelta::nanoseconds(i64::from(wall.and_utc().timestamp_subsec_nanos()))
    }

    fn next_on_wall(&self, wall: NaiveDateTime) -> Option<NaiveDateTime> {
        let Starts::Calendar { engines, .. } = &self.starts else { return None };
        engines
            .iter()
            .filter_map(|engine| engine.after(&wall.and_utc()).next())
            .map(|next| next.naive_utc())
            .min()
    }
}

impl fmt::Display for Schedule {
    /// The text as it was written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// What is wrong, and an example of how it is right.
type Wrong = (String, &'static str);

fn starts(text: &str) -> Result<Starts, Wrong> {
    if let Some(nickname) = text.strip_prefix('@') {
        return nicknamed(nickname);
    }
    let texts: Vec<&str> = text.split_ascii_whitespace().collect();
    match texts[..] {
        [minute, hour, day, month, weekday] => {
            let minutes = field(&MINUTE, 1, minute)?;
            calendar("0".to_owned(), minutes, [hour, day, month, weekday], 2)
        }
        [second, minute, hour, day, month, weekday] => {
            let seconds = field(&SECOND, 1, second)?.list(&SECOND, 0);
            let minutes = field(&MINUTE, 2, minute)?;
            calendar(seconds, minutes, [hour, day, month, weekday], 3)
        }
        [] => Err(("it is empty".to_owned(), MINUTE.example)),
        _ => Err((
            format!(
                "it has {} fields; there must be five (minute, hour, day of month, month, day of week), \
                 or six with seconds first",
                texts.len()
            ),
            MINUTE.example,
        )),
    }
}

fn nicknamed(nickname: &str) -> Result<Starts, Wrong> {
    let (name, rest) = match nickname.split_once([' ', '\t']) {
        Some((name, rest)) => (name, rest.trim()),
        None => (nickname, ""),
    };
    let fields = match name {
        "yearly" | "annually" => "0 0 1 1 *",
        "monthly" => "0 0 1 * *",
        "weekly" => "0 0 * * 0",
        "daily" | "midnight" => "0 0 * * *",
        "hourly" => "0 * * * *",
        "every" => return every(rest),
        "reboot" => {
            return Err((
                "@reboot has no next start; a pass that is overdue runs soon after the janitor has \
                 started anyway"
                    .to_owned(),
                "@hourly",
            ));
        }
        _ => {
            let known =
                "@hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually and @every DURATION";
            return Err((format!("@{} is none of {known}", name.escape_debug()), "@daily"));
        }
    };
    if !rest.is_empty() {
        return Err((format!("nothing may follow @{name}"), "@daily"));
    }
    starts(fields)
}

fn every(text: &str) -> Result<Starts, Wrong> {
    const EXAMPLE: &str = "@every 30s";
    if text.is_empty() {
        return Err(("@every needs a duration".to_owned(), EXAMPLE));
    }
    let span = humantime::parse_duration(text)
        .map_err(|error| (format!("the duration {} after @every: {error}", shortened(text)), EXAMPLE))?;
    if span < Duration::from_secs(1) {
        return Err(("@every needs a duration of at least one second".to_owned(), EXAMPLE));
    }
    // The calendar's library ends somewhere, and so does the use of longer ones.
    if span > Duration::from_secs(100 * 366 * 86_400) {
        return Err(("@every takes durations of up to a hundred years".to_owned(), EXAMPLE));
    }
    Ok(Starts::Every(span))
}

/// `rest` are the fields from the hour on, the first of which is the `nth`.
fn calendar(seconds: String, minutes: FieldValues, rest: [&str; 4], nth: u32) -> Result<Starts, Wrong> {
    let hours = field(&HOUR, nth, rest[0])?;
    let days = field(&DAY_OF_MONTH, nth + 1, rest[1])?;
    let months = field(&MONTH, nth + 2, rest[2])?;
    let weekdays = field(&DAY_OF_WEEK, nth + 3, rest[3])?;

    let days_list = days.list(&DAY_OF_MONTH, 0);
    let weekdays_list = weekdays.list(&DAY_OF_WEEK, 1);
    let either = !days.starred && !weekdays.starred;
    let pairs = if either {
        vec![(days_list.as_str(), "*"), ("*", weekdays_list.as_str())]
    } else {
        vec![(days_list.as_str(), weekdays_list.as_str())]
    };
    let (minutes_list, hours_list, months_list) =
        (minutes.list(&MINUTE, 0), hours.list(&HOUR, 0), months.list(&MONTH, 0));
    let engines = pairs
        .into_iter()
        .map(|(day, weekday)| {
            format!("{seconds} {minutes_list} {hours_list} {day} {months_list} {weekday}")
                .parse()
                .map_err(|error: cron::error::Error| (error.to_string(), MINUTE.example))
        })
        .collect::<Result<_, _>>()?;
    Ok(Starts::Calendar { engines, wildcard: minutes.starred || hours.starred })
}

fn field(field: &Field, nth: u32, text: &str) -> Result<FieldValues, Wrong> {
    field.read(text).map_err(|wrong| (format!("{} (field {nth}): {wrong}", field.name), field.example))
}

/// The first multiple of `span` since the epoch that is past `at`.
fn next_multiple(span: Duration, at: DateTime<Utc>) -> Option<DateTime<Utc>> {
    const GIGA: i128 = 1_000_000_000;
    let span = i128::try_from(span.as_nanos()).ok()?;
    let at = i128::from(at.timestamp()) * GIGA + i128::from(at.timestamp_subsec_nanos());
    let next = (at.div_euclid(span) + 1) * span;
    DateTime::from_timestamp(i64::try_from(next.div_euclid(GIGA)).ok()?, next.rem_euclid(GIGA) as u32)
}

/// Quoted and escaped for a message; the start of it where it is long.
fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((at, _)) => format!("{:?}…", &text[..at]),
        None => format!("{text:?}"),
    }
}

#[cfg(test)]
mod tests;
