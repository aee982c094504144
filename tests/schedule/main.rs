//! Schedules against two independent oracles: another cron engine (`croner`), and cron's own main
//! loop, simulated minute by minute from what cron(8) and crontab(5) say.
//!
//! 200 random expressions (seeded) and 40 chosen ones, the next 50 starts each.

mod cron_daemon;
mod croner_oracle;
mod expressions;

use chrono::{DateTime, Utc};
use chrono_tz::{America, Europe, Tz, UTC};
use cron_daemon::{Crontab, Timeline};
use idemctl::janitor::Schedule;

const STARTS: usize = 50;

/// Shortly before a leap year and the turn of a minute, an hour, a day, a month and a year.
const BEFORE_A_LEAP_YEAR: &str = "2027-12-31T23:58:30Z";

/// Two days before each change of the clock.
const CHANGES: [(Tz, &str); 4] = [
    (Europe::Berlin, "2026-03-27T01:00:30Z"),
    (Europe::Berlin, "2026-10-23T01:00:30Z"),
    (America::New_York, "2026-03-06T07:00:30Z"),
    (America::New_York, "2026-10-30T06:00:30Z"),
];

fn at(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

/// The next starts of `text`, up to `STARTS` and before `end`.
fn ours(text: &str, zone: Tz, from: DateTime<Utc>, end: DateTime<Utc>) -> Vec<DateTime<Utc>> {
    let schedule = Schedule::parse(text, zone).unwrap_or_else(|error| panic!("{error}"));
    std::iter::successors(schedule.after(from), |last| schedule.after(*last))
        .take_while(|start| *start < end)
        .take(STARTS)
        .collect()
}

#[test]
fn on_a_clock_without_changes_as_crontab_5_says() {
    let from = at(BEFORE_A_LEAP_YEAR);
    let end = at("2101-01-01T00:00:00Z");
    for text in expressions::five_fields() {
        let wanted: Vec<_> = Crontab::read(&text).starts_in_utc(from).take(STARTS).collect();
        assert_eq!(ours(&text, UTC, from, end), wanted, "{text}");
    }
}

#[test]
fn across_changes_of_the_clock_as_cron_8_says() {
    for (zone, from) in CHANGES {
        let timeline = Timeline::new(zone, at(from), 60);
        for text in expressions::five_fields() {
            let mut wanted = timeline.starts(&Crontab::read(&text));
            wanted.truncate(STARTS);
            assert_eq!(ours(&text, zone, at(from), timeline.end()), wanted, "{text} in {zone} from {from}");
        }
    }
}

#[test]
fn as_another_engine_says() {
    let end = at("2101-01-01T00:00:00Z");
    let (mut compared, mut compared_across_changes) = (0, 0);
    for text in expressions::all() {
        if croner_oracle::reads_otherwise(&text).is_some() {
            continue;
        }
        compared += 1;
        let from = at(BEFORE_A_LEAP_YEAR);
        assert_eq!(
            ours(&text, UTC, from, end),
            croner_oracle::starts(&text, UTC, from, end, STARTS),
            "{text} in UTC"
        );
        if croner_oracle::treats_changes_otherwise(&text) {
            continue;
        }
        compared_across_changes += 1;
        for (zone, from) in CHANGES {
            assert_eq!(
                ours(&text, zone, at(from), end),
                croner_oracle::starts(&text, zone, at(from), end, STARTS),
                "{text} in {zone} from {from}"
            );
        }
    }
    // The exceptions must stay exceptions.
    assert!(compared >= 200, "{compared}");
    assert!(compared_across_changes >= 120, "{compared_across_changes}");
}

#[test]
fn the_collection_is_complete() {
    assert_eq!(expressions::CHOSEN.len(), 40);
    assert_eq!(expressions::all().len(), 240);
    assert_eq!(expressions::all(), expressions::all());
}
