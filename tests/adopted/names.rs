//! Names and states that look like SQL: every verb works on tables, columns and states of any name.

use serde_json::Value;

use crate::harness::Adopted;
use crate::support::Dialect;

/// What names are made of; none of them means anything to us.
const PARTS: [&str; 34] = [
    "select",
    "WHERE ",
    " ORDER BY ",
    "LIMIT 1",
    " FROM t",
    "NOT EXISTS (",
    "count(*)",
    " AND ",
    " OR 1=1",
    "INDEX ",
    "\"",
    "'",
    "`",
    "´",
    "[x]",
    "{x}",
    "{table}",
    "}",
    "{",
    "$1",
    "$2",
    "$$",
    "?",
    ":a",
    "@a",
    ";",
    "--",
    "/*",
    "*/",
    "\\",
    "%",
    " ",
    "ü",
    "🦀",
];

/// The names of one table, each another.
struct Names {
    schema: Option<String>,
    table: String,
    columns: [String; 7],
    states: [String; 3],
}

fn draw(dice: &mut fastrand::Rng, taken: &mut Vec<String>, longest: usize) -> String {
    loop {
        let count = dice.usize(1..=4);
        let mut name: String = (0..count).map(|_| PARTS[dice.usize(..PARTS.len())]).collect();
        if dice.u8(..8) == 0 {
            name.push_str(&"x".repeat(longest.saturating_sub(name.len())));
        }
        // Names that differ in case alone are one name to SQLite.
        let folded = name.to_lowercase();
        if name.len() <= longest && !taken.contains(&folded) {
            taken.push(folded);
            return name;
        }
    }
}

impl Names {
    fn draw(dice: &mut fastrand::Rng, dialect: Dialect) -> Self {
        let mut taken = Vec::new();
        let mut name = || draw(dice, &mut taken, 63);
        let columns = std::array::from_fn(|_| name());
        let states = std::array::from_fn(|_| name());
        let schema = name();
        Self {
            schema: (matches!(dialect, Dialect::Postgres)).then_some(schema),
            table: name(),
            columns,
            states,
        }
    }
}

/// As TOML has a text.
fn toml(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn literal(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

async fn set_up(dialect: Dialect, names: &Names, referenced: bool) -> Adopted {
    let [key, scope, state, made, gone, hash, body] = names.columns.each_ref().map(|name| quoted(name));
    let [busy, done, failed] = names.states.each_ref().map(|state| literal(state));
    let postgres = matches!(dialect, Dialect::Postgres);
    let schema = names.schema.as_ref().map(|schema| quoted(schema));
    let table = match &schema {
        Some(schema) => format!("{schema}.{}", quoted(&names.table)),
        None => quoted(&names.table),
    };
    let (clock, encoding, now, second) = if postgres {
        ("timestamptz", "timestamptz", "now()", "interval '1 s'")
    } else {
        ("integer", "epoch_s", "unixepoch()", "1")
    };
    let row = |name: &str, state: &str, age: i64, expires: i64| {
        format!(
            "('{name}', 't$1', {state}, {now} - {age} * {second}, {now} + {expires} * {second}, 'h', 'body of {name}')"
        )
    };
    let mut rows: Vec<String> = (0..6).map(|n| row(&format!("old{n}"), &done, 99_999, -9_999)).collect();
    rows.extend([
        row("stuck0", &busy, 9_999, 9_999),
        row("stuck1", &busy, 9_999, 9_999),
        row("failed0", &failed, 99, 9_999),
        row("live0", &done, 99, 9_999),
        row("live1", &busy, 1, 9_999),
    ]);
    let mut ddl = schema.as_ref().map(|schema| format!("CREATE SCHEMA {schema};")).unwrap_or_default();
    ddl.push_str(&format!(
        "CREATE TABLE {table} ({key} text NOT NULL, {scope} text NOT NULL, {state} text NOT NULL, {made} {clock} NOT NULL,
             {gone} {clock} NOT NULL, {hash} text, {body} text, PRIMARY KEY ({key}, {scope}));
         CREATE INDEX {index} ON {table} ({gone});
         INSERT INTO {table} VALUES {rows};",
        index = quoted(&format!("i{}", names.columns[4].chars().take(12).collect::<String>())),
        rows = rows.join(", "),
    ));
    if referenced {
        ddl.push_str(&format!(
            "CREATE TABLE child ({key} text, {scope} text, FOREIGN KEY ({key}, {scope}) REFERENCES {table} ({key}, {scope}));
             INSERT INTO child VALUES ('old0', 't$1');"
        ));
    }
    let name = match &names.schema {
        Some(schema) => format!("{}.{}", quoted(schema), quoted(&names.table)),
        None => quoted(&names.table),
    };
    let [key, scope, state, made, gone, hash, body] = names.columns.each_ref().map(|name| toml(name));
    let [busy, done, failed] = names.states.each_ref().map(|state| toml(state));
    let config = format!(
        "[[table]]\nname = {name}\nkey = [{key}]\nscope = [{scope}]\n\
         [table.state]\ncolumn = {state}\nin_progress = [{busy}]\ncompleted = [{done}]\nfailed = [{failed}]\n\
         [table.clock]\ncreated = {{ column = {made}, as = \"{encoding}\" }}\nexpires = {{ column = {gone}, as = \"{encoding}\" }}\n\
         [table.fail]\nset = {{ {state} = {failed} }}\n[table.release]\ndelete = true\n\
         [table.claim]\nexpired = \"absent\"\nfailed = \"final\"\n\
         [table.show]\nrequest_hash = {hash}\nresponse_body = {body}\n",
        name = toml(&name),
    );
    Adopted::new(dialect, &ddl, &config).await
}

/// What is wrong with a report.
fn check(
    wrong: &mut Vec<String>,
    what: &str,
    ran: crate::binary::Ran,
    code: i32,
    is: impl Fn(&Value) -> bool,
) {
    let json = serde_json::from_str(&ran.stdout).unwrap_or(Value::Null);
    if ran.code != code || !is(&json) {
        wrong.push(format!("{what}: {ran:?}"));
    }
}

async fn every_verb(dialect: Dialect, seed: u64, referenced: bool) -> Vec<String> {
    let names = Names::draw(&mut fastrand::Rng::with_seed(seed), dialect);
    let table = set_up(dialect, &names, referenced).await;
    let mut wrong = Vec::new();
    let mut verb = |words: &[&str], code: i32, is: &dyn Fn(&Value) -> bool| {
        let ran = table.run(words);
        check(&mut wrong, &words.join(" "), ran, code, is);
    };
    let rows = |count: usize| move |json: &Value| json.as_array().is_some_and(|rows| rows.len() == count);
    let field = |name: &'static str, number: u64| move |json: &Value| json[name] == number;
    verb(&["inspect", "live0", "-o", "json"], 0, &|json| json[0]["verdict"] == "replay");
    verb(&["inspect", "live0", "--scope", "t$1", "-o", "json"], 0, &|json| json[0]["key"] == "live0");
    verb(&["inspect", "live0", "--scope", "'; --", "-o", "json"], 3, &rows(0));
    verb(&["list", "-o", "json"], 0, &rows(11));
    for order in ["key", "claimed", "expires"] {
        verb(&["list", "--sort", order, "-o", "json"], 0, &rows(11));
    }
    verb(
        &["list", "--status", "completed", "--key-prefix", "old", "--scope", "t$1", "-o", "json"],
        0,
        &rows(6),
    );
    verb(&["list", "--key-prefix", "%", "-o", "json"], 0, &rows(0));
    verb(&["list", "--stuck", "--older-than", "5m", "-o", "json"], 0, &rows(2));
    verb(&["list", "--expired", "--since", "30d", "-o", "json"], 0, &rows(6));
    verb(&["stats", "-o", "json"], 0, &|json| {
        json["states"]["failed"]["rows"] == 1 || json["states"].is_object()
    });
    verb(&["stats", "--exact", "-o", "json"], 0, &|json| json["states"].is_object());
    verb(&["replay", "live0"], 0, &|_| true);
    verb(&["doctor", "-q"], 0, &|_| true);
    verb(&["reap-stuck", "--older-than", "5m", "--dry-run", "-o", "json"], 0, &field("matched", 2));
    verb(&["fail", "stuck0", "--yes", "-o", "json"], 0, &field("changed", 1));
    verb(&["reap-stuck", "--older-than", "5m", "-o", "json"], 0, &field("reaped", 1));
    verb(&["release", "stuck0", "--scope", "t$1", "--yes", "-o", "json"], 0, &field("changed", 1));
    verb(&["forget", "failed0", "--yes", "-o", "json"], 0, &field("changed", 1));
    let kept = u64::from(referenced);
    verb(&["purge", "--dry-run", "-o", "json"], 0, &field("matched", 6 - kept));
    verb(&["purge", "--max-rows", "2", "-o", "json"], 6, &field("deleted", 2));
    // A row that a child points at is left.
    let left = if referenced { 6 } else { 0 };
    verb(&["purge", "-o", "json"], left, &field("deleted", 4 - kept));
    verb(&["list", "-o", "json"], 0, &rows(3 + kept as usize));
    verb(&["janitor", "--check"], 0, &|_| true);
    verb(&["janitor", "--once"], left, &|_| true);
    wrong.iter().map(|what| format!("seed {seed}: {what}")).collect()
}

async fn any_names(dialect: Dialect) {
    let mut wrong = Vec::new();
    for round in 0..5 {
        let seed = fastrand::u64(..);
        // SQLite enforces no foreign key on our connection, and such a table is not purged at all.
        let referenced = matches!(dialect, Dialect::Postgres) && round % 2 == 0;
        wrong.extend(every_verb(dialect, seed, referenced).await);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[tokio::test]
async fn any_names_on_postgres() {
    any_names(Dialect::Postgres).await;
}

#[tokio::test]
async fn any_names_on_sqlite() {
    any_names(Dialect::Sqlite).await;
}
