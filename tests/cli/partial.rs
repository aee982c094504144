//! A part is never told as the whole: rows that row level security hides, and what a standby does not have yet.

use idemctl::protocol::{Answer, ClaimOutcome};
use idemctl::store::{Confirmed, Dialect, MigrateOptions, Store, StoreOptions};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::binary::{Binary, Ran};
use crate::support::server::{Server, shared};
use crate::support::{TestDb, claim, secs, ttl, until};

/// A role that row level security shows the scope `mine` alone.
async fn half_blind(db: &TestDb, role: &str) -> Binary {
    shared().await.admin(&format!("CREATE ROLE {role} LOGIN")).await;
    db.run(&format!(
        "GRANT ALL ON ALL TABLES IN SCHEMA public TO {role};
         ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
         CREATE POLICY mine ON idempotency_keys TO {role} USING (scope = 'mine')"
    ))
    .await;
    Binary::at(&db.url.replace("postgres@", &format!("{role}@")))
}

#[track_caller]
fn says(ran: &Ran, code: i32, word: &str) {
    ran.is_clean();
    assert_eq!(ran.code, code, "{ran:?}");
    assert!(ran.stderr.contains(word), "{word:?} is missing: {ran:?}");
    assert!(!ran.stderr.contains("would execute") && !ran.stdout.contains("execute"), "{ran:?}");
}

const HIDDEN: &str = "row level security hides rows from the role";

#[tokio::test]
async fn rows_that_row_level_security_hides_are_not_taken_for_absent() {
    let db = TestDb::new(Dialect::Postgres).await;
    let past = db.store.with_clock(idemctl::store::TimeSource::Shifted(-3_600_000_000)).unwrap();
    past.claim(&claim("pay-1").with_ttl(ttl(86_400))).await.unwrap();
    let binary = half_blind(&db, "partial_cli").await;
    for (arguments, code) in [
        (&["inspect", "pay-1"][..], 6),
        (&["replay", "pay-1"], 6),
        (&["list", "--stuck"], 0),
        (&["list"], 0),
        (&["stats"], 0),
        (&["stats", "--max-backlog-age", "1h"], 6),
        (&["audit"], 0),
        (&["reap-stuck", "--older-than", "5m", "--dry-run"], 0),
        (&["reap-stuck", "--older-than", "5m"], 6),
        (&["purge", "--dry-run"], 0),
        (&["purge"], 6),
        (&["release", "pay-1", "--yes"], 3),
    ] {
        says(&binary.run(arguments), code, HIDDEN);
    }
    assert_eq!(binary.json(&["stats"])["row_security"], true);
    assert_eq!(binary.json(&["purge", "--dry-run"])["row_security"], true);
    assert_eq!(binary.json(&["reap-stuck", "--dry-run"])["row_security"], true);
    assert_eq!(Binary::on(&db).json(&["stats"])["row_security"], false);

    // A policy that lets every row pass hides none, and one on the audit hides its entries.
    db.run("CREATE POLICY see ON idempotency_keys TO partial_cli USING (true)").await;
    let ran = binary.run(&["inspect", "nobody"]);
    assert_eq!((ran.code, ran.stderr.contains("would execute")), (3, true), "{ran:?}");
    db.run("ALTER TABLE idemctl_audit ENABLE ROW LEVEL SECURITY").await;
    says(&binary.run(&["audit"]), 0, "row level security hides entries of idemctl_audit");
    says(&binary.run(&["inspect", "pay-1"]), 0, "row level security hides entries of idemctl_audit");
}

/// A row that can be read is shown, whatever stands beside it.
#[tokio::test]
async fn a_history_that_can_not_be_read_hides_no_verdict() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.store.claim(&claim("k")).await.unwrap();
    let role = format!("reader_{}", db.url.rsplit('/').next().unwrap());
    db.run(&format!(
        "CREATE ROLE {role} LOGIN; GRANT SELECT ON idempotency_keys, idemctl_migrations TO {role}"
    ))
    .await;
    let url = db.url.replace("postgres://postgres@", &format!("postgres://{role}@"));
    let binary = Binary::new();
    let inspected = binary.run(&["inspect", "k", "-o", "json", "--database-url", &url]);
    assert_eq!(inspected.code, 0, "{inspected:?}");
    let key = &inspected.json()[0];
    assert_eq!((&key["verdict"], key.get("history")), (&"wait".into(), None), "{key}");
    assert!(inspected.stderr.contains("the history is not known"), "{inspected:?}");
    db.run(&format!("REVOKE ALL ON idemctl_migrations FROM {role}")).await;
    let examined = binary.run(&["doctor", "-o", "json", "--database-url", &url]);
    assert_ne!(examined.code, 0, "{examined:?}");
    assert!(examined.stdout.contains("right_migrations_missing"), "{examined:?}");
    db.run(&format!("DROP OWNED BY {role}; DROP ROLE {role}")).await;
}

/// Policies that can't be read are taken for ones that hide.
#[tokio::test]
async fn policies_that_can_not_be_read_hide_rows() {
    let db = TestDb::new(Dialect::Postgres).await;
    let binary = half_blind(&db, "partial_unread").await;
    db.run("CREATE POLICY see ON idempotency_keys TO partial_unread USING (true)").await;
    assert_eq!(binary.run(&["inspect", "nobody"]).code, 3);
    db.run("REVOKE SELECT ON pg_policy FROM PUBLIC").await;
    says(&binary.run(&["inspect", "nobody"]), 6, "could not be read");
}

/// What could not be counted is not 0: it is null, said with its reason, and the exit code is not that of a
/// pass that left nothing.
#[tokio::test]
async fn what_can_not_be_counted_is_unknown() {
    let db = TestDb::empty(Dialect::Postgres).await;
    db.run(
        "CREATE TABLE keys (k text PRIMARY KEY, status text NOT NULL, made timestamptz NOT NULL, due timestamptz NOT NULL);
         INSERT INTO keys VALUES ('old', 'done', now() - interval '9 days', now() - interval '8 days'),
             ('odd', 'half', now() - interval '9 days', now() - interval '8 days'),
             ('stuck', 'open', now() - interval '9 days', now() + interval '1 day');
         CREATE TABLE closed (what text);
         CREATE FUNCTION may() RETURNS boolean LANGUAGE plpgsql AS $$ DECLARE word text; BEGIN
             FOR word IN SELECT what FROM closed LOOP
                 IF current_query() LIKE word THEN RAISE EXCEPTION 'nobody counts'; END IF;
             END LOOP; RETURN true; END $$;
         ALTER TABLE keys ENABLE ROW LEVEL SECURITY;
         CREATE POLICY counts ON keys USING (may())",
    )
    .await;
    shared().await.admin("CREATE ROLE partial_uncounted LOGIN").await;
    db.run("GRANT SELECT, UPDATE, DELETE ON keys TO partial_uncounted; GRANT SELECT ON closed TO partial_uncounted")
        .await;
    let binary = Binary::at(&db.url.replace("postgres@", "partial_uncounted@"));
    let config = binary.home.path().join("c.toml");
    let text = "[[table]]\nname = \"keys\"\nkey = \"k\"\n\
                [table.state]\ncolumn = \"status\"\nin_progress = [\"open\"]\ncompleted = [\"done\"]\nfailed = [\"lost\"]\n\
                [table.clock]\ncreated = { column = \"made\", as = \"timestamptz\" }\n\
                expires = { column = \"due\", as = \"timestamptz\" }\n[table.fail]\nset = { status = \"lost\" }\n";
    std::fs::write(&config, text).unwrap();
    let config = config.display().to_string();
    let run = |arguments: &[&str]| {
        let ran = binary.run(&[&["--config", &config, "-o", "json"], arguments].concat());
        assert_eq!(ran.code, 6, "{ran:?}");
        (ran.json(), ran.stderr)
    };
    let (purged, _) = run(&["purge"]);
    assert_eq!(
        (&purged["deleted"], &purged["unrecognized"], &purged["backlog"]),
        (&1.into(), &1.into(), &serde_json::Value::Null)
    );
    assert_eq!(purged["not_counted"], serde_json::json!([]));
    // A row that stays whatever is done.
    db.run(
        "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
         CREATE TRIGGER keep BEFORE DELETE ON keys FOR EACH ROW EXECUTE FUNCTION keep();
         INSERT INTO keys VALUES ('kept', 'done', now() - interval '9 days', now() - interval '8 days'),
             ('busy', 'open', now(), now() - interval '8 days')",
    )
    .await;
    for (statement, field, said) in [
        ("%AS strange%", "unrecognized", "rows of unknown state or clock could not be counted"),
        ("%AS held%", "in_progress", "expired rows in progress could not be counted"),
        ("%AS due%", "backlog", "the backlog could not be counted"),
    ] {
        db.run(&format!("TRUNCATE closed; INSERT INTO closed VALUES ('{statement}')")).await;
        let (purged, said_so) = run(&["purge"]);
        assert_eq!(purged[field], serde_json::Value::Null, "{purged}");
        let why = purged["not_counted"][0].as_str().unwrap();
        assert!(why.contains(said) && why.contains("nobody counts"), "{why}");
        assert!(said_so.contains(said) && said_so.contains("nobody counts"), "{said_so}");
    }
    db.run("TRUNCATE closed; INSERT INTO closed VALUES ('%AS strange%')").await;
    let (reaped, said_so) = run(&["reap-stuck", "--older-than", "1h"]);
    assert_eq!(
        (&reaped["reaped"], &reaped["unrecognized"]),
        (&1.into(), &serde_json::Value::Null),
        "{reaped}"
    );
    assert!(said_so.contains("could not be counted") && said_so.contains("nobody counts"), "{said_so}");
    // One scope says nothing of the others.
    let own = TestDb::new(Dialect::Sqlite).await;
    let report = Binary::on(&own).json(&["reap-stuck", "--scope", "a"]);
    assert!(report["unrecognized"].is_null() && report["without_clock"].is_null(), "{report}");
    let report = Binary::on(&own).json(&["reap-stuck"]);
    assert_eq!((&report["unrecognized"], &report["without_clock"]), (&0.into(), &0.into()), "{report}");
}

/// A view leaves out what its query leaves out.
#[tokio::test]
async fn a_view_is_not_the_table() {
    let db = TestDb::empty(Dialect::Postgres).await;
    db.run(
        "CREATE TABLE t (k text PRIMARY KEY, at timestamptz NOT NULL DEFAULT now(), tenant int NOT NULL);
         INSERT INTO t VALUES ('hidden', now(), 2);
         CREATE VIEW v AS SELECT * FROM t WHERE tenant = 1",
    )
    .await;
    let binary = Binary::on(&db);
    let config = binary.home.path().join("c.toml");
    let text = "[[table]]\nname = \"v\"\nkey = \"k\"\n[table.state]\nalways = \"completed\"\n[table.clock]\n\
                created = { column = \"at\", as = \"timestamptz\" }\n";
    std::fs::write(&config, text).unwrap();
    let config = config.display().to_string();
    says(&binary.run(&["--config", &config, "inspect", "hidden"]), 6, "a view");
    says(&binary.run(&["--config", &config, "list"]), 0, "rows that its query leaves out");
}

/// What lies in the log beside a file that is taken for immutable is not seen.
#[tokio::test]
async fn the_log_of_an_immutable_file_is_not_read() {
    let db = TestDb::new(Dialect::Sqlite).await;
    let retried = claim("retried");
    let ClaimOutcome::Claimed { token, .. } = db.store.claim(&retried).await.unwrap() else { panic!() };
    let retry = idemctl::protocol::Retry::Allow;
    db.store.fail(&retried.key, &retried.scope, token, "no", retry, None).await.unwrap();
    db.run("PRAGMA wal_checkpoint(TRUNCATE)").await;
    let binary = Binary::at(&format!("{}?immutable=1", db.url));
    let clean = binary.run(&["inspect", "nobody"]);
    assert_eq!((clean.code, clean.stderr.contains("only a part")), (3, false), "{clean:?}");
    db.store.claim(&claim("new")).await.unwrap();
    for (arguments, code) in [
        (&["inspect", "new"][..], 6),
        (&["replay", "new"], 6),
        (&["replay", "retried"], 6),
        (&["list"], 0),
        (&["stats"], 0),
        (&["stats", "--max-backlog-age", "1h"], 6),
    ] {
        says(&binary.run(arguments), code, "keys.db-wal");
    }
    // It may be at work by now.
    assert_eq!(binary.json(&["inspect", "retried"])[0]["verdict"], "unknown");
    let whole = Binary::on(&db).run(&["inspect", "new"]);
    assert_eq!((whole.code, whole.stderr.as_str()), (0, ""), "{whole:?}");
}

/// A standby that does not replay any more knows nothing of the last charge.
#[tokio::test]
async fn a_standby_says_that_it_is_one() {
    let mut server = Server::start().await;
    let primary = Store::connect(&server.url("postgres"), StoreOptions::default()).await.unwrap();
    let options = MigrateOptions { patience: secs(30), holder: "test".into() };
    primary.migrate(&options, &Confirmed::given()).await.unwrap();
    let standby = server.standby().await;
    let binary = Binary::at(&standby.url);
    let failed = claim("failed-1");
    let ClaimOutcome::Claimed { token, .. } = primary.claim(&failed).await.unwrap() else { panic!() };
    let retry = idemctl::protocol::Retry::Allow;
    primary.fail(&failed.key, &failed.scope, token, "no", retry, None).await.unwrap();
    until("the standby has the key", || async { binary.run(&["inspect", "failed-1"]).code == 0 }).await;
    standby.run("SELECT pg_wal_replay_pause()").await;
    until("replay is paused", || async {
        let mut raw = PgConnection::connect(&standby.url).await.unwrap();
        let sql = AssertSqlSafe("SELECT pg_get_wal_replay_pause_state() = 'paused'");
        sqlx::query_scalar(sql).fetch_one(&mut raw).await.unwrap()
    })
    .await;
    let charged = claim("pay-1");
    let ClaimOutcome::Claimed { token, .. } = primary.claim(&charged).await.unwrap() else { panic!() };
    primary.complete(&charged.key, &charged.scope, token, &Answer::new(0, "charged")).await.unwrap();

    const STANDBY: &str = "this server is a standby and shows the past";
    for (arguments, code) in [
        (&["inspect", "pay-1"][..], 6),
        (&["replay", "pay-1"], 6),
        (&["replay", "failed-1"], 6),
        (&["list"], 0),
        (&["stats"], 0),
        (&["audit"], 0),
    ] {
        let ran = binary.run(arguments);
        ran.is_clean();
        assert_eq!(ran.code, code, "{ran:?}");
        assert!(ran.stderr.contains(STANDBY) && ran.stderr.contains("replay is paused"), "{ran:?}");
        assert!(!ran.stderr.contains("a retry would execute"), "{ran:?}");
    }
    // What may be tried again here may be at work on the primary.
    assert_eq!(binary.json(&["inspect", "failed-1"])[0]["verdict"], "unknown");
    assert_eq!(binary.json(&["list"])[0]["verdict"], "unknown");
    let on_primary = Binary::at(&server.url("postgres"));
    assert_eq!(on_primary.json(&["inspect", "failed-1"])[0]["verdict"], "execute");
    let stats = binary.json(&["stats"]);
    assert_eq!(stats["standby"]["paused"], true, "{stats}");
    assert!(stats["standby"]["replayed_until"].is_string(), "{stats}");
    for arguments in [
        &["purge"][..],
        &["reap-stuck", "--older-than", "5m"],
        &["release", "failed-1", "--yes"],
        &["pause", "--reason", "x"],
        &["resume"],
    ] {
        says(&binary.run(arguments), 8, "standby");
    }
    let ran = binary.run(&["run", "--key", "k", "--", "echo", "ran"]);
    assert!(ran.code == 125 && ran.stdout.is_empty(), "{ran:?}");
    assert!(ran.stderr.contains("read-only") && ran.stderr.contains("primary"), "{ran:?}");
    standby.run("SELECT pg_wal_replay_resume()").await;
}
