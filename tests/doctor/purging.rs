//! A purge tells the truth about what keeps it from deleting.

use crate::harness::Adopted;
use crate::patient::{CONFIG, SCHEMA, healthy};
use crate::support::Dialect;
use crate::support::server::shared;

/// A table whose every row is due.
async fn due() -> Adopted {
    let adopted = healthy(Dialect::Postgres).await;
    adopted
        .db
        .run("UPDATE keys SET expires = now() - interval '9 days' - tenant * interval '1 second'")
        .await;
    adopted
}

async fn role(adopted: &Adopted, name: &str, rights: &str) -> String {
    shared().await.admin(&format!("CREATE ROLE {name} LOGIN")).await;
    adopted.db.run(&format!("GRANT {rights} ON keys TO {name}; GRANT ALL ON idemctl_lease TO {name}")).await;
    adopted.db.url.replace("postgres@", &format!("{name}@"))
}

const LEFT: &str = "SELECT count(*) FROM keys";

#[tokio::test]
async fn rows_that_it_cannot_see() {
    let adopted = due().await;
    let url = role(&adopted, "purge_hidden", "SELECT, UPDATE, DELETE").await;
    adopted
        .db
        .run("ALTER TABLE keys ENABLE ROW LEVEL SECURITY; CREATE POLICY mine ON keys USING (tenant = 7)")
        .await;
    let ran = adopted.run(&["purge", "--database-url", &url, "-o", "json"]);
    assert_eq!(ran.code, 6, "{ran:?}");
    let report = ran.json();
    assert_eq!(
        (&report["deleted"], &report["row_security"], &report["backlog_exact"]),
        (&0.into(), &true.into(), &false.into())
    );
    assert!(ran.stderr.contains("row level security applies to this role"), "{ran:?}");
    assert_eq!(adopted.db.number(LEFT).await, 20);
    let all = adopted.json(&["purge"]);
    assert_eq!((&all["deleted"], &all["row_security"]), (&20.into(), &false.into()));
}

/// The own table is no exception.
#[tokio::test]
async fn rows_of_the_own_table_that_it_cannot_see() {
    let adopted = Adopted::postgres("SELECT 1", "").await;
    assert_eq!(adopted.run(&["migrate"]).code, 0);
    shared().await.admin("CREATE ROLE purge_own_hidden LOGIN").await;
    adopted
        .db
        .run(
            "GRANT ALL ON ALL TABLES IN SCHEMA public TO purge_own_hidden;
             ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
             CREATE POLICY mine ON idempotency_keys USING (scope = 'mine');",
        )
        .await;
    let url = adopted.db.url.replace("postgres@", "purge_own_hidden@");
    let ran = adopted.run(&["purge", "--database-url", &url]);
    assert_eq!(ran.code, 6, "{ran:?}");
    assert!(ran.stderr.contains("row level security applies to this role"), "{ran:?}");
    assert!(ran.stderr.contains("neither deleted nor counted"), "{ran:?}");
}

#[tokio::test]
async fn a_right_that_it_lacks() {
    let adopted = due().await;
    let url = role(&adopted, "purge_no_delete", "SELECT, UPDATE").await;
    let ran = adopted.run(&["purge", "--database-url", &url]);
    assert_eq!(ran.code, 8, "{ran:?}");
    assert!(ran.stderr.contains("the role \"purge_no_delete\" lacks the right DELETE on keys"), "{ran:?}");
    let url = role(&adopted, "purge_no_select", "DELETE").await;
    assert_eq!(adopted.run(&["purge", "--database-url", &url]).code, 8);
    assert_eq!(adopted.db.number(LEFT).await, 20);
}

#[tokio::test]
async fn a_view() {
    let adopted = due().await;
    adopted.db.run("ALTER TABLE keys RENAME TO keys_2; CREATE VIEW keys AS SELECT * FROM keys_2").await;
    let ran = adopted.run(&["purge"]);
    assert_eq!(ran.code, 8, "{ran:?}");
    assert!(ran.stderr.contains("keys is a view"), "{ran:?}");
}

#[tokio::test]
async fn partitions() {
    let schema = "
        CREATE TABLE keys (tenant bigint NOT NULL, key text NOT NULL, status text NOT NULL, created timestamptz NOT NULL,
            ended timestamptz, expires timestamptz NOT NULL, PRIMARY KEY (key, tenant)) PARTITION BY HASH (key);
        CREATE TABLE keys_0 PARTITION OF keys FOR VALUES WITH (MODULUS 2, REMAINDER 0);
        CREATE TABLE keys_1 PARTITION OF keys FOR VALUES WITH (MODULUS 2, REMAINDER 1);
        CREATE INDEX ON keys (expires);
        INSERT INTO keys SELECT 1, 'k' || n, 'done', now() - interval '9 days', NULL, now() - interval '8 days'
            FROM generate_series(1, 3000) AS n;";
    let adopted = Adopted::postgres(schema, CONFIG).await;
    let report = adopted.json(&["purge", "--duty", "1"]);
    assert_eq!((&report["deleted"], &report["backlog"]), (&3000.into(), &0.into()));
}

#[tokio::test]
async fn other_tables_rows() {
    let adopted = due().await;
    adopted
        .db
        .run(
            "CREATE TABLE payment (k text, t bigint, FOREIGN KEY (k, t) REFERENCES keys (key, tenant) ON DELETE CASCADE);
             INSERT INTO payment VALUES ('k1', 1)",
        )
        .await;
    let ran = adopted.run(&["purge"]);
    assert_eq!(ran.code, 5, "{ran:?}");
    assert_eq!(adopted.db.number("SELECT count(*) FROM payment").await, 1);
    adopted
        .db
        .run("ALTER TABLE payment DROP CONSTRAINT payment_k_t_fkey, ADD FOREIGN KEY (k, t) REFERENCES keys (key, tenant)")
        .await;
    let ran = adopted.run(&["purge", "-o", "json"]);
    assert_eq!(
        (ran.code, &ran.json()["deleted"], &ran.json()["backlog"]),
        (6, &19.into(), &1.into()),
        "{ran:?}"
    );
}

/// A trigger swallows each delete: the backlog stays and is told, and the pass comes to its end.
#[tokio::test]
async fn triggers_that_keep_rows() {
    const TRIGGER: &str = "
        CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END';
        CREATE TRIGGER keeps BEFORE DELETE ON keys FOR EACH ROW EXECUTE FUNCTION f()";
    for arguments in [&["purge"][..], &["purge", "--max-rows", "5"], &["purge", "--batch-size", "3"]] {
        let adopted = due().await;
        // Some that share a moment, and some that do not.
        adopted
            .db
            .run(
                "UPDATE keys SET expires = expires - substr(key, 2)::int * interval '1 min' WHERE key > 'k2'",
            )
            .await;
        adopted.db.run(TRIGGER).await;
        let ran = adopted.run(&[arguments, &["-o", "json"]].concat());
        assert_eq!(ran.code, 6, "{arguments:?}: {ran:?}");
        let report = ran.json();
        assert_eq!(
            (&report["deleted"], &report["backlog"]),
            (&0.into(), &20.into()),
            "{arguments:?}: {report}"
        );
        assert_eq!(report["blocking_triggers"], serde_json::json!(["trigger keeps"]));
        let ran = adopted.run(arguments);
        assert!(ran.stdout.contains("20 expired rows are left: kept by trigger keeps"), "{ran:?}");
    }
    // A rule instead of the delete.
    let adopted = due().await;
    adopted.db.run("CREATE RULE never AS ON DELETE TO keys DO INSTEAD NOTHING").await;
    let ran = adopted.run(&["purge", "-o", "json"]);
    assert_eq!((ran.code, &ran.json()["backlog"]), (6, &20.into()), "{ran:?}");
    assert_eq!(ran.json()["blocking_triggers"], serde_json::json!(["rule never"]));
}

/// On SQLite a trigger can do the same.
#[tokio::test]
async fn triggers_that_keep_rows_on_sqlite() {
    let adopted = healthy(Dialect::Sqlite).await;
    adopted.db.run("UPDATE keys SET expires = unixepoch() - 864000").await;
    adopted.db.run("CREATE TRIGGER keeps BEFORE DELETE ON keys BEGIN SELECT RAISE(IGNORE); END").await;
    let ran = adopted.run(&["purge", "-o", "json"]);
    assert_eq!((ran.code, &ran.json()["backlog"]), (6, &1.into()), "{ran:?}");
    assert_eq!(ran.json()["blocking_triggers"], serde_json::json!(["trigger keeps"]));
}

/// Age alone, and no index on it: bounded batches, and the price is told.
#[tokio::test]
async fn an_age_without_an_index() {
    let config = CONFIG
        .lines()
        .map(|line| if line.contains("expires  =") { "    ttl = \"1day\"" } else { line })
        .collect::<Vec<_>>()
        .join("\n");
    // An index that begins with something else is no help either.
    for index in ["", "CREATE INDEX ON keys (status, tenant, created);"] {
        let adopted = Adopted::postgres(&format!("{SCHEMA} {index}"), &config).await;
        adopted
            .db
            .run(
                "INSERT INTO keys SELECT 2, 'n' || n, 'done', now() - interval '9 days' - n * interval '1 s', NULL, now()
                 FROM generate_series(1, 5000) AS n",
            )
            .await;
        let ran = adopted.run(&["purge", "--duty", "1", "-o", "json"]);
        assert_eq!(ran.code, 0, "{ran:?}");
        let report = ran.json();
        assert_eq!((&report["deleted"], &report["full_scan"]), (&5000.into(), &true.into()), "{report}");
        assert!(report["batches"].as_u64().unwrap() > 1, "{report}");
        assert!(
            ran.stderr.contains("the whole table was read") && ran.stderr.contains("idemctl doctor"),
            "{ran:?}"
        );
    }
}
