//! Clocks in every encoding, whatever the session's time zone is.

use idemctl::janitor::{PurgeOptions, ReapOptions, purge, reap};
use idemctl::protocol::{Retry, Timestamp};
use idemctl::store::{Confirmed, TimeSource};
use idemctl::table::{
    Clock, Clocks, Encoding, Ident, Literal, Mapping, Shown, Spelling, TableName, WriteRule,
};
use tokio_util::sync::CancellationToken;

use crate::harness::{Adopted, set};
use crate::support::{Dialect, TestDb, secs, tester};

const CONFIG: &str = r#"
    [[table]]
    name = "keys"
    key = "key"
    [table.state]
    always = "completed"
    [table.clock]
    expires = { column = "expires", as = ENCODING }
    [table.claim]
    expired = "absent"
"#;

/// A row that expired long ago, one within the grace, one to come, and one without an expiry.
async fn keeps_and_deletes(dialect: Dialect, kind: &str, encoding: &str, moment: impl Fn(i64) -> String) {
    let schema = format!("CREATE TABLE keys (key varchar(50) PRIMARY KEY, expires {kind})");
    let adopted = Adopted::new(dialect, &schema, &CONFIG.replace("ENCODING", encoding)).await;
    if matches!(dialect, Dialect::Postgres) {
        adopted
            .db
            .run(
                "ALTER DATABASE CURRENT_DB SET timezone = 'Asia/Tokyo'"
                    .replace(
                        "CURRENT_DB",
                        adopted.db.url.rsplit('/').next().unwrap().split('?').next().unwrap(),
                    )
                    .as_str(),
            )
            .await;
    }
    for (key, seconds) in [("old", -90_000), ("older", -90_001), ("grace", -1_800), ("young", 1_800)] {
        adopted.db.run(&format!("INSERT INTO keys VALUES ('{key}', {})", moment(seconds))).await;
    }
    adopted.db.run("INSERT INTO keys VALUES ('null', NULL)").await;
    assert_eq!(adopted.listed(&["--expired"]), set(&["old", "older", "grace"]), "{kind} {encoding}");
    let row = &adopted.json(&["inspect", "young"])[0];
    assert!(row["unreadable"].is_null(), "{row}");
    assert_eq!((adopted.verdict("grace"), adopted.verdict("null")), ("execute".into(), "replay".into()));
    let purged = adopted.json(&["purge"]);
    assert_eq!(purged["deleted"], 2, "{kind} {encoding}: {purged}");
    assert_eq!(adopted.listed(&["--sort", "expires"]), set(&["grace", "young", "null"]));
}

#[tokio::test]
async fn postgres_clocks() {
    let postgres = Dialect::Postgres;
    let local =
        |zone: &'static str| move |by: i64| format!("timezone('{zone}', now() + {by} * interval '1 s')");
    keeps_and_deletes(postgres, "timestamp", "{ naive = \"UTC\" }", local("UTC")).await;
    keeps_and_deletes(postgres, "timestamp(0)", "{ naive = \"Asia/Tokyo\" }", local("Asia/Tokyo")).await;
    let epoch =
        |factor: i64| move |by: i64| format!("CAST((extract(epoch FROM now()) + {by}) * {factor} AS bigint)");
    keeps_and_deletes(postgres, "integer", "\"epoch_s\"", epoch(1)).await;
    keeps_and_deletes(postgres, "bigint", "\"epoch_ms\"", epoch(1_000)).await;
    keeps_and_deletes(postgres, "numeric(20)", "\"epoch_us\"", epoch(1_000_000)).await;
    keeps_and_deletes(postgres, "double precision", "\"epoch_s\"", |by| {
        format!("extract(epoch FROM now()) + {by}")
    })
    .await;
    keeps_and_deletes(postgres, "text", "{ text = \"iso8601\" }", |by| {
        format!(
            "to_char(timezone('UTC', now() + {by} * interval '1 s'), 'YYYY-MM-DD\"T\"HH24:MI:SS.MS\"Z\"')"
        )
    })
    .await;
}

#[tokio::test]
async fn sqlite_clocks() {
    let sqlite = Dialect::Sqlite;
    let text = |format: &'static str| move |by: i64| format!("strftime('{format}', 'now', '{by} seconds')");
    keeps_and_deletes(sqlite, "INTEGER", "\"epoch_s\"", |by| {
        format!("CAST(strftime('%s', 'now') AS integer) + {by}")
    })
    .await;
    keeps_and_deletes(sqlite, "DATETIME", "\"epoch_ms\"", |by| {
        format!("(CAST(strftime('%s', 'now') AS integer) + {by}) * 1000")
    })
    .await;
    keeps_and_deletes(sqlite, "REAL", "\"epoch_s\"", |by| {
        format!("(julianday('now') - 2440587.5) * 86400.0 + {by}")
    })
    .await;
    keeps_and_deletes(sqlite, "DATETIME", "{ text = \"YYYY-MM-DD HH:MM:SS\" }", text("%Y-%m-%d %H:%M:%S"))
        .await;
    keeps_and_deletes(sqlite, "TEXT", "{ text = \"iso8601\" }", text("%Y-%m-%dT%H:%M:%SZ")).await;
    keeps_and_deletes(sqlite, "TEXT", "{ text = \"YYYY-MM-DDTHH:MM:SS.sssZ\" }", text("%Y-%m-%dT%H:%M:%fZ"))
        .await;
}

/// '' compares as long expired, an offset or another separator compares wrongly: none of it is touched.
#[tokio::test]
async fn what_is_spelled_otherwise_is_never_touched_and_reported() {
    for dialect in [Dialect::Postgres, Dialect::Sqlite] {
        let schema = "CREATE TABLE keys (key varchar(50) PRIMARY KEY, expires text);
            INSERT INTO keys VALUES ('old', '2020-01-01 00:00:00'), ('empty', ''), ('t', '2020-01-01T00:00:00'),
                ('offset', '2020-01-01 00:00:00+02:00'), ('words', '1 January 2020'), ('month', '2020-13-01 00:00:00'),
                ('ancient', '1970-01-01 00:00:00'), ('young', '2200-01-01 00:00:00'), ('null', NULL);";
        let adopted =
            Adopted::new(dialect, schema, &CONFIG.replace("ENCODING", "{ text = \"sqlite\" }")).await;
        let purged = adopted.run(&["purge", "-o", "json"]);
        let report = purged.json();
        assert_eq!(
            (purged.code, &report["deleted"], &report["unrecognized"]),
            (6, &1.into(), &6.into()),
            "{purged:?}"
        );
        assert_eq!(
            adopted.listed(&[]),
            set(&["empty", "t", "offset", "words", "month", "ancient", "young", "null"])
        );
        assert_eq!(adopted.verdict("t"), "unknown");
        assert_eq!(adopted.json(&["inspect", "t"])[0]["unreadable"][0][0], "expires");
    }
}

/// What languages write: a fraction that comes and goes, and any way to say UTC. The order of time is kept, and
/// what is of another spelling is neither read nor touched.
#[tokio::test]
async fn a_fraction_that_comes_and_goes_keeps_the_order_of_time() {
    for (pattern, texts) in [
        (
            "YYYY-MM-DDTHH:MM:SS[.s]+00:00",
            ["2026-01-31T09:00:05+00:00", "2026-01-31T09:00:05.123456+00:00", "2026-01-31T09:00:06+00:00"],
        ),
        (
            "YYYY-MM-DD HH:MM:SS[.s]+00",
            ["2026-01-31 09:00:05+00", "2026-01-31 09:00:05.12+00", "2026-01-31 09:00:06.5+00"],
        ),
        (
            "YYYY-MM-DD HH:MM:SS[.s] +0000 UTC",
            [
                "2026-01-31 09:00:05 +0000 UTC",
                "2026-01-31 09:00:05.1 +0000 UTC",
                "2026-01-31 09:00:06.123456789 +0000 UTC",
            ],
        ),
        (
            "YYYY-MM-DD HH:MM:SS UTC",
            ["2026-01-31 09:00:04 UTC", "2026-01-31 09:00:05 UTC", "2026-01-31 09:00:06 UTC"],
        ),
        (
            "YYYY-MM-DDTHH:MM:SS.sssssss+00:00",
            [
                "2026-01-31T09:00:05.0000000+00:00",
                "2026-01-31T09:00:05.1234567+00:00",
                "2026-01-31T09:00:06.0000000+00:00",
            ],
        ),
        ("iso8601", ["2026-01-31T09:00:05Z", "2026-01-31T09:00:05.123Z", "2026-01-31T09:00:06.000001Z"]),
    ] {
        for dialect in [Dialect::Postgres, Dialect::Sqlite] {
            let schema = format!(
                "CREATE TABLE keys (key varchar(50) PRIMARY KEY, created text NOT NULL);
                 INSERT INTO keys VALUES ('a', '{}'), ('b', '{}'), ('c', '{}'), ('offset', '2026-01-31T09:00:05+02:00'),
                    ('word', 'today'), ('future', '{}');",
                texts[0], texts[1], texts[2], texts[2].replace("2026-", "2199-")
            );
            let config = CONFIG
                .replace(
                    "expires = { column = \"expires\", as = ENCODING }",
                    "created = { column = \"created\", as = ENCODING }\n ttl = \"1h\"",
                )
                .replace("ENCODING", &format!("{{ text = \"{pattern}\" }}"));
            let adopted = Adopted::new(dialect, &schema, &config).await;
            for (until, keys) in [
                ("2026-01-31T09:00:03Z", &[][..]),
                ("2026-01-31T09:00:05.999Z", if pattern.contains("SS UTC") { &["a"][..] } else { &[] }),
                ("2026-01-31T09:00:06Z", &["a", "b"]),
                ("2026-01-31T09:00:07Z", &["a", "b", "c"]),
            ] {
                assert_eq!(adopted.listed(&["--until", until]), set(keys), "{pattern} {until}");
            }
            assert_eq!(adopted.listed(&["--since", "2026-01-31T09:00:07Z"]), set(&["future"]), "{pattern}");
            let row = &adopted.json(&["inspect", "b"])[0];
            assert!(row["unreadable"].is_null(), "{pattern}: {row}");
            assert!(
                row["created_at"].as_str().unwrap().starts_with("2026-01-31T09:00:05"),
                "{pattern}: {row}"
            );
            let doctor = adopted.run(&["doctor", "-o", "json"]).json().to_string();
            assert!(doctor.contains("clock_misspelled"), "{pattern}: {doctor}");
            let purged = adopted.run(&["purge", "-o", "json"]);
            let report = purged.json();
            assert_eq!(
                (&report["deleted"], &report["unrecognized"]),
                (&3.into(), &2.into()),
                "{pattern}: {purged:?}"
            );
            assert_eq!(adopted.listed(&[]), set(&["offset", "word", "future"]), "{pattern}");
        }
    }
    let refused = Adopted::postgres(
        "CREATE TABLE keys (key text PRIMARY KEY, expires text)",
        &CONFIG.replace("ENCODING", "{ text = \"YYYY-MM-DDTHH:MM:SS+02:00\" }"),
    )
    .await;
    refused.refuses(&["list"], 2, &["has an offset", "in UTC"]);
    // Another spelling of all rows is named by doctor.
    let wrong = Adopted::postgres(
        "CREATE TABLE keys (key text PRIMARY KEY, expires text);
         INSERT INTO keys VALUES ('a', '2026-01-31T09:00:05.123456+00:00')",
        &CONFIG.replace("ENCODING", "{ text = \"iso8601\" }"),
    )
    .await;
    let doctor = wrong.run(&["doctor"]);
    assert!(doctor.stdout.contains("YYYY-MM-DDTHH:MM:SS[.s]+00:00"), "{doctor:?}");
    assert_eq!(wrong.run(&["purge"]).code, 6);
}

/// Where no clock says when a row was made, its expiry minus the ttl does.
#[tokio::test]
async fn an_age_is_counted_back_from_the_expiry() {
    const CONFIG: &str = r#"
        [[table]]
        name = "keys"
        key = "key"
        [table.state]
        column = "status"
        in_progress = ["open"]
        completed = ["done"]
        failed = ["bad"]
        [table.clock]
        expires = { column = "expires", as = ENCODING }
        ttl = "1day"
        [table.claim]
        failed = "final"
        [table.fail]
        set = { status = "bad" }
        [table.reap]
        older_than = "1h"
    "#;
    for (dialect, encoding, kind) in [
        (Dialect::Postgres, "\"timestamptz\"", "timestamptz"),
        (Dialect::Postgres, "\"epoch_s\"", "bigint"),
        (Dialect::Sqlite, "\"epoch_ms\"", "bigint"),
        (Dialect::Sqlite, "{ text = \"sqlite\" }", "text"),
        (Dialect::Sqlite, "{ text = \"YYYY-MM-DDTHH:MM:SS[.s]+00:00\" }", "text"),
    ] {
        let in_hours = |hours: i64| match (dialect, kind, encoding) {
            (Dialect::Postgres, "timestamptz", _) => format!("now() + {hours} * interval '1 hour'"),
            (Dialect::Postgres, ..) => format!("CAST(extract(epoch FROM now()) AS bigint) + {hours} * 3600"),
            (_, "bigint", _) => format!("(unixepoch() + {hours} * 3600) * 1000"),
            (_, _, text) if text.contains('T') => {
                format!("strftime('%Y-%m-%dT%H:%M:%f000+00:00', 'now', '{hours} hours')")
            }
            _ => format!("datetime('now', '{hours} hours')"),
        };
        // Made 24 hours before: 30 hours, 3 hours, 10 minutes ago; and long ago, done.
        let mut schema =
            format!("CREATE TABLE keys (key varchar(50) PRIMARY KEY, status text NOT NULL, expires {kind});");
        for (key, status, hours) in [
            ("lost", "open", -6),
            ("silent", "open", 21),
            ("busy", "open", 24),
            ("done", "done", 20),
            ("old", "done", -6),
        ] {
            schema.push_str(&format!("INSERT INTO keys VALUES ('{key}', '{status}', {});", in_hours(hours)));
        }
        schema.push_str("INSERT INTO keys VALUES ('null', 'open', NULL);");
        let endless = matches!(dialect, Dialect::Postgres) && kind == "timestamptz";
        if endless {
            schema.push_str("INSERT INTO keys VALUES ('endless', 'open', 'infinity');");
        }
        let adopted = Adopted::new(dialect, &schema, &CONFIG.replace("ENCODING", encoding)).await;
        assert_eq!(adopted.listed(&["--stuck"]), set(&["lost", "silent"]), "{encoding}");
        assert_eq!(
            adopted.listed(&["--older-than", "2h"]),
            set(&["lost", "silent", "done", "old"]),
            "{encoding}"
        );
        let since = adopted.listed(&["--since", "5h"]);
        let mut young = set(&["silent", "busy", "done"]);
        young.extend(endless.then(|| "endless".to_owned()));
        assert_eq!(since, young, "{encoding}");
        let row = &adopted.json(&["inspect", "silent"])[0];
        assert_eq!((&row["stuck"], &row["created_at"]), (&true.into(), &serde_json::Value::Null), "{row}");
        let at = |name: &str| row[name].as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>().unwrap();
        let hours = |from: &str, to: &str| (at(to) - at(from)).num_hours();
        let age = (chrono::Utc::now() - at("claimed_at")).num_minutes();
        assert_eq!(hours("claimed_at", "expires_at"), 24, "{row}");
        assert!((179..=180).contains(&age), "{row}");
        let stats = adopted.json(&["stats", "--exact"]);
        assert_eq!(
            (&stats["stuck"]["value"], &stats["backlog"]["rows"]["value"]),
            (&2.into(), &1.into()),
            "{stats}"
        );
        assert_eq!(adopted.json(&["purge"])["deleted"], 1, "{encoding}");
        // One that has no expiry has no age.
        let reaped = adopted.run(&["reap-stuck", "--retry", "block", "-o", "json"]);
        let report = reaped.json();
        assert_eq!(
            (reaped.code, &report["reaped"], &report["without_clock"]),
            (6, &2.into(), &1.into()),
            "{reaped:?}"
        );
        let row = &adopted.json(&["inspect", "lost"])[0];
        let left = row["expires_at"].as_str().unwrap().parse::<chrono::DateTime<chrono::Utc>>().unwrap()
            - chrono::Utc::now();
        assert_eq!(row["status"], "failed", "{row}");
        assert!((1_439..=1_440).contains(&left.num_minutes()), "counted afresh with the ttl: {row}");
    }
    // The pages of a list in this order follow each other.
    let many = "CREATE TABLE keys (key text PRIMARY KEY, status text NOT NULL, expires bigint);
        WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 2500)
        INSERT INTO keys SELECT 'k' || n, 'done', CASE WHEN n % 9 = 0 THEN NULL ELSE 1700000000 + n % 7 END FROM r;";
    let adopted = Adopted::new(Dialect::Sqlite, many, &CONFIG.replace("ENCODING", "\"epoch_s\"")).await;
    for order in ["claimed", "claimed-desc"] {
        assert_eq!(adopted.listed(&["--sort", order]).len(), 2_500);
    }
}

#[tokio::test]
async fn a_null_expiry_falls_back_to_the_age() {
    let schema = "CREATE TABLE keys (key text PRIMARY KEY, expires bigint, created timestamptz NOT NULL);
        INSERT INTO keys SELECT k, CASE WHEN e IS NULL THEN NULL ELSE extract(epoch FROM now() + e) END, now() - c
        FROM (VALUES ('by-expiry', interval '-1 day', interval '1 minute'), ('by-age', NULL, '3 days'),
            ('young', NULL, '1 hour'), ('long', '1 day', '3 days')) AS v (k, e, c);";
    let config = CONFIG.replace("as = ENCODING }", "as = \"epoch_s\" }\n created = { column = \"created\", as = \"timestamptz\" }\n ttl = \"1day\"\n null_expires = \"ttl\"");
    let adopted = Adopted::postgres(schema, &config).await;
    assert_eq!(adopted.listed(&["--expired"]), set(&["by-expiry", "by-age"]));
    assert_eq!(adopted.json(&["purge", "--dry-run"])["matched"], 2);
    for arguments in [&["stats"][..], &["stats", "--exact"]] {
        let stats = adopted.json(arguments);
        assert_eq!(stats["backlog"]["rows"]["value"], 2, "along both ways: {stats}");
        let expiring: u64 = stats["expiries"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hour| hour["rows"]["value"].as_u64().unwrap())
            .sum();
        assert_eq!(expiring, 0, "{stats}");
        assert!(stats["backlog"]["age_seconds"].as_f64().unwrap() > 86_400.0, "{stats}");
    }
    assert_eq!(adopted.json(&["purge"])["deleted"], 2);
    assert_eq!(adopted.listed(&[]), set(&["young", "long"]));
}

/// A lease that is not written as declared may run, however it compares: its row is neither reaped nor purged.
#[tokio::test]
async fn a_lease_that_can_not_be_read_protects() {
    let config = r#"
        [[table]]
        name = "keys"
        key = "key"
        [table.state]
        column = "status"
        in_progress = ["open"]
        completed = ["done"]
        failed = ["bad"]
        [table.clock]
        created = { column = "created", as = "epoch_s" }
        lease = { column = "lease", as = { text = "iso8601" } }
        ttl = "1h"
        [table.reap]
        older_than = "5m"
        [table.fail]
        set = { status = "bad" }
        [table.claim]
        expired = "blocks"
    "#;
    let schema =
        "CREATE TABLE keys (key varchar(50) PRIMARY KEY, status text, created bigint NOT NULL, lease text);
        INSERT INTO keys SELECT status || '-' || name, status, 1700000000, lease FROM
            (SELECT 'open' AS status UNION ALL SELECT 'done') AS s,
            (SELECT 'none' AS name, NULL AS lease UNION ALL SELECT 'over', '2026-01-31T09:00:05.5Z'
             UNION ALL SELECT 'offset', '2026-01-31T09:00:05-05:00' UNION ALL SELECT 'empty', ''
             UNION ALL SELECT 'runs', '2199-01-31T09:00:05Z') AS l;";
    for dialect in [Dialect::Postgres, Dialect::Sqlite] {
        let adopted = Adopted::new(dialect, schema, config).await;
        assert_eq!(adopted.listed(&["--stuck"]), set(&["open-none", "open-over"]));
        assert_eq!(adopted.json(&["stats"])["stuck"]["value"], 2);
        let row = &adopted.json(&["inspect", "open-offset"])[0];
        assert_eq!((&row["stuck"], &row["unreadable"][0][0]), (&false.into(), &"lease".into()), "{row}");
        assert!(row["why"].as_str().unwrap().contains("its lease can't be read"), "{row}");
        let failed = adopted.run(&["fail", "open-offset", "--yes", "--retry", "allow", "-o", "json"]);
        assert_eq!(failed.json()["changed"], 0, "{failed:?}");
        let reaped = adopted.run(&["reap-stuck", "--retry", "allow", "-o", "json"]);
        let report = reaped.json();
        assert_eq!(
            (reaped.code, &report["reaped"], &report["unrecognized"]),
            (6, &2.into(), &2.into()),
            "{reaped:?}"
        );
        let purged = adopted.run(&["purge", "-o", "json"]);
        assert_eq!(purged.json()["deleted"], 4, "{purged:?}");
        let left = ["open-offset", "open-empty", "open-runs", "done-offset", "done-empty", "done-runs"];
        assert_eq!(adopted.listed(&[]), set(&left));
    }
}

/// In an hour that comes twice a block holds as long as the claim was to, and no row goes before its time.
#[tokio::test]
async fn a_block_holds_in_the_hour_that_comes_twice() {
    let column = |name: &str| Ident::new(name).unwrap();
    let berlin = chrono_tz::Europe::Berlin;
    for (dialect, kind, encoding) in [
        (Dialect::Sqlite, "TEXT", Encoding::Text(Spelling::parse("sqlite", berlin).unwrap())),
        (Dialect::Postgres, "text", Encoding::Text(Spelling::parse("sqlite", berlin).unwrap())),
        (Dialect::Postgres, "timestamp", Encoding::Naive(berlin)),
    ] {
        let clock = |name: &str| Some(Clock::new(column(name), encoding));
        let mapping = Mapping {
            name: TableName { schema: None, name: column("keys") },
            key: vec![column("k")],
            scope: Vec::new(),
            clocks: Clocks { created: clock("created"), expires: clock("expires"), ..Clocks::default() },
            shown: Shown::default(),
            fail: Some(WriteRule::Set {
                values: vec![(column("status"), Literal::Text("failed".into()))],
                null: Vec::new(),
                now: Vec::new(),
            }),
            release: None,
            ..Mapping::owned()
        };
        // 2026-10-25: at 01:00Z the clocks go back from 03:00 to 02:00. The claim is for half an hour.
        let change = 1_792_890_000_000_000;
        for minutes in [-75, -59, -45, -31, -15, -1, 0, 1, 15, 29] {
            let db = TestDb::empty(dialect).await;
            db.run(&format!(
                "CREATE TABLE keys (k varchar(9) PRIMARY KEY, status text, created {kind}, expires {kind})"
            ))
            .await;
            db.run(
                "INSERT INTO keys VALUES ('a', 'in_progress', '2026-10-24 12:00:00', '2026-10-24 12:30:00')",
            )
            .await;
            let now = Timestamp::from_micros(change + minutes * 60_000_000);
            let at = |later: u64| TimeSource::Fixed(now.plus(secs(later)));
            let store = db.store.with_mapping(mapping.clone()).await.unwrap();
            let on = |later: u64| store.with_clock(at(later)).unwrap();
            let stop = CancellationToken::new();
            let options = ReapOptions {
                older_than: secs(300),
                retry: Retry::Block.into(),
                scope: None,
                max_rows: None,
                allow_cascade: false,
            };
            let confirmed = Confirmed::given();
            let reaped =
                reap(&on(0), &options, &tester(), Some(&confirmed), &stop, &mut |_| {}).await.unwrap();
            assert_eq!(reaped.report.reaped, 1, "{kind} {minutes}: {reaped:?}");
            let purge_at = async |later: u64| {
                let options = PurgeOptions { grace: secs(0), ..PurgeOptions::default() };
                purge(&on(later), &options, &confirmed, &stop, &mut |_| {}).await.unwrap().report.deleted
            };
            let row = on(5).inspect("a").await.unwrap().remove(0);
            let until = row.expires_at.unwrap();
            assert!(until >= now.plus(secs(1_800)), "{kind} {minutes}: blocked until {until}, at {now}");
            assert!(
                until <= now.plus(secs(1_800 + 3_601)),
                "{kind} {minutes}: blocked until {until}, at {now}"
            );
            for later in [5, 900, 1_799] {
                assert_eq!(purge_at(later).await, 0, "{kind} {minutes}: {later} s later");
            }
            assert_eq!(purge_at(1_800 + 2 * 3_600 + 2).await, 1, "{kind} {minutes}");
        }
    }
}
