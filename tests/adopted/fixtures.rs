//! Every folder of `fixtures/` against the real binary: what is listed, taken, deleted, refused, and that
//! nothing else is touched.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _, SqliteConnection};
use tempfile::TempDir;

use crate::binary::{Binary, Ran};
use crate::support::Dialect;
use crate::support::server::shared;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/adopted/fixtures");

/// Sessions get this time zone; what is compared must not depend on it.
const ZONE: &str = "Asia/Tokyo";

macro_rules! fixtures {
    ($($name:ident: $folder:literal,)*) => {
        $(
            #[tokio::test]
            async fn $name() {
                Fixture::read($folder).check().await;
            }
        )*

        const LISTED: &[&str] = &[$($folder),*];
    };
}

fixtures! {
    header_pairs: "01-header-pairs",
    recovery_points: "02-recovery-points",
    naive_last_run: "03-naive-last-run",
    reserved_in_transaction: "06-reserved-in-transaction",
    deadline_is_expiry: "07-deadline-is-expiry",
    child_tables: "09-child-tables",
    child_tables_sqlite: "09-child-tables-sqlite",
    expiry_in_milliseconds: "10-expiry-in-milliseconds",
    check_and_milliseconds: "12-check-and-milliseconds",
    nullable_expiry: "13-nullable-expiry",
    points_at_resource: "14-points-at-resource",
    row_level_security: "15-row-level-security",
    camel_case: "17-camel-case",
    hashed_key: "18-hashed-key",
    three_schemas: "19-three-schemas",
    two_columns: "20-two-columns",
    two_columns_sqlite: "20-two-columns-sqlite",
    advisory_lock: "21-advisory-lock",
    locked_at_not_null: "23-locked-at-not-null",
    session_zone: "27-session-zone",
    guarded_endpoint: "28-guarded-endpoint",
    expiry_or_age: "30-expiry-or-age",
    nullable_user: "31-nullable-user",
    spellings: "32-spellings",
    identity_and_age: "33-identity-and-age",
    text_expiry: "35-text-expiry",
    body_not_null: "36-body-not-null",
    live_until_expiry: "39-live-until-expiry",
    partitioned: "39-partitioned",
    business_table: "41-business-table",
    wide_primary_key: "44-wide-primary-key",
    ttl_in_each_row: "45-ttl-in-each-row",
    status_is_http: "48-status-is-http",
    mixed_case_enum: "49-mixed-case-enum",
    states_in_code: "50-states-in-code",
    storage_classes: "52-storage-classes",
    unit_unknown: "53-unit-unknown",
    response_null: "55-response-null",
    key_and_age: "56-key-and-age",
    checked_states: "58-checked-states",
    answer_and_age: "60-answer-and-age",
    nullable_age: "61-nullable-age",
}

/// The folders that wait for their dialect.
const WAITING: &[&str] = &[
    "04-latin1-key",
    "21-advisory-lock-mysql",
    "24-used-tokens",
    "26-key-not-unique",
    "58-native-enum-mysql",
];

#[test]
fn none_is_left_out() {
    let mut folders: Vec<String> = fs::read_dir(FOLDER)
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    folders.sort();
    let (mut run, mut waiting) = (Vec::new(), Vec::new());
    for folder in &folders {
        match Fixture::read(folder).expected.dialect.as_str() {
            "mysql" => waiting.push(folder.as_str()),
            "postgres" | "sqlite" => run.push(folder.as_str()),
            other => panic!("{folder}: the dialect {other}"),
        }
    }
    assert_eq!(run, LISTED, "folders that are run");
    assert_eq!(waiting, WAITING, "folders that wait for MySQL");
    assert_eq!((run.len(), waiting.len()), (LISTED.len(), WAITING.len()));
}

/// `expected.toml`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Expected {
    dialect: String,
    stuck: Vec<Named>,
    purged: Vec<Named>,
    kept: Vec<Named>,
    list: Lists,
    #[serde(default)]
    refused: BTreeMap<String, String>,
    #[serde(default)]
    untouched: BTreeMap<String, i64>,
    /// What another test asks for.
    #[serde(rename = "adopt")]
    _adopt: toml::Value,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Lists {
    in_progress: Vec<Named>,
    completed: Vec<Named>,
    failed: Vec<Named>,
    unknown: Vec<Named>,
}

/// A row by its name.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    key: Vec<String>,
    #[serde(default)]
    scope: Vec<String>,
    #[serde(default)]
    key_null: Vec<usize>,
    #[serde(default)]
    scope_null: Vec<usize>,
}

type Name = (Vec<Option<String>>, Vec<Option<String>>);

impl Named {
    fn name(&self) -> Name {
        let parts = |texts: &[String], nulls: &[usize]| {
            let part = |(at, text): (usize, &String)| (!nulls.contains(&at)).then(|| text.clone());
            texts.iter().enumerate().map(part).collect()
        };
        (parts(&self.key, &self.key_null), parts(&self.scope, &self.scope_null))
    }
}

/// As many of each name as there are rows.
fn names<'n>(named: impl IntoIterator<Item = &'n Named>) -> Vec<Name> {
    let mut names: Vec<Name> = named.into_iter().map(Named::name).collect();
    names.sort();
    names
}

/// What `table.toml` says that the test itself has to know.
struct Table {
    name: String,
    key: Vec<String>,
    scope: Vec<String>,
    /// The columns that reap-stuck writes; `None` where it deletes.
    fail_writes: Option<BTreeMap<String, Value>>,
    state_column: Option<String>,
}

struct Fixture {
    folder: PathBuf,
    expected: Expected,
    table: Table,
}

impl Fixture {
    fn read(folder: &str) -> Self {
        let folder = Path::new(FOLDER).join(folder);
        let read = |file: &str| {
            fs::read_to_string(folder.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
        };
        let expected = toml::from_str(&read("expected.toml")).unwrap_or_else(|error| panic!("{error}"));
        let config: toml::Value = toml::from_str(&read("table.toml")).unwrap();
        let table = &config["table"].as_array().unwrap()[0];
        let texts = |setting: &str| -> Vec<String> {
            let list = table.get(setting).and_then(toml::Value::as_array);
            list.into_iter().flatten().map(|text| text.as_str().unwrap().to_owned()).collect()
        };
        let fail = table.get("fail");
        let writes = |rule: &toml::Value| -> BTreeMap<String, Value> {
            let set = rule.get("set").and_then(toml::Value::as_table);
            let mut writes: BTreeMap<String, Value> = set
                .into_iter()
                .flatten()
                .map(|(column, value)| (column.clone(), serde_json::to_value(value).unwrap()))
                .collect();
            let nulls = rule.get("set_null").and_then(toml::Value::as_array);
            writes.extend(
                nulls.into_iter().flatten().map(|name| (name.as_str().unwrap().to_owned(), Value::Null)),
            );
            writes
        };
        let deletes = fail.is_some_and(|rule| rule.get("delete").is_some());
        Self {
            table: Table {
                name: table["name"].as_str().unwrap().to_owned(),
                key: texts("key"),
                scope: texts("scope"),
                fail_writes: fail.filter(|_| !deletes).map(writes),
                state_column: table
                    .get("state")
                    .and_then(|state| state.get("column"))
                    .map(|column| column.as_str().unwrap().to_owned()),
            },
            expected,
            folder,
        }
    }

    fn dialect(&self) -> Dialect {
        if self.expected.dialect == "sqlite" { Dialect::Sqlite } else { Dialect::Postgres }
    }

    /// The setting for want of which a command is refused.
    fn refused(&self, command: &str) -> Option<&str> {
        self.expected.refused.get(command).map(String::as_str)
    }

    async fn check(&self) {
        let source = Loaded::load(self).await;
        let before = source.rows(self).await;
        let all: Vec<Name> = before.iter().map(|row| row.name.clone()).collect();
        let mut told = names(self.expected.purged.iter().chain(&self.expected.kept));
        assert_eq!(sorted(all), std::mem::take(&mut told), "rows.sql and expected.toml");

        let copy = source.copy(self).await;
        self.look(&copy, &before).await;
        self.refusals(&copy, &before).await;
        self.operate(&source, copy, &before).await;
        self.reap(&source.copy(self).await, &before).await;
        self.purge(&source.copy(self).await, &before).await;
        self.janitor(&source.copy(self).await, &before).await;
    }

    /// What only looks changes nothing, and sees exactly what is there.
    async fn look(&self, db: &Loaded, before: &[Stored]) {
        let lists = &self.expected.list;
        for (state, rows) in [
            ("in_progress", &lists.in_progress),
            ("completed", &lists.completed),
            ("failed", &lists.failed),
            ("unknown", &lists.unknown),
        ] {
            let listed = db.list(self, &["--status", state]);
            assert_eq!(listed, names(rows), "list --status {state}");
        }
        let visible = names(
            lists.in_progress.iter().chain(&lists.completed).chain(&lists.failed).chain(&lists.unknown),
        );
        assert_eq!(db.list(self, &[]), visible, "list");

        let stuck = ["--stuck", "--older-than", "15m"];
        match self.refused("list --stuck") {
            Some(setting) => db.refuses(&[&["list"], &stuck[..]].concat(), setting),
            None => assert_eq!(db.list(self, &stuck), names(&self.expected.stuck), "list --stuck"),
        }
        let by_status = ["list", "--response-status", "5xx"];
        match self.refused("list --response-status 5xx") {
            Some(setting) => db.refuses(&by_status, setting),
            None => assert_eq!(db.run(&by_status).code, 0),
        }

        let dry = ["reap-stuck", "--older-than", "15m", "--dry-run"];
        match self.refused("reap-stuck") {
            Some(setting) => db.refuses(&dry, setting),
            None => {
                let report = db.json(&dry);
                assert_eq!(report["reaped"], 0, "{report}");
                assert_eq!(self.names_of(&report["keys"]), names(&self.expected.stuck), "{report}");
            }
        }
        match self.refused("purge") {
            Some(setting) => db.refuses(&["purge", "--dry-run"], setting),
            None => {
                let report = db.json(&["purge", "--dry-run"]);
                assert_eq!(report["matched"], self.expected.purged.len(), "{report}");
            }
        }

        for arguments in [&["stats"][..], &["stats", "--exact"]] {
            let stats = db.json(arguments);
            let value = |path: &[&str]| path.iter().fold(&stats, |at, name| &at[*name])["value"].clone();
            assert_eq!(value(&["rows"]), visible.len(), "{stats}");
            for (state, rows) in [
                ("in_progress", &lists.in_progress),
                ("completed", &lists.completed),
                ("failed", &lists.failed),
                ("unknown", &lists.unknown),
            ] {
                assert_eq!(value(&["states", state]), rows.len(), "{state}: {stats}");
            }
            if self.refused("purge").is_none() {
                assert_eq!(value(&["backlog", "rows"]), self.expected.purged.len(), "{stats}");
            }
        }

        if let Some(first) = self.expected.kept.first() {
            let rows = db.json(&self.of("inspect", first, &["--body"]));
            let alike: Vec<Name> = visible.iter().filter(|name| **name == first.name()).cloned().collect();
            assert_eq!(self.names_of(&rows), alike, "inspect");
            assert!(rows[0]["verdict"].is_string(), "{rows}");
            let replay = self.of("replay", first, &[]);
            match self.refused("replay") {
                Some(setting) => db.refuses(&replay, setting),
                None => {
                    let ran = db.run(&replay);
                    assert!(matches!(ran.code, 0 | 3 | 4 | 5), "{ran:?}");
                }
            }
        }
        assert_eq!(db.rows(self).await, before, "something that only looks has changed rows");
        db.untouched(self).await;
    }

    /// What is refused for want of a setting says which one, and changes nothing.
    async fn refusals(&self, db: &Loaded, before: &[Stored]) {
        for (command, setting) in &self.expected.refused {
            let arguments: Vec<&str> = command.split(' ').collect();
            match arguments[0] {
                "purge" => db.refuses(&["purge"], setting),
                "reap-stuck" => db.refuses(&["reap-stuck", "--older-than", "15m"], setting),
                "list" => {}
                "replay" => {}
                "fail" | "release" | "forget" => {
                    let first = self.expected.kept.first().expect("a kept row");
                    db.refuses(&self.of(command, first, &["--yes"]), setting);
                }
                other => panic!("nobody knows how {other} is refused"),
            }
        }
        assert_eq!(db.rows(self).await, before, "a refused command has changed rows");
    }

    /// Single keys: only the one that is named changes, and only where its state allows it.
    async fn operate(&self, source: &Loaded, mut db: Loaded, before: &[Stored]) {
        let Some(first) = self.expected.kept.first() else { return };
        let name = first.name();
        let is = |list: &[Named]| list.iter().any(|one| one.name() == name);
        let lists = &self.expected.list;
        for command in ["fail", "release", "forget"] {
            if self.refused(command).is_some() {
                continue;
            }
            let allowed = match command {
                "fail" => is(&lists.in_progress),
                "release" => is(&lists.failed),
                _ => !is(&lists.in_progress),
            };
            let ran = db.run(&self.of(command, first, &["--yes", "-o", "json"]));
            let after = db.rows(self).await;
            if !allowed {
                assert_eq!(ran.code, 5, "{command}: {ran:?}");
                assert_eq!(after, before, "{command}: {ran:?}");
                continue;
            }
            assert_eq!(ran.code, 0, "{command}: {ran:?}");
            let others = |rows: &[Stored]| -> Vec<Stored> {
                rows.iter().filter(|row| row.name != name).cloned().collect()
            };
            assert_eq!(others(&after), others(before), "{command} has changed another row");
            assert_ne!(after, before, "{command} has changed nothing");
            if command == "forget" {
                assert_eq!(after.len() + 1, before.len());
            }
            db.untouched(self).await;
            db = source.copy(self).await;
        }
    }

    /// Exactly the stuck rows are taken, and become what the mapping says.
    async fn reap(&self, db: &Loaded, before: &[Stored]) {
        if self.refused("reap-stuck").is_some() {
            return;
        }
        let ran = db.run(&["reap-stuck", "--older-than", "15m", "-o", "json"]);
        let report = ran.json();
        let left = report["unrecognized"].as_u64().unwrap() + report["without_clock"].as_u64().unwrap();
        assert_eq!(ran.code, if left > 0 { 6 } else { 0 }, "{ran:?}");
        let stuck = names(&self.expected.stuck);
        assert_eq!(report["reaped"], stuck.len(), "{ran:?}");
        assert_eq!(self.names_of(&report["keys"]), stuck);
        self.compare_reaped(before, &db.rows(self).await, &stuck);
        db.untouched(self).await;
        let again = db.run(&["reap-stuck", "--older-than", "15m", "-o", "json"]);
        assert_eq!(again.json()["matched"], 0, "{again:?}");
    }

    fn compare_reaped(&self, before: &[Stored], after: &[Stored], stuck: &[Name]) {
        let Some(writes) = &self.table.fail_writes else {
            let left: Vec<&Stored> = before.iter().filter(|row| !stuck.contains(&row.name)).collect();
            assert_eq!(after.iter().collect::<Vec<_>>(), left, "the rows that are deleted");
            return;
        };
        assert_eq!(after.len(), before.len(), "rows are gone");
        for (was, is) in before.iter().zip(after) {
            assert_eq!(was.name, is.name);
            if !stuck.contains(&was.name) {
                assert_eq!(was, is, "a row that was not stuck has changed");
                continue;
            }
            for (column, value) in &was.columns {
                let text = |value: &Value| match value {
                    Value::String(text) => Some(text.clone()),
                    Value::Null => None,
                    other => Some(other.to_string()),
                };
                let wanted = writes.get(column).unwrap_or(value);
                assert_eq!(text(&is.columns[column]), text(wanted), "{column} of {:?}", was.name);
            }
            if let Some(state) = &self.table.state_column {
                assert_ne!(was.columns[state], is.columns[state], "the state of {:?}", was.name);
            }
        }
    }

    /// Exactly the purged rows go, and the others stay as they were.
    async fn purge(&self, db: &Loaded, before: &[Stored]) {
        if self.refused("purge").is_some() {
            return;
        }
        let ran = db.run(&["purge", "-o", "json"]);
        let report = ran.json();
        let unrecognized = report["unrecognized"].as_u64().unwrap();
        assert_eq!(ran.code, if unrecognized > 0 { 6 } else { 0 }, "{ran:?}");
        assert_eq!(report["deleted"], self.expected.purged.len(), "{ran:?}");
        assert_eq!(report["backlog"], 0, "{ran:?}");
        self.compare_purged(before, &db.rows(self).await);
        db.untouched(self).await;
        let again = db.run(&["purge", "-o", "json"]);
        assert_eq!(again.json()["deleted"], 0, "{again:?}");
    }

    fn compare_purged(&self, before: &[Stored], after: &[Stored]) {
        let kept: Vec<Name> = after.iter().map(|row| row.name.clone()).collect();
        assert_eq!(sorted(kept), names(&self.expected.kept), "the rows that are kept");
        for row in after {
            assert!(before.contains(row), "a kept row has changed: {row:?}");
        }
    }

    /// The daemon's cycle purges the same, and reaps only where the configuration says from when on.
    async fn janitor(&self, db: &Loaded, before: &[Stored]) {
        let ran = db.run(&["janitor", "--once", "-o", "json"]);
        let after = db.rows(self).await;
        let passes = ran.json()["passes"].clone();
        let pass = |name: &str| {
            passes.as_array().unwrap().iter().find(|pass| pass["pass"] == name).cloned().unwrap_or_default()
        };
        assert_eq!(pass("reap")["rows"].as_u64().unwrap_or(0), 0, "{ran:?}");
        match self.refused("purge") {
            None => {
                assert!(matches!(ran.code, 0 | 6), "{ran:?}");
                assert_eq!(pass("purge")["rows"], self.expected.purged.len(), "{ran:?}");
                self.compare_purged(before, &after);
            }
            Some(_) => assert_eq!(after, before, "{ran:?}"),
        }
        db.untouched(self).await;
        // With the age said, it reaps what reap-stuck would.
        if self.refused("reap-stuck").is_none() && self.refused("purge").is_none() {
            let db = db.source_again(self).await;
            let config = fs::read_to_string(self.folder.join("table.toml")).unwrap();
            db.configure(&format!("{config}\n[table.reap]\nolder_than = \"15m\"\n"));
            let ran = db.run(&["janitor", "--once", "-o", "json"]);
            let passes = ran.json()["passes"].clone();
            let reaped = passes.as_array().unwrap().iter().find(|pass| pass["pass"] == "reap").unwrap();
            assert_eq!(reaped["rows"], self.expected.stuck.len(), "{ran:?}");
        }
    }

    /// A command on one key, with its whole scope.
    fn of(&self, command: &str, named: &Named, rest: &[&str]) -> Vec<String> {
        let (key, scope) = named.name();
        let mut arguments = vec![command.to_owned()];
        for (column, value) in self.table.key.iter().zip(key) {
            arguments.push(format!("--key={column}={}", value.expect("a key that a command can name")));
        }
        for (column, value) in self.table.scope.iter().zip(scope) {
            arguments.push(match value {
                Some(value) => format!("--scope={column}={value}"),
                None => format!("--scope-null={column}"),
            });
        }
        arguments.extend(rest.iter().map(|text| (*text).to_owned()));
        arguments
    }

    /// The names in a report.
    fn names_of(&self, rows: &Value) -> Vec<Name> {
        let split = |row: &Value, text: &str, parts: &str, count: usize| -> Vec<Option<String>> {
            if let Some(parts) = row[parts].as_array() {
                return parts.iter().map(|part| part.as_str().map(str::to_owned)).collect();
            }
            let text = row[text].as_str().unwrap();
            match count {
                0 => Vec::new(),
                1 if text == "\\N" => vec![None],
                1 => vec![Some(text.to_owned())],
                _ => unescape(text),
            }
        };
        let rows = rows.as_array().unwrap_or_else(|| panic!("no list: {rows}"));
        sorted(
            rows.iter()
                .map(|row| {
                    (
                        split(row, "key", "key_parts", self.table.key.len()),
                        split(row, "scope", "scope_parts", self.table.scope.len()),
                    )
                })
                .collect(),
        )
    }
}

/// The parts of a name that reports write with commas between them.
fn unescape(text: &str) -> Vec<Option<String>> {
    let (mut parts, mut part) = (Vec::new(), String::new());
    let mut chars = text.chars();
    while let Some(next) = chars.next() {
        match next {
            ',' => parts.push(std::mem::take(&mut part)),
            '\\' => match chars.next() {
                Some('N') => part.push('\0'),
                Some(other) => part.push(other),
                None => {}
            },
            other => part.push(other),
        }
    }
    parts.push(part);
    parts.into_iter().map(|part| (part != "\0").then_some(part)).collect()
}

fn sorted(mut names: Vec<Name>) -> Vec<Name> {
    names.sort();
    names
}

/// A row as it is stored.
#[derive(Debug, Clone, PartialEq)]
struct Stored {
    name: Name,
    columns: serde_json::Map<String, Value>,
}

/// A database with a fixture's rows, and the binary with its mapping.
struct Loaded {
    binary: Binary,
    place: Place,
    source: Option<Box<Place>>,
}

#[derive(Clone)]
enum Place {
    /// The database's name.
    Postgres(String),
    /// The file, and the folder that holds it.
    Sqlite(std::sync::Arc<TempDir>),
}

impl Place {
    async fn url(&self) -> String {
        match self {
            Self::Postgres(name) => shared().await.url(name),
            Self::Sqlite(folder) => format!("sqlite:{}", folder.path().join("keys.db").display()),
        }
    }

    async fn run(&self, script: &str) {
        let url = self.url().await;
        let script = AssertSqlSafe(script);
        match self {
            Self::Postgres(_) => {
                let mut connection = PgConnection::connect(&url).await.unwrap();
                sqlx::raw_sql(script).execute(&mut connection).await.unwrap();
                connection.close().await.unwrap();
            }
            Self::Sqlite(_) => {
                let mut connection = sqlite(&url).await;
                sqlx::raw_sql(script).execute(&mut connection).await.unwrap();
                connection.close().await.unwrap();
            }
        }
    }

    /// Every row of a query, as text.
    async fn texts(&self, sql: &str) -> Vec<Vec<Option<String>>> {
        let url = self.url().await;
        let sql = AssertSqlSafe(sql);
        match self {
            Self::Postgres(_) => {
                let mut connection = PgConnection::connect(&url).await.unwrap();
                let rows = sqlx::query(sql).fetch_all(&mut connection).await.unwrap();
                let rows = rows.iter().map(|row| (0..row.len()).map(|at| row.get(at)).collect()).collect();
                connection.close().await.unwrap();
                rows
            }
            Self::Sqlite(_) => {
                let mut connection = sqlite(&url).await;
                let rows = sqlx::query(sql).fetch_all(&mut connection).await.unwrap();
                let rows = rows.iter().map(|row| (0..row.len()).map(|at| row.get(at)).collect()).collect();
                connection.close().await.unwrap();
                rows
            }
        }
    }
}

async fn sqlite(url: &str) -> SqliteConnection {
    let path = url.strip_prefix("sqlite:").unwrap();
    // Foreign keys as most applications have them: not enforced.
    let options = SqliteConnectOptions::new().filename(path).create_if_missing(true).foreign_keys(false);
    SqliteConnection::connect_with(&options).await.unwrap()
}

impl Loaded {
    async fn load(fixture: &Fixture) -> Self {
        let place = match fixture.dialect() {
            Dialect::Sqlite => Place::Sqlite(TempDir::new().unwrap().into()),
            _ => {
                let name = shared().await.empty_database().await;
                shared().await.admin(&format!("ALTER DATABASE {name} SET timezone = '{ZONE}'")).await;
                Place::Postgres(name)
            }
        };
        for file in ["schema.sql", "rows.sql"] {
            place.run(&fs::read_to_string(fixture.folder.join(file)).unwrap()).await;
        }
        Self::at(place, fixture, None).await
    }

    async fn at(place: Place, fixture: &Fixture, source: Option<Box<Place>>) -> Self {
        let url = place.url().await;
        let loaded = Self { binary: Binary::at(&url), place, source };
        loaded.configure(&fs::read_to_string(fixture.folder.join("table.toml")).unwrap());
        loaded
    }

    fn configure(&self, config: &str) {
        fs::write(self.config(), config).unwrap();
    }

    fn config(&self) -> PathBuf {
        self.binary.home.path().join("idemctl.toml")
    }

    /// The same rows in a database of their own.
    async fn copy(&self, fixture: &Fixture) -> Self {
        let place = match &self.place {
            Place::Postgres(source) => {
                let copy = shared().await.copy_of(source).await;
                shared().await.admin(&format!("ALTER DATABASE {copy} SET timezone = '{ZONE}'")).await;
                Place::Postgres(copy)
            }
            Place::Sqlite(source) => {
                let folder = TempDir::new().unwrap();
                fs::copy(source.path().join("keys.db"), folder.path().join("keys.db")).unwrap();
                Place::Sqlite(folder.into())
            }
        };
        Self::at(place, fixture, Some(Box::new(self.place.clone()))).await
    }

    /// Once more what this is a copy of.
    async fn source_again(&self, fixture: &Fixture) -> Self {
        let source = self.source.as_ref().expect("a copy");
        Self::at((**source).clone(), fixture, None).await.copy(fixture).await
    }

    fn run<S: AsRef<str>>(&self, arguments: &[S]) -> Ran {
        let config = self.config().display().to_string();
        let mut all = vec!["--config", config.as_str()];
        all.extend(arguments.iter().map(AsRef::as_ref));
        let ran = self.binary.run(&all);
        assert!(!ran.stderr.contains("panicked"), "{ran:?}");
        ran
    }

    #[track_caller]
    fn json<S: AsRef<str>>(&self, arguments: &[S]) -> Value {
        let mut all: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        all.extend(["-o", "json"]);
        let ran = self.run(&all);
        assert_eq!(ran.code, 0, "{all:?}: {ran:?}");
        ran.json()
    }

    #[track_caller]
    fn list(&self, fixture: &Fixture, filter: &[&str]) -> Vec<Name> {
        fixture.names_of(&self.json(&[&["list", "--limit", "0"], filter].concat()))
    }

    #[track_caller]
    fn refuses<S: AsRef<str>>(&self, arguments: &[S], setting: &str) {
        let shown: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        let ran = self.run(arguments);
        // What is refused for the rows of other tables is no question of the configuration's form.
        let code = if setting == "allow_cascade" { 5 } else { 2 };
        assert_eq!(ran.code, code, "{shown:?}: {ran:?}");
        assert!(ran.stderr.contains(setting), "{shown:?} does not name {setting}: {ran:?}");
    }

    /// Every row, in an order that stays.
    async fn rows(&self, fixture: &Fixture) -> Vec<Stored> {
        let Table { name, key, scope, .. } = &fixture.table;
        let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
        let table = name.split('.').map(quoted).collect::<Vec<_>>().join(".");
        let mut selected: Vec<String> =
            key.iter().chain(scope).map(|column| format!("CAST({} AS text)", quoted(column))).collect();
        selected.push(match &self.place {
            // Each value as text: a stored document may hold numbers that are none to others.
            Place::Postgres(_) => {
                "(SELECT CAST(jsonb_object_agg(key, value) AS text) FROM jsonb_each_text(to_jsonb(t)))".to_owned()
            }
            Place::Sqlite(_) => {
                let columns = self.place.texts(&format!("SELECT name FROM pragma_table_info('{name}')")).await;
                let members: Vec<String> = columns
                    .into_iter()
                    .flatten()
                    .flatten()
                    .map(|column| {
                        let value = quoted(&column);
                        format!("'{column}', CASE typeof({value}) WHEN 'blob' THEN quote({value}) ELSE {value} END")
                    })
                    .collect();
                format!("json_object({})", members.join(", "))
            }
        });
        let rows = self.place.texts(&format!("SELECT {} FROM {table} AS t", selected.join(", "))).await;
        let mut rows: Vec<Stored> = rows
            .into_iter()
            .map(|mut row| {
                let columns: Value = serde_json::from_str(&row.pop().flatten().unwrap()).unwrap();
                let scope = row.split_off(key.len());
                Stored { name: (row, scope), columns: columns.as_object().unwrap().clone() }
            })
            .collect();
        // What a rule writes must not change the order.
        rows.sort_by_key(|row| (row.name.clone(), row.columns.get("id").map(ToString::to_string)));
        rows
    }

    /// The other tables hold as many rows as before.
    async fn untouched(&self, fixture: &Fixture) {
        for (table, rows) in &fixture.expected.untouched {
            let count = self.place.texts(&format!("SELECT CAST(count(*) AS text) FROM {table}")).await;
            assert_eq!(json!(count[0][0]), json!(rows.to_string()), "{table}");
        }
    }
}
