//! `janitor --check` asks for what the work needs, and names each thing that is missing with what gives it.

use idemctl::store::{Confirmed, MigrateOptions, Store, StoreOptions};
use serde_json::Value;

use crate::binary::{Binary, Ran};
use crate::supervised::{FAST, Janitor};
use crate::support::server::{Server, shared};
use crate::support::{Dialect, TestDb, secs, until};

const ALL: [&str; 4] = [
    "SELECT, UPDATE, DELETE ON idempotency_keys",
    "SELECT, INSERT, UPDATE, DELETE ON idemctl_audit",
    "SELECT, INSERT, UPDATE ON idemctl_lease",
    "SELECT ON idemctl_pause, idemctl_migrations",
];

/// A role with these grants, and the binary on the database as that role.
async fn as_role(db: &TestDb, role: &str, grants: &[&str]) -> Binary {
    shared().await.admin(&format!("CREATE ROLE {role} LOGIN")).await;
    for grant in grants {
        db.run(&format!("GRANT {grant} TO {role}")).await;
    }
    Binary::at(&db.url.replace("postgres@", &format!("{role}@")))
}

#[track_caller]
fn check(binary: &Binary) -> (Ran, Value) {
    let ran = binary.run(&["janitor", "--check", "-o", "json"]);
    ran.is_clean();
    let report = if ran.stdout.is_empty() { Value::Null } else { ran.json() };
    let is_fit = report["problems"].as_array().is_some_and(Vec::is_empty);
    assert_eq!(ran.code, if is_fit { 0 } else { 8 }, "{ran:?}");
    (ran, report)
}

/// Each code with what fixes it.
fn problems(report: &Value) -> Vec<(&str, Vec<&str>)> {
    let of = |problem| -> (&str, Vec<&str>) {
        let problem: &Value = problem;
        let fix = problem["fix"].as_array().unwrap().iter().map(|line| line.as_str().unwrap()).collect();
        (problem["code"].as_str().unwrap(), fix)
    };
    report["problems"].as_array().unwrap().iter().map(of).collect()
}

/// Without one of the rights the janitor is not ready, with the statement that is named it is.
#[tokio::test]
async fn every_right_that_is_missing_is_named_with_its_grant() {
    let db = TestDb::new(Dialect::Postgres).await;
    for (number, (taken, wanted)) in [
        ("DELETE ON idempotency_keys", "GRANT DELETE ON \"idempotency_keys\""),
        ("UPDATE ON idempotency_keys", "GRANT UPDATE ON \"idempotency_keys\""),
        ("SELECT ON idempotency_keys", "GRANT SELECT ON \"idempotency_keys\""),
        ("INSERT ON idemctl_audit", "GRANT INSERT ON idemctl_audit"),
        ("DELETE ON idemctl_audit", "GRANT DELETE ON idemctl_audit"),
        ("INSERT ON idemctl_lease", "GRANT INSERT ON idemctl_lease"),
        ("UPDATE ON idemctl_lease", "GRANT UPDATE ON idemctl_lease"),
        ("SELECT ON idemctl_lease", "GRANT SELECT ON idemctl_lease"),
        ("SELECT ON idemctl_pause", "GRANT SELECT ON idemctl_pause"),
    ]
    .into_iter()
    .enumerate()
    {
        let role = format!("fit_lacks_{number}");
        let binary = as_role(&db, &role, &ALL).await;
        assert_eq!(check(&binary).0.code, 0, "{taken}");
        db.run(&format!("REVOKE {taken} FROM {role}")).await;
        let (_, report) = check(&binary);
        let found = problems(&report);
        let [("right_missing", fix)] = found.as_slice() else { panic!("{taken}: {found:?}") };
        assert!(fix[0].starts_with(wanted), "{taken}: {fix:?}");
        for statement in fix {
            db.run(statement).await;
        }
        assert_eq!(check(&binary).0.code, 0, "{taken}");
    }
}

/// A role that may only look names all of it at once; the cycle says so, too.
#[tokio::test]
async fn a_role_that_may_only_look_is_not_fit() {
    let db = TestDb::new(Dialect::Postgres).await;
    let binary = as_role(&db, "fit_looker", &["SELECT ON ALL TABLES IN SCHEMA public"]).await;
    let (_, report) = check(&binary);
    let fix: Vec<&str> = problems(&report).into_iter().flat_map(|(_, fix)| fix).collect();
    assert_eq!(
        fix,
        [
            "GRANT UPDATE, DELETE ON \"idempotency_keys\" TO \"fit_looker\";",
            "GRANT INSERT, UPDATE, DELETE ON idemctl_audit TO \"fit_looker\";",
            "GRANT INSERT, UPDATE ON idemctl_lease TO \"fit_looker\";",
        ]
    );
    let text = binary.run(&["janitor", "--check"]);
    assert!(
        text.stdout.contains("is not ready") && text.stdout.contains("> GRANT UPDATE, DELETE"),
        "{text:?}"
    );
    let once = binary.run(&["janitor", "--once"]);
    assert!(once.code == 8 && once.stderr.contains("GRANT UPDATE, DELETE"), "{once:?}");
}

/// A right to the columns that are written suffices, one to another column does not.
#[tokio::test]
async fn rights_to_columns_count() {
    let db = TestDb::new(Dialect::Postgres).await;
    let without = ["SELECT, DELETE ON idempotency_keys", ALL[1], ALL[2], ALL[3]];
    let binary = as_role(&db, "fit_columns", &without).await;
    db.run("GRANT UPDATE (owner) ON idempotency_keys TO fit_columns").await;
    let (_, report) = check(&binary);
    assert_eq!(
        problems(&report),
        [("right_missing", vec!["GRANT UPDATE ON \"idempotency_keys\" TO \"fit_columns\";"])]
    );
    db.run(
        "GRANT UPDATE (status, claim_token, retry_allowed, failure, finished_at, expires_at, lease_expires_at,
             renewed_at, response_status, response_headers, response_body, response_bytes)
         ON idempotency_keys TO fit_columns",
    )
    .await;
    assert_eq!(check(&binary).0.code, 0);
}

#[tokio::test]
async fn rows_that_the_passes_do_not_meet() {
    let db = TestDb::new(Dialect::Postgres).await;
    let binary = as_role(&db, "fit_hidden", &ALL).await;
    db.run(
        "ALTER TABLE idempotency_keys ENABLE ROW LEVEL SECURITY;
         CREATE POLICY mine ON idempotency_keys USING (scope = 'mine')",
    )
    .await;
    let (_, report) = check(&binary);
    let found = problems(&report);
    let [("row_security", fix)] = found.as_slice() else { panic!("{found:?}") };
    let once = binary.run(&["janitor", "--once", "-o", "json"]);
    assert!(once.code == 6 && once.stderr.contains("row level security"), "{once:?}");
    for pass in once.json()["passes"].as_array().unwrap() {
        assert_eq!(pass["row_security"], true, "{pass}");
    }
    // The daemon says so, before its first pass and of each.
    let url = db.url.replace("postgres@", "fit_hidden@");
    let janitor = Janitor::start(&url, FAST);
    until("both passes ran", || async {
        ["reap", "purge"].iter().all(|name| janitor.pass(name)["last"]["row_security"] == true)
    })
    .await;
    assert_eq!(janitor.status()["tables"][0]["row_security"], true);
    assert_eq!(janitor.metric("idemctl_row_security{table=\"idempotency_keys\"}"), Some(1.0));
    let log = janitor.log();
    assert!(log.contains("hides rows of idempotency_keys from the role"), "{log}");
    assert!(log.contains("neither found nor reaped") && log.contains("neither deleted nor counted"), "{log}");
    janitor.kill();
    let policy = fix.iter().find(|line| line.starts_with("CREATE POLICY")).unwrap();
    db.run(policy).await;
    assert_eq!(check(&binary).0.code, 0);
    // What may be seen and not updated is never reaped.
    db.run(
        "DROP POLICY idemctl ON idempotency_keys;
         CREATE POLICY s ON idempotency_keys FOR SELECT USING (true);
         CREATE POLICY d ON idempotency_keys FOR DELETE USING (true)",
    )
    .await;
    let (_, report) = check(&binary);
    assert!(report["problems"][0]["found"].as_str().unwrap().contains("(UPDATE)"), "{report}");
}

#[tokio::test]
async fn rows_of_others_that_would_go_with_their_keys() {
    let db = TestDb::new(Dialect::Postgres).await;
    db.run(
        "CREATE TABLE payments (k text, s text, FOREIGN KEY (k, s) REFERENCES idempotency_keys ON DELETE CASCADE)",
    )
    .await;
    let binary = Binary::on(&db);
    let (_, report) = check(&binary);
    assert_eq!(report["problems"][0]["code"], "references_spread", "{report}");
    let mut command = binary.command(&["janitor", "--check"]);
    let ran = Ran::from(command.env("IDEMCTL_PURGE_ALLOW_CASCADE", "true").output().unwrap());
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[tokio::test]
async fn what_takes_no_writes_is_not_fit() {
    let db = TestDb::new(Dialect::Postgres).await;
    let binary = as_role(&db, "fit_read_only", &ALL).await;
    shared().await.admin("ALTER ROLE fit_read_only SET default_transaction_read_only = on").await;
    let (_, report) = check(&binary);
    assert_eq!(report["problems"][0]["code"], "read_only", "{report}");

    let mut server = Server::start().await;
    let primary = Store::connect(&server.url("postgres"), StoreOptions::default()).await.unwrap();
    let options = MigrateOptions { patience: secs(30), holder: "test".into() };
    primary.migrate(&options, &Confirmed::given()).await.unwrap();
    let standby = server.standby().await;
    let (_, report) = check(&Binary::at(&standby.url));
    assert_eq!(report["problems"][0]["code"], "standby", "{report}");
}
