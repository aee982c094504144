//! What a role may do and see, with real roles.

use crate::harness::Adopted;
use crate::patient::{Examined, examine, healthy};
use crate::support::Dialect;
use crate::support::server::shared;

/// Makes a role with these rights on the table, and the URL of a connection as that role.
async fn role(adopted: &Adopted, name: &str, rights: &str) -> String {
    shared().await.admin(&format!("CREATE ROLE {name} LOGIN")).await;
    if !rights.is_empty() {
        adopted.db.run(&format!("GRANT {rights} ON keys TO {name}")).await;
    }
    adopted
        .db
        .run(&format!(
            "GRANT SELECT, INSERT, UPDATE ON idemctl_audit, idemctl_lease, idemctl_pause TO {name};
             GRANT SELECT ON idemctl_migrations TO {name}"
        ))
        .await;
    adopted.db.url.replace("postgres@", &format!("{name}@"))
}

fn as_role(adopted: &Adopted, url: &str) -> Examined {
    examine(adopted, &["--database-url", url])
}

/// What every ordinary role is told.
const ORDINARY: [(&str, &str); 2] = [("info", "sessions_hidden"), ("info", "lag_unreadable")];

fn without_ordinary(examined: &Examined) -> Vec<(String, String)> {
    let ordinary = |found: &(String, String)| ORDINARY.contains(&(found.0.as_str(), found.1.as_str()));
    examined.ailments().into_iter().filter(|found| !ordinary(found)).collect()
}

#[track_caller]
fn is(examined: &Examined, severity: &str, code: &str) {
    assert_eq!(
        without_ordinary(examined),
        [(severity.to_owned(), code.to_owned())],
        "{:#?}",
        examined.findings
    );
}

#[tokio::test]
async fn a_right_that_a_pass_needs() {
    let adopted = healthy(Dialect::Postgres).await;
    let url = role(&adopted, "doc_full", "SELECT, UPDATE, DELETE").await;
    assert_eq!(without_ordinary(&as_role(&adopted, &url)), [], "an ordinary role with its rights");
    for (name, rights, lacks) in [
        ("doc_no_delete", "SELECT, UPDATE", "right_delete_missing"),
        ("doc_no_update", "SELECT, DELETE", "right_update_missing"),
    ] {
        let url = role(&adopted, name, rights).await;
        let examined = as_role(&adopted, &url);
        is(&examined, "error", lacks);
        for statement in examined.fix(lacks) {
            adopted.db.run(&statement).await;
        }
        assert_eq!(without_ordinary(&as_role(&adopted, &url)), []);
    }
    let url = role(&adopted, "doc_no_select", "UPDATE, DELETE").await;
    let examined = as_role(&adopted, &url);
    is(&examined, "error", "right_select_missing");
}

/// Who only purges needs no UPDATE until a row is locked.
#[tokio::test]
async fn a_role_that_only_deletes() {
    let config = crate::patient::CONFIG.replace("older_than = \"30m\"", "");
    let adopted = Adopted::postgres(crate::patient::SCHEMA, &config).await;
    assert_eq!(adopted.run(&["migrate"]).code, 0);
    let url = role(&adopted, "doc_only_deletes", "SELECT, DELETE").await;
    let examined = as_role(&adopted, &url);
    is(&examined, "warning", "right_update_missing");
    assert!(examined.finding("right_update_missing")["means"].as_str().unwrap().contains("SKIP LOCKED"));
}

#[tokio::test]
async fn a_schema_that_is_closed() {
    let schema = format!("CREATE SCHEMA closed; SET search_path = closed; {}", crate::patient::SCHEMA);
    let config = crate::patient::CONFIG.replace("name = \"keys\"", "name = \"closed.keys\"");
    let adopted = Adopted::postgres(&schema, &config).await;
    assert_eq!(adopted.run(&["migrate"]).code, 0);
    shared().await.admin("CREATE ROLE doc_outside LOGIN").await;
    let url = adopted.db.url.replace("postgres@", "doc_outside@");
    let examined = as_role(&adopted, &url);
    assert_eq!(examined.finding("right_usage_missing")["severity"], "error");
    assert!(examined.finding("auxiliary_rights_missing")["fix"][0].as_str().unwrap().contains("GRANT"));
}

#[tokio::test]
async fn rows_that_row_level_security_hides() {
    let adopted = healthy(Dialect::Postgres).await;
    let url = role(&adopted, "doc_hidden", "SELECT, UPDATE, DELETE").await;
    adopted
        .db
        .run("ALTER TABLE keys ENABLE ROW LEVEL SECURITY; CREATE POLICY mine ON keys USING (tenant = 7)")
        .await;
    let examined = as_role(&adopted, &url);
    is(&examined, "error", "row_security_hides");
    let finding = examined.finding("row_security_hides");
    assert!(finding["found"].as_str().unwrap().contains("mine (ALL: (tenant = 7))"), "{finding}");
    assert!(finding["means"].as_str().unwrap().contains("can't be known"));
    // The owner and superusers see all.
    examine(&adopted, &[]).are(&[]);
    for statement in
        examined.fix("row_security_hides").iter().filter(|line| line.starts_with("CREATE POLICY"))
    {
        adopted.db.run(statement).await;
    }
    assert_eq!(without_ordinary(&as_role(&adopted, &url)), []);
    // A restricting policy takes away what others allow.
    adopted.db.run("CREATE POLICY less ON keys AS RESTRICTIVE USING (tenant < 7)").await;
    is(&as_role(&adopted, &url), "error", "row_security_hides");
    adopted.db.run("DROP POLICY less ON keys").await;
    shared().await.admin("ALTER ROLE doc_hidden BYPASSRLS").await;
    adopted.db.run("DROP POLICY idemctl ON keys").await;
    let examined = as_role(&adopted, &url);
    assert_eq!(without_ordinary(&examined), []);
    assert!(examined.finding("row_security")["found"].as_str().unwrap().contains("BYPASSRLS"));
    // FORCE holds for the owner, too.
    shared().await.admin("ALTER ROLE doc_hidden NOBYPASSRLS").await;
    adopted.db.run("ALTER TABLE keys OWNER TO doc_hidden; ALTER TABLE keys FORCE ROW LEVEL SECURITY").await;
    let examined = as_role(&adopted, &url);
    is(&examined, "error", "row_security_hides");
    assert!(examined.finding("row_security_hides")["found"].as_str().unwrap().contains("FORCE"));
}

/// A limit for lag that the role can't read is an error; without one it is only said.
#[tokio::test]
async fn lag_that_the_role_may_not_read() {
    let config = format!("[purge]\nmax_lag = \"10s\"\n{}", crate::patient::CONFIG);
    let adopted = Adopted::postgres(crate::patient::SCHEMA, &config).await;
    assert_eq!(adopted.run(&["migrate"]).code, 0);
    let url = role(&adopted, "doc_blind", "SELECT, UPDATE, DELETE").await;
    let examined = as_role(&adopted, &url);
    assert_eq!(examined.finding("lag_unreadable")["severity"], "error");
    for statement in examined.fix("lag_unreadable") {
        adopted.db.run(&statement).await;
    }
    assert_eq!(as_role(&adopted, &url).ailments(), []);
}

/// A transaction that stays open, seen by whoever may look and hidden from whoever may not.
#[tokio::test]
async fn a_transaction_that_holds_vacuum_back() {
    use idemctl::doctor::{Expected, examine as examine_store};
    use idemctl::table::Mapping;

    let db = crate::support::TestDb::new(Dialect::Postgres).await;
    let mut holder = db.raw().await;
    holder.run("SET application_name = 'forgetful'; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1").await;
    let pid = holder.number("SELECT CAST(pg_backend_pid() AS bigint)").await;
    let expected = Expected { long_transaction: std::time::Duration::ZERO, ..Expected::default() };
    let findings = examine_store(&db.store, &[(Mapping::owned(), expected)]).await;
    let of_it = findings
        .iter()
        .find(|finding| finding.code == "long_transaction" && finding.found.contains("forgetful"))
        .unwrap_or_else(|| panic!("{findings:#?}"));
    assert_eq!(of_it.fix, [format!("SELECT pg_terminate_backend({pid});  -- its work is rolled back")]);
    // Not yet five minutes old, it is only named.
    let findings = examine_store(&db.store, &[(Mapping::owned(), Expected::default())]).await;
    assert!(findings.iter().all(|finding| finding.code != "long_transaction"), "{findings:#?}");
    assert!(!db.raw().await.fails(&of_it.fix[0]).await);
}
