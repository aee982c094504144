//! A table in good health, and what is found of it.

use serde_json::Value;

use crate::harness::Adopted;
use crate::support::Dialect;

/// A table that lacks nothing.
pub const SCHEMA: &str = "
    CREATE TABLE keys (
        tenant  bigint NOT NULL,
        key     text NOT NULL,
        status  text NOT NULL,
        created timestamptz NOT NULL,
        ended   timestamptz,
        expires timestamptz NOT NULL,
        PRIMARY KEY (key, tenant));
    CREATE INDEX keys_expires ON keys (expires);
    INSERT INTO keys
        SELECT 1, 'k' || n, 'done', now() - interval '1 hour', now() - interval '59 minutes', now() + interval '1 day'
        FROM generate_series(1, 20) AS n;";

pub const CONFIG: &str = r#"
    [[table]]
    name = "keys"
    key = ["key"]
    scope = ["tenant"]
    [table.state]
    column = "status"
    in_progress = ["open"]
    completed = ["done"]
    failed = ["failed"]
    [table.clock]
    created  = { column = "created", as = "timestamptz" }
    finished = { column = "ended", as = "timestamptz" }
    expires  = { column = "expires", as = "timestamptz" }
    [table.fail]
    set = { status = "failed" }
    [table.reap]
    older_than = "30m"
"#;

/// The same on SQLite.
pub const SQLITE_SCHEMA: &str = "
    PRAGMA journal_mode = WAL;
    CREATE TABLE keys (
        tenant  INTEGER NOT NULL,
        key     TEXT NOT NULL,
        status  TEXT NOT NULL,
        created INTEGER NOT NULL,
        ended   INTEGER,
        expires INTEGER NOT NULL,
        PRIMARY KEY (key, tenant)) STRICT;
    CREATE INDEX keys_expires ON keys (expires);
    INSERT INTO keys VALUES (1, 'k', 'done', unixepoch() - 60, unixepoch() - 59, unixepoch() + 86400);";

pub fn sqlite_config() -> String {
    CONFIG.replace("\"timestamptz\"", "\"epoch_s\"")
}

/// A database whose table is in good health, auxiliary tables included.
pub async fn healthy(dialect: Dialect) -> Adopted {
    let adopted = match dialect {
        Dialect::Postgres => Adopted::postgres(SCHEMA, CONFIG).await,
        _ => sqlite(SQLITE_SCHEMA, &sqlite_config()).await,
    };
    let migrated = adopted.run(&["migrate"]);
    assert_eq!(migrated.code, 0, "{migrated:?}");
    adopted
}

/// What was found.
#[derive(Debug)]
pub struct Examined {
    pub code: i32,
    pub findings: Vec<Value>,
}

/// Examines with these arguments. Whatever is found, its code is documented, and the exit code fits.
#[track_caller]
pub fn examine(adopted: &Adopted, arguments: &[&str]) -> Examined {
    let ran = adopted.run(&[&["doctor", "-o", "json"], arguments].concat());
    assert!([0, 8].contains(&ran.code), "{ran:?}");
    let report = ran.json();
    let findings = report["findings"].as_array().unwrap().clone();
    let of = |severity: &str| findings.iter().filter(|finding| finding["severity"] == severity).count();
    assert_eq!(report["errors"], of("error"), "{report}");
    assert_eq!(report["warnings"], of("warning"), "{report}");
    assert_eq!(ran.code, if of("error") > 0 { 8 } else { 0 }, "{report}");
    for finding in &findings {
        let code = finding["code"].as_str().unwrap();
        if finding["severity"] == "ok" {
            assert_eq!(finding["code"], finding["check"], "{finding}");
        } else {
            assert!(crate::codes::documented().contains(code), "{finding}");
            assert!(finding["means"].is_string(), "{finding}");
        }
    }
    Examined { code: ran.code, findings }
}

impl Examined {
    /// The codes of all that is not well, in order, each with its severity.
    pub fn ailments(&self) -> Vec<(String, String)> {
        let text = |finding: &Value, name: &str| finding[name].as_str().unwrap().to_owned();
        self.findings
            .iter()
            .filter(|finding| finding["severity"] != "ok")
            .map(|finding| (text(finding, "severity"), text(finding, "code")))
            .collect()
    }

    #[track_caller]
    pub fn finding(&self, code: &str) -> &Value {
        let found = self.findings.iter().find(|finding| finding["code"] == code);
        found.unwrap_or_else(|| panic!("{code} is not found: {:#?}", self.ailments()))
    }

    /// That these codes were found, with their severities, and no others.
    #[track_caller]
    pub fn are(&self, expected: &[(&str, &str)]) {
        let expected: Vec<(String, String)> =
            expected.iter().map(|(severity, code)| ((*severity).to_owned(), (*code).to_owned())).collect();
        assert_eq!(self.ailments(), expected, "{:#?}", self.findings);
    }

    /// The statements that fix a finding.
    #[track_caller]
    pub fn fix(&self, code: &str) -> Vec<String> {
        let fix = self.finding(code)["fix"].as_array().unwrap();
        fix.iter().map(|line| line.as_str().unwrap().to_owned()).collect()
    }
}

/// A database of SQLite with this table.
pub async fn sqlite(schema: &str, config: &str) -> Adopted {
    Adopted::new(Dialect::Sqlite, schema, config).await
}
