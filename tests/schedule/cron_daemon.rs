//! Cron, as its manual describes it: a loop that wakes up every minute, reads the clock on the
//! wall, and compares it with what it has already worked off.

use chrono::{DateTime, Datelike, Days, NaiveDate, NaiveDateTime, TimeDelta, Timelike, Utc};
use chrono_tz::Tz;

const MINUTE: TimeDelta = TimeDelta::minutes(1);

/// One line of a crontab, as tables of what matches.
pub struct Crontab {
    minute: [bool; 60],
    hour: [bool; 24],
    day: [bool; 32],
    month: [bool; 13],
    /// From Sunday.
    weekday: [bool; 7],
    both_days: bool,
    /// "with '*' in the hour or minute specifier"
    wild: bool,
}

/// Whether `value` is among what `field` says; `last` is the field's last value.
fn says(field: &str, value: u32, first: u32, last: u32, names: &[&str]) -> bool {
    let number = |text: &str| -> u32 {
        let lower = text.to_lowercase();
        match names.iter().position(|name| *name == lower) {
            Some(nth) => nth as u32 + first,
            None => text.parse().unwrap(),
        }
    };
    field.split(',').any(|part| {
        let mut halves = part.split('/');
        let span = halves.next().unwrap();
        let step: u32 = halves.next().map_or(1, |step| step.parse().unwrap());
        let (from, to) = match span.split_once('-') {
            _ if span == "*" => (first, last),
            // A week may end with its first day's name or number.
            Some((from, to)) if last == 7 && number(to) == 0 && number(from) > 0 => (number(from), 7),
            Some((from, to)) => (number(from), number(to)),
            None => (number(span), number(span)),
        };
        from <= value && value <= to && (value - from).is_multiple_of(step)
    })
}

impl Crontab {
    pub fn read(line: &str) -> Self {
        let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
        let days = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
        let [minute, hour, day, month, weekday] = line.split(' ').collect::<Vec<_>>()[..] else {
            panic!("{line}");
        };
        Self {
            minute: std::array::from_fn(|value| says(minute, value as u32, 0, 59, &[])),
            hour: std::array::from_fn(|value| says(hour, value as u32, 0, 23, &[])),
            day: std::array::from_fn(|value| says(day, value as u32, 1, 31, &[])),
            month: std::array::from_fn(|value| says(month, value as u32, 1, 12, &months)),
            weekday: std::array::from_fn(|value| {
                says(weekday, value as u32, 0, 7, &days) || (value == 0 && says(weekday, 7, 0, 7, &days))
            }),
            both_days: day.starts_with('*') || weekday.starts_with('*'),
            wild: minute.starts_with('*') || hour.starts_with('*'),
        }
    }

    fn day_matches(&self, date: NaiveDate) -> bool {
        let day = self.day[date.day() as usize];
        let weekday = self.weekday[date.weekday().num_days_from_sunday() as usize];
        let either = if self.both_days { day && weekday } else { day || weekday };
        self.month[date.month() as usize] && either
    }

    fn matches(&self, wall: NaiveDateTime) -> bool {
        self.minute[wall.minute() as usize]
            && self.hour[wall.hour() as usize]
            && self.day_matches(wall.date())
    }

    /// Every start after `from` up to the year 2100, on a clock that is never changed.
    pub fn starts_in_utc(&self, from: DateTime<Utc>) -> impl Iterator<Item = DateTime<Utc>> + '_ {
        from.date_naive()
            .iter_days()
            .take_while(|date| date.year() <= 2100)
            .filter(|date| self.day_matches(*date))
            .flat_map(|date| {
                (0..24 * 60).map(move |minute| date.and_time(Default::default()) + MINUTE * minute)
            })
            .filter(|wall| self.matches(*wall))
            .map(|wall| wall.and_utc())
            .filter(move |start| *start > from)
    }
}

/// The minutes of some days, and what the clock on the wall shows at each.
pub struct Timeline {
    from: DateTime<Utc>,
    minutes: Vec<(DateTime<Utc>, NaiveDateTime)>,
}

impl Timeline {
    /// Begins a day before `from`, so that cron is awake by then.
    pub fn new(zone: Tz, from: DateTime<Utc>, days: u64) -> Self {
        let begin = from.date_naive().checked_sub_days(Days::new(1)).unwrap().and_time(Default::default());
        let minutes = (0..(days + 1) * 24 * 60).map(|nth| {
            let minute = begin.and_utc() + MINUTE * nth as i32;
            (minute, minute.with_timezone(&zone).naive_local())
        });
        Self { from, minutes: minutes.collect() }
    }

    pub fn end(&self) -> DateTime<Utc> {
        self.minutes.last().unwrap().0 + MINUTE
    }

    /// When cron starts the line's command.
    ///
    /// "If the time has moved forwards, those jobs which would have run in the time that was
    /// skipped will be run soon after the change. Conversely, if the time has moved backwards by
    /// less than 3 hours, those jobs that fall into the repeated time will not be re-run. Only jobs
    /// that run at a particular time (not specified as @hourly, nor with '*' in the hour or minute
    /// specifier) are affected. Jobs which are specified with wildcards are run based on the new
    /// time immediately."
    ///
    /// Cron would run several jobs of one skipped hour one by one; here they are one start.
    pub fn starts(&self, line: &Crontab) -> Vec<DateTime<Utc>> {
        // The wall clock time up to which all has been run.
        let mut worked_off = self.minutes[0].1 - MINUTE;
        let mut starts = Vec::new();
        for (now, wall) in &self.minutes {
            let start = if line.wild {
                line.matches(*wall)
            } else {
                let mut due = false;
                while worked_off < *wall {
                    worked_off += MINUTE;
                    due |= line.matches(worked_off);
                }
                due
            };
            if start && *now > self.from {
                starts.push(*now);
            }
        }
        starts
    }
}
