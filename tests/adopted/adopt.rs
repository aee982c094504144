//! `adopt` on every table of the fixtures: what it finds, that what it prints can be used as it is, and
//! that no mapping of its making deletes a row that is needed.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use figment::Figment;
use figment::providers::{Format as _, Toml};
use serde_json::{Value, json};

use crate::binary::{Binary, Ran};
use crate::support::{Dialect, TestDb};

const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/adopted/fixtures");

const NULL: &str = "<NULL>";
const BETWEEN: &str = "<|>";

/// Tables on which `adopt` finds something else than its fixture expects, and what.
const DIFFERENT: [&str; 0] = [];

fn toml(text: &str) -> Value {
    Figment::from(Toml::string(text)).extract().unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// A value as TOML in one line.
fn inline(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<String> =
                members.iter().map(|(name, value)| format!("{} = {}", json!(name), inline(value))).collect();
            format!("{{ {} }}", members.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(inline).collect::<Vec<_>>().join(", ")),
        value => value.to_string(),
    }
}

struct Fixture {
    name: String,
    dialect: Dialect,
    folder: PathBuf,
    expected: Value,
    /// The whole configuration that an operator would write.
    by_hand: Value,
}

impl Fixture {
    fn all() -> Vec<Self> {
        let mut folders: Vec<PathBuf> = fs::read_dir(FIXTURES)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.is_dir())
            .collect();
        folders.sort();
        let read = |folder: PathBuf| {
            let expected = toml(&fs::read_to_string(folder.join("expected.toml")).unwrap());
            let dialect = match expected["dialect"].as_str().unwrap() {
                "postgres" => Dialect::Postgres,
                "sqlite" => Dialect::Sqlite,
                _ => return None,
            };
            let by_hand = toml(&fs::read_to_string(folder.join("table.toml")).unwrap());
            let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
            Some(Self { name, dialect, expected, by_hand, folder })
        };
        folders.into_iter().filter_map(read).collect()
    }

    fn of(dialect: Dialect) -> Vec<Self> {
        Self::all().into_iter().filter(|fixture| fixture.dialect.as_str() == dialect.as_str()).collect()
    }

    fn text(&self, file: &str) -> String {
        fs::read_to_string(self.folder.join(file)).unwrap()
    }

    fn table(&self) -> &str {
        self.by_hand["table"][0]["name"].as_str().unwrap()
    }

    /// A database with the table, and the binary.
    async fn empty(&self) -> (TestDb, Binary) {
        let db = TestDb::empty(self.dialect).await;
        db.run(&self.text("schema.sql")).await;
        let binary = Binary::on(&db);
        (db, binary)
    }

    /// The rows of a list of expected.toml.
    fn rows(&self, list: &str) -> Vec<String> {
        let name = |row: &Value, columns: &str| {
            let nulls = row[format!("{columns}_null")].as_array().cloned().unwrap_or_default();
            let parts = row[columns].as_array().cloned().unwrap_or_default();
            let part = |(place, part): (usize, &Value)| match nulls.contains(&json!(place)) {
                true => NULL.to_owned(),
                false => part.as_str().unwrap().to_owned(),
            };
            parts.iter().enumerate().map(part).collect::<Vec<_>>()
        };
        let rows = self.expected[list].as_array().unwrap();
        let mut rows: Vec<String> =
            rows.iter().map(|row| [name(row, "key"), name(row, "scope")].concat().join(BETWEEN)).collect();
        rows.sort();
        rows
    }

    /// The rows that the table holds, named alike.
    async fn stored(&self, db: &TestDb) -> Vec<String> {
        let quoted = |name: &str| format!("\"{name}\"");
        let by_hand = &self.by_hand["table"][0];
        let columns = |setting: &str| by_hand[setting].as_array().cloned().unwrap_or_default();
        let parts: Vec<String> = [columns("key"), columns("scope")]
            .concat()
            .iter()
            .map(|name| format!("COALESCE(CAST({} AS text), '{NULL}')", quoted(name.as_str().unwrap())))
            .collect();
        let table: Vec<String> = self.table().split('.').map(quoted).collect();
        let mut raw = db.raw().await;
        let sql = format!("SELECT {} FROM {}", parts.join(&format!(" || '{BETWEEN}' || ")), table.join("."));
        let mut rows = raw.texts(&sql).await;
        raw.close().await;
        rows.sort();
        rows
    }
}

fn run(binary: &Binary, arguments: &[&str]) -> Ran {
    let ran = binary.run(arguments);
    ran.is_clean();
    ran
}

/// The report of `adopt` on a fixture's table.
fn adopt(fixture: &Fixture, binary: &Binary) -> Value {
    let ran = run(binary, &["adopt", "--table", fixture.table(), "-o", "json"]);
    assert_eq!(ran.code, 0, "{}: {ran:?}", fixture.name);
    ran.json()
}

fn questions(report: &Value) -> BTreeSet<String> {
    let questions = report["questions"].as_array().unwrap();
    questions.iter().map(|question| question["about"].as_str().unwrap().to_owned()).collect()
}

/// Where a proposal is not what a fixture expects.
fn differences(fixture: &Fixture, report: &Value) -> Vec<String> {
    let expected = &fixture.expected["adopt"];
    let found = &report["mapping"];
    let mut differences = Vec::new();
    let mut compare = |what: &str, expected: &Value, found: &Value| {
        if expected != found {
            differences.push(format!("{what}: {found}, not {expected}"));
        }
    };
    compare("key", &expected["key"], &found["key"]);
    compare("scope", &expected["scope"], &found["scope"]);
    let (state, found_state) = (&expected["state"], &found["state"]);
    compare("state", &state["shape"], &found_state["shape"]);
    match state["shape"].as_str().unwrap() {
        "column" => {
            compare("state.column", &json!([state["column"]]), &found_state["columns"]);
            for list in ["in_progress", "completed", "failed"] {
                let values = state.get(list).cloned().unwrap_or_else(|| json!([]));
                compare(list, &values, &found_state[list]);
            }
        }
        "null" => compare("state.columns", &state["columns"], &found_state["columns"]),
        "ask" => compare("state.candidates", &state["candidates"], &found_state["columns"]),
        _ => {}
    }
    let clocks: BTreeMap<&str, &Value> = found["clocks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|clock| (clock["role"].as_str().unwrap(), clock))
        .collect();
    for role in ["created", "expires", "alive", "lease"] {
        let expected = &expected["clock"][role];
        // What is only asked about is no finding.
        let clock = clocks.get(role).filter(|clock| clock["in_doubt"] == false);
        let found = clock.map_or(&Value::Null, |clock| &clock["column"]);
        compare(role, &expected["column"], found);
        if let (Some(encoding), Some(clock)) = (expected.get("as"), clock) {
            let found = clock["as"].as_str().map(|text| toml(&format!("as = {text}"))["as"].clone());
            compare(role, encoding, &found.unwrap_or_default());
        }
    }
    let asked = questions(report);
    // What is shown of a row is what the mapping made by hand shows, but for what the catalogue alone does not say.
    let by_hand = fixture.by_hand["table"][0].get("show");
    let mut shown = expected.get("show").or(by_hand).cloned().unwrap_or_else(|| json!({}));
    if asked.contains("show.response_ref") {
        shown.as_object_mut().unwrap().remove("response_ref");
    }
    let printed = toml(report["configuration"].as_str().unwrap());
    compare("show", &shown, printed["table"][0].get("show").unwrap_or(&json!({})));
    for question in expected["question"].as_array().unwrap() {
        if !asked.contains(question.as_str().unwrap()) {
            differences.push(format!("does not ask about {question}"));
        }
    }
    differences
}

/// A proposal, with each question answered as the mapping that was made by hand does.
fn answered(fixture: &Fixture, report: &Value) -> String {
    let mut whole = toml(report["configuration"].as_str().unwrap());
    let by_hand = &fixture.by_hand["table"][0];
    let table = &mut whole["table"][0];
    fn take(from: &Value, into: &mut Value, path: &[&str]) {
        let (last, above) = path.split_last().unwrap();
        let (mut from, mut into) = (from, into);
        for name in above {
            from = &from[*name];
            if into.get(*name).is_none() {
                into[*name] = json!({});
            }
            into = &mut into[*name];
        }
        match from.get(*last) {
            Some(value) => into[*last] = value.clone(),
            None => drop(into.as_object_mut().unwrap().remove(*last)),
        }
    }
    let asked = questions(report);
    for question in &asked {
        let paths: &[&[&str]] = match question.as_str() {
            // An expiry is not in force while a column that may say "unfinished" is asked about.
            "state" | "state.values" => {
                &[&["state"], &["clock", "expires"], &["clock", "ttl"], &["clock", "null_expires"]]
            }
            "state.failed" | "state.null" => &[&["state"]],
            "clock.ttl" => &[&["clock", "ttl"]],
            "clock.zone" | "clock.unit" | "clock.spelling" => {
                &[&["clock", "created"], &["clock", "expires"], &["clock", "alive"]]
            }
            "clock.expires" => &[&["clock", "expires"]],
            "clock.null_expires" => &[&["clock", "null_expires"], &["clock", "ttl"]],
            "clock.alive" => &[&["clock", "alive"], &["clock", "expires"], &["clock", "ttl"]],
            "clock.lease" => &[&["clock", "lease"], &["clock", "expires"], &["clock", "ttl"]],
            "reopens" => &[&["reopens"]],
            "key" | "scope" => &[&["key"], &["scope"], &["guard"], &["locator"]],
            "fail" | "release" | "claim" => &[&["fail"], &["release"], &["claim"]],
            "purge.allow_cascade" => &[&["purge"]],
            "show.response_ref" => &[&["show", "response_ref"]],
            other => panic!("{}: an unknown question: {other}", fixture.name),
        };
        for path in paths {
            take(by_hand, table, path);
        }
    }
    if asked.contains("purge.allow_cascade") {
        take(&fixture.by_hand, &mut whole, &["purge"]);
    }
    let mut text = String::new();
    for (name, value) in whole.as_object().unwrap() {
        text.push_str(&format!("{name} = {}\n", inline(value)));
    }
    text
}

fn config(binary: &Binary, name: &str, text: &str) -> String {
    let path = binary.home.path().join(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

async fn finds_what_the_catalogue_says(dialect: Dialect) {
    let mut wrong = Vec::new();
    for fixture in Fixture::of(dialect) {
        let (_db, binary) = fixture.empty().await;
        let report = adopt(&fixture, &binary);
        let configuration = report["configuration"].as_str().unwrap();
        // It can be used as it is: the checks at start read it.
        let path = config(&binary, "printed.toml", configuration);
        let ran = run(&binary, &["--config", &path, "list", "-o", "json"]);
        if ran.code != 0 {
            wrong.push(format!("{}: {ran:?}\n{configuration}", fixture.name));
        }
        let differences = differences(&fixture, &report);
        if !differences.is_empty() && !DIFFERENT.contains(&fixture.name.as_str()) {
            wrong.push(format!("{}: {}", fixture.name, differences.join("; ")));
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[tokio::test]
async fn finds_what_the_catalogue_says_on_postgres() {
    finds_what_the_catalogue_says(Dialect::Postgres).await;
}

#[tokio::test]
async fn finds_what_the_catalogue_says_on_sqlite() {
    finds_what_the_catalogue_says(Dialect::Sqlite).await;
}

/// Whether the rows answer a question: they write a clock in one way, or hold only values of which the mapping
/// says what they mean.
async fn is_said_by_rows(fixture: &Fixture, db: &TestDb, report: &Value, question: &Value) -> bool {
    let Some((kind, column)) = question["id"].as_str().unwrap().split_once('.') else { return false };
    let table: Vec<String> = fixture.table().split('.').map(|name| format!("\"{name}\"")).collect();
    let mut raw = db.raw().await;
    let sql =
        format!("SELECT CAST(\"{column}\" AS text) FROM {} WHERE \"{column}\" IS NOT NULL", table.join("."));
    let values = raw.texts(&sql).await;
    raw.close().await;
    match kind {
        // A picture of the digits: the same spelling, or the same unit.
        "encoding" => {
            let picture = |value: &String| value.replace(|c: char| c.is_ascii_digit(), "0");
            values.iter().map(picture).collect::<BTreeSet<_>>().len() == 1
        }
        "values" => {
            let state = &report["mapping"]["state"];
            let lists = ["in_progress", "completed", "failed"];
            let listed: Vec<&Value> =
                lists.iter().filter_map(|list| state[list].as_array()).flatten().collect();
            values.iter().all(|value| listed.iter().any(|other| **other == json!(value)))
        }
        _ => false,
    }
}

async fn asks_nothing_that_its_rows_say(dialect: Dialect) {
    let mut wrong = Vec::new();
    for fixture in Fixture::of(dialect) {
        let (db, binary) = fixture.empty().await;
        db.run(&fixture.text("rows.sql")).await;
        let report = adopt(&fixture, &binary);
        for question in report["questions"].as_array().unwrap() {
            if is_said_by_rows(&fixture, &db, &report, question).await {
                wrong.push(format!("{}: {question}", fixture.name));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[tokio::test]
async fn asks_nothing_that_its_rows_say_on_postgres() {
    asks_nothing_that_its_rows_say(Dialect::Postgres).await;
}

#[tokio::test]
async fn asks_nothing_that_its_rows_say_on_sqlite() {
    asks_nothing_that_its_rows_say(Dialect::Sqlite).await;
}

/// With the rows there, a purge by the mapping as it is printed, and then one by the mapping with its
/// questions answered.
async fn deletes_nothing_that_is_needed(dialect: Dialect) {
    let mut wrong = Vec::new();
    for fixture in Fixture::of(dialect) {
        let (purged, kept) = (fixture.rows("purged"), fixture.rows("kept"));
        let (db, binary) = fixture.empty().await;
        db.run(&fixture.text("rows.sql")).await;
        let all = fixture.stored(&db).await;
        assert_eq!(all.len(), purged.len() + kept.len(), "{}", fixture.name);
        let report = adopt(&fixture, &binary);
        let printed = report["configuration"].as_str().unwrap().to_owned();
        for (complete, text) in [(false, printed), (true, answered(&fixture, &report))] {
            let path = config(&binary, "adopted.toml", &text);
            let ran = run(&binary, &["--config", &path, "purge", "-o", "json"]);
            let mut left = fixture.stored(&db).await;
            // 2: a setting is missing; 5: rows of other tables would be reached; 6: strange rows were met.
            let mut fits = matches!(ran.code, 0 | 2 | 5 | 6);
            if complete {
                fits &= left == kept;
            }
            for row in &kept {
                match left.iter().position(|other| other == row) {
                    Some(place) => drop(left.remove(place)),
                    None => fits = false,
                }
            }
            if !fits {
                let (name, code, stderr) = (&fixture.name, ran.code, ran.stderr);
                wrong.push(format!("{name}: {code} {stderr}\nkept {kept:?}\nbeside {left:?}\n{text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[tokio::test]
async fn deletes_nothing_that_is_needed_on_postgres() {
    deletes_nothing_that_is_needed(Dialect::Postgres).await;
}

#[tokio::test]
async fn deletes_nothing_that_is_needed_on_sqlite() {
    deletes_nothing_that_is_needed(Dialect::Sqlite).await;
}

#[test]
fn the_fixtures_are_there() {
    assert!(Path::new(FIXTURES).is_dir());
    assert!(Fixture::of(Dialect::Postgres).len() > 25 && Fixture::of(Dialect::Sqlite).len() > 7);
}

/// A database with some tables, and the binary.
async fn with(dialect: Dialect, schema: &str) -> (TestDb, Binary) {
    let db = TestDb::empty(dialect).await;
    db.run(schema).await;
    let binary = Binary::on(&db);
    (db, binary)
}

#[tokio::test]
async fn the_table_of_an_article() {
    let (db, binary) = with(Dialect::Postgres, crate::article::SCHEMA).await;
    let path = binary.home.path().join("written.toml").display().to_string();
    let ran = run(&binary, &["adopt", "--write", &path]);
    assert_eq!((ran.code, &ran.stdout), (0, &fs::read_to_string(&path).unwrap()), "{ran:?}");
    assert!(ran.stderr.contains("question is open"), "{ran:?}");
    let mut mapping = toml(&ran.stdout)["table"][0].clone();
    // To be on the safe side, until it is answered.
    assert_eq!(mapping.as_object_mut().unwrap().remove("reopens"), Some(json!(true)));
    let mut by_hand = toml(crate::article::CONFIG)["table"][0].clone();
    // What no catalogue says.
    for setting in ["release", "claim"] {
        by_hand.as_object_mut().unwrap().remove(setting).unwrap();
    }
    assert_eq!(mapping, by_hand);

    db.run(
        "INSERT INTO idempotency_key
         SELECT gen_random_uuid(), 1, status, 'h', NULL, NULL, now() - interval '3 days', now() - interval '2 days'
         FROM unnest(ARRAY['in_bearbeitung', 'abgeschlossen', 'fehlgeschlagen']) AS s (status)",
    )
    .await;
    let ran = run(&binary, &["--config", &path, "purge"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let left = db.number("SELECT count(*) FROM idempotency_key WHERE status = 'in_bearbeitung'").await;
    assert_eq!((left, db.number("SELECT count(*) FROM idempotency_key").await), (1, 1));
}

#[tokio::test]
async fn one_of_several_is_chosen_by_its_name() {
    let (_db, binary) = with(
        Dialect::Sqlite,
        "CREATE TABLE payments (id INTEGER PRIMARY KEY, idempotency_key TEXT UNIQUE, amount INT, created_at TEXT);
         CREATE TABLE idempotency_keys (key TEXT PRIMARY KEY, request_hash TEXT, created_at TEXT NOT NULL);
         CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT UNIQUE, created_at TEXT);
         CREATE TABLE settings (key TEXT PRIMARY KEY, value TEXT);",
    )
    .await;
    let ran = run(&binary, &["adopt"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    let tables: Vec<&str> = ran.stdout.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert_eq!(tables, ["TABLE", "idempotency_keys", "payments"], "{ran:?}");
    assert!(ran.stderr.contains("--table NAME"), "{ran:?}");
    let ran = run(&binary, &["adopt", "-o", "json"]);
    assert_eq!((ran.code, &ran.json()["table"]), (2, &Value::Null));
    assert_eq!(binary.json(&["adopt", "--table", "payments"])["mapping"]["key"], json!(["idempotency_key"]));
    assert_eq!(binary.json(&["adopt", "--table", "SETTINGS"])["mapping"]["key"], json!(["key"]));
    let ran = run(&binary, &["adopt", "--table", "nobody"]);
    assert_eq!(ran.code, 8, "{ran:?}");
}

#[tokio::test]
async fn where_there_is_none_it_says_so() {
    let (_db, binary) =
        with(Dialect::Sqlite, "CREATE TABLE users (id INTEGER PRIMARY KEY, email TEXT);").await;
    let ran = run(&binary, &["adopt"]);
    assert_eq!((ran.code, ran.stdout.as_str()), (8, ""), "{ran:?}");
    let own = TestDb::new(Dialect::Sqlite).await;
    let binary = Binary::on(&own);
    let ran = run(&binary, &["adopt"]);
    assert!(ran.code == 8 && ran.stderr.contains("idemctl's own"), "{ran:?}");
    let ran = run(&binary, &["adopt", "--table", "idempotency_keys"]);
    assert!(ran.code == 2 && ran.stderr.contains("idemctl's own"), "{ran:?}");
}

#[tokio::test]
async fn a_file_that_is_there_stays_as_it_is() {
    let (_db, binary) =
        with(Dialect::Sqlite, "CREATE TABLE keys (idempotency_key TEXT PRIMARY KEY, at TEXT);").await;
    let path = config(&binary, "idemctl.toml", "# mine\n");
    let ran = run(&binary, &["adopt", "--table", "keys", "--write", &path]);
    assert!(ran.code == 5 && ran.stderr.contains("never overwritten"), "{ran:?}");
    assert_eq!(fs::read_to_string(&path).unwrap(), "# mine\n");
}

/// Rows of a business table are no idempotency keys, even where they have one and an expiry.
#[tokio::test]
async fn the_expiry_of_something_else_deletes_nothing() {
    for expiry in [
        "expires_at TIMESTAMPTZ NOT NULL, amount BIGINT, currency TEXT",
        "card_expires_at TIMESTAMPTZ NOT NULL",
    ] {
        let (_db, binary) = with(
            Dialect::Postgres,
            &format!(
                "CREATE TABLE payments (id BIGSERIAL PRIMARY KEY, idempotency_key TEXT NOT NULL UNIQUE,
                     status TEXT NOT NULL CHECK (status IN ('pending', 'completed')), {expiry})"
            ),
        )
        .await;
        let report = binary.json(&["adopt"]);
        assert!(questions(&report).contains("clock.expires"), "{report}");
        let path = config(&binary, "printed.toml", report["configuration"].as_str().unwrap());
        let ran = run(&binary, &["--config", &path, "purge"]);
        assert!(ran.code == 2 && ran.stderr.contains("table.clock.expires"), "{ran:?}");
    }
}

/// A role that may look at the catalogue alone gets a mapping with more questions.
#[tokio::test]
async fn a_role_without_rights_gets_a_proposal() {
    let (db, binary) = with(
        Dialect::Postgres,
        "CREATE TABLE idempotency_keys (key TEXT PRIMARY KEY, expires_at BIGINT NOT NULL);
         INSERT INTO idempotency_keys VALUES ('a', 1700000000);",
    )
    .await;
    assert_eq!(binary.json(&["adopt"])["mapping"]["clocks"][0]["as"], "\"epoch_s\"");
    let name = db.url.rsplit('/').next().unwrap().to_owned();
    db.run(&format!("CREATE ROLE \"blind_{name}\" LOGIN")).await;
    let (scheme, rest) = db.url.split_once("://").unwrap();
    let host = rest.split_once('@').map_or(rest, |(_, host)| host);
    let url = format!("{scheme}://blind_{name}@{host}");
    let report = binary.json(&["adopt", "--database-url", &url]);
    assert_eq!(report["mapping"]["clocks"][0]["as"], Value::Null);
    assert!(questions(&report).contains("clock.unit"));
}

/// Names and values that want out of their quotes, in SQL, in TOML and in a comment.
async fn hostile_names_stay_names(dialect: Dialect) {
    let table = "idempotency\"keys.`x`\n[[table]]\nname = 'b'";
    let key = "idempotency_key\"]\n# ? x = 1; DROP TABLE victim; --";
    let status = "status'\\ \u{202e}\t{now}";
    let expires = "expires_at\" }\n#";
    let values = ["pending", "completed", "it's \"\\\n[table.fail]\n", "\u{1b}[2J"];
    let quoted = |name: &str| format!("\"{}\"", name.replace('"', "\"\""));
    let list: Vec<String> = values.iter().map(|value| format!("'{}'", value.replace('\'', "''"))).collect();
    let (kind, over) = match dialect {
        Dialect::Postgres => ("TIMESTAMPTZ", "now() - interval '3 days'"),
        _ => ("INTEGER", "strftime('%s', 'now', '-3 days')"),
    };
    let (db, binary) = with(
        dialect,
        &format!(
            "CREATE TABLE victim (id INTEGER PRIMARY KEY);
             CREATE TABLE {table} ({key} TEXT PRIMARY KEY, {status} TEXT NOT NULL CHECK ({status} IN ({list})),
                 {expires} {kind} NOT NULL);
             INSERT INTO {table} VALUES ('a', 'pending', {over}), ('b', 'completed', {over}), ('c', {strange}, {over});",
            table = quoted(table),
            key = quoted(key),
            status = quoted(status),
            expires = quoted(expires),
            list = list.join(", "),
            strange = list[2],
        ),
    )
    .await;
    let printed = run(&binary, &["adopt"]);
    assert_eq!(printed.code, 0, "{printed:?}");
    assert!(toml(&printed.stdout)["table"][0]["clock"].get("expires").is_none(), "{}", printed.stdout);
    let answers = format!(
        "values = {{ {} = {{ pending = \"in_progress\", completed = \"completed\" }} }}\n",
        json!(status)
    );
    let answers = config(&binary, "answers.toml", &answers);
    let ran = run(&binary, &["adopt", "--answers", &answers]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let printed = toml(&ran.stdout);
    assert_eq!(printed["table"].as_array().unwrap().len(), 1, "{}", ran.stdout);
    let mapping = &printed["table"][0];
    assert_eq!(mapping["key"], json!([key]));
    assert_eq!(
        mapping["state"],
        json!({ "column": status, "in_progress": ["pending"], "completed": ["completed"] })
    );
    assert_eq!(mapping["clock"]["expires"]["column"], json!(expires));
    let path = config(&binary, "printed.toml", &ran.stdout);
    let purged = run(&binary, &["--config", &path, "purge", "-o", "json"]);
    assert_eq!((purged.code, &purged.json()["deleted"]), (6, &json!(1)), "{purged:?}");
    assert_eq!(db.number(&format!("SELECT count(*) FROM {}", quoted(table))).await, 2);
    assert_eq!(db.number("SELECT count(*) FROM victim").await, 0);
    // Named on the command line as it is written in the configuration.
    let name = mapping["name"].as_str().unwrap();
    assert_eq!(binary.json(&["adopt", "--table", name])["table"], json!(name));
}

#[tokio::test]
async fn hostile_names_stay_names_on_postgres() {
    hostile_names_stay_names(Dialect::Postgres).await;
}

#[tokio::test]
async fn hostile_names_stay_names_on_sqlite() {
    hostile_names_stay_names(Dialect::Sqlite).await;
}
