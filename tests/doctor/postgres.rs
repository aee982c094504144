//! One trouble at a time on PostgreSQL.

use crate::harness::Adopted;
use crate::patient::{CONFIG, SCHEMA, examine, healthy};
use crate::support::Dialect;
use crate::support::server::shared;

#[tokio::test]
async fn a_healthy_table_has_no_findings() {
    let adopted = healthy(Dialect::Postgres).await;
    let examined = examine(&adopted, &[]);
    examined.are(&[]);
    assert!(examined.findings.len() > 20, "{:#?}", examined.findings);
    assert!(examined.finding("purge_index")["found"].as_str().unwrap().contains("keys_expires"));
    // A report of what is well says what it looked at, too.
    assert!(examined.finding("unique_key")["found"].as_str().unwrap().contains("keys_pkey"));
}

/// A trouble, and what is found of it.
struct Case {
    trouble: &'static str,
    found: &'static [(&'static str, &'static str)],
    /// The finding that is looked at, and a word of what fixes it; run where it can be.
    fix: &'static str,
    fixes: bool,
}

const fn case(
    trouble: &'static str,
    found: &'static [(&'static str, &'static str)],
    fix: &'static str,
) -> Case {
    Case { trouble, found, fix, fixes: false }
}

/// As [`case`], and after the statements that fix it nothing is found any more.
const fn fixed(
    trouble: &'static str,
    found: &'static [(&'static str, &'static str)],
    fix: &'static str,
) -> Case {
    Case { trouble, found, fix, fixes: true }
}

async fn is_found(case: &Case) {
    let adopted = healthy(Dialect::Postgres).await;
    let mut raw = adopted.db.raw().await;
    for statement in case.trouble.split(";;") {
        // A unique index over rows that repeat ends in an error, and stays INVALID.
        if statement.contains("-- fails") {
            assert!(raw.fails(statement).await, "{statement}");
        } else {
            raw.run(statement).await;
        }
    }
    let examined = examine(&adopted, &[]);
    examined.are(case.found);
    let (_, code) = case.found[0];
    let fix = examined.fix(code);
    assert!(fix.join("\n").contains(case.fix), "{code}: {fix:#?}");
    if case.fixes {
        for statement in &fix {
            raw.run(statement).await;
        }
        examine(&adopted, &[]).are(&[]);
    }
    raw.close().await;
}

macro_rules! cases {
    ($($name:ident: $case:expr;)*) => {
        $(
            #[tokio::test]
            async fn $name() {
                is_found(&$case).await;
            }
        )*
    };
}

cases! {
    a_purge_without_an_index: fixed(
        "DROP INDEX keys_expires",
        &[("warning", "purge_index_missing")],
        "CREATE INDEX CONCURRENTLY ON \"keys\" (\"expires\");",
    );
    an_index_that_is_read_to_its_end: fixed(
        "DROP INDEX keys_expires;; CREATE INDEX ON keys (tenant, expires)",
        &[("warning", "purge_index_second_best")],
        "CREATE INDEX CONCURRENTLY ON \"keys\" (\"expires\");",
    );
    an_index_on_other_rows_serves_nobody: fixed(
        "DROP INDEX keys_expires;; CREATE INDEX ON keys (expires) WHERE status = 'open'",
        &[("warning", "purge_index_missing")],
        "CREATE INDEX CONCURRENTLY",
    );
    an_index_of_an_interrupted_build: case(
        "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'keys_expires'::regclass",
        &[("warning", "index_invalid"), ("warning", "purge_index_missing")],
        "DROP INDEX CONCURRENTLY keys_expires;\nCREATE INDEX CONCURRENTLY keys_expires ON public.keys USING btree (expires);",
    );
    a_key_that_names_several_rows: fixed(
        "ALTER TABLE keys DROP CONSTRAINT keys_pkey",
        &[("error", "key_not_unique")],
        "CREATE UNIQUE INDEX CONCURRENTLY ON \"keys\" (\"key\", \"tenant\");",
    );
    an_invalid_unique_index_is_none: case(
        "ALTER TABLE keys DROP CONSTRAINT keys_pkey;; INSERT INTO keys SELECT * FROM keys;; \
         CREATE UNIQUE INDEX CONCURRENTLY keys_u ON keys (key, tenant) -- fails",
        &[("error", "key_not_unique"), ("error", "index_invalid")],
        "HAVING count(*) > 1",
    );
    a_key_without_its_scope: case(
        "CREATE UNIQUE INDEX keys_alone ON keys (key)",
        &[("warning", "scope_not_in_key")],
        "CREATE UNIQUE INDEX CONCURRENTLY",
    );
    nulls_that_repeat: fixed(
        "ALTER TABLE keys DROP CONSTRAINT keys_pkey;; ALTER TABLE keys ALTER tenant DROP NOT NULL;; \
         CREATE UNIQUE INDEX ON keys (key, tenant)",
        &[("error", "key_nulls_repeat")],
        "COALESCE(CAST(\"tenant\" AS text), '')",
    );
    a_key_that_is_asked_too_late: case(
        "ALTER TABLE keys DROP CONSTRAINT keys_pkey;; ALTER TABLE keys ADD UNIQUE (key, tenant) DEFERRABLE",
        &[("warning", "key_deferrable")],
        "CREATE UNIQUE INDEX CONCURRENTLY",
    );
    keys_that_are_padded: fixed(
        "ALTER TABLE keys ALTER key TYPE char(40)",
        &[("warning", "key_padded")],
        "TYPE text",
    );
    keys_that_are_too_narrow: fixed(
        "ALTER TABLE keys ALTER key TYPE varchar(20)",
        &[("warning", "key_narrow")],
        "TYPE varchar(255)",
    );
    keys_whose_case_is_folded: fixed(
        "CREATE COLLATION folded (provider = icu, locale = 'und-u-ks-level2', deterministic = false);; \
         ALTER TABLE keys ALTER key TYPE text COLLATE folded",
        &[("error", "key_case_folded")],
        "COLLATE \"C\"",
    );
    a_moment_before_2000: case(
        "UPDATE keys SET created = timestamptz 'epoch' WHERE key = 'k1'",
        &[("warning", "clock_implausible")],
        "",
    );
    a_row_that_never_expires: case(
        "ALTER TABLE keys ALTER expires DROP NOT NULL;; UPDATE keys SET expires = NULL WHERE key = 'k1'",
        &[("warning", "clock_null")],
        "ttl",
    );
    a_past_in_the_future: case(
        "UPDATE keys SET created = now() + interval '2 hours', ended = NULL WHERE key = 'k1'",
        &[("warning", "clock_ahead")],
        "",
    );
    states_that_nobody_listed: case(
        "UPDATE keys SET status = 'we''ird' WHERE key IN ('k1', 'k2')",
        &[("warning", "state_unlisted")],
        "[table.state]",
    );
    nobody_purges: case(
        "UPDATE keys SET expires = now() - interval '9 days'",
        &[("warning", "purge_overdue")],
        "idemctl purge",
    );
    rows_that_a_crash_takes: fixed(
        "ALTER TABLE keys SET UNLOGGED",
        &[("warning", "unlogged")],
        "SET LOGGED",
    );
    nobody_vacuums: fixed(
        "ALTER TABLE keys SET (autovacuum_enabled = off)",
        &[("warning", "autovacuum_off")],
        "RESET (autovacuum_enabled)",
    );
    a_delete_that_spreads: case(
        "CREATE TABLE payment (id int PRIMARY KEY, k text, t bigint, \
             FOREIGN KEY (k, t) REFERENCES keys (key, tenant) ON DELETE CASCADE);; CREATE INDEX ON payment (t, k)",
        &[("error", "references_spread")],
        "ON DELETE NO ACTION",
    );
    a_delete_that_nulls: case(
        "CREATE TABLE payment (id int PRIMARY KEY, k text, t bigint, \
             FOREIGN KEY (k, t) REFERENCES keys (key, tenant) ON DELETE SET NULL);; CREATE INDEX ON payment (k, t)",
        &[("error", "references_spread")],
        "allow_cascade",
    );
    a_table_that_keeps_keys: case(
        "CREATE TABLE payment (id int PRIMARY KEY, k text, t bigint, FOREIGN KEY (k, t) REFERENCES keys (key, tenant));; \
         CREATE INDEX ON payment (k, t, id)",
        &[("info", "references_kept")],
        "",
    );
    a_trigger_that_can_keep_rows: case(
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';; \
         CREATE TRIGGER keeps BEFORE DELETE ON keys FOR EACH ROW EXECUTE FUNCTION f()",
        &[("warning", "trigger_before")],
        "return OLD",
    );
    a_trigger_that_only_runs: case(
        "CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';; \
         CREATE TRIGGER logs AFTER DELETE OR UPDATE ON keys FOR EACH ROW EXECUTE FUNCTION f()",
        &[("info", "trigger_after")],
        "",
    );
    a_rule_instead_of_deletes: fixed(
        "CREATE RULE keeps AS ON DELETE TO keys DO INSTEAD NOTHING",
        &[("error", "rule_instead")],
        "DROP RULE \"keeps\" ON \"keys\";",
    );
    work_that_outlasts_the_reaper: case(
        "UPDATE keys SET ended = created + interval '40 minutes' WHERE key = 'k1'",
        &[("warning", "reaped_alive")],
        "reap.older_than = \"1h 20m\"",
    );
}

/// What is outside can be looked at although the mapping does not fit.
#[tokio::test]
async fn a_mapping_that_does_not_fit() {
    let config = CONFIG.replace("column = \"expires\"", "column = \"expiry\"");
    let schema = format!("{SCHEMA} ALTER TABLE keys DROP CONSTRAINT keys_pkey");
    let adopted = Adopted::postgres(&schema, &config).await;
    let examined = examine(&adopted, &[]);
    examined.are(&[
        ("warning", "auxiliary_tables_missing"),
        ("error", "mapping_mismatch"),
        ("error", "key_not_unique"),
    ]);
    assert!(examined.finding("mapping_mismatch")["found"].as_str().unwrap().contains("expiry"));
}

/// The database refuses to change rows of a published table without a replica identity: the mapping is right.
#[tokio::test]
async fn a_published_table_without_a_replica_identity() {
    let schema = format!(
        "{SCHEMA} ALTER TABLE keys DROP CONSTRAINT keys_pkey; CREATE UNIQUE INDEX ON keys (key, tenant);
         CREATE PUBLICATION p FOR TABLE keys;"
    );
    let adopted = Adopted::postgres(&schema, CONFIG).await;
    assert_eq!(adopted.run(&["migrate"]).code, 0);
    let examined = examine(&adopted, &[]);
    examined.are(&[("error", "statement_refused")]);
    let words = ["replica identity", "hint: To enable"];
    adopted.refuses(&["reap-stuck", "--older-than", "5m"], 8, &words);
    assert!(!adopted.run(&["reap-stuck", "--older-than", "5m"]).stderr.contains("[[table]]"));
    for statement in examined.fix("statement_refused") {
        adopted.db.run(&statement).await;
    }
    examine(&adopted, &[]).are(&[]);
}

/// What is missing beside an adopted table keeps nobody from purging it.
#[tokio::test]
async fn without_auxiliary_tables() {
    let adopted = Adopted::postgres(SCHEMA, CONFIG).await;
    examine(&adopted, &[]).are(&[("warning", "auxiliary_tables_missing")]);
    assert_eq!(adopted.run(&["purge"]).code, 0);
}

#[tokio::test]
async fn a_table_that_is_none() {
    let adopted = healthy(Dialect::Postgres).await;
    adopted.db.run("ALTER TABLE keys RENAME TO keys_2; CREATE VIEW keys AS SELECT * FROM keys_2").await;
    let examined = examine(&adopted, &[]);
    assert_eq!(examined.ailments()[0], ("error".to_owned(), "not_a_table".to_owned()));
    adopted.db.run("DROP VIEW keys").await;
    examine(&adopted, &[]).are(&[("error", "mapping_mismatch")]);
}

#[tokio::test]
async fn partitions_are_looked_at_one_by_one() {
    let schema = "
        CREATE TABLE keys (tenant bigint NOT NULL, key text NOT NULL, status text NOT NULL,
            created timestamptz NOT NULL, ended timestamptz, expires timestamptz NOT NULL,
            PRIMARY KEY (key, tenant)) PARTITION BY HASH (key);
        CREATE TABLE keys_0 PARTITION OF keys FOR VALUES WITH (MODULUS 2, REMAINDER 0);
        CREATE TABLE keys_1 PARTITION OF keys FOR VALUES WITH (MODULUS 2, REMAINDER 1);
        CREATE INDEX ON keys_0 (expires);";
    let adopted = Adopted::postgres(schema, CONFIG).await;
    assert_eq!(adopted.run(&["migrate"]).code, 0);
    let examined = examine(&adopted, &[]);
    examined.are(&[("info", "partitioned"), ("warning", "purge_index_missing")]);
    let fix = examined.fix("purge_index_missing");
    for statement in fix.iter().filter(|line| !line.starts_with("--")) {
        adopted.db.run(statement).await;
    }
    examine(&adopted, &[]).are(&[("info", "partitioned")]);
}

#[tokio::test]
async fn a_clock_without_a_zone() {
    let schema = SCHEMA.replace("expires timestamptz NOT NULL", "expires timestamp NOT NULL");
    let config = CONFIG.replace(
        "{ column = \"expires\", as = \"timestamptz\" }",
        "{ column = \"expires\", as = { naive = \"UTC\" } }",
    );
    let adopted = Adopted::postgres(&schema, &config).await;
    assert_eq!(adopted.run(&["migrate"]).code, 0);
    examine(&adopted, &[]).are(&[("info", "clock_without_zone")]);
}

#[tokio::test]
async fn texts_of_two_spellings() {
    let text = "to_char(now() + interval '1 day', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')";
    let schema = SCHEMA
        .replace("expires timestamptz NOT NULL", "expires text COLLATE \"C\" NOT NULL")
        .replace("now() + interval '1 day'", text);
    let config = CONFIG.replace(
        "{ column = \"expires\", as = \"timestamptz\" }",
        "{ column = \"expires\", as = { text = \"iso8601\" } }",
    );
    let adopted = Adopted::postgres(&schema, &config).await;
    assert_eq!(adopted.run(&["migrate"]).code, 0);
    examine(&adopted, &[]).are(&[]);
    adopted.db.run("UPDATE keys SET expires = '2026-01-31 09:00:00+01' WHERE key = 'k3'").await;
    let examined = examine(&adopted, &[]);
    examined.are(&[("warning", "clock_misspelled")]);
    let found = examined.finding("clock_misspelled")["found"].as_str().unwrap().to_owned();
    assert!(found.contains("1 of 20 rows") && found.contains("2026-01-31 09:00:00+01"), "{found}");
}

#[tokio::test]
async fn values_of_an_enum_that_no_row_has_yet() {
    let schema = format!(
        "CREATE TYPE state AS ENUM ('open', 'done', 'failed', 'parked'); {}",
        SCHEMA.replace("status  text", "status  state").replace("'done'", "'done'::state")
    );
    let adopted = Adopted::postgres(&schema, CONFIG).await;
    assert_eq!(adopted.run(&["migrate"]).code, 0);
    let examined = examine(&adopted, &[]);
    examined.are(&[("info", "state_possible")]);
    assert!(examined.finding("state_possible")["found"].as_str().unwrap().ends_with("\"parked\""));
}

#[tokio::test]
async fn a_table_that_never_expires() {
    let config: Vec<&str> = CONFIG.lines().filter(|line| !line.contains("expires  =")).collect();
    let adopted = Adopted::postgres(SCHEMA, &config.join("\n")).await;
    assert_eq!(adopted.run(&["migrate"]).code, 0);
    examine(&adopted, &[]).are(&[("info", "never_expires")]);
}

/// A child without an index is named with the statement that fixes it.
#[tokio::test]
async fn a_child_table_that_each_delete_looks_through() {
    let adopted = healthy(Dialect::Postgres).await;
    adopted
        .db
        .run(
            "CREATE TABLE \"pay\"\"ment\" (id int PRIMARY KEY, \"k y\" text, t bigint,
                 FOREIGN KEY (\"k y\", t) REFERENCES keys (key, tenant));
             CREATE INDEX ON \"pay\"\"ment\" (t);",
        )
        .await;
    let examined = examine(&adopted, &[]);
    examined.are(&[("info", "references_kept"), ("warning", "reference_unindexed")]);
    for statement in examined.fix("reference_unindexed") {
        assert!(statement.starts_with("CREATE INDEX CONCURRENTLY ON"), "{statement}");
        adopted.db.run(&statement).await;
    }
    examine(&adopted, &[]).are(&[("info", "references_kept")]);
}

/// A large table is judged more strictly.
#[tokio::test]
async fn a_large_table() {
    let adopted = healthy(Dialect::Postgres).await;
    adopted
        .db
        .run(
            "ALTER TABLE keys SET (autovacuum_enabled = off);
             INSERT INTO keys
                 SELECT 2, 'n' || n, 'done', now() - interval '1 hour', NULL, now() + interval '1 day'
                 FROM generate_series(1, 60000) AS n;
             ANALYZE keys; DROP INDEX keys_expires;",
        )
        .await;
    let examined = examine(&adopted, &[]);
    examined.are(&[
        ("error", "purge_index_missing"),
        ("warning", "reap_index_missing"),
        ("warning", "autovacuum_off"),
    ]);
    for code in ["purge_index_missing", "reap_index_missing"] {
        for statement in examined.fix(code) {
            adopted.db.run(&statement).await;
        }
    }
    examine(&adopted, &[]).are(&[("warning", "autovacuum_off")]);
    adopted.db.run("DELETE FROM keys WHERE tenant = 2").await;
    crate::support::until("the statistics know of the dead rows", || async {
        adopted.db.number("SELECT n_dead_tup FROM pg_stat_all_tables WHERE relname = 'keys'").await > 50_000
    })
    .await;
    examine(&adopted, &[]).are(&[("warning", "autovacuum_off"), ("warning", "dead_rows")]);
}

#[tokio::test]
async fn a_database_that_limits_statements() {
    let adopted = healthy(Dialect::Postgres).await;
    let name = adopted.db.url.rsplit('/').next().unwrap().to_owned();
    shared().await.admin(&format!("ALTER DATABASE {name} SET statement_timeout = '7s'")).await;
    adopted.db.run("DROP INDEX keys_expires").await;
    let examined = examine(&adopted, &[]);
    examined.are(&[("warning", "statement_timeout"), ("warning", "purge_index_missing")]);
    assert_eq!(examined.fix("purge_index_missing")[0], "SET statement_timeout = 0;");
    assert!(examined.finding("statement_timeout")["found"].as_str().unwrap().contains("7000ms"));
}

#[tokio::test]
async fn a_database_that_takes_no_writes() {
    let adopted = healthy(Dialect::Postgres).await;
    let name = adopted.db.url.rsplit('/').next().unwrap().to_owned();
    shared().await.admin(&format!("ALTER DATABASE {name} SET default_transaction_read_only = on")).await;
    examine(&adopted, &[]).are(&[("error", "read_only")]);
}

/// Names that would end a statement, look like a plan, or look like a token.
#[tokio::test]
async fn hostile_names_are_names() {
    let table = "Seq Scan on \"keys\"; DROP TABLE x; --{now}";
    let quoted = format!("\"{}\"", table.replace('"', "\"\""));
    let column = "\"Index Cond: \"\"x\"";
    let schema = SCHEMA
        .replace("TABLE keys", &format!("TABLE {quoted}"))
        .replace("ON keys", &format!("ON {quoted}"))
        .replace("INTO keys", &format!("INTO {quoted}"))
        .replace("expires timestamptz", &format!("{column} timestamptz"))
        .replace("(expires)", &format!("({column})"));
    let config = CONFIG
        .replace("name = \"keys\"", &format!("name = '{table}'"))
        .replace("column = \"expires\"", "column = 'Index Cond: \"x'");
    let adopted = Adopted::postgres(&schema, &config).await;
    assert_eq!(adopted.run(&["migrate"]).code, 0);
    examine(&adopted, &[]).are(&[]);
    adopted.db.run("DROP INDEX keys_expires").await;
    let examined = examine(&adopted, &[]);
    examined.are(&[("warning", "purge_index_missing")]);
    for statement in examined.fix("purge_index_missing") {
        adopted.db.run(&statement).await;
    }
    examine(&adopted, &[]).are(&[]);
    assert_eq!(adopted.json(&["purge"])["full_scan"], false);
}

/// Of several tables each is examined, or the one that is named.
#[tokio::test]
async fn every_configured_table_or_one() {
    let second = CONFIG.replace("name = \"keys\"", "name = \"others\"");
    let schema = format!("{SCHEMA} CREATE TABLE others (LIKE keys INCLUDING ALL); DROP INDEX keys_expires;");
    let adopted = Adopted::postgres(&schema, &format!("{CONFIG}{second}")).await;
    assert_eq!(adopted.run(&["migrate"]).code, 0);
    let examined = examine(&adopted, &[]);
    examined.are(&[("warning", "purge_index_missing")]);
    assert_eq!(examined.finding("purge_index_missing")["table"], "keys");
    assert!(examined.findings.iter().any(|finding| finding["table"] == "others"));
    examine(&adopted, &["--table", "others"]).are(&[]);
    assert_eq!(adopted.run(&["doctor", "--table", "nowhere"]).code, 2);
}

/// The own table: what is pending, and nothing once it is done.
#[tokio::test]
async fn the_own_table() {
    let adopted = Adopted::postgres("SELECT 1", "").await;
    examine(&adopted, &[]).are(&[("error", "migration_pending")]);
    assert_eq!(adopted.run(&["migrate"]).code, 0);
    examine(&adopted, &[]).are(&[]);
    adopted
        .db
        .run(
            "INSERT INTO idempotency_keys
                 (idempotency_key, status, created_at, claimed_at, renewed_at, finished_at, expires_at)
             SELECT 'slow', 'completed', at, at, at, now(), now() + interval '1 day'
             FROM (SELECT now() - interval '9 min' AS at) AS t",
        )
        .await;
    examine(&adopted, &[]).are(&[("warning", "lease_too_short")]);
    // How long a key was stuck before it was reaped is no length of work.
    adopted.db.run("UPDATE idempotency_keys SET status = 'in_progress', finished_at = NULL").await;
    assert_eq!(adopted.run(&["reap-stuck", "--older-than", "5m"]).code, 0);
    examine(&adopted, &[]).are(&[]);
    adopted.db.run("TRUNCATE idempotency_keys; ALTER TABLE idempotency_keys DROP COLUMN owner").await;
    examine(&adopted, &[]).are(&[("error", "mapping_mismatch")]);
    adopted.db.run("UPDATE idemctl_migrations SET version = 99 WHERE version = 1").await;
    assert_eq!(examine(&adopted, &[]).ailments()[0], ("error".to_owned(), "schema_mismatch".to_owned()));
}

/// What can't be read is not fine.
#[tokio::test]
async fn a_check_that_cannot_be_made() {
    let adopted = healthy(Dialect::Postgres).await;
    let mut raw = adopted.db.raw().await;
    raw.run("BEGIN; LOCK TABLE keys IN ACCESS EXCLUSIVE MODE").await;
    let examined = examine(&adopted, &[]);
    let failed: Vec<_> =
        examined.findings.iter().filter(|finding| finding["code"] == "check_failed").collect();
    assert!(!failed.is_empty(), "{:#?}", examined.findings);
    assert!(failed.iter().all(|finding| finding["severity"] == "warning"), "{failed:#?}");
    raw.run("COMMIT").await;
    raw.close().await;
}
