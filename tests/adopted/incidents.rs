//! Every incident of `incidents/` against the real binary, step by step. What overlaps in time is in
//! [`crate::overlaps`].

use std::fs;
use std::io::Write as _;
use std::process::Stdio;

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::binary::{Binary, Ran};
use crate::support::server::shared;
use crate::support::{Dialect, TestDb};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/adopted/incidents");

macro_rules! incidents {
    ($($name:ident: $file:literal,)*) => {
        $(
            #[tokio::test]
            async fn $name() {
                Incident::read(concat!($file, ".toml")).check().await;
            }
        )*

        const LISTED: &[&str] = &[$(concat!($file, ".toml")),*];
    };
}

incidents! {
    crash_before_answer: "01-crash-before-answer",
    deadline_nobody_reads: "02-deadline-nobody-reads",
    error_path_keeps_slot: "04-error-path-keeps-slot",
    born_expired: "06-born-expired",
    late_finisher: "08-late-finisher",
    recovery_overwrites_answer: "09-recovery-overwrites-answer",
    sweep_between_conflict_and_read: "10-sweep-between-conflict-and-read",
    naive_clock_in_another_zone: "12-naive-clock-in-another-zone",
    hash_before_expiry: "13-hash-before-expiry",
    freed_too_eagerly: "15-freed-too-eagerly",
    stale_answer_evicted: "16-stale-answer-evicted",
    no_status_mapped: "17-no-status-mapped",
    server_errors_replayed: "17-server-errors-replayed",
    clean_up_deadlocks: "19-clean-up-deadlocks",
    every_pod_sweeps: "21-every-pod-sweeps",
    delete_limit_in_sqlite: "22-delete-limit-in-sqlite",
    without_rowid: "22-without-rowid",
    null_tenant: "25-null-tenant",
    nobody_purges: "27-nobody-purges",
    heartbeat: "28-heartbeat",
    seen_or_at_work: "28-seen-or-at-work",
    states_that_nobody_listed: "30-states-that-nobody-listed",
    foreign_keys_of_others: "31-foreign-keys-of-others",
}

/// Those whose steps are not the whole test, each with the function of [`crate::overlaps`] that is.
const WITH_CODE: &[&str] = &[
    "08-late-finisher.toml",
    "09-recovery-overwrites-answer.toml",
    "10-sweep-between-conflict-and-read.toml",
    "19-clean-up-deadlocks.toml",
    "21-every-pod-sweeps.toml",
    "22-delete-limit-in-sqlite.toml",
];

#[test]
fn none_is_left_out() {
    let mut files: Vec<String> = fs::read_dir(FOLDER)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".toml"))
        .collect();
    files.sort();
    assert_eq!(files, LISTED);
    let with_code: Vec<&String> = files.iter().filter(|file| Incident::read(file).kind == "code").collect();
    assert_eq!(with_code, WITH_CODE);
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Incident {
    #[serde(rename = "what")]
    _what: String,
    kind: String,
    dialect: String,
    table: String,
    config: Option<String>,
    setup: String,
    #[serde(default, rename = "code")]
    _code: Vec<String>,
    step: Vec<Step>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    sql: Option<String>,
    session_time_zone: Option<String>,
    locked_by: Option<String>,
    run: Option<Vec<String>>,
    stdin_of: Option<usize>,
    parallel: Option<usize>,
    config: Option<String>,
    exit: Option<Exits>,
    #[serde(default)]
    stdout: Vec<String>,
    #[serde(default)]
    stderr: Vec<String>,
    #[serde(default)]
    not_stdout: Vec<String>,
    #[serde(default)]
    not_stderr: Vec<String>,
    json: Option<Value>,
    #[serde(default)]
    json_null: Vec<String>,
    #[serde(default)]
    json_not_null: Vec<String>,
    #[serde(default)]
    json_sum: Map<String, Value>,
    rows: Option<Vec<Map<String, Value>>>,
    #[serde(default)]
    check: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Exits {
    One(i32),
    Several(Vec<i32>),
}

impl Incident {
    pub fn read(file: &str) -> Self {
        let text = fs::read_to_string(format!("{FOLDER}/{file}")).unwrap();
        toml::from_str(&text).unwrap_or_else(|error| panic!("{file}: {error}"))
    }

    /// A new database with the incident's rows, and the binary on it.
    pub async fn set_up(&self) -> (TestDb, Binary) {
        let dialect = if self.dialect == "sqlite" { Dialect::Sqlite } else { Dialect::Postgres };
        let db = match self.table.as_str() {
            "owned" => TestDb::new(dialect).await,
            "adopted" => TestDb::empty(dialect).await,
            other => panic!("a table that is {other}"),
        };
        db.run(&self.setup).await;
        let binary = Binary::on(&db);
        (db, binary)
    }

    /// The rows, as SQL.
    pub fn setup_sql(&self) -> &str {
        &self.setup
    }

    /// The table that `rows` are compared with.
    fn table(&self) -> String {
        let Some(config) = &self.config else { return "idempotency_keys".to_owned() };
        let config: toml::Value = toml::from_str(config).unwrap();
        config["table"][0]["name"].as_str().unwrap().to_owned()
    }

    async fn check(&self) {
        let (db, binary) = self.set_up().await;
        let mut outputs: Vec<String> = Vec::new();
        let mut later = Vec::new();
        for (index, step) in self.step.iter().enumerate() {
            let number = index + 1;
            if let Some(sql) = &step.sql {
                db.run(sql).await;
            }
            if let Some(zone) = &step.session_time_zone {
                let name = db.url.rsplit('/').next().unwrap();
                shared().await.admin(&format!("ALTER DATABASE {name} SET timezone = '{zone}'")).await;
            }
            let mut lock = None;
            if let Some(sql) = &step.locked_by {
                let mut raw = db.raw().await;
                raw.run(&format!("BEGIN; {sql}")).await;
                lock = Some(raw);
            }
            let mut output = String::new();
            if let Some(arguments) = &step.run {
                let input = step.stdin_of.map(|number| outputs[number - 1].clone());
                let config = step.config.as_ref().or(self.config.as_ref());
                let calls = step.parallel.unwrap_or(1);
                let ran = calls_at_once(&binary, config, arguments, input.as_deref(), calls);
                output = ran[0].stdout.clone();
                let problems: Vec<String> =
                    ran.iter().flat_map(|ran| step.problems(ran)).chain(step.wrong_sums(&ran)).collect();
                if !problems.is_empty() {
                    let told = format!("step {number} {arguments:?}: {problems:#?}\n{ran:?}");
                    // What a look finds decides about no later step.
                    if arguments[0] == "doctor" { later.push(told) } else { panic!("{told}") }
                }
            }
            if let Some(mut raw) = lock {
                raw.run("ROLLBACK").await;
                raw.close().await;
            }
            outputs.push(output);
            if let Some(rows) = &step.rows {
                self.compare_rows(&db, number, rows).await;
            }
            for condition in &step.check {
                let holds = format!("SELECT CAST(CASE WHEN {condition} THEN 1 ELSE 0 END AS bigint)");
                assert_eq!(db.number(&holds).await, 1, "step {number}: {condition}");
            }
        }
        assert!(later.is_empty(), "{}", later.join("\n"));
    }

    async fn compare_rows(&self, db: &TestDb, number: usize, wanted: &[Map<String, Value>]) {
        let table = self.table();
        let mut raw = db.raw().await;
        let sql = match db.dialect() {
            Dialect::Postgres => format!("SELECT CAST(to_jsonb(t) AS text) FROM {table} AS t"),
            _ => {
                let columns = raw.texts(&format!("SELECT name FROM pragma_table_info('{table}')")).await;
                let members: Vec<String> = columns
                    .iter()
                    .map(|column| {
                        format!("'{column}', CASE typeof({column}) WHEN 'blob' THEN hex({column}) ELSE {column} END")
                    })
                    .collect();
                format!("SELECT json_object({}) FROM {table}", members.join(", "))
            }
        };
        let rows: Vec<Value> =
            raw.texts(&sql).await.iter().map(|text| serde_json::from_str(text).unwrap()).collect();
        raw.close().await;
        let matches = |wanted: &Map<String, Value>, row: &Value| {
            wanted.iter().all(|(column, value)| match (column.as_str(), value) {
                ("null", Value::Array(columns)) => {
                    columns.iter().all(|column| row[column.as_str().unwrap()].is_null())
                }
                _ => row.get(column) == Some(value),
            })
        };
        assert!(
            pairs_up(wanted, &rows, &matches),
            "step {number}: {table} holds\n{rows:#?}\nand should hold\n{wanted:#?}"
        );
    }
}

/// Whether each of one list has one of its own in the other, and none is left.
fn pairs_up<W, F>(wanted: &[W], found: &[F], matches: &dyn Fn(&W, &F) -> bool) -> bool {
    fn assign<W, F>(
        wanted: &[W],
        found: &[F],
        taken: &mut Vec<bool>,
        matches: &dyn Fn(&W, &F) -> bool,
    ) -> bool {
        let Some((first, rest)) = wanted.split_first() else { return true };
        for index in 0..found.len() {
            if !taken[index] && matches(first, &found[index]) {
                taken[index] = true;
                if assign(rest, found, taken, matches) {
                    return true;
                }
                taken[index] = false;
            }
        }
        false
    }
    wanted.len() == found.len() && assign(wanted, found, &mut vec![false; found.len()], matches)
}

/// Whether a document holds what is wanted: of an object the named fields, of a list as many elements.
fn holds(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::Object(wanted), Value::Object(found)) => {
            wanted.iter().all(|(name, value)| found.get(name).is_some_and(|found| holds(value, found)))
        }
        (Value::Array(wanted), Value::Array(found)) => pairs_up(wanted, found, &holds),
        _ => wanted == found,
    }
}

fn at<'v>(document: &'v Value, path: &str) -> &'v Value {
    path.split('.').fold(document, |at, name| match name.parse::<usize>() {
        Ok(index) => &at[index],
        Err(_) => &at[name],
    })
}

impl Step {
    /// What is not as it should be.
    fn problems(&self, ran: &Ran) -> Vec<String> {
        let mut problems = Vec::new();
        let allowed = match &self.exit {
            None => true,
            Some(Exits::One(code)) => ran.code == *code,
            Some(Exits::Several(codes)) => codes.contains(&ran.code),
        };
        if !allowed {
            problems.push(format!("exit {}, not {:?}", ran.code, self.exit));
        }
        let (stdout, stderr) = (ran.stdout.to_lowercase(), ran.stderr.to_lowercase());
        for (text, name, words, wanted) in [
            (&stdout, "stdout", &self.stdout, true),
            (&stderr, "stderr", &self.stderr, true),
            (&stdout, "stdout", &self.not_stdout, false),
            (&stderr, "stderr", &self.not_stderr, false),
        ] {
            for word in words {
                if text.contains(&word.to_lowercase()) != wanted {
                    problems.push(format!("{word:?} in {name}: should be {wanted}"));
                }
            }
        }
        if self.json.is_some() || !self.json_null.is_empty() || !self.json_not_null.is_empty() {
            match serde_json::from_str::<Value>(&ran.stdout) {
                Err(error) => problems.push(format!("no JSON: {error}")),
                Ok(document) => {
                    if let Some(wanted) = self.json.as_ref().filter(|wanted| !holds(wanted, &document)) {
                        problems.push(format!("the JSON does not hold {wanted}"));
                    }
                    for (paths, null) in [(&self.json_null, true), (&self.json_not_null, false)] {
                        for path in paths {
                            if at(&document, path).is_null() != null {
                                problems.push(format!("{path} null: should be {null}"));
                            }
                        }
                    }
                }
            }
        }
        problems
    }

    fn wrong_sums(&self, ran: &[Ran]) -> Vec<String> {
        self.json_sum
            .iter()
            .filter_map(|(field, wanted)| {
                let sum: u64 = ran.iter().filter_map(|ran| ran.json()[field].as_u64()).sum();
                (Some(sum) != wanted.as_u64()).then(|| format!("the sum of {field} is {sum}, not {wanted}"))
            })
            .collect()
    }
}

/// Runs as many calls at the same moment.
fn calls_at_once(
    binary: &Binary,
    config: Option<&String>,
    arguments: &[String],
    input: Option<&str>,
    calls: usize,
) -> Vec<Ran> {
    let mut all: Vec<String> = Vec::new();
    if let Some(config) = config {
        let path = binary.home.path().join("idemctl.toml");
        fs::write(&path, config).unwrap();
        all.extend(["--config".to_owned(), path.display().to_string()]);
    }
    all.extend_from_slice(arguments);
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let children: Vec<_> = (0..calls)
        .map(|_| {
            let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
            let mut command = binary.command(&all);
            command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
            let mut child = command.spawn().unwrap();
            if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
                stdin.write_all(input.as_bytes()).unwrap();
            }
            child
        })
        .collect();
    children
        .into_iter()
        .map(|child| {
            let ran = Ran::from(child.wait_with_output().unwrap());
            assert!(!ran.stderr.contains("panicked"), "{ran:?}");
            ran
        })
        .collect()
}
