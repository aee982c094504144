//! Sessions and pools that are not ours alone keep their settings; ours are what a claim needs.

use std::time::Duration;

use idemctl::janitor::{PurgeOptions, purge};
use idemctl::protocol::{Retry, Timestamp};
use idemctl::store::{Confirmed, Dialect, Operated, Operation, Store, StoreOptions};
use sqlx::postgres::PgPoolOptions;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use sqlx::{AssertSqlSafe, Row as _};
use tokio_util::sync::CancellationToken;

use crate::support::pooler::pooler;
use crate::support::server::shared;
use crate::support::{Raw, TestDb, answer, claim, claimed, replay, secs, tester};

/// Every kind of call that writes.
async fn use_it(store: &Store) {
    let first = claim("k");
    assert_eq!(store.claim(&first).await.unwrap(), claimed(first.token, 1));
    store.renew(&first.key, &first.scope, first.token, first.lease).await.unwrap();
    store.complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
    assert_eq!(store.claim(&claim("k")).await.unwrap(), replay());
    let (stop, confirmed) = (CancellationToken::new(), Confirmed::given());
    purge(store, &PurgeOptions::default(), &confirmed, &stop, &mut |_| {}).await.unwrap();
    let now = store.now().await.unwrap();
    store.purge_range(store.first_expiry(), now.minus(secs(100)), &confirmed).await.unwrap();
    let row = store.inspect("k").await.unwrap().remove(0);
    let forgotten = store.operate(&row, Operation::Forget, &tester(), true, &confirmed).await.unwrap();
    assert_eq!(forgotten, Operated::Done);
}

const SETTINGS: [&str; 6] = [
    "transaction_isolation",
    "default_transaction_isolation",
    "lock_timeout",
    "statement_timeout",
    "synchronous_commit",
    "client_encoding",
];

/// Through a pooler an application's next transaction is on the session that ours was on.
#[tokio::test]
async fn behind_a_pooler_an_applications_session_keeps_its_settings() {
    for more in ["default_pool_size = 1", "default_pool_size = 1\nignore_startup_parameters = options"] {
        for mode in ["transaction", "session"] {
            let db = TestDb::new(Dialect::Postgres).await;
            let name = db.url.rsplit('/').next().unwrap().to_owned();
            let serializable =
                format!("ALTER DATABASE {name} SET default_transaction_isolation = 'serializable'");
            shared().await.admin(&serializable).await;
            let pooler = pooler(mode, more).await;
            let url =
                format!("postgres://postgres@127.0.0.1:{}/{name}?statement-cache-capacity=0", pooler.port);
            let options: sqlx::postgres::PgConnectOptions = url.parse().unwrap();
            let options = options.extra_float_digits(None);
            let settings = || async {
                let pool =
                    PgPoolOptions::new().max_connections(1).connect_with(options.clone()).await.unwrap();
                let mut found = Vec::new();
                for setting in SETTINGS {
                    let row = sqlx::raw_sql(AssertSqlSafe(format!("SHOW {setting}")))
                        .fetch_one(&pool)
                        .await
                        .unwrap();
                    found.push(row.get::<String, _>(0));
                }
                pool.close().await;
                found
            };
            let before = settings().await;
            let url = format!("postgres://postgres@127.0.0.1:{}/{name}", pooler.port);
            let store = Store::connect(&url, StoreOptions::default()).await.unwrap();
            use_it(&store).await;
            store.close().await;
            assert_eq!(settings().await, before, "{mode}, {more}");
            // Two clients share the one connection, and neither meets the other's statements.
            let (one, other) = (
                Store::connect(&url, StoreOptions::default()).await.unwrap(),
                Store::connect(&url, StoreOptions::default()).await.unwrap(),
            );
            if mode == "transaction" {
                for number in 0..3 {
                    for store in [&one, &other] {
                        let claim = claim(&format!("both-{number}"));
                        let _ = store.claim(&claim).await.unwrap();
                    }
                }
            }
        }
    }
}

/// A client of the pooler may leave its search path on a session; another schema may have the same table.
#[tokio::test]
async fn behind_a_pooler_nobodys_search_path_leads_to_another_schema() {
    for (asked, ours) in [("", "public"), ("?schema=third", "third")] {
        let db = TestDb::new(Dialect::Postgres).await;
        for schema in ["staging", "third"] {
            db.run(&format!("CREATE SCHEMA {schema}")).await;
            for table in
                ["idempotency_keys", "idemctl_migrations", "idemctl_audit", "idemctl_lease", "idemctl_pause"]
            {
                db.run(&format!("CREATE TABLE {schema}.{table} (LIKE public.{table} INCLUDING ALL)")).await;
            }
            db.run(&format!("INSERT INTO {schema}.idemctl_migrations SELECT * FROM idemctl_migrations"))
                .await;
        }
        db.fill_as(
            "completed",
            "old",
            1,
            Timestamp::OLDEST_PLAUSIBLE.plus(secs(1)),
            "now() - interval '1 day'",
        )
        .await;
        db.run("INSERT INTO staging.idempotency_keys SELECT * FROM idempotency_keys").await;
        let pooler =
            pooler("transaction", "default_pool_size = 1\nignore_startup_parameters = options").await;
        let name = db.url.rsplit('/').next().unwrap().to_owned();
        let url = format!("postgres://postgres@127.0.0.1:{}/{name}", pooler.port);
        let options: sqlx::postgres::PgConnectOptions =
            format!("{url}?statement-cache-capacity=0").parse().unwrap();
        let leave = async || {
            let options = options.clone().extra_float_digits(None);
            let pool = PgPoolOptions::new().max_connections(1).connect_with(options).await.unwrap();
            sqlx::raw_sql("SET search_path = staging").execute(&pool).await.unwrap();
            pool.close().await;
        };
        leave().await;
        let store = Store::connect(&format!("{url}{asked}"), StoreOptions::default()).await.unwrap();
        assert!(store.location().await.unwrap().contains(&format!("schema {ours}")), "{}", store.target());
        leave().await;
        use_it(&store).await;
        store.claim(&claim("stays")).await.unwrap();
        store.close().await;
        let keys =
            |schema: &str| format!("SELECT string_agg(idempotency_key, ' ') FROM {schema}.idempotency_keys");
        assert_eq!(db.raw().await.texts(&keys("staging")).await, ["old1"]);
        assert_eq!(db.raw().await.texts(&keys(ours)).await, ["stays"]);
    }
}

/// What the rows were written with, seen by a trigger in the very transaction.
async fn watched(db: &TestDb) {
    db.run(
        "CREATE TABLE seen (what text, level text); \
         CREATE FUNCTION watch() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN \
         INSERT INTO seen VALUES (TG_OP, current_setting(''synchronous_commit'')); RETURN NULL; END'; \
         CREATE TRIGGER watch AFTER INSERT OR UPDATE OR DELETE ON idempotency_keys \
         FOR EACH ROW EXECUTE FUNCTION watch()",
    )
    .await;
}

async fn levels(db: &TestDb) -> Vec<String> {
    let Raw::Postgres(mut connection) = db.raw().await else { panic!("PostgreSQL") };
    let rows = sqlx::raw_sql("SELECT DISTINCT level FROM seen ORDER BY 1").fetch_all(&mut connection).await;
    rows.unwrap().iter().map(|row| row.get(0)).collect()
}

#[tokio::test]
async fn what_must_last_is_written_through_wherever_the_setting_comes_from() {
    for (set, wanted) in [("off", "on"), ("local", "local"), ("remote_write", "remote_write"), ("on", "on")] {
        let db = TestDb::new(Dialect::Postgres).await;
        watched(&db).await;
        let name = db.url.rsplit('/').next().unwrap().to_owned();
        shared().await.admin(&format!("ALTER DATABASE {name} SET synchronous_commit = {set}")).await;
        let own = Store::connect(&db.url, StoreOptions::default()).await.unwrap();
        let unprepared = StoreOptions { prepared_statements: false, ..StoreOptions::default() };
        let unprepared = Store::connect(&db.url, unprepared).await.unwrap();
        let pool = PgPoolOptions::new().connect(&db.url).await.unwrap();
        let lent = Store::from_pg_pool(pool.clone(), StoreOptions::default()).unwrap();
        for store in [own, unprepared, lent] {
            use_it(&store).await;
            assert_eq!(levels(&db).await, [wanted], "{set}");
        }
        // A pool that was lent is as it was, and so is a transaction of the caller's.
        let row = sqlx::raw_sql("SHOW synchronous_commit").fetch_one(&pool).await.unwrap();
        assert_eq!(row.get::<String, _>(0), set);
        let mut transaction = pool.begin().await.unwrap();
        let first = claim("theirs");
        db.store.claim_on(&mut *transaction, &first).await.unwrap();
        let row = sqlx::raw_sql("SHOW synchronous_commit").fetch_one(&mut *transaction).await.unwrap();
        assert_eq!(row.get::<String, _>(0), set);
    }
}

#[tokio::test]
async fn a_purge_does_not_wait_for_the_disk() {
    let db = TestDb::new(Dialect::Postgres).await;
    watched(&db).await;
    let now = db.store.now().await.unwrap();
    db.fill("old", 10, now.minus(secs(9_000)), now.minus(secs(8_000))).await;
    db.run("DELETE FROM seen").await;
    let (stop, confirmed) = (CancellationToken::new(), Confirmed::given());
    purge(&db.store, &PurgeOptions::default(), &confirmed, &stop, &mut |_| {}).await.unwrap();
    assert_eq!(levels(&db).await, ["off"]);
}

/// One that another program set, and the driver would not set by itself.
#[tokio::test]
async fn an_sqlite_pool_that_was_lent_keeps_its_settings() {
    let db = TestDb::new(Dialect::Sqlite).await;
    let path = db.url.strip_prefix("sqlite:").unwrap();
    let options = SqliteConnectOptions::new()
        .filename(path)
        .busy_timeout(Duration::from_millis(4_321))
        .pragma("wal_autocheckpoint", "777")
        .pragma("synchronous", "NORMAL");
    let pool = SqlitePoolOptions::new().max_connections(1).connect_with(options).await.unwrap();
    let store = Store::from_sqlite_pool(pool.clone(), StoreOptions::default()).unwrap();
    let settings = || async {
        let mut found = Vec::new();
        for pragma in ["busy_timeout", "wal_autocheckpoint", "synchronous", "foreign_keys"] {
            let row =
                sqlx::raw_sql(AssertSqlSafe(format!("PRAGMA {pragma}"))).fetch_one(&pool).await.unwrap();
            found.push(row.get::<i64, _>(0));
        }
        found
    };
    let before = settings().await;
    use_it(&store).await;
    assert_eq!(settings().await, before);
    // Calls that fail, and calls that are dropped.
    let mut raw = db.raw().await;
    raw.run("BEGIN IMMEDIATE").await;
    for _ in 0..20 {
        let first = claim("dropped");
        let call = store.claim(&first);
        assert!(tokio::time::timeout(Duration::from_millis(3), call).await.is_err());
        let confirmed = Confirmed::given();
        let range = store.purge_range(store.first_expiry(), store.first_expiry().plus(secs(1)), &confirmed);
        let _ = tokio::time::timeout(Duration::from_millis(3), range).await;
    }
    raw.run("COMMIT").await;
    assert_eq!(settings().await, before);
    let first = claim("after");
    assert_eq!(store.claim(&first).await.unwrap(), claimed(first.token, 1));
}

/// A call that is dropped while its transaction begins leaves no open transaction on a connection that serves
/// the next one: what was claimed there would never be committed.
#[tokio::test]
async fn a_call_that_is_dropped_leaves_no_transaction_behind() {
    let db = TestDb::new(Dialect::Postgres).await;
    let proxy = crate::support::proxy::Proxy::start(shared().await.port).await;
    let database = db.url.rsplit('/').next().unwrap();
    for lent in [false, true] {
        let pool = PgPoolOptions::new().max_connections(2).connect(&proxy.url(database)).await.unwrap();
        let options = StoreOptions { max_connections: 2, ..StoreOptions::default() };
        let store = match lent {
            true => Store::from_pg_pool(pool, options).unwrap(),
            false => Store::connect(&proxy.url(database), options).await.unwrap(),
        };
        for number in 0..200_u64 {
            let patience = Duration::from_micros(number * 20);
            let one = claim(&format!("{lent}-{number}"));
            let _ = tokio::time::timeout(patience, store.now()).await;
            let _ = tokio::time::timeout(patience, store.claim(&one)).await;
            let outcome = store.claim(&one).await.unwrap();
            assert_eq!(outcome, claimed(one.token, 1), "{lent} {number}");
            // Another connection sees it: it is committed.
            assert_eq!(db.record(one.key.as_str()).await.unwrap().token, Some(one.token), "{lent} {number}");
        }
    }
}

/// The server grants the role one connection, and every call has to do with that.
#[tokio::test]
async fn one_connection_suffices() {
    let db = TestDb::new(Dialect::Postgres).await;
    let (server, name) = (shared().await, db.url.rsplit('/').next().unwrap().to_owned());
    let role = format!("one_{name}");
    server.admin(&format!("CREATE ROLE {role} LOGIN CONNECTION LIMIT 1")).await;
    db.run(&format!("GRANT ALL ON ALL TABLES IN SCHEMA public TO {role}")).await;
    db.run(&format!("GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO {role}")).await;
    let url = db.url.replace("postgres@", &format!("{role}@"));
    let store = Store::connect(&url, StoreOptions::default()).await.unwrap();
    let began = std::time::Instant::now();
    use_it(&store).await;
    // A failed call gives its connection back as well.
    let stale = claim("stale");
    let error = store.fail(&stale.key, &stale.scope, stale.token, "no", Retry::Allow, None).await;
    assert!(error.is_err());
    use_it(&store).await;
    assert!(began.elapsed() < secs(4), "{:?}", began.elapsed());
    // Many at once wait for it.
    let calls = (0..20).map(|number| {
        let store = store.clone();
        tokio::spawn(async move {
            let one = claim(&format!("k{number}"));
            store.claim(&one).await.unwrap();
            assert_eq!(store.inspect(one.key.as_str()).await.unwrap().len(), 1);
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
}

/// Whatever another client left on a pooler's session, ours is in its own place: one key is claimed once.
#[tokio::test]
async fn behind_a_pooler_what_another_client_left_moves_nobody() {
    for more in ["default_pool_size = 1", "default_pool_size = 1\nignore_startup_parameters = options"] {
        let db = TestDb::new(Dialect::Postgres).await;
        let name = db.url.rsplit('/').next().unwrap().to_owned();
        let role = format!("left_role_{name}");
        db.run(&format!(
            "CREATE ROLE {role}; CREATE SCHEMA {role}; CREATE SCHEMA staging;
             GRANT ALL ON SCHEMA {role}, staging TO {role};
             CREATE TABLE staging.idempotency_keys (LIKE public.idempotency_keys INCLUDING ALL);
             CREATE TABLE {role}.idempotency_keys (LIKE public.idempotency_keys INCLUDING ALL)"
        ))
        .await;
        let pooler = pooler("transaction", more).await;
        let url = format!("postgres://postgres@127.0.0.1:{}/{name}", pooler.port);
        let options: sqlx::postgres::PgConnectOptions =
            format!("{url}?statement-cache-capacity=0").parse().unwrap();
        let options = options.extra_float_digits(None);
        let store = Store::connect(&url, StoreOptions::default()).await.unwrap();
        for (number, left) in [
            "SET search_path = staging".to_owned(),
            format!("SET ROLE {role}"),
            format!("SET SESSION AUTHORIZATION {role}"),
            "CREATE TEMP TABLE idempotency_keys (LIKE public.idempotency_keys INCLUDING ALL)".to_owned(),
        ]
        .into_iter()
        .enumerate()
        {
            let first = claim(&format!("k{number}"));
            assert_eq!(store.claim(&first).await.unwrap(), claimed(first.token, 1), "{left}");
            let pool = PgPoolOptions::new().max_connections(1).connect_with(options.clone()).await.unwrap();
            sqlx::raw_sql(AssertSqlSafe(left.clone())).execute(&pool).await.unwrap();
            pool.close().await;
            // A store that was there before, and one that comes after.
            let fresh = Store::connect(&url, StoreOptions::default()).await.unwrap();
            for store in [&store, &fresh] {
                let again = store.claim(&claim(&format!("k{number}"))).await.unwrap();
                assert!(
                    matches!(again, idemctl::protocol::ClaimOutcome::InProgress { .. }),
                    "{left}: {again:?}"
                );
                assert_eq!(store.inspect(&format!("k{number}")).await.unwrap().len(), 1, "{left}");
            }
            fresh.complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
            let long_ago = crate::support::START.minus(secs(200_000_000));
            db.fill("gone", 30, long_ago, long_ago.plus(secs(50))).await;
            let (stop, confirmed) = (CancellationToken::new(), Confirmed::given());
            let purged =
                purge(&store, &PurgeOptions::default(), &confirmed, &stop, &mut |_| {}).await.unwrap();
            assert_eq!(purged.report.deleted, 30, "{left}: {purged:?}");
            // What was left there is still there.
            let pool = PgPoolOptions::new().max_connections(1).connect_with(options.clone()).await.unwrap();
            let shown = sqlx::raw_sql("SHOW search_path").fetch_one(&pool).await.unwrap();
            assert_eq!(shown.get::<String, _>(0), "staging", "{left}");
            sqlx::raw_sql(AssertSqlSafe("RESET SESSION AUTHORIZATION; RESET ROLE".to_owned()))
                .execute(&pool)
                .await
                .unwrap();
            pool.close().await;
        }
        for elsewhere in ["staging", role.as_str()] {
            let rows = format!("SELECT count(*) FROM {elsewhere}.idempotency_keys");
            assert_eq!(db.number(&rows).await, 0);
        }
        assert_eq!(db.rows().await, 4);
    }
}
