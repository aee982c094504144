//! Shapes of keys, scopes and states.

use crate::harness::{Adopted, set};
use crate::support::Dialect;

/// Several key columns with hostile names, a scope of two columns that may be NULL, an enum for a state,
/// and a guard: another tenant's rows are none of ours.
#[tokio::test]
async fn many_columns_with_names_that_want_out() {
    let schema = r#"
        CREATE TYPE "St'ate" AS ENUM ('STARTED', 'Succeeded', 'failed');
        CREATE SCHEMA "Pay ments";
        CREATE TABLE "Pay ments"."keys; DROP" (
            "or""der" varchar(40) NOT NULL, "kind" smallint NOT NULL, "tenant" bigint, "user" uuid,
            "select" "St'ate" NOT NULL, region text NOT NULL,
            "createdAt" timestamptz NOT NULL, "expiresAt" timestamptz NOT NULL);
        CREATE UNIQUE INDEX ON "Pay ments"."keys; DROP" ("or""der", kind, COALESCE(tenant, 0), "user");
        INSERT INTO "Pay ments"."keys; DROP"
        SELECT o, k, t, u, s, r, now() - a, now() + e FROM (VALUES
            ('a', 1, 7, CAST(NULL AS uuid), CAST('STARTED' AS "St'ate"), 'eu', interval '1 hour', interval '1 day'),
            ('a', 1, NULL, NULL, 'Succeeded', 'eu', '2 days', '-1 day'),
            ('a', 2, NULL, '00000000-0000-0000-0000-000000000001', 'failed', 'eu', '2 days', '-1 day'),
            ('a,b', 2, 8, NULL, 'STARTED', 'eu', '2 days', '-1 day'),
            ('us', 1, NULL, NULL, 'Succeeded', 'us', '2 days', '-1 day')) AS v (o, k, t, u, s, r, a, e);"#;
    let config = r#"
        [[table]]
        name = "Pay ments.keys; DROP"
        key = ['or"der', "kind"]
        scope = ["tenant", "user"]
        guard = { region = "eu" }
        [table.state]
        column = "select"
        in_progress = ["STARTED"]
        completed = ["Succeeded"]
        failed = ["failed"]
        [table.clock]
        created = { column = "createdAt", as = "timestamptz" }
        expires = { column = "expiresAt", as = "timestamptz" }
        [table.fail]
        set = { select = "failed" }
        [table.reap]
        older_than = "5m"
    "#;
    let adopted = Adopted::postgres(schema, config).await;
    let rows = adopted.json(&["list"]);
    assert_eq!(rows.as_array().unwrap().len(), 4, "{rows}");
    assert_eq!(rows[0]["key_parts"], serde_json::json!(["a", "1"]));
    assert_eq!(rows[0]["scope_parts"], serde_json::json!(["7", null]));
    assert_eq!((&rows[3]["key"], &rows[3]["scope"]), (&"a\\,b,2".into(), &"8,\\N".into()));

    let key = ["--key", "or\"der=a", "--key", "kind=1"];
    let of = |rest: &[&'static str]| [&["inspect"], &key[..], rest].concat();
    assert_eq!(adopted.json(&of(&[])).as_array().unwrap().len(), 2);
    assert_eq!(adopted.json(&of(&["--scope-null", "tenant"]))[0]["status"], "completed");
    assert_eq!(adopted.json(&of(&["--scope", "tenant=7"]))[0]["status"], "in_progress");
    adopted.refuses(&["inspect", "a"], 2, &["--key COLUMN=VALUE"]);
    adopted.refuses(&["inspect", "--key", "kind=1"], 2, &["or\\\"der"]);
    adopted.refuses(&of(&["--scope", "7"]), 2, &["tenant, user"]);
    adopted.refuses(&["inspect", "--key", "or\"der=a", "--key", "kind=x"], 2, &["smallint"]);

    assert_eq!(adopted.listed(&["--scope-null", "user", "--scope", "tenant=8"]), set(&["a\\,b,2"]));
    assert_eq!(adopted.json(&["reap-stuck"])["reaped"], 2, "one of them in a scope with a NULL");
    let forgotten = adopted.json(
        &[&["forget"], &key[..], &["--scope-null", "tenant", "--scope-null", "user", "--yes"]].concat(),
    );
    assert_eq!(forgotten["changed"], 1);
    assert_eq!(adopted.json(&["purge"])["deleted"], 2, "the failed one, and the reaped one that has expired");
    let left = r#"SELECT count(*) FROM "Pay ments"."keys; DROP""#;
    assert_eq!(adopted.db.number(left).await, 2);
}

const INTEGER_CONFIG: &str = r#"
    [[table]]
    name = "keys"
    key = "key"
    [table.state]
    column = "done"
    in_progress = [FALSE]
    completed = [TRUE]
    [table.clock]
    created = { column = "created", as = "epoch_s" }
    ttl = "1day"
    [table.fail]
    delete = true
    [table.claim]
    expired = "absent"
    failed = "retry"
"#;

#[tokio::test]
async fn flags_and_numbers_for_states() {
    for (dialect, kind, no, yes, odd) in [
        (Dialect::Postgres, "smallint", "0", "1", "7"),
        (Dialect::Postgres, "boolean", "false", "true", "NULL"),
        (Dialect::Sqlite, "INTEGER", "0", "1", "7"),
        (Dialect::Sqlite, "BOOLEAN", "false", "true", "NULL"),
        (Dialect::Sqlite, "TEXT", "\"0\"", "\"1\"", "'x'"),
    ] {
        let schema =
            format!("CREATE TABLE keys (key varchar(50) PRIMARY KEY, done {kind}, created bigint NOT NULL)");
        let config = INTEGER_CONFIG.replace("FALSE", no).replace("TRUE", yes);
        let adopted = Adopted::new(dialect, &schema, &config).await;
        let now = if matches!(dialect, Dialect::Postgres) {
            "CAST(extract(epoch FROM now()) AS bigint)"
        } else {
            "CAST(strftime('%s', 'now') AS integer)"
        };
        let literal = |value: &str| value.replace('"', "'");
        for (key, state, age) in [
            ("done", literal(yes), 60),
            ("old", literal(yes), 200_000),
            ("open", literal(no), 60),
            ("lost", literal(no), 200_000),
            ("odd", odd.to_owned(), 200_000),
            ("never-set", literal(yes), 2_000_000_000),
        ] {
            adopted.db.run(&format!("INSERT INTO keys VALUES ('{key}', {state}, {now} - {age})")).await;
        }
        assert_eq!(adopted.listed(&["--status", "completed"]), set(&["done", "old", "never-set"]), "{kind}");
        assert_eq!(adopted.listed(&["--status", "unknown"]), set(&["odd"]));
        assert_eq!(adopted.listed(&["--stuck", "--older-than", "5m"]), set(&["lost"]));
        assert_eq!(adopted.verdict("old"), "execute");
        assert_eq!(adopted.verdict("odd"), "unknown");
        assert_eq!(adopted.verdict("never-set"), "unknown");
        let reaped = adopted.run(&["reap-stuck", "--older-than", "5m", "-o", "json"]);
        assert_eq!(reaped.json()["reaped"], 1, "{reaped:?}");
        adopted.refuses(&["reap-stuck", "--older-than", "1s", "--retry", "block"], 2, &["delete"]);
        let purged = adopted.run(&["purge", "-o", "json"]);
        assert_eq!((purged.code, &purged.json()["deleted"]), (6, &1.into()), "{kind}: {purged:?}");
        assert_eq!(purged.json()["unrecognized"], 2);
        assert_eq!(adopted.listed(&[]), set(&["done", "open", "odd", "never-set"]));
    }
}

/// Presence is all there is; the age decides, and no index serves it.
#[tokio::test]
async fn a_row_that_exists_is_done() {
    for dialect in [Dialect::Postgres, Dialect::Sqlite] {
        let (clock, age) = match dialect {
            Dialect::Postgres => ("timestamptz", "now() - n * interval '1 hour' + interval '30 minutes'"),
            _ => ("TEXT", "strftime('%Y-%m-%d %H:%M:%S', 'now', '-' || n || ' hours', '30 minutes')"),
        };
        let encoding =
            if matches!(dialect, Dialect::Postgres) { "\"timestamptz\"" } else { "{ text = \"sqlite\" }" };
        let schema = format!(
            "CREATE TABLE seen (id integer PRIMARY KEY, key varchar(50) UNIQUE NOT NULL, created_at {clock});
             WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 4000)
             INSERT INTO seen SELECT n, 'k' || n, {age} FROM r;
             INSERT INTO seen VALUES (0, 'null', NULL);"
        );
        let config = format!(
            "[[table]]\nname = \"seen\"\nkey = \"key\"\n[table.state]\nalways = \"completed\"\n\
             [table.clock]\ncreated = {{ column = \"created_at\", as = {encoding} }}\nttl = \"100h\"\n"
        );
        let adopted = Adopted::new(dialect, &schema, &config).await;
        assert_eq!(adopted.verdict("k5"), "replay");
        assert_eq!(adopted.verdict("k500"), "unknown", "nobody said what the application does then");
        adopted.refuses(&["reap-stuck", "--older-than", "5m"], 2, &["table.fail"]);
        adopted.refuses(&["replay", "k5"], 2, &["table.show.response_body"]);
        adopted.refuses(&["release", "k5", "--yes"], 2, &["table.release"]);
        let purged = adopted.json(&["purge", "--duty", "1", "--batch-size", "700"]);
        // The row's age, its ttl, and an hour of grace; a second may have passed meanwhile.
        assert_eq!(purged["deleted"], 4000 - 101, "{dialect:?}");
        assert_eq!(purged["full_scan"], true, "nothing is said of the cost: {purged}");
        let again = adopted.run(&["purge"]);
        assert!(again.stderr.contains("no index leads"), "{again:?}");
        adopted.db.run("CREATE INDEX by_age ON seen (created_at)").await;
        assert_eq!(adopted.json(&["purge"])["full_scan"], false);
    }
}

/// NULL columns for "in progress", a surrogate key, no unique index over the key, and a second sign of
/// life that may be missing.
#[tokio::test]
async fn null_means_in_progress() {
    let schema = "
        CREATE TABLE jobs (id bigserial PRIMARY KEY, k text NOT NULL, code int, body bytea, locked_at timestamptz,
            created_at timestamptz NOT NULL);
        INSERT INTO jobs (k, code, body, locked_at, created_at) VALUES
            ('done', 200, 'x', NULL, now()), ('empty', 204, NULL, NULL, now()),
            ('working', NULL, NULL, now(), now() - interval '1 day'),
            ('lost', NULL, NULL, now() - interval '1 day', now() - interval '1 day'),
            ('free', NULL, NULL, NULL, now() - interval '1 day'),
            ('twice', 200, 'x', NULL, now()), ('twice', 200, 'x', NULL, now());";
    let config = r#"
        [[table]]
        name = "jobs"
        key = "k"
        [table.state]
        null_means_in_progress = ["code", "body"]
        [table.clock]
        created = { column = "created_at", as = "timestamptz" }
        ALIVE
        reopens = true
        [table.fail]
        set_null = ["locked_at"]
        set_now = ["created_at"]
        set = { code = 599 }
    "#;
    let alive = "alive = { column = \"locked_at\", as = \"timestamptz\" }";
    let adopted = Adopted::postgres(schema, &config.replace("ALIVE", alive)).await;
    assert_eq!(adopted.listed(&["--status", "in_progress"]), set(&["working", "lost", "free"]));
    // Of a key with two rows neither is meant; a single one is changed by its place as well.
    adopted.refuses(&["forget", "twice", "--yes"], 8, &["2 rows"]);
    adopted.refuses(&["purge"], 2, &["table.clock.expires", "table.clock.ttl"]);
    let reaped = adopted.json(&["reap-stuck", "--older-than", "5m"]);
    assert_eq!(reaped["reaped"], 2, "{reaped}");
    assert_eq!(adopted.listed(&["--status", "in_progress"]), set(&["working"]));
    assert_eq!(adopted.json(&["fail", "working", "--yes"])["changed"], 1);
    assert_eq!(adopted.json(&["forget", "empty", "--yes"])["changed"], 1);
    assert_eq!(adopted.db.number("SELECT count(*) FROM jobs WHERE k <> 'empty'").await, 6);

    let without = Adopted::postgres(schema, &config.replace("ALIVE", "")).await;
    without.refuses(&["reap-stuck", "--older-than", "5m"], 2, &["table.clock.alive", "table.reopens"]);
}

/// What reap-stuck passes by for what is in it is counted, said, and makes it done in part.
#[tokio::test]
async fn silent_rows_of_no_known_state_or_clock_are_reported() {
    for dialect in [Dialect::Postgres, Dialect::Sqlite] {
        let schema = "
            CREATE TABLE keys (key varchar(50) PRIMARY KEY, status text, made text, seen text);
            INSERT INTO keys VALUES
                ('stuck', 'open', '2020-01-01 00:00:00', NULL), ('odd', 'half', '2020-01-01 00:00:00', NULL),
                ('none', NULL, '2020-01-01 00:00:00', NULL), ('young odd', 'half', '2200-01-01 00:00:00', NULL),
                ('empty', 'open', '', NULL), ('never', 'open', '1970-01-01 00:00:00', NULL),
                ('spelled', 'open', '2020-01-01T00:00:00', NULL), ('done', 'done', '', NULL),
                ('alive', 'open', '2020-01-01 00:00:00', '2200-01-01 00:00:00'),
                ('garbled', 'open', '2020-01-01 00:00:00', '1 January');";
        let config = "
            [[table]]
            name = \"keys\"
            key = \"key\"
            [table.state]
            column = \"status\"
            in_progress = [\"open\"]
            completed = [\"done\"]
            failed = [\"lost\"]
            [table.clock]
            created = { column = \"made\", as = { text = \"sqlite\" } }
            alive = { column = \"seen\", as = { text = \"sqlite\" } }
            [table.fail]
            set = { status = \"lost\" }
        ";
        let adopted = Adopted::new(dialect, schema, config).await;
        let silent = ["reap-stuck", "--older-than", "5m"];
        let dry = adopted.json(&[&silent[..], &["--dry-run"]].concat());
        assert_eq!((&dry["matched"], &dry["unrecognized"]), (&1.into(), &6.into()), "{dialect:?}: {dry}");
        let ran = adopted.run(&[&silent[..], &["-o", "json"]].concat());
        let report = ran.json();
        assert_eq!(
            (ran.code, &report["reaped"], &report["unrecognized"]),
            (6, &1.into(), &6.into()),
            "{dialect:?}: {ran:?}"
        );
        assert!(ran.stderr.contains("6 rows left"), "{ran:?}");
        let ran = adopted.run(&silent);
        assert!(ran.stderr.contains("6 rows left"), "{ran:?}");
        let stats = adopted.json(&["stats"]);
        let states = &stats["states"];
        let of = |state: &str| states[state]["value"].as_u64().unwrap();
        assert_eq!(
            (of("in_progress"), of("completed"), of("failed"), of("unknown")),
            (5, 1, 1, 3),
            "{dialect:?}: {stats}"
        );
        assert!(adopted.run(&["stats"]).stdout.contains("unknown state"), "{stats}");
        adopted.db.run("UPDATE keys SET status = 'done' WHERE key NOT IN ('stuck', 'alive')").await;
        assert_eq!(adopted.run(&silent).code, 0, "nothing is left of it");
    }
}

/// Two partial unique indexes, one for NULL and one for all else, leave no two rows alike.
#[tokio::test]
async fn a_pair_of_partial_indexes_names_single_rows() {
    for dialect in [Dialect::Postgres, Dialect::Sqlite] {
        let schema = "
            CREATE TABLE keys (key varchar(50) NOT NULL, tenant varchar(50));
            CREATE UNIQUE INDEX with_tenant ON keys (key, tenant) WHERE tenant IS NOT NULL;
            CREATE UNIQUE INDEX without_tenant ON keys (key) WHERE tenant IS NULL;
            INSERT INTO keys VALUES ('k', 'a'), ('k', NULL), ('l', NULL), ('l', 'b');";
        let config = "
            [[table]]
            name = \"keys\"
            key = \"key\"
            scope = \"tenant\"
            [table.state]
            always = \"completed\"
        ";
        let adopted = Adopted::new(dialect, schema, config).await;
        let mut rows = adopted.db.raw().await;
        assert_eq!(adopted.json(&["list"]).as_array().unwrap().len(), 4);
        assert_eq!(adopted.json(&["forget", "k", "--scope-null", "tenant", "--yes"])["changed"], 1);
        assert_eq!(adopted.json(&["forget", "l", "--scope", "b", "--yes"])["changed"], 1);
        let left = rows.texts("SELECT key || COALESCE(tenant, '-') FROM keys ORDER BY 1").await;
        assert_eq!(left, ["ka", "l-"], "{dialect:?}");
        rows.close().await;
    }
}
