//! What could not be read is neither "there is none" nor "all is well".

use idemctl::store::Dialect;

use crate::binary::Binary;
use crate::harness::Adopted;
use crate::patient::{Examined, SCHEMA, examine, healthy};
use crate::support::TestDb;
use crate::support::server::shared;

/// A role with every right on the table, and the URL of a connection as that role.
async fn role(adopted: &Adopted, name: &str) -> String {
    shared().await.admin(&format!("CREATE ROLE {name} LOGIN")).await;
    adopted
        .db
        .run(&format!(
            "GRANT SELECT, UPDATE, DELETE ON keys TO {name};
             GRANT SELECT, INSERT, UPDATE ON idemctl_audit, idemctl_lease, idemctl_pause TO {name};
             GRANT SELECT ON idemctl_migrations TO {name}"
        ))
        .await;
    adopted.db.url.replace("postgres@", &format!("{name}@"))
}

/// The checks that could not be made, each once, in order.
fn unexamined(examined: &Examined) -> Vec<&str> {
    let mut checks: Vec<&str> = Vec::new();
    for finding in examined.findings.iter().filter(|finding| finding["code"] == "check_failed") {
        assert!(finding["found"].as_str().unwrap().contains("permission denied"), "{finding}");
        let check = finding["check"].as_str().unwrap();
        if !checks.contains(&check) {
            checks.push(check);
        }
    }
    checks
}

/// A view of the catalogue that the role may not read takes away the checks that need it, and those alone.
#[tokio::test]
async fn a_view_that_can_not_be_read_takes_its_own_checks_away() {
    for (number, (closed, lost)) in [
        // The table's indexes are all usable: whether one is being built decides nothing.
        ("pg_stat_progress_create_index", &[][..]),
        ("pg_stat_activity", &["vacuum_horizon"]),
        ("pg_prepared_xacts", &["vacuum_horizon"]),
        ("pg_replication_slots", &["vacuum_horizon"]),
        ("pg_stat_all_tables", &["vacuum"]),
        ("pg_settings", &["writes", "time_limits", "durability"]),
        ("pg_roles", &[]),
        ("pg_stat_replication", &["replication"]),
        ("pg_trigger", &["triggers"]),
        ("pg_constraint", &["foreign_keys"]),
        ("pg_collation", &["mapping", "rights", "unique_key", "key_texts"]),
        ("pg_depend", &["mapping", "unique_key", "indexes"]),
    ]
    .into_iter()
    .enumerate()
    {
        let adopted = healthy(Dialect::Postgres).await;
        let url = role(&adopted, &format!("doc_unread_{number}")).await;
        adopted.db.run(&format!("REVOKE SELECT ON {closed} FROM PUBLIC")).await;
        let examined = examine(&adopted, &["--database-url", &url]);
        assert_eq!(unexamined(&examined), lost, "{closed}: {:#?}", examined.findings);
        for finding in examined.findings.iter().filter(|finding| finding["code"] != "check_failed") {
            // A check that was not made is not well, and nothing follows from it.
            let check = finding["check"].as_str().unwrap();
            let is_half = lost.contains(&check) && ["vacuum_horizon", "rights"].contains(&check);
            assert!(!lost.contains(&check) || is_half, "{closed}: {finding}");
            assert!(["ok", "info"].contains(&finding["severity"].as_str().unwrap()), "{closed}: {finding}");
            assert!(!(is_half && finding["severity"] == "ok"), "{closed}: {finding}");
        }
        assert_eq!(examined.code, 0, "{closed}");
    }
}

/// An index that is not valid may be one that somebody builds right now: nobody is told to drop it blindly.
#[tokio::test]
async fn an_invalid_index_may_be_one_that_is_being_built() {
    let adopted = healthy(Dialect::Postgres).await;
    let url = role(&adopted, "doc_unread_build").await;
    adopted
        .db
        .run(
            "CREATE INDEX half ON keys (status); REVOKE SELECT ON pg_stat_progress_create_index FROM PUBLIC;
             UPDATE pg_index SET indisvalid = false WHERE indexrelid = CAST('half' AS regclass)",
        )
        .await;
    let examined = examine(&adopted, &["--database-url", &url]);
    let finding = examined.finding("index_invalid");
    assert!(finding["found"].as_str().unwrap().contains("or still runs"), "{finding}");
    assert!(examined.fix("index_invalid")[0].contains("only when nobody is building it"), "{finding}");
    assert_eq!(unexamined(&examined), ["indexes"]);
}

/// The summary counts what nobody looked at.
#[tokio::test]
async fn the_summary_says_what_was_not_examined() {
    let adopted = healthy(Dialect::Postgres).await;
    let url = role(&adopted, "doc_unread_summary").await;
    adopted.db.run("REVOKE SELECT ON pg_stat_all_tables FROM PUBLIC").await;
    let ran = adopted.run(&["doctor", "--database-url", &url]);
    assert!(ran.stdout.trim_end().ends_with("; 1 check could not be made"), "{ran:?}");
    assert_eq!(adopted.run(&["doctor", "-o", "json", "--database-url", &url]).json()["unexamined"], 1);
}

/// A role with a single connection is enough for the doctor, but for what takes a second one.
#[tokio::test]
async fn a_role_with_one_connection() {
    let adopted = healthy(Dialect::Postgres).await;
    let url = role(&adopted, "doc_single").await;
    shared().await.admin("ALTER ROLE doc_single CONNECTION LIMIT 1").await;
    for _ in 0..3 {
        let ran = adopted.run(&["doctor", "-o", "json", "--database-url", &url]);
        let report = ran.json();
        assert_eq!((ran.code, &report["unexamined"]), (0, &1.into()), "{report}");
        for command in [&["list"][..], &["stats"], &["inspect", "k1"], &["list", "--stuck"]] {
            let ran = adopted.run(&[command, &["--database-url", &url]].concat());
            assert_eq!(ran.code, 0, "{command:?}: {ran:?}");
        }
    }
    // With none, nobody looked: no report, and not 0.
    shared().await.admin("ALTER ROLE doc_single CONNECTION LIMIT 0").await;
    let ran = adopted.run(&["doctor", "--database-url", &url]);
    assert_eq!((ran.code, ran.stdout.as_str()), (7, ""), "{ran:?}");
    assert!(ran.stderr.contains("CONNECTION LIMIT") && !ran.stderr.contains("database runs"), "{ran:?}");
}

/// The tables can't be looked at by a role without any right: that is no good health.
#[tokio::test]
async fn a_role_without_any_right() {
    let adopted = healthy(Dialect::Postgres).await;
    shared().await.admin("CREATE ROLE doc_no_rights LOGIN").await;
    let url = adopted.db.url.replace("postgres@", "doc_no_rights@");
    assert_eq!(examine(&adopted, &["--database-url", &url]).code, 8);
    let db = TestDb::new(Dialect::Postgres).await;
    db.run("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM PUBLIC").await;
    let own = db.url.replace("postgres@", "doc_no_rights@");
    assert_eq!(Binary::at(&own).run(&["doctor"]).code, 8);
}

/// Where nothing of a table can be examined, nobody looked.
#[tokio::test]
async fn a_table_of_which_nothing_can_be_read() {
    let adopted = Adopted::postgres(SCHEMA, crate::patient::CONFIG).await;
    shared().await.admin("CREATE ROLE doc_no_catalogue LOGIN").await;
    adopted.db.run("REVOKE SELECT ON pg_class, pg_attribute FROM PUBLIC").await;
    let url = adopted.db.url.replace("postgres@", "doc_no_catalogue@");
    assert_eq!(examine(&adopted, &["--database-url", &url]).code, 8);
}

/// A commit that a crash forgets is a second execution.
#[tokio::test]
async fn commits_that_do_not_wait_for_the_disk() {
    let adopted = healthy(Dialect::Postgres).await;
    let url = role(&adopted, "doc_async").await;
    let name = url.rsplit('/').next().unwrap().to_owned();
    for setting in [
        "ALTER ROLE doc_async SET synchronous_commit = off".to_owned(),
        format!("ALTER ROLE doc_async IN DATABASE {name} SET synchronous_commit = off"),
        format!("ALTER DATABASE {name} SET synchronous_commit = off"),
    ] {
        shared().await.admin(&setting).await;
        let examined = examine(&adopted, &["--database-url", &url]);
        assert_eq!(examined.finding("synchronous_commit_off")["severity"], "warning", "{setting}");
        for statement in examined.fix("synchronous_commit_off") {
            shared().await.admin(&statement).await;
        }
        let examined = examine(&adopted, &["--database-url", &url]);
        assert_eq!(examined.finding("durability")["severity"], "ok", "{setting}");
    }
}

#[tokio::test]
async fn encodings_that_hold_too_much_or_too_little() {
    let server = shared().await;
    for (encoding, code) in [("SQL_ASCII", "encoding_unchecked"), ("LATIN1", "encoding_narrow")] {
        let name = format!("encoded_{}", encoding.to_lowercase());
        server
            .admin(&format!(
                "CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C' LOCALE_PROVIDER libc"
            ))
            .await;
        let binary = Binary::at(&server.url(&name));
        assert_eq!(binary.run(&["migrate"]).code, 0);
        let report = binary.json(&["doctor"]);
        let found = report["findings"].as_array().unwrap().iter().any(|finding| finding["code"] == code);
        assert!(found, "{report}");
    }
}
