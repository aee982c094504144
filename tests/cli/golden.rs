//! What every verb prints for people and for programs, on one story, compared with what it was. What differs from
//! run to run stands there as a word: `T` for a length of time, `AT` for a moment, `N` for a measured number.
//! `IDEMCTL_BLESS=1 cargo test --test cli golden` writes the files anew.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Stdio;

use crate::binary::{Binary, Ran};
use crate::support::{Dialect, TestDb, on_both_dialects};

on_both_dialects!(every_verb_prints_what_it_did);

/// The commands, in the order of the story: each line is one. What follows `<` comes on standard input, a line for
/// each word.
const STORY: &str = r#"
migrate status
inspect pay-1
migrate
migrate
migrate status -o json
stats
doctor
doctor -o json
run --key pay-1 --scope shop -- echo charged
run --key pay-1 --scope shop -- echo charged
run --key pay-1 --scope shop -- echo otherwise
run --key pay-2 --scope shop --lease 1s -- sh -c 'echo no >&2; exit 3'
run --key pay-2 -- true
run --key pay-3 -- /nowhere/at/all
!stuck
list
list --stuck
list --stuck -o json
list --status in_progress -o jsonl
list --sort expires --limit 1
inspect pay-1
inspect pay-2 --scope shop -o json
inspect stuck-1
inspect nobody
replay pay-1
replay pay-1 -o json
replay stuck-1
stats
stats -o json
fail stuck-2
fail stuck-3 --reason because --retry block
fail stuck-3
list --status failed -o csv
release stuck-3 --yes --dry-run
release stuck-3 --yes
reap-stuck --older-than 5m --dry-run
reap-stuck --older-than 5m
reap-stuck --older-than 5m -o json
release stuck-1 --yes
release pay-1 --yes
release - --yes -o json < {"key":"stuck-2","scope":""} {"key":"nobody","scope":""}
release - --yes < stuck-2
forget pay-2 --yes
forget pay-1
forget pay-1 --yes -o json
audit
audit -o json
audit --key stuck-1
pause --reason maintenance
pause
janitor --check
janitor --once
resume
resume
janitor --check -o json
janitor --once
janitor --once -o json
!expired
purge --dry-run
purge --dry-run -o json
purge
purge -o json
stats --max-backlog-age 1h
doctor
config show
config show -o json
adopt --table idempotency_keys
adopt
adopt -o json
inspect
reap-stuck --older-than 0s
purge --nonsense
list --sort nonsense
"#;

async fn rows(db: &TestDb, what: &str) {
    let (now, hour, true_) = match db.dialect() {
        Dialect::Postgres => ("now()", "interval '1 hour'", "true"),
        _ => ("(CAST(strftime('%s','now') AS integer) * 1000000)", "3600000000", "1"),
    };
    let sql = match what {
        "stuck" => (1..=3)
            .map(|number| {
                format!(
                    "INSERT INTO idempotency_keys (idempotency_key, status, created_at, claimed_at, renewed_at, \
                     expires_at, owner, claim_token) VALUES ('stuck-{number}', 'in_progress', {now} - {hour}, {now} - {hour}, \
                     {now} - {hour}, {now} + 12 * {hour}, 'api-3', '00000000-0000-4000-8000-00000000000{number}');"
                )
            })
            .collect::<String>(),
        _ => (1..=5)
            .map(|number| {
                format!(
                    "INSERT INTO idempotency_keys (idempotency_key, status, retry_allowed, created_at, claimed_at, \
                     renewed_at, finished_at, expires_at) VALUES ('old-{number}', 'failed', {true_}, {now} - 50 * {hour}, \
                     {now} - 50 * {hour}, {now} - 50 * {hour}, {now} - 50 * {hour}, {now} - 26 * {hour});"
                )
            })
            .collect(),
    };
    db.run(&sql).await;
}

/// The same text whenever and wherever it was printed.
fn masked(text: &str, secrets: &[(&str, &str)]) -> String {
    let mut text = text.to_owned();
    for (secret, word) in secrets {
        text = text.replace(secret, word);
    }
    // How many keys were claimed in which hour depends on the minute of the day.
    let lines = text.lines().map(masked_line).filter(|line| !line.starts_with("T ago") || line.contains(':'));
    lines.collect::<Vec<_>>().join("\n")
}

fn masked_line(line: &str) -> String {
    let indent: String = line.chars().take_while(|c| *c == ' ').collect();
    let mut words: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        let word = masked_word(word);
        let is_length = |word: &str| word.trim_matches(['(', ')', ',']) == "T";
        match words.last_mut() {
            // A length of time is one or several words.
            Some(last) if is_length(last) && is_length(&word) => last.push_str(word.trim_start_matches('T')),
            Some(last) if word.starts_with("ms") || word.starts_with("rows/s") => {
                "N".clone_into(last);
                words.push(word);
            }
            _ => words.push(word),
        }
    }
    format!("{indent}{}", words.join(" "))
}

fn masked_word(word: &str) -> String {
    if let Some((host, _)) = word.split_once("HOST:") {
        return format!("{host}HOST:N");
    }
    let core = word.trim_matches(|c: char| !c.is_alphanumeric());
    let start = word.find(core).unwrap_or(0);
    let (before, after) = (&word[..start], &word[start + core.len()..]);
    let digits = core.chars().take_while(|c| c.is_ascii_digit() || *c == '.').count();
    let has_unit = digits > 0
        && matches!(&core[digits..], "ms" | "µs" | "ns" | "s" | "m" | "h" | "d" | "day" | "months" | "days");
    let is_written = |like: &str| {
        core.len() >= like.len()
            && like.bytes().zip(core.bytes()).all(|(like, byte)| match like {
                b'0' => byte.is_ascii_digit(),
                other => other == byte,
            })
    };
    if is_written("0000-00-00") || is_written("00:00:00") {
        format!("{before}AT{after}")
    } else if has_unit {
        format!("{before}T{after}")
    } else {
        word.to_owned()
    }
}

/// JSON as its names and the kinds of its values: what a program relies on.
fn shape(value: &serde_json::Value) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::Object(members) => {
            let shaped = |(name, value): (&String, &Value)| match name.as_str() {
                "actor" | "host" | "owner" => (name.clone(), "text".into()),
                _ => (name.clone(), shape(value)),
            };
            Value::Object(members.iter().map(shaped).collect())
        }
        Value::Array(list) => Value::Array(list.first().map(shape).into_iter().collect()),
        Value::Number(_) => "number".into(),
        Value::String(text) if text.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') => {
            value.clone()
        }
        Value::String(_) => "text".into(),
        Value::Bool(_) | Value::Null => value.clone(),
    }
}

async fn every_verb_prints_what_it_did(db: TestDb) {
    let fresh = TestDb::empty(db.dialect()).await;
    let binary = Binary::on(&fresh);
    let home = binary.home.path().display().to_string();
    let name = fresh.url.rsplit('/').next().unwrap_or_default().to_owned();
    let name = name.split('?').next().unwrap_or_default().to_owned();
    let port =
        fresh.url.split_once("127.0.0.1:").map_or("\0", |(_, rest)| rest.split('/').next().unwrap_or("\0"));
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default().trim().to_owned();
    let folder = std::path::Path::new(fresh.url.trim_start_matches("sqlite:"))
        .parent()
        .map(|folder| folder.display().to_string())
        .filter(|folder| folder.starts_with('/'))
        .unwrap_or_else(|| "\0".to_owned());
    let secrets =
        [(&*home, "HOME"), (&*folder, "FOLDER"), (&*name, "DATABASE"), (port, "PORT"), (&*host, "HOST")];
    let mut out = String::new();
    for line in STORY.lines().filter(|line| !line.is_empty()) {
        if let Some(what) = line.strip_prefix('!') {
            rows(&fresh, what).await;
            writeln!(out, "== rows: {what}\n").unwrap();
            continue;
        }
        let (arguments, input) = line.split_once(" < ").unwrap_or((line, ""));
        let mut command = binary.command(&[]);
        command.args(split(arguments)).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut running = command.spawn().unwrap();
        let lines = input.split_whitespace().map(|word| format!("{word}\n")).collect::<String>();
        running.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
        let ran = Ran::from(running.wait_with_output().unwrap());
        writeln!(out, "$ idemctl {line}   [exit {}]", ran.code).unwrap();
        if arguments.contains("-o json") && ran.stdout.starts_with(['{', '[']) {
            for document in serde_json::Deserializer::from_str(&ran.stdout).into_iter::<serde_json::Value>() {
                writeln!(out, "{:#}", shape(&document.unwrap())).unwrap();
            }
        } else {
            writeln!(out, "{}", masked(&ran.stdout, &secrets)).unwrap();
        }
        if !ran.stderr.is_empty() {
            writeln!(out, "| {}", masked(&ran.stderr, &secrets).replace('\n', "\n| ")).unwrap();
        }
        out.push('\n');
    }
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/golden/output")
        .join(format!("{}.txt", fresh.dialect().as_str()));
    if std::env::var_os("IDEMCTL_BLESS").is_some() {
        std::fs::write(&file, &out).unwrap();
    }
    let expected = std::fs::read_to_string(&file).unwrap();
    for (number, (was, is)) in expected.lines().zip(out.lines()).enumerate() {
        assert_eq!(was, is, "line {} of {}", number + 1, file.display());
    }
    assert_eq!(expected.lines().count(), out.lines().count(), "{}", file.display());
}

/// Words, with those in single quotes kept together.
fn split(line: &str) -> Vec<String> {
    let parts = line.split('\'').enumerate();
    parts
        .flat_map(|(at, part)| {
            if at % 2 == 1 {
                vec![part.to_owned()]
            } else {
                part.split_whitespace().map(str::to_owned).collect()
            }
        })
        .collect()
}
