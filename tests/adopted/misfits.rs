//! Mappings that do not fit are one clear error before any row is touched; tables that are no plain
//! tables tell the truth.

use crate::harness::{Adopted, set};
use crate::support::Dialect;

const SCHEMA: &str = "
    CREATE TABLE keys (key text PRIMARY KEY, status int NOT NULL, created timestamptz NOT NULL, expires timestamp);
    INSERT INTO keys VALUES ('old', 1, now() - interval '9 days', now() - interval '9 days');";

const CONFIG: &str = r#"
    [[table]]
    name = "keys"
    key = ["key"]
    [table.state]
    column = "status"
    completed = [1]
    [table.clock]
    created = { column = "created", as = "timestamptz" }
    ttl = "1day"
"#;

#[tokio::test]
async fn a_mapping_that_does_not_fit_names_the_setting_and_the_column() {
    for (from, to, code, words) in [
        ("name = \"keys\"", "name = \"kyes\"", 8, ["table.name", "no such table"]),
        ("key = [\"key\"]", "key = [\"keey\"]", 8, ["`key`", "\"keey\""]),
        ("key = [\"key\"]", "key = [\"key\"]\nscope = [\"tenant\"]", 8, ["`scope`", "\"tenant\""]),
        (
            "column = \"status\"",
            "column = \"state\"",
            8,
            ["table.state.column", "the nearest is \\\"status\\\""],
        ),
        ("completed = [1]", "completed = [\"done\"]", 8, ["table.state.column", "integer"]),
        ("key = [\"key\"]", "key = [\"k\\u0000\"]", 2, ["`key`", "NUL"]),
        ("key = [\"key\"]", "key = [\"key\"]\nstat = 1", 2, ["stat", "state"]),
        ("key = [\"key\"]", "key = [\"x\\\"; DROP TABLE keys; --\"]", 8, ["`key`", "DROP"]),
    ] {
        let adopted = Adopted::postgres(SCHEMA, &CONFIG.replace(from, to)).await;
        for command in [&["purge"][..], &["list"], &["inspect", "old"]] {
            let ran = adopted.run(command);
            assert_eq!(ran.code, code, "{to}: {ran:?}");
            for word in words {
                let plain = word.replace("\\\"", "\"");
                assert!(ran.stderr.contains(&plain), "{to}: {plain}: {}", ran.stderr);
            }
        }
        assert_eq!(adopted.db.number("SELECT count(*) FROM keys").await, 1);
    }
}

const WHOLE: &str = "
    CREATE TABLE keys (key varchar(50) PRIMARY KEY, status varchar(9) NOT NULL, created bigint NOT NULL, alive bigint,
        lease bigint, finished bigint, expires bigint, hash text, body text, owner text, tries int);
    INSERT INTO keys VALUES ('old', 'done', 1700000000, NULL, NULL, NULL, 1700000009, 'h', 'b', 'w', 1),
        ('open', 'open', 1700000000, NULL, NULL, NULL, 1700000009, 'h', NULL, 'w', 1),
        ('bad', 'bad', 1700000000, NULL, NULL, NULL, 4000000000, 'h', NULL, 'w', 1);";

const WHOLE_CONFIG: &str = r#"
    [[table]]
    name = "keys"
    key = ["key"]
    [table.state]
    column = "status"
    in_progress = ["open"]
    completed = ["done"]
    failed = ["bad"]
    [table.clock]
    created = { column = "created", as = "epoch_s" }
    alive = { column = "alive", as = "epoch_s" }
    lease = { column = "lease", as = "epoch_s" }
    finished = { column = "finished", as = "epoch_s" }
    expires = { column = "expires", as = "epoch_s" }
    [table.reap]
    older_than = "5m"
    [table.fail]
    set = { status = "bad" }
    [table.release]
    set = { status = "open" }
    [table.claim]
    expired = "absent"
    failed = "final"
    [table.show]
    request_hash = "hash"
    response_body = "body"
    owner = "owner"
    attempt = "tries"
"#;

/// A setting that does not fit takes away what needs it, by its name, and nothing else; what is said without it
/// is never wrong.
#[tokio::test]
async fn what_does_not_fit_takes_away_only_the_commands_that_need_it() {
    const LIST: &[&str] = &["list"];
    const INSPECT: &[&str] = &["inspect", "old"];
    const STUCK: &[&str] = &["list", "--stuck"];
    const SINCE: &[&str] = &["list", "--since", "1h"];
    const EXPIRED: &[&str] = &["list", "--expired"];
    const STATS: &[&str] = &["stats"];
    const PURGE: &[&str] = &["purge"];
    const PURGE_DRY: &[&str] = &["purge", "--dry-run"];
    const REAP: &[&str] = &["reap-stuck", "--retry", "allow", "--dry-run"];
    const REAP_BLOCK: &[&str] = &["reap-stuck", "--retry", "block"];
    const FAIL: &[&str] = &["fail", "open", "--retry", "allow", "--yes", "--dry-run"];
    const RELEASE: &[&str] = &["release", "bad", "--yes", "--dry-run"];
    const FORGET: &[&str] = &["forget", "old", "--yes", "--dry-run"];
    const REPLAY: &[&str] = &["replay", "old"];
    const BODY: &[&str] = &["inspect", "old", "--body"];
    const ALL: [&[&str]; 15] = [
        LIST, INSPECT, STUCK, SINCE, EXPIRED, STATS, PURGE_DRY, REAP, REAP_BLOCK, FAIL, RELEASE, FORGET,
        REPLAY, BODY, PURGE,
    ];
    for (setting, from, needed_by) in [
        ("table.clock.created", "\"created\", as", &[STUCK, SINCE, STATS, REAP, REAP_BLOCK][..]),
        ("table.clock.alive", "\"alive\", as", &[STUCK, SINCE, STATS, REAP, REAP_BLOCK]),
        (
            "table.clock.lease",
            "\"lease\", as",
            &[STUCK, STATS, PURGE, PURGE_DRY, REAP, REAP_BLOCK, FAIL, FORGET, REPLAY],
        ),
        ("table.clock.finished", "\"finished\", as", &[]),
        ("table.clock.expires", "\"expires\", as", &[EXPIRED, STATS, PURGE, PURGE_DRY, REAP_BLOCK, REPLAY]),
        ("table.show.request_hash", "\"hash\"", &[]),
        ("table.show.response_body", "\"body\"", &[BODY, REPLAY]),
        ("table.show.owner", "= \"owner\"", &[]),
        ("table.show.attempt", "\"tries\"", &[]),
    ] {
        for dialect in [Dialect::Postgres, Dialect::Sqlite] {
            let gone = from.replacen('"', "\"x_", 1);
            assert!(WHOLE_CONFIG.contains(from), "{from}");
            let adopted = Adopted::new(dialect, WHOLE, &WHOLE_CONFIG.replace(from, &gone)).await;
            for command in ALL {
                let ran = adopted.run(command);
                let said = ran.stderr.contains(setting);
                if needed_by.contains(&command) {
                    assert!(
                        ran.code == 8 && said && ran.stderr.contains("no column"),
                        "{setting} {command:?}: {ran:?}"
                    );
                } else if [STUCK, REAP, REAP_BLOCK, REPLAY].contains(&command) {
                    // The replay of an expired key has nothing to show.
                    assert!([0, 3, 6].contains(&ran.code), "{setting} {command:?}: {ran:?}");
                } else {
                    assert_eq!(ran.code, 0, "{setting} {command:?}: {ran:?}");
                }
                // Whoever reads the report knows what is not in it.
                assert!(said || ![LIST, INSPECT].contains(&command), "{setting} {command:?}: {ran:?}");
            }
            let rows = adopted.json(&["list"]);
            let decisive = ["table.clock.lease", "table.clock.expires"].contains(&setting);
            for row in rows.as_array().unwrap() {
                assert!(!decisive || row["verdict"] == "unknown", "{setting}: {row}");
                assert!(!decisive || row["why"].as_str().unwrap().contains(setting), "{setting}: {row}");
            }
            let doctor = adopted.run(&["doctor", "-o", "json"]);
            let findings = doctor.json()["findings"].clone();
            let unfit =
                findings.as_array().unwrap().iter().filter(|finding| finding["code"] == "mapping_mismatch");
            let unfit: Vec<String> = unfit.map(ToString::to_string).collect();
            assert!(unfit.len() == 1 && unfit[0].contains(setting), "{setting}: {findings}");
            assert_eq!(
                adopted.run(&["janitor", "--check"]).code == 8,
                needed_by.iter().any(|one| [PURGE, REAP].contains(one))
            );
        }
    }
    let config = WHOLE_CONFIG.replace("\"lease\", as = \"epoch_s\"", "\"lease\", as = \"timestamptz\"");
    let adopted = Adopted::postgres(WHOLE, &config).await;
    adopted.refuses(
        &["purge"],
        8,
        &["table.clock.lease.as = timestamptz", "\"lease\"", "timestamp with time zone"],
    );
    let both = config.replace("\"owner\"\n", "\"ownr\"\n");
    let adopted = Adopted::postgres(WHOLE, &both).await;
    adopted.refuses(&["list"], 0, &["table.clock.lease", "table.show.owner", "the nearest is \"owner\""]);
}

/// Without the age of a row in progress, age decides where the application never claims in place.
#[tokio::test]
async fn a_refused_reap_names_the_likely_answer() {
    for dialect in [Dialect::Postgres, Dialect::Sqlite] {
        let config = WHOLE_CONFIG
            .replace("    alive = { column = \"alive\", as = \"epoch_s\" }\n", "")
            .replace("    lease = { column = \"lease\", as = \"epoch_s\" }\n", "");
        let reopening = config.replace("key = [\"key\"]", "key = [\"key\"]\n    reopens = true");
        let adopted = Adopted::new(dialect, WHOLE, &reopening).await;
        for command in [&["reap-stuck"][..], &["reap-stuck", "--dry-run"], &["list", "--stuck"]] {
            adopted.refuses(
                command,
                2,
                &[
                    "table.clock.alive",
                    "table.clock.lease",
                    "table.reopens",
                    "say `reopens = false`",
                    "a retry would execute beside it",
                ],
            );
        }
        assert_eq!(adopted.listed(&["--status", "in_progress"]), set(&["open"]));
        assert_eq!(adopted.db.number("SELECT count(*) FROM keys WHERE status = 'open'").await, 1);
        let answered =
            Adopted::new(dialect, WHOLE, &reopening.replace("reopens = true", "reopens = false")).await;
        assert_eq!(answered.listed(&["--stuck"]), set(&["open"]));
        assert_eq!(answered.json(&["reap-stuck", "--retry", "block"])["reaped"], 1);
    }
}

#[tokio::test]
async fn several_tables_want_a_name() {
    let schema = format!("{SCHEMA} CREATE TABLE others (key text PRIMARY KEY);");
    let other = "\n[[table]]\nname = \"others\"\nkey = \"key\"\n[table.state]\nalways = \"completed\"\n";
    let adopted = Adopted::postgres(&schema, &format!("{CONFIG}{other}")).await;
    adopted.refuses(&["list"], 2, &["keys, others"]);
    adopted.refuses(&["list", "--table", "third"], 2, &["keys, others"]);
    assert_eq!(adopted.listed(&["--table", "keys"]), set(&["old"]));
    assert_eq!(adopted.listed(&["--table", "others"]), set(&[]));
    let shown = adopted.run(&["config", "show"]);
    assert!(shown.stdout.contains("table.1.name"), "{shown:?}");
}

#[tokio::test]
async fn a_view_is_only_looked_at() {
    let adopted = Adopted::postgres(
        &format!("{SCHEMA} CREATE VIEW seen AS SELECT * FROM keys;"),
        &CONFIG.replace("\"keys\"", "\"seen\""),
    )
    .await;
    assert_eq!(adopted.listed(&[]), set(&["old"]));
    adopted.refuses(&["purge"], 8, &["a view"]);
    adopted.refuses(&["forget", "old", "--yes"], 8, &["a view"]);
}

#[tokio::test]
async fn a_partitioned_table_is_purged_across_its_partitions() {
    let schema = "
        CREATE TABLE keys (key text NOT NULL, status int NOT NULL, created timestamptz NOT NULL,
            PRIMARY KEY (key, created)) PARTITION BY HASH (created);
        CREATE TABLE keys_0 PARTITION OF keys FOR VALUES WITH (MODULUS 2, REMAINDER 0);
        CREATE TABLE keys_1 PARTITION OF keys FOR VALUES WITH (MODULUS 2, REMAINDER 1);
        INSERT INTO keys SELECT 'k' || n, 1 + n % 2, now() - interval '9 days' - n * interval '1 s'
        FROM generate_series(1, 1000) AS n;";
    let adopted = Adopted::postgres(schema, CONFIG).await;
    assert_eq!(adopted.run(&["purge", "--max-rows", "100", "-o", "json"]).json()["deleted"], 100);
    let purged = adopted.run(&["purge", "-o", "json"]);
    assert_eq!((&purged.json()["deleted"], &purged.json()["unrecognized"]), (&400.into(), &500.into()));
    // No unique index can cover the key alone: the row is named by its place and its partition too.
    adopted.db.run("UPDATE keys SET status = 1 WHERE key = 'k3'").await;
    assert_eq!(adopted.json(&["forget", "k3", "--yes"])["changed"], 1);
    assert_eq!(adopted.db.number("SELECT count(*) FROM keys").await, 499);
    adopted.db.run("INSERT INTO keys VALUES ('k5', 1, now())").await;
    adopted.refuses(&["forget", "k5", "--yes"], 8, &["2 rows"]);
}

/// A purge that can't see rows must not say that all are gone.
#[tokio::test]
async fn row_level_security_is_said() {
    let schema = format!(
        "{SCHEMA} ALTER TABLE keys ENABLE ROW LEVEL SECURITY; ALTER TABLE keys FORCE ROW LEVEL SECURITY;
         DO $$ BEGIN CREATE ROLE limited LOGIN; EXCEPTION WHEN duplicate_object THEN NULL; END $$;
         GRANT SELECT, DELETE ON keys TO limited; CREATE POLICY own ON keys USING (key = 'mine');"
    );
    let adopted = Adopted::postgres(&schema, CONFIG).await;
    let url = adopted.db.url.replacen("postgres@", "limited@", 1);
    assert_ne!(url, adopted.db.url);
    let purged = adopted.run(&["purge", "--database-url", &url]);
    assert_eq!(purged.code, 6, "{purged:?}");
    assert!(purged.stderr.contains("row level security"), "{purged:?}");
    adopted.db.run("DROP POLICY own ON keys; CREATE POLICY every ON keys USING (true)").await;
    let purged = adopted.run(&["purge", "--database-url", &url]);
    assert_eq!(purged.code, 0, "{purged:?}");
    assert_eq!(adopted.db.number("SELECT count(*) FROM keys").await, 0);
    adopted.db.run("REVOKE DELETE ON keys FROM limited").await;
    adopted.refuses(&["purge", "--database-url", &url], 8, &["lacks the right DELETE"]);
    assert_eq!(adopted.run(&["list", "--database-url", &url]).code, 0);
}

#[tokio::test]
async fn sqlite_without_row_numbers() {
    let adopted = Adopted::new(
        Dialect::Sqlite,
        "CREATE TABLE keys (rowid text, key text, status int, created int, PRIMARY KEY (rowid, key)) WITHOUT ROWID;
         WITH RECURSIVE r (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 500)
         INSERT INTO keys SELECT 'r', 'k' || n, 1, 1500000000 + n / 100 FROM r;",
        &CONFIG.replace("timestamptz", "epoch_s").replace("key = [\"key\"]", "key = [\"key\"]\nscope = [\"rowid\"]"),
    )
    .await;
    assert_eq!(adopted.run(&["purge", "--max-rows", "50", "-o", "json"]).json()["deleted"], 50);
    assert_eq!(adopted.json(&["purge"])["deleted"], 450);
    adopted.json(&["stats"]);
}

const STUCK: &str = "
    CREATE TABLE keys (key varchar(50) PRIMARY KEY, status text, created bigint NOT NULL, locked bigint, note text);
    INSERT INTO keys VALUES ('k', 'open', 1700000000, 1700000000, NULL), ('old', 'done', 1700000000, NULL, 'x');";

const STUCK_CONFIG: &str = r#"
    [[table]]
    name = "keys"
    key = ["key"]
    [table.state]
    STATE
    [table.clock]
    created = { column = "created", as = "epoch_s" }
    ttl = "1day"
    [table.reap]
    older_than = "5m"
    [table.fail]
    FAIL
"#;

/// A rule after which the row is still in progress would be applied again by every pass.
#[tokio::test]
async fn a_fail_rule_that_leaves_the_row_in_progress_is_refused_and_nothing_else_is() {
    let column =
        "column = 'status'\nin_progress = ['open', 'started']\ncompleted = ['done']\nfailed = ['bad']";
    let null_is_open = format!("{column}\nnull = 'in_progress'");
    let nulls = "null_means_in_progress = ['note', 'locked']";
    for (state, fail, why) in [
        (column, "set_null = ['locked']", Some("does not change the state")),
        (column, "set = { note = 'bad' }", Some("does not change the state")),
        (column, "set_now = ['locked']", Some("set_now")),
        (column, "set = { status = 'started' }", Some("means in progress")),
        (column, "set = { status = 'open', note = 'x' }", Some("means in progress")),
        (column, "set = { status = 'lost' }", Some("does not list")),
        (column, "set_null = ['status']", Some("does not list")),
        (column, "set = { nothing = 1 }", Some("no column \"nothing\"")),
        (null_is_open.as_str(), "set_null = ['status']", Some("means in progress")),
        (nulls, "set = { status = 'bad' }", Some("leaves NULL")),
        (nulls, "set_null = ['note', 'locked']", Some("leaves NULL")),
        ("always = 'in_progress'", "set = { status = 'bad' }", Some("does not delete")),
        (column, "set = { status = 'bad' }", None),
        (column, "set = { status = 'done' }", None),
        (nulls, "set = { note = 'lost' }", None),
        ("always = 'in_progress'", "delete = true", None),
    ] {
        let config = STUCK_CONFIG.replace("STATE", state).replace("FAIL", fail);
        for dialect in [Dialect::Postgres, Dialect::Sqlite] {
            let adopted = Adopted::new(dialect, STUCK, &config).await;
            let reaping = ["reap-stuck", "--older-than", "5m"];
            match why {
                None => assert!([0, 6].contains(&adopted.run(&reaping).code), "{state} {fail}"),
                Some(why) => {
                    for command in [&reaping[..], &["fail", "k", "--yes"]] {
                        adopted.refuses(command, 8, &["table.fail", why]);
                    }
                    let checked = adopted.run(&["janitor", "--check", "-o", "json"]);
                    let problem = checked.json()["problems"].to_string().replace("\\\"", "\"");
                    assert_eq!(checked.code, 8, "{state} {fail}: {checked:?}");
                    assert!(problem.contains("table.fail") && problem.contains(why), "{problem}");
                    let kept = "SELECT count(*) FROM keys WHERE locked = 1700000000 AND created = 1700000000";
                    assert_eq!(adopted.db.number(kept).await, 1, "{state} {fail}");
                }
            }
            // Whoever needs no rule is not kept from work.
            for command in [&["list"][..], &["stats"], &["inspect", "k"], &["purge", "--max-rows", "1"]] {
                let ran = adopted.run(command);
                // A rule that deletes has taken the key.
                assert!([0, 3, 6].contains(&ran.code), "{state} {fail} {command:?}: {ran:?}");
            }
        }
    }
}

/// One statement that the database refuses takes away the commands that need it, says what the database says,
/// and blames no mapping.
#[tokio::test]
async fn a_published_table_without_a_replica_identity_is_looked_at_and_not_changed() {
    let state = "column = 'status'\nin_progress = ['open']\ncompleted = ['done']\nfailed = ['bad']";
    let config = STUCK_CONFIG.replace("STATE", state).replace("FAIL", "set = { status = 'bad' }");
    for (published, refused, done) in [
        ("insert, delete", &[&["purge"][..]][..], &["reap-stuck", "--older-than", "5m"][..]),
        ("insert, update", &[&["reap-stuck", "--older-than", "5m"], &["fail", "k", "--yes"]], &["purge"]),
    ] {
        let schema = format!("{STUCK} CREATE PUBLICATION p FOR TABLE keys WITH (publish = '{published}')");
        let adopted = Adopted::postgres(&schema, &config).await;
        adopted.db.run("ALTER TABLE keys REPLICA IDENTITY NOTHING").await;
        for command in refused {
            adopted.refuses(command, 8, &["replica identity", "hint: To enable", "the mapping is right"]);
        }
        for command in [&["list"][..], &["stats"], &["inspect", "k"], done] {
            let ran = adopted.run(command);
            assert!([0, 6].contains(&ran.code), "{published} {command:?}: {ran:?}");
        }
    }
}

#[tokio::test]
async fn a_release_rule_that_changes_nothing_is_refused() {
    let state = "column = 'status'\nin_progress = ['open']\ncompleted = ['done']\nfailed = ['bad']";
    let config = STUCK_CONFIG.replace("STATE", state).replace("FAIL", "set = { status = 'bad' }");
    let config = format!("{config}\n[table.release]\nset = {{ status = 'bad' }}\n");
    let adopted = Adopted::postgres(STUCK, &config).await;
    assert_eq!(adopted.json(&["fail", "k", "--yes"])["changed"], 1);
    adopted.refuses(&["release", "k", "--yes"], 8, &["table.release", "nothing changes"]);
    assert_eq!(adopted.json(&["forget", "k", "--yes"])["changed"], 1);
}

/// What a table can't take keeps only those commands away that need it.
#[tokio::test]
async fn a_computed_expiry_is_purged_by_and_reaped_but_never_blocked() {
    for (dialect, stored) in
        [(Dialect::Postgres, "STORED"), (Dialect::Sqlite, "STORED"), (Dialect::Sqlite, "VIRTUAL")]
    {
        let now = match dialect {
            Dialect::Postgres => "CAST(extract(epoch FROM now()) AS bigint)",
            _ => "unixepoch()",
        };
        let schema = format!(
            "CREATE TABLE keys (key varchar(50) PRIMARY KEY, status text NOT NULL, created bigint NOT NULL,
                 expires bigint GENERATED ALWAYS AS (created + 86400) {stored});
             INSERT INTO keys (key, status, created) VALUES ('old', 'done', {now} - 400000),
                 ('k', 'open', {now} - 9000), ('l', 'open', {now} - 9000)"
        );
        let config = STUCK_CONFIG
            .replace(
                "STATE",
                "column = 'status'\nin_progress = ['open']\ncompleted = ['done']\nfailed = ['bad']",
            )
            .replace("FAIL", "set = { status = 'bad' }")
            .replace("ttl = \"1day\"", "expires = { column = \"expires\", as = \"epoch_s\" }");
        let adopted = Adopted::new(dialect, &schema, &config).await;
        assert_eq!(adopted.json(&["purge"])["deleted"], 1, "{stored}");
        for command in [&["reap-stuck", "--retry", "block"][..], &["fail", "k", "--yes", "--retry", "block"]]
        {
            adopted.refuses(command, 8, &["computes its expiry", "\"expires\""]);
        }
        assert_eq!(adopted.json(&["fail", "k", "--yes"])["changed"], 1);
        assert_eq!(adopted.json(&["reap-stuck"])["reaped"], 1);
        assert_eq!(adopted.run(&["janitor", "--check"]).code, 0);
    }
}

/// A rule that deletes its row reaches no rows of other tables, as a purge does not.
async fn a_rule_that_deletes_reaches_no_other_rows(dialect: Dialect) {
    let old = match dialect {
        Dialect::Postgres => "now() - interval '2 hours'",
        _ => "datetime('now', '-2 hours')",
    };
    let (kind, encoding) = match dialect {
        Dialect::Postgres => ("timestamptz", "\"timestamptz\""),
        _ => ("text", "{ text = \"YYYY-MM-DD HH:MM:SS\" }"),
    };
    let schema = format!(
        "CREATE TABLE keys (k varchar(40) PRIMARY KEY, state text NOT NULL, created_at {kind} NOT NULL);
         CREATE TABLE payments (k varchar(40) REFERENCES keys (k) ON DELETE CASCADE);
         INSERT INTO keys VALUES ('stuck', 'busy', {old}), ('failed', 'failed', {old});
         INSERT INTO payments VALUES ('stuck'), ('failed');"
    );
    for (allowed, code, left) in [(false, 5, 2), (true, 0, 0)] {
        let config = format!(
            r#"
            [[table]]
            name = "keys"
            key = ["k"]
            reopens = false
            [table.state]
            column = "state"
            in_progress = ["busy"]
            completed = ["done"]
            failed = ["failed"]
            [table.clock]
            created = {{ column = "created_at", as = {encoding} }}
            [table.fail]
            delete = true
            [table.release]
            delete = true
            [table.purge]
            allow_cascade = {allowed}
            "#
        );
        for fail in [&["fail", "stuck", "--yes"][..], &["reap-stuck", "--older-than", "15m"]] {
            let adopted = Adopted::new(dialect, &schema, &config).await;
            for command in [fail, &["release", "failed", "--yes"]] {
                let ran = adopted.run(command);
                assert_eq!(ran.code, code, "{command:?}: {ran:?}");
                assert!(allowed || ran.stderr.contains("payments"), "{command:?}: {ran:?}");
            }
            assert_eq!(adopted.db.number("SELECT count(*) FROM keys").await, left, "{fail:?}");
            // Nothing enforces a foreign key on SQLite's connection.
            if matches!(dialect, Dialect::Postgres) {
                assert_eq!(adopted.db.number("SELECT count(*) FROM payments").await, left, "{fail:?}");
            }
        }
    }
}

#[tokio::test]
async fn a_rule_that_deletes_reaches_no_other_rows_on_postgres() {
    a_rule_that_deletes_reaches_no_other_rows(Dialect::Postgres).await;
}

#[tokio::test]
async fn a_rule_that_deletes_reaches_no_other_rows_on_sqlite() {
    a_rule_that_deletes_reaches_no_other_rows(Dialect::Sqlite).await;
}
