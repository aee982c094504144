use std::time::Duration;

use chrono::{DateTime, Utc};
use chrono_tz::{America, Australia, Europe, Pacific, Tz, UTC};
use proptest::prelude::*;

use super::Schedule;

fn at(text: &str) -> DateTime<Utc> {
    text.parse().unwrap()
}

/// The next starts after `from`, as that zone's clock shows them.
fn starts(text: &str, zone: Tz, from: &str, count: usize) -> Vec<String> {
    let schedule = Schedule::parse(text, zone).unwrap();
    std::iter::successors(schedule.after(at(from)), |last| schedule.after(*last))
        .take(count)
        .map(|start| start.with_timezone(&zone).format("%F %T %Z").to_string())
        .collect()
}

#[track_caller]
fn refused(text: &str) -> String {
    Schedule::parse(text, UTC).expect_err(text).to_string()
}

#[test]
fn either_day_field_suffices_where_both_are_restricted() {
    assert_eq!(
        starts("30 4 1,15 * 5", UTC, "2026-01-01T00:00:00Z", 4),
        [
            "2026-01-01 04:30:00 UTC",
            "2026-01-02 04:30:00 UTC",
            "2026-01-09 04:30:00 UTC",
            "2026-01-15 04:30:00 UTC"
        ]
    );
    // A leading star makes it AND: the odd days that are Mondays.
    assert_eq!(
        starts("0 0 */2 * mon", UTC, "2026-01-01T00:00:00Z", 3),
        ["2026-01-05 00:00:00 UTC", "2026-01-19 00:00:00 UTC", "2026-02-09 00:00:00 UTC"]
    );
}

#[test]
fn seconds_come_first_in_six_fields() {
    assert_eq!(
        starts("10,40 59 23 * * *", UTC, "2026-01-01T23:59:10Z", 2),
        ["2026-01-01 23:59:40 UTC", "2026-01-02 23:59:10 UTC"]
    );
}

#[test]
fn after_is_strict_down_to_the_nanosecond() {
    let schedule = Schedule::parse("* * * * *", UTC).unwrap();
    let minute = at("2026-01-01T00:01:00Z");
    assert_eq!(schedule.after(at("2026-01-01T00:00:59.999999999Z")), Some(minute));
    assert_eq!(schedule.after(minute), Some(at("2026-01-01T00:02:00Z")));
    assert_eq!(schedule.after(at("2026-01-01T00:01:00.000000001Z")), Some(at("2026-01-01T00:02:00Z")));
}

#[test]
fn nicknames() {
    for (nickname, first, second) in [
        ("@hourly", "2026-03-04 06:00:00 UTC", "2026-03-04 07:00:00 UTC"),
        ("@daily", "2026-03-05 00:00:00 UTC", "2026-03-06 00:00:00 UTC"),
        ("@midnight", "2026-03-05 00:00:00 UTC", "2026-03-06 00:00:00 UTC"),
        ("@weekly", "2026-03-08 00:00:00 UTC", "2026-03-15 00:00:00 UTC"),
        ("@monthly", "2026-04-01 00:00:00 UTC", "2026-05-01 00:00:00 UTC"),
        ("@yearly", "2027-01-01 00:00:00 UTC", "2028-01-01 00:00:00 UTC"),
        ("@annually", "2027-01-01 00:00:00 UTC", "2028-01-01 00:00:00 UTC"),
        ("@every 90m", "2026-03-04 06:00:00 UTC", "2026-03-04 07:30:00 UTC"),
        ("@every 1h 30m", "2026-03-04 06:00:00 UTC", "2026-03-04 07:30:00 UTC"),
        ("@every 1s", "2026-03-04 05:06:08 UTC", "2026-03-04 05:06:09 UTC"),
    ] {
        assert_eq!(starts(nickname, UTC, "2026-03-04T05:06:07Z", 2), [first, second], "{nickname}");
    }
}

#[test]
fn every_is_counted_from_the_epoch_whenever_it_is_asked() {
    let schedule = Schedule::parse("@every 7s", UTC).unwrap();
    let mut asked = at("2026-03-04T05:06:07Z");
    for _ in 0..50 {
        let next = schedule.after(asked).unwrap();
        assert_eq!(next.timestamp() % 7, 0);
        assert!(next > asked && next.timestamp() - asked.timestamp() <= 7);
        asked += Duration::from_millis(1_300);
    }
    assert_eq!(schedule.after(at("1969-12-31T23:59:59Z")), Some(DateTime::UNIX_EPOCH));
}

#[test]
fn a_skipped_hour_is_made_up_for_and_a_repeated_one_counts_once() {
    // Berlin: 2026-03-29 02:00 CET is 03:00 CEST; 2026-10-25 03:00 CEST is 02:00 CET.
    assert_eq!(
        starts("30 2 * * *", Europe::Berlin, "2026-03-27T12:00:00Z", 3),
        ["2026-03-28 02:30:00 CET", "2026-03-29 03:00:00 CEST", "2026-03-30 02:30:00 CEST"]
    );
    assert_eq!(
        starts("30 2 * * *", Europe::Berlin, "2026-10-24T12:00:00Z", 2),
        ["2026-10-25 02:30:00 CEST", "2026-10-26 02:30:00 CET"]
    );
    // All of a skipped hour's starts are one, and one that is due right then is not doubled.
    assert_eq!(
        starts("0,20,40 2,3 * * *", Europe::Berlin, "2026-03-29T00:59:00Z", 3),
        ["2026-03-29 03:00:00 CEST", "2026-03-29 03:20:00 CEST", "2026-03-29 03:40:00 CEST"]
    );
    // Asked in the second pass: the first one's are over.
    assert_eq!(
        starts("0,20,40 2,3 * * *", Europe::Berlin, "2026-10-25T01:05:00Z", 1),
        ["2026-10-25 03:00:00 CET"]
    );
    assert_eq!(
        starts("30 1 * * *", America::New_York, "2026-11-01T00:00:00Z", 2),
        ["2026-11-01 01:30:00 EDT", "2026-11-02 01:30:00 EST"]
    );
    assert_eq!(
        starts("59 2 8 3 *", America::New_York, "2026-01-01T00:00:00Z", 2),
        ["2026-03-08 03:00:00 EDT", "2027-03-08 02:59:00 EST"]
    );
}

#[test]
fn a_wildcard_just_goes_on() {
    assert_eq!(
        starts("*/30 * * * *", Europe::Berlin, "2026-03-29T00:00:00Z", 3),
        ["2026-03-29 01:30:00 CET", "2026-03-29 03:00:00 CEST", "2026-03-29 03:30:00 CEST"]
    );
    assert_eq!(
        starts("*/30 2 * * *", Europe::Berlin, "2026-10-25T00:00:00Z", 4),
        [
            "2026-10-25 02:30:00 CEST",
            "2026-10-25 02:00:00 CET",
            "2026-10-25 02:30:00 CET",
            "2026-10-26 02:00:00 CET"
        ]
    );
    // What a wildcard would have started in the skipped hour is not made up for.
    assert_eq!(
        starts("15 */2 * * *", Europe::Berlin, "2026-03-28T23:30:00Z", 2),
        ["2026-03-29 04:15:00 CEST", "2026-03-29 06:15:00 CEST"]
    );
    // Half an hour, on Lord Howe.
    assert_eq!(
        starts("45 * * * *", Australia::Lord_Howe, "2026-04-04T14:00:00Z", 3),
        ["2026-04-05 01:45:00 +11", "2026-04-05 01:45:00 +1030", "2026-04-05 02:45:00 +1030"]
    );
    // Samoa had no 30 December 2011: what was to run that day runs right after it.
    assert_eq!(
        starts("0 12 30 12 *", Pacific::Apia, "2011-12-01T00:00:00Z", 2),
        ["2011-12-31 00:00:00 +14", "2012-12-30 12:00:00 +14"]
    );
}

#[test]
fn the_interval_is_that_of_the_next_two_starts() {
    let schedule = Schedule::parse("0 8,18 * * *", Europe::Berlin).unwrap();
    assert_eq!(schedule.interval(at("2026-06-01T00:00:00Z")), Duration::from_secs(10 * 3_600));
    assert_eq!(schedule.interval(at("2026-06-01T10:00:00Z")), Duration::from_secs(14 * 3_600));
    assert_eq!(schedule.interval(at("2200-06-01T10:00:00Z")), Duration::ZERO);
    let every = Schedule::parse("@every 30s", UTC).unwrap();
    assert_eq!(every.interval(at("2026-06-01T00:00:00Z")), Duration::from_secs(30));
}

#[test]
fn what_never_comes_is_refused() {
    for text in ["0 0 30 2 *", "0 0 31 4,6,9,11 *", "0 0 30 2 */7"] {
        assert!(refused(text).contains("it would never start"), "{text}: {}", refused(text));
    }
    // Restricted on both: there is always a Monday.
    assert!(Schedule::parse("0 0 30 2 mon", UTC).is_ok());
    assert_eq!(
        starts("0 0 29 2 */7", UTC, "2026-01-01T00:00:00Z", 2),
        ["2032-02-29 00:00:00 UTC", "2060-02-29 00:00:00 UTC"]
    );
}

#[test]
fn refusals_name_the_place_and_give_an_example() {
    for (text, wanted) in [
        ("", "the schedule \"\" cannot be read: it is empty; an example: \"*/5 * * * *\""),
        (
            "0 0 * * fri-mon",
            "the schedule \"0 0 * * fri-mon\" cannot be read: day of week (field 5): the range fri-mon runs \
             backwards; write fri-sat,sun-mon; an example: \"0 3 * * mon-fri\"",
        ),
        (
            "61 0 0 * * *",
            "the schedule \"61 0 0 * * *\" cannot be read: second (field 1): \"61\" is not a number from 0 to \
             59; an example: \"*/10 * * * * *\"",
        ),
        ("* * * *", "it has 4 fields; there must be five"),
        ("* * * * * * *", "it has 7 fields; there must be five"),
        ("@reboot", "@reboot has no next start"),
        ("@sometimes", "@sometimes is none of @hourly"),
        ("@daily x", "nothing may follow @daily"),
        ("@every", "@every needs a duration;"),
        ("@every 500ms", "@every needs a duration of at least one second"),
        ("@every 0s", "@every needs a duration of at least one second"),
        ("@every 1000years", "up to a hundred years"),
        ("@every often", "the duration \"often\" after @every:"),
        ("\u{1b}[31m* * *", "the schedule \"\\u{1b}[31m* * *\" cannot be read"),
    ] {
        assert!(refused(text).contains(wanted), "{}", refused(text));
    }
    assert!(refused(&"9".repeat(100_000)).len() < 500);
}

#[test]
fn it_is_shown_as_it_was_written() {
    for text in ["  0 3 *\t* SUN ", "@every 1h 30m"] {
        assert_eq!(Schedule::parse(text, UTC).unwrap().to_string(), text);
    }
    assert_ne!(Schedule::parse("@daily", UTC), Schedule::parse("@daily", Europe::Berlin));
    assert_eq!(Schedule::parse("@daily", UTC), Schedule::parse("@daily", UTC));
}

#[test]
fn the_ends_of_time_are_no_danger() {
    for text in ["* * * * *", "0 0 1 1 *", "* * * * * *", "@every 1s", "@every 36525days"] {
        for zone in [UTC, Pacific::Apia, America::New_York] {
            let schedule = Schedule::parse(text, zone).unwrap();
            for asked in [DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC, at("2100-12-31T23:59:59Z")] {
                let next = schedule.after(asked);
                assert!(next.is_none_or(|next| next > asked), "{text} {asked}");
                schedule.interval(asked);
            }
        }
    }
}

/// Something that looks like a schedule, to get beyond the first refusal.
fn almost_a_schedule() -> impl Strategy<Value = String> {
    let element = "(\\*|[0-9]{1,2}|[0-9]{1,2}-[0-9]{1,2}|[a-z]{3}|fri-sun|jan-mar)(/[0-9]{1,2})?";
    let field = proptest::collection::vec(element, 1..3).prop_map(|parts| parts.join(","));
    proptest::collection::vec(prop_oneof![3 => Just("*".to_owned()), 1 => field], 5..7)
        .prop_map(|fields| fields.join(" "))
}

fn zone() -> impl Strategy<Value = Tz> {
    prop_oneof![
        Just(UTC),
        Just(Europe::Berlin),
        Just(America::New_York),
        Just(Australia::Lord_Howe),
        Just(Pacific::Apia),
        (0..chrono_tz::TZ_VARIANTS.len()).prop_map(|nth| chrono_tz::TZ_VARIANTS[nth]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_is_a_danger(text in prop_oneof![".*", "@every .*", almost_a_schedule()], zone in zone()) {
        if let Ok(schedule) = Schedule::parse(&text, zone) {
            prop_assert_eq!(schedule.to_string(), text);
            schedule.after(at("2026-01-01T00:00:00Z"));
        }
    }

    #[test]
    fn after_always_increases(
        text in prop_oneof![
            almost_a_schedule(),
            (0..24, 0..60).prop_map(|(hour, minute)| format!("{minute} {hour} * * *")),
            (1..5_000).prop_map(|seconds| format!("@every {seconds}s")),
        ],
        zone in zone(),
        // From 1970 on, and for some years past the last known change of any clock.
        seconds in 0..4_200_000_000_i64,
        nanos in prop_oneof![Just(0), 0..1_000_000_000_u32],
    ) {
        if let Ok(schedule) = Schedule::parse(&text, zone) {
            let mut last = DateTime::from_timestamp(seconds, nanos).unwrap();
            for _ in 0..200 {
                let Some(next) = schedule.after(last) else { break };
                prop_assert!(next > last, "{} in {}: {} after {}", text, zone, next, last);
                // Asking later but before it gives the same start.
                let between = last + (next - last) / 2;
                prop_assert_eq!(schedule.after(between), Some(next), "{} in {}: {}", text, zone, between);
                last = next;
            }
        }
    }
}
