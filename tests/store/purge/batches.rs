//! A batch as the database sees it: one message, its time limit, and what a row's trigger says.

use std::time::Duration;

use idemctl::janitor::{PurgeEnd, PurgeOptions, PurgeOutcome, purge};
use idemctl::store::{Confirmed, Dialect, ErrorKind, Store, StoreOptions, TimeSource, Timeouts};
use tokio_util::sync::CancellationToken;

use super::{by, counts, pass, spread};
use crate::support::proxy::Proxy;
use crate::support::server::shared;
use crate::support::{TestDb, at};

/// Rows of one moment are walked by heap blocks, the others along the index: both ways.
const WAYS: [bool; 2] = [false, true];

async fn filled(tied: bool, rows: u32) -> TestDb {
    let db = TestDb::new(Dialect::Postgres).await;
    let expires = if tied { db.time(at(50)) } else { spread(&db, at(50)) };
    db.fill_as("completed", "k", rows, at(0), &expires).await;
    db
}

/// A trigger that runs this for each row before it is deleted.
async fn before_each_row(db: &TestDb, body: &str) {
    db.run(&format!(
        "CREATE SEQUENCE IF NOT EXISTS tries;
         CREATE OR REPLACE FUNCTION on_delete() RETURNS trigger LANGUAGE plpgsql
             AS $f$ BEGIN {body} RETURN OLD; END $f$;
         CREATE OR REPLACE TRIGGER on_delete BEFORE DELETE ON idempotency_keys FOR EACH ROW EXECUTE FUNCTION on_delete()"
    ))
    .await;
}

async fn hasty(db: &TestDb) -> Store {
    let timeouts = Timeouts { statement: Duration::from_millis(400), ..Timeouts::default() };
    let options = StoreOptions { timeouts, clock: TimeSource::Fixed(at(200)), ..StoreOptions::default() };
    Store::connect(&db.url, options).await.unwrap()
}

async fn ended(store: &Store, options: &PurgeOptions) -> PurgeOutcome {
    let (stop, confirmed) = (CancellationToken::new(), Confirmed::given());
    purge(store, options, &confirmed, &stop, &mut |_| {}).await.unwrap()
}

/// Through a network, the way there and back is most of a small batch: it is made once. The pool asks
/// each connection that comes back whether it still lives, and nobody waits for that.
#[tokio::test]
async fn on_postgres_a_batch_is_one_message_and_the_pools_own() {
    for tied in WAYS {
        let db = filled(tied, 5_000).await;
        let proxy = Proxy::start(shared().await.port).await;
        let database = db.url.rsplit('/').next().unwrap();
        let options = StoreOptions {
            clock: TimeSource::Fixed(at(200)),
            prepared_statements: false,
            ..StoreOptions::default()
        };
        let store = Store::connect(&proxy.url(database), options).await.unwrap();
        // Connecting and the first questions are what every pass has.
        let empty = PurgeOptions { max_duration: Some(Duration::ZERO), ..by(20) };
        pass(&store, &empty).await;
        let before = proxy.sent();
        pass(&store, &empty).await;
        let around = proxy.sent() - before;
        let before = proxy.sent();
        let report = pass(&store, &by(20)).await;
        assert_eq!(counts(&report), (5_000, 0, 0));
        let sent = proxy.sent() - before - around;
        let batches = usize::try_from(report.batches).unwrap();
        // Some questions come once: the first step, how rows of one moment lie, the last batch.
        assert!(batches >= 50 && sent <= 2 * batches + 40, "tied {tied}: {sent} messages, {batches} batches");
    }
}

/// A batch that is too much for one statement is halved, below the smallest size where it must be.
#[tokio::test]
async fn on_postgres_a_statement_timeout_halves_the_batch_and_the_pass_goes_on() {
    for tied in WAYS {
        let db = filled(tied, 160).await;
        // A heap block of these rows takes longer than a statement may, too.
        before_each_row(&db, "PERFORM pg_sleep(0.01);").await;
        let report = pass(&hasty(&db).await, &by(160)).await;
        assert_eq!((counts(&report), report.end), ((160, 0, 0), PurgeEnd::Done), "tied {tied}");
        assert!(report.batches >= 4, "{report:?}");
    }
    let db = filled(false, 120).await;
    before_each_row(&db, "PERFORM pg_sleep(0.01);").await;
    let report = pass(&hasty(&db).await, &PurgeOptions { max_rows: Some(100), ..by(120) }).await;
    assert_eq!((counts(&report), report.end), ((100, 0, 20), PurgeEnd::MaxRows));
}

/// Halving ends: one row that always takes too long is left and named, and all others go.
#[tokio::test]
async fn on_postgres_a_single_row_that_takes_too_long_costs_itself_alone() {
    for tied in WAYS {
        let db = filled(tied, 40).await;
        let sleeps = "IF OLD.idempotency_key = 'k30' THEN PERFORM pg_sleep(2); END IF;";
        before_each_row(&db, sleeps).await;
        let report = pass(&hasty(&db).await, &by(16)).await;
        assert_eq!((counts(&report), report.end), ((39, 0, 1), PurgeEnd::Done), "tied {tied}: {report:?}");
        assert_eq!(report.refused.named[0].key, "k30");
        // All of them: there is no use in trying each.
        before_each_row(&db, "PERFORM pg_sleep(2);").await;
        db.fill("m", 40, at(0), at(60)).await;
        let outcome = ended(&hasty(&db).await, &by(16)).await;
        assert_eq!(outcome.error.unwrap().kind(), ErrorKind::Timeout);
        assert_eq!((outcome.report.deleted, outcome.report.end), (0, PurgeEnd::Failed));
    }
}

/// What a trigger refuses it refuses again: it is asked as often as the batch is halved, and never again.
#[tokio::test]
async fn on_postgres_an_error_that_a_trigger_raises_costs_its_row_alone() {
    for tied in WAYS {
        let db = filled(tied, 200).await;
        let raises = "IF OLD.idempotency_key = 'k150' THEN
             PERFORM nextval('tries'); RAISE EXCEPTION 'k150 stays'; END IF;";
        before_each_row(&db, raises).await;
        let report = pass(&db.at(at(200)), &by(20)).await;
        assert_eq!((report.deleted, report.end), (199, PurgeEnd::Done), "{report:?}");
        assert_eq!((report.refused.rows, report.refused.named[0].key.as_str()), (1, "k150"));
        assert_eq!(report.refused.named[0].reason.lines().next(), Some("k150 stays"));
        let tries = db.number("SELECT last_value FROM tries WHERE is_called").await;
        assert!((1..=11).contains(&tries), "tied {tied}: {tries}");
    }
}

/// The settings of the database or of the application's connections change nothing.
#[tokio::test]
async fn on_postgres_odd_defaults_of_a_database_do_not_matter() {
    let db = filled(false, 500).await;
    let database = db.url.rsplit('/').next().unwrap();
    for setting in [
        "default_transaction_isolation = 'serializable'",
        "datestyle = 'German, DMY'",
        "timezone = 'America/St_Johns'",
        "standard_conforming_strings = off",
        "lock_timeout = '1h'",
    ] {
        shared().await.admin(&format!("ALTER DATABASE {database} SET {setting}")).await;
    }
    let connect = || async {
        let pool = sqlx::postgres::PgPoolOptions::new()
            .after_connect(|connection, _| {
                Box::pin(async move {
                    let odd = "SET datestyle = 'German, DMY'; SET timezone = 'America/St_Johns'";
                    sqlx::raw_sql(odd).execute(connection).await.map(|_| ())
                })
            })
            .connect(&db.url)
            .await
            .unwrap();
        let options = StoreOptions { clock: TimeSource::Fixed(at(200)), ..StoreOptions::default() };
        Store::from_pg_pool(pool, options).unwrap()
    };
    let mut holder = db.raw().await;
    holder.run("BEGIN; SELECT 1 FROM idempotency_keys WHERE idempotency_key = 'k250' FOR UPDATE").await;
    let report = pass(&connect().await, &by(20)).await;
    assert_eq!((counts(&report), report.end), ((499, 1, 1), PurgeEnd::Done));
    holder.run("COMMIT").await;
    holder.close().await;
    assert_eq!(counts(&pass(&connect().await, &by(20)).await), (1, 0, 0));
}
