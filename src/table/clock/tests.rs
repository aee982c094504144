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
    for offset in ["YYYY-MM-DD HH:MM:SS+02:00", "YYYY-MM-DDTHH:MM:SS[.s]-0500", "YYYY-MM-DD HH:MM:SS +01"] {
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
        ("YYYY-MM-DDTHH:MM:SS[.s]", "Python, naive", ["2026-01-31T09:00:05", "2026-01-31T09:00:05.500000"]),
        ("iso8601", "Java's Instant", ["2026-01-31T09:00:05Z", "2026-01-31T09:00:05.500Z"]),
        ("iso8601", "Java's Instant", ["2026-01-31T09:00:05.000000Z", "2026-01-31T09:00:05.500000001Z"]),
        ("iso8601", "Go, RFC3339Nano", ["2026-01-31T09:00:05Z", "2026-01-31T09:00:05.5Z"]),
        (
            "YYYY-MM-DD HH:MM:SS[.s] +0000 UTC",
            "Go, String",
            ["2026-01-31 09:00:05 +0000 UTC", "2026-01-31 09:00:05.5 +0000 UTC"],
        ),
        ("YYYY-MM-DDTHH:MM:SS.sssZ", "JavaScript", ["2026-01-31T09:00:05.000Z", "2026-01-31T09:00:05.500Z"]),
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
        ("YYYY-MM-DD HH:MM:SS[.s]+00", "PostgreSQL", ["2026-01-31 09:00:05+00", "2026-01-31 09:00:05.5+00"]),
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
