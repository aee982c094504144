//! Another engine, written by others, and where it is known to differ from cron.

use chrono::{DateTime, Utc};
use chrono_tz::Tz;
use croner::parser::{CronParser, Seconds};

pub fn starts(
    text: &str,
    zone: Tz,
    from: DateTime<Utc>,
    end: DateTime<Utc>,
    most: usize,
) -> Vec<DateTime<Utc>> {
    let cron = CronParser::builder().seconds(Seconds::Optional).build().parse(text);
    let cron = cron.unwrap_or_else(|error| panic!("{text}: {error}"));
    let mut last = from.with_timezone(&zone);
    let mut starts = Vec::new();
    while starts.len() < most {
        last = cron.find_next_occurrence(&last, false).unwrap_or_else(|error| panic!("{text}: {error}"));
        if last >= end {
            break;
        }
        starts.push(last.to_utc());
    }
    starts
}

/// Where croner reads an expression otherwise than crontab(5), and how.
pub fn reads_otherwise(text: &str) -> Option<&'static str> {
    let lower = text.to_lowercase();
    let fields: Vec<&str> = lower.split(' ').collect();
    let [day, _, weekday] = fields[fields.len() - 3..] else { return None };
    let partly = |field: &str| field.starts_with('*') && field != "*";
    if weekday.contains("-sun") || weekday.contains("-0") {
        return Some("it refuses a range that ends with Sunday by name or as 0");
    }
    if (partly(day) && weekday != "*") || (partly(weekday) && day != "*") {
        return Some("only a lone * leaves a day field unrestricted; cron looks at the first character");
    }
    None
}

/// Croner takes lists, ranges and steps of hours, minutes or seconds for wildcards, while cron(8)
/// looks for a `*` in hour and minute only.
pub fn treats_changes_otherwise(text: &str) -> bool {
    let fields: Vec<&str> = text.split(' ').collect();
    let with_seconds = fields.len() == 6;
    let clock = &fields[..fields.len() - 3];
    let (minute, hour) = (clock[usize::from(with_seconds)], clock[1 + usize::from(with_seconds)]);
    let wild = minute.starts_with('*') || hour.starts_with('*');
    let one_moment = clock.iter().all(|field| field.bytes().all(|byte| byte.is_ascii_digit()));
    !wild && !one_moment
}
