//! Rows that the database refuses: each of them is left and named, and all others go.

use std::time::Duration;

use idemctl::janitor::{PurgeEnd, PurgeOptions, PurgeReport, ReapOptions, ReapReport, reap};
use idemctl::protocol::Retry;
use idemctl::store::{Confirmed, Dialect};
use tokio_util::sync::CancellationToken;

use super::{by, pass, spread};
use crate::support::{TestDb, at, on_both_dialects, secs, tester};

/// The database keeps the rows of a condition on `old`, with an error.
async fn keep(db: &TestDb, condition: &str) {
    let sql = match db.dialect() {
        Dialect::Postgres => format!(
            "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 IF {condition} THEN RAISE EXCEPTION '% is kept', old.idempotency_key; END IF;
                 RETURN old; END $$;
             CREATE TRIGGER keep BEFORE DELETE ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION keep()"
        ),
        _ => format!(
            "CREATE TRIGGER keep BEFORE DELETE ON idempotency_keys WHEN {condition}
             BEGIN SELECT RAISE(ABORT, 'the row is kept'); END"
        ),
    };
    db.run(&sql).await;
}

#[track_caller]
fn assert_refused(report: &PurgeReport, deleted: u64, keys: &[&str]) {
    assert_eq!((report.deleted, report.skipped, report.end), (deleted, 0, PurgeEnd::Done), "{report:?}");
    assert_eq!(
        (report.refused.rows, report.backlog),
        (keys.len() as u64, Some(keys.len() as u64)),
        "{report:?}"
    );
    let mut named: Vec<&str> = report.refused.named.iter().map(|row| row.key.as_str()).collect();
    named.sort_unstable();
    assert_eq!(named, keys);
    for row in &report.refused.named {
        assert!(row.reason.contains("kept"), "{row:?}");
        assert!(!row.reason.contains("returned from database"), "{row:?}");
    }
    assert!(!report.leaves_nothing());
    assert_eq!(report.warnings().iter().filter(|(name, _)| *name == "refused").count(), 1);
}

async fn refused_rows_are_named_and_all_others_go(db: TestDb) {
    db.fill_as("completed", "k", 500, at(0), &spread(&db, at(50))).await;
    keep(&db, "old.idempotency_key IN ('k1', 'k7', 'k8', 'k500')").await;
    for batch in [1_000, 50, 1] {
        db.fill_as("completed", &format!("more{batch}-"), 100, at(0), &spread(&db, at(50))).await;
        let before = db.rows().await as u64;
        let report = pass(&db.at(at(200)), &by(batch)).await;
        assert_refused(&report, before - 4, &["k1", "k500", "k7", "k8"]);
        assert_eq!(db.rows().await, 4);
    }
}

async fn refused_rows_of_one_moment_are_named_and_all_others_go(db: TestDb) {
    keep(&db, "old.idempotency_key IN ('k1', 'k7', 'k900')").await;
    for batch in [10, 100] {
        db.fill("other", 1, at(0), at(40)).await;
        // What was left before stays refused.
        let fresh = format!("f{batch}-");
        db.fill(&fresh, 1_000, at(0), at(50)).await;
        if batch == 10 {
            db.fill("k", 1_000, at(0), at(50)).await;
        }
        let before = db.rows().await as u64;
        let report = pass(&db.at(at(200)), &by(batch)).await;
        assert_refused(&report, before - 3, &["k1", "k7", "k900"]);
    }
}

/// So few of them on so many blocks that PostgreSQL takes them by lists.
async fn refused_rows_that_lie_far_apart_are_named_and_all_others_go(db: TestDb) {
    let expires = format!("CASE WHEN n % 200 = 0 THEN {} ELSE {} END", db.time(at(50)), db.time(at(900)));
    db.fill_as("completed", "k", 6_000, at(0), &expires).await;
    keep(&db, "old.idempotency_key IN ('k200', 'k1000')").await;
    assert_refused(&pass(&db.at(at(200)), &by(10)).await, 28, &["k1000", "k200"]);
}

async fn a_row_limit_holds_beside_refused_rows(db: TestDb) {
    keep(&db, "old.idempotency_key LIKE 'x%'").await;
    for tied in [false, true] {
        let expires = if tied { db.time(at(50)) } else { spread(&db, at(50)) };
        db.fill_as("completed", &format!("x{tied}"), 30, at(0), &expires).await;
        db.fill_as("completed", &format!("k{tied}"), 100, at(0), &expires).await;
        for (limit, deleted) in [(1, 1), (40, 40), (100, 59)] {
            let before = db.rows().await;
            let options = PurgeOptions { max_rows: Some(limit), ..by(10) };
            let report = pass(&db.at(at(200)), &options).await;
            assert_eq!(report.deleted, deleted, "tied {tied}, {limit}: {report:?}");
            assert_eq!(before - db.rows().await, deleted as i64);
        }
    }
}

/// A table of which nothing may be deleted is looked at once, and within the time limit.
async fn a_pass_of_which_every_row_is_refused_ends(db: TestDb) {
    keep(&db, "1 = 1").await;
    db.fill_as("completed", "k", 150, at(0), &spread(&db, at(50))).await;
    db.fill("tied", 150, at(0), at(60)).await;
    let report = pass(&db.at(at(200)), &by(20)).await;
    assert_eq!((report.deleted, report.refused.rows, report.end), (0, 300, PurgeEnd::Done));
    assert_eq!(report.refused.named.len(), 20);
    let brief = PurgeOptions { max_duration: Some(Duration::from_millis(1)), ..by(20) };
    let report = pass(&db.at(at(200)), &brief).await;
    assert_eq!((report.deleted, report.end), (0, PurgeEnd::MaxDuration));
    assert!(report.refused.rows < 300, "{report:?}");
}

/// The time is bounded by the refused rows, not by all of them: the transactions that were made say so.
async fn one_refused_row_costs_a_few_statements(db: TestDb) {
    db.fill_as("completed", "k", 2_000, at(0), &spread(&db, at(50))).await;
    keep(&db, "old.idempotency_key = 'k777'").await;
    let report = pass(&db.at(at(200)), &by(1_000)).await;
    assert_refused(&report, 1_999, &["k777"]);
    // One for the half without it, and one for each half on the way down to the row.
    assert!(report.batches <= 2 + 11, "{report:?}");
}

async fn a_refusal_at_the_commit_is_one_of_a_row(db: TestDb) {
    db.fill_as("completed", "k", 300, at(0), &spread(&db, at(50))).await;
    let sql = match db.dialect() {
        Dialect::Postgres => {
            "CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                 IF old.idempotency_key = 'k33' THEN RAISE EXCEPTION 'kept' USING ERRCODE = '42501'; END IF;
                 RETURN NULL; END $$;
             CREATE CONSTRAINT TRIGGER keep AFTER DELETE ON idempotency_keys DEFERRABLE INITIALLY DEFERRED
                 FOR EACH ROW EXECUTE FUNCTION keep()"
        }
        // It rolls the transaction back by itself.
        _ => {
            "CREATE TRIGGER keep AFTER DELETE ON idempotency_keys WHEN old.idempotency_key = 'k33'
             BEGIN SELECT RAISE(ROLLBACK, 'kept'); END"
        }
    };
    db.run(sql).await;
    assert_refused(&pass(&db.at(at(200)), &by(100)).await, 299, &["k33"]);
    assert_eq!(db.rows().await, 1);
}

async fn stuck_rows(db: &TestDb) -> ReapReport {
    let options = ReapOptions {
        older_than: secs(30),
        retry: Retry::Allow.into(),
        scope: None,
        max_rows: None,
        allow_cascade: false,
    };
    let (store, stop, confirmed) = (db.at(at(60)), CancellationToken::new(), Confirmed::given());
    let outcome = reap(&store, &options, &tester(), Some(&confirmed), &stop, &mut |_| {}).await.unwrap();
    assert!(outcome.error.is_none() && !outcome.stopped, "{outcome:?}");
    outcome.report
}

/// The state, and the entry of the audit that is to come with it.
async fn a_refused_row_does_not_stop_the_reaper(db: TestDb) {
    db.fill_as("in_progress", "k", 450, at(0), &db.time(at(1_000))).await;
    let sql = match db.dialect() {
        Dialect::Postgres => {
            "ALTER TABLE idempotency_keys ADD CHECK (status <> 'failed' OR idempotency_key <> 'k7');
             ALTER TABLE idemctl_audit ADD CONSTRAINT kept CHECK (idempotency_key NOT IN ('k8', 'k300'))"
        }
        _ => {
            "CREATE TRIGGER keep BEFORE UPDATE ON idempotency_keys WHEN old.idempotency_key = 'k7'
             BEGIN SELECT RAISE(ABORT, 'kept'); END;
             CREATE TRIGGER keep_audit BEFORE INSERT ON idemctl_audit
             WHEN new.idempotency_key IN ('k8', 'k300') BEGIN SELECT RAISE(FAIL, 'kept'); END"
        }
    };
    db.run(sql).await;
    let report = stuck_rows(&db).await;
    assert_eq!((report.matched, report.reaped, report.locked), (450, 447, 0), "{report:?}");
    let mut named: Vec<&str> = report.refused.named.iter().map(|row| row.key.as_str()).collect();
    named.sort_unstable();
    assert_eq!(named, ["k300", "k7", "k8"]);
    assert_eq!(db.number("SELECT count(*) FROM idempotency_keys WHERE status = 'failed'").await, 447);
    assert_eq!(db.number("SELECT count(*) FROM idemctl_audit").await, 447);
    // They are as stuck as before, and stop nobody.
    let report = stuck_rows(&db).await;
    assert_eq!((report.matched, report.reaped, report.refused.rows), (3, 0, 3));
}

on_both_dialects!(
    refused_rows_are_named_and_all_others_go,
    refused_rows_of_one_moment_are_named_and_all_others_go,
    refused_rows_that_lie_far_apart_are_named_and_all_others_go,
    a_row_limit_holds_beside_refused_rows,
    a_pass_of_which_every_row_is_refused_ends,
    one_refused_row_costs_a_few_statements,
    a_refusal_at_the_commit_is_one_of_a_row,
    a_refused_row_does_not_stop_the_reaper,
);

/// Refused, locked and deleted rows of one range, each counted as what it is.
#[tokio::test]
async fn on_postgres_locked_rows_beside_refused_ones_are_counted_apart() {
    for tied in [false, true] {
        let db = TestDb::new(Dialect::Postgres).await;
        let expires = if tied { db.time(at(50)) } else { spread(&db, at(50)) };
        db.fill_as("completed", "k", 400, at(0), &expires).await;
        keep(&db, "old.idempotency_key IN ('k10', 'k200')").await;
        let mut holder = db.raw().await;
        let lock =
            "BEGIN; SELECT 1 FROM idempotency_keys WHERE idempotency_key IN ('k9', 'k11', 'k399') FOR UPDATE";
        holder.run(lock).await;
        let report = pass(&db.at(at(200)), &by(20)).await;
        assert_eq!((report.deleted, report.skipped), (395, 3), "tied {tied}: {report:?}");
        assert_eq!((report.refused.rows, report.backlog), (2, Some(5)), "tied {tied}: {report:?}");
        holder.run("COMMIT").await;
        holder.close().await;
        assert_refused(&pass(&db.at(at(200)), &by(20)).await, 3, &["k10", "k200"]);
    }
}

/// Children that this role may not see, in a schema that it may not enter.
#[tokio::test]
async fn on_postgres_children_that_nobody_sees_keep_their_rows_alone() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.fill_as("completed", "k", 300, at(0), &spread(&db, at(50))).await;
    db.run(
        "CREATE SCHEMA secret;
         CREATE TABLE secret.payment (k text, s text,
             FOREIGN KEY (k, s) REFERENCES idempotency_keys (idempotency_key, scope));
         CREATE TABLE hidden (k text, s text,
             FOREIGN KEY (k, s) REFERENCES idempotency_keys (idempotency_key, scope) ON DELETE RESTRICT);
         INSERT INTO secret.payment VALUES ('k7', ''), ('k8', '');
         INSERT INTO hidden VALUES ('k200', '');
         ALTER TABLE hidden ENABLE ROW LEVEL SECURITY;
         CREATE ROLE refused_janitor LOGIN;
         GRANT ALL ON idempotency_keys, hidden TO refused_janitor",
    )
    .await;
    let url = db.url.replace("postgres@", "refused_janitor@");
    let store = idemctl::store::Store::connect(&url, Default::default()).await.unwrap();
    let store = store.with_clock(idemctl::store::TimeSource::Fixed(at(200))).unwrap();
    let report = pass(&store, &by(50)).await;
    assert_eq!((report.deleted, report.refused.rows), (297, 3), "{report:?}");
    let mut named: Vec<&str> = report.refused.named.iter().map(|row| row.key.as_str()).collect();
    named.sort_unstable();
    assert_eq!(named, ["k200", "k7", "k8"]);
    assert!(report.refused.named[0].reason.contains("foreign key constraint"), "{report:?}");
}
