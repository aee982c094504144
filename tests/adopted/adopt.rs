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
        Self::all().into_iter().filter(|fixture| fixture.dialect == dialect).collect()
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

    /// The rows of a list of expected.toml, as `list` names them.
    fn rows(&self, list: &str) -> BTreeSet<String> {
        let rows = self.expected[list].as_array().unwrap();
        rows.iter().map(|row| row["key"].to_string() + &row["scope"].to_string()).collect()
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
        // What is only asked about is no finding; the expiry is one that waits for its answers.
        let clock = clocks
            .get(role)
            .filter(|clock| role == "expires" || clock["active"] == true || clock["as"].is_null());
        let found = clock.map_or(&Value::Null, |clock| &clock["column"]);
        compare(role, &expected["column"], found);
        if let (Some(encoding), Some(clock)) = (expected.get("as"), clock) {
            let found = clock["as"].as_str().map(|text| toml(&format!("as = {text}"))["as"].clone());
            compare(role, encoding, &found.unwrap_or_default());
        }
    }
    let asked = questions(report);
    for question in expected["question"].as_array().unwrap() {
        if !asked.contains(question.as_str().unwrap()) {
            differences.push(format!("does not ask about {question}"));
        }
    }
    differences
}

/// The keys that are in the table, as `list` shows them with the mapping that was made by hand.
async fn keys_left(fixture: &Fixture, binary: &Binary) -> BTreeSet<String> {
    let path = fixture.folder.join("table.toml");
    let ran = run(binary, &["--config", path.to_str().unwrap(), "list", "--limit", "0", "-o", "json"]);
    assert_eq!(ran.code, 0, "{}: {ran:?}", fixture.name);
    ran.json()
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["key"].to_string() + &row["scope"].to_string())
        .collect()
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
            "state" | "state.values" | "state.failed" | "state.null" => &[&["state"]],
            "clock.ttl" => &[&["clock", "ttl"]],
            "clock.zone" | "clock.unit" | "clock.spelling" => {
                &[&["clock", "created"], &["clock", "expires"], &["clock", "alive"]]
            }
            "clock.expires" => &[&["clock", "expires"]],
            "clock.null_expires" => &[&["clock", "null_expires"], &["clock", "ttl"]],
            "clock.alive" => &[&["clock", "alive"]],
            "clock.lease" => &[&["clock", "lease"]],
            "reopens" => &[&["reopens"]],
            "key" | "scope" => &[&["key"], &["scope"], &["guard"], &["locator"]],
            "fail" | "release" | "claim" => &[&["fail"], &["release"], &["claim"]],
            "purge.allow_cascade" => &[&["purge"]],
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
    let mut lines = Vec::new();
    for fixture in Fixture::of(dialect) {
        let (_db, binary) = fixture.empty().await;
        let report = adopt(&fixture, &binary);
        // It can be used as it is: the checks at start read it.
        let path = config(&binary, "printed.toml", report["configuration"].as_str().unwrap());
        let ran = run(&binary, &["--config", &path, "list", "-o", "json"]);
        assert_eq!(ran.code, 0, "{}: {ran:?}\n{}", fixture.name, report["configuration"].as_str().unwrap());
        let differences = differences(&fixture, &report);
        if !differences.is_empty() {
            lines.push(format!("{}: {}", fixture.name, differences.join("; ")));
        }
    }
    lines.retain(|line| !DIFFERENT.iter().any(|known| line.starts_with(known)));
    assert!(lines.is_empty(), "\n{}", lines.join("\n"));
}

#[tokio::test]
async fn finds_what_the_catalogue_says_on_postgres() {
    finds_what_the_catalogue_says(Dialect::Postgres).await;
}

#[tokio::test]
async fn finds_what_the_catalogue_says_on_sqlite() {
    finds_what_the_catalogue_says(Dialect::Sqlite).await;
}

/// With the rows there, once as it is printed and once with the questions answered.
async fn deletes_nothing_that_is_needed(dialect: Dialect) {
    let mut lines = Vec::new();
    for fixture in Fixture::of(dialect) {
        let (expected, kept) = (fixture.rows("purged"), fixture.rows("kept"));
        for complete in [false, true] {
            let (db, binary) = fixture.empty().await;
            db.run(&fixture.text("rows.sql")).await;
            let before = keys_left(&fixture, &binary).await;
            let report = adopt(&fixture, &binary);
            let text = match complete {
                true => answered(&fixture, &report),
                false => report["configuration"].as_str().unwrap().to_owned(),
            };
            let path = config(&binary, "adopted.toml", &text);
            let ran = run(&binary, &["--config", &path, "purge", "-o", "json"]);
            let left = keys_left(&fixture, &binary).await;
            let gone: BTreeSet<String> = before.difference(&left).cloned().collect();
            // 5: a purge that would reach rows of other tables; 6: rows that no mapping understands.
            let refused = ran.code == 2 || ran.code == 5;
            let done = ran.code == 0 || ran.code == 6;
            let wrong: Vec<&String> = gone.difference(&expected).collect();
            if !(refused || done) || !wrong.is_empty() {
                lines.push(format!(
                    "{}: complete {complete}: {}: {wrong:?}: {}\n{text}",
                    fixture.name, ran.code, ran.stderr
                ));
            }
            if complete && gone != expected {
                let missing: Vec<&String> = expected.difference(&gone).collect();
                lines.push(format!("{}: left {missing:?}: {ran:?}\n{text}", fixture.name));
            }
            assert!(kept.is_empty() || !left.is_empty(), "{}", fixture.name);
        }
    }
    assert!(lines.is_empty(), "\n{}", lines.join("\n"));
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
