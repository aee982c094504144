//! Every column of a table is mapped, irrelevant with a reason, or asked about; what could say "unfinished" and is
//! not explained keeps every row until it is answered; and what is answered is checked at once.

use std::fs;

use serde_json::{Value, json};

use crate::binary::{Binary, Ran};
use crate::support::{Dialect, TestDb};

const CLOCKS: &str = "created_at timestamptz NOT NULL, expires_at timestamptz NOT NULL";
const LONG_AGO: &str = "now() - interval '1 day', now() - interval '2 hours'";

async fn with(schema: &str) -> (TestDb, Binary) {
    let db = TestDb::empty(Dialect::Postgres).await;
    db.run(schema).await;
    let binary = Binary::on(&db);
    (db, binary)
}

fn file(binary: &Binary, name: &str, text: &str) -> String {
    let path = binary.home.path().join(name);
    fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn answered(binary: &Binary, answers: &str) -> Ran {
    let path = file(binary, "answers.toml", answers);
    let ran = binary.run(&["adopt", "--table", "idempotency_keys", "--answers", &path, "-o", "json"]);
    ran.is_clean();
    ran
}

#[track_caller]
fn report(binary: &Binary, answers: &str) -> Value {
    let ran = answered(binary, answers);
    assert_eq!(ran.code, 0, "{answers}: {ran:?}");
    let report = ran.json();
    // Each column once, and each of those that are asked about in a question that names it.
    let columns = report["columns"].as_array().unwrap();
    for column in columns {
        let list = column["list"].as_str().unwrap();
        assert!(["mapped", "irrelevant", "asked"].contains(&list), "{column}");
        assert!(!column["reason"].as_str().unwrap().is_empty(), "{column}");
        let asks = |question: &Value| {
            question["id"] == column["question"]
                && question["columns"].as_array().unwrap().contains(&column["column"])
        };
        assert_eq!(
            list == "asked",
            report["questions"].as_array().unwrap().iter().any(asks),
            "{column}: {report}"
        );
    }
    report
}

fn list_of<'r>(report: &'r Value, column: &str) -> &'r str {
    let columns = report["columns"].as_array().unwrap();
    columns.iter().find(|one| one["column"] == column).unwrap()["list"].as_str().unwrap()
}

fn ids(report: &Value) -> Vec<&str> {
    report["questions"].as_array().unwrap().iter().map(|question| question["id"].as_str().unwrap()).collect()
}

/// Purges by a report's configuration, and says which keys are left.
async fn left_after_purge(db: &TestDb, binary: &Binary, report: &Value) -> Vec<String> {
    let path = file(binary, "printed.toml", report["configuration"].as_str().unwrap());
    binary.run(&["--config", &path, "purge"]).is_clean();
    let mut raw = db.raw().await;
    let mut rows = raw.texts("SELECT key FROM idempotency_keys").await;
    raw.close().await;
    rows.sort();
    rows
}

/// A table with one column that nobody has heard of, and a row at work and a finished one by it.
struct Unheard {
    column: &'static str,
    at_work: &'static str,
    done: &'static str,
    /// The answers that explain it.
    answers: &'static str,
}

#[tokio::test]
async fn what_nobody_has_heard_of_keeps_every_row_until_it_is_answered() {
    for Unheard { column, at_work, done, answers } in [
        Unheard {
            column: "zweig boolean NOT NULL DEFAULT false",
            at_work: "false",
            done: "true",
            answers: "column.zweig = \"state\"\nvalues.zweig = { false = \"in_progress\", true = \"completed\" }",
        },
        Unheard {
            column: "gorm smallint NOT NULL",
            at_work: "3",
            done: "7",
            answers: "state = \"gorm\"\nvalues.gorm = { 3 = \"in_progress\", 7 = \"completed\" }",
        },
        Unheard {
            column: "lage char(1) NOT NULL",
            at_work: "'w'",
            done: "'f'",
            answers: "column.lage = \"state\"\nvalues.lage = { w = \"in_progress\", f = \"completed\" }",
        },
        Unheard {
            column: "frist timestamptz",
            at_work: "now()",
            done: "NULL",
            answers: "state = { frist = \"set_means_in_progress\" }",
        },
        Unheard {
            column: "utfall jsonb",
            at_work: "NULL",
            done: "'{}'",
            answers: "column.utfall = \"null_means_in_progress\"",
        },
        Unheard {
            column: "hvem text NOT NULL DEFAULT ''",
            at_work: "'me'",
            done: "''",
            answers: "column.hvem = \"set_means_in_progress\"",
        },
        Unheard {
            column: "held_to timestamptz NOT NULL",
            at_work: "now() + interval '1 hour'",
            done: "now() - interval '1 day'",
            answers: "clocks = { held_to = \"lease\" }\nstate = \"none\"",
        },
    ] {
        let (db, binary) = with(&format!(
            "CREATE TABLE idempotency_keys (key text PRIMARY KEY, {column}, {CLOCKS});
             INSERT INTO idempotency_keys VALUES ('at-work', {at_work}, {LONG_AGO}), ('done', {done}, {LONG_AGO});"
        ))
        .await;
        let name = column.split(' ').next().unwrap();
        let printed = report(&binary, "");
        assert_eq!(list_of(&printed, name), "asked", "{printed}");
        assert_eq!(left_after_purge(&db, &binary, &printed).await, ["at-work", "done"], "{column}");
        let known = report(&binary, answers);
        assert_ne!(list_of(&known, name), "asked", "{known}");
        assert_eq!(left_after_purge(&db, &binary, &known).await, ["at-work"], "{column}: {known}");
    }
}

#[tokio::test]
async fn an_answer_that_does_not_fit_is_named() {
    let (_db, binary) = with(&format!(
        "CREATE TABLE idempotency_keys (key text PRIMARY KEY, lage text NOT NULL CHECK (lage IN ('a', 'b')),
             gorm int NOT NULL, doc jsonb NOT NULL, {CLOCKS});"
    ))
    .await;
    for (answers, code, words) in [
        ("column.nobody = \"state\"", 8, "column.nobody"),
        ("column.gorm = \"statte\"", 2, "column.gorm"),
        ("column.gorm = \"null_means_in_progress\"", 8, "column.gorm"),
        ("column.doc = \"state\"", 8, "column.doc"),
        ("column.doc = \"lease\"", 8, "column.doc"),
        ("values.lage = { c = \"completed\" }", 8, "values.lage"),
        ("values.gorm = { a = \"completed\" }", 8, "values.gorm"),
        ("values.lage = { a = \"fine\" }", 2, "values.lage"),
        ("column.lage = \"state\"\ncolumn.gorm = \"state\"", 8, "column.lage"),
        ("stat = \"none\"", 2, "stat"),
        ("zone = \"Nowhere\"", 2, "zone"),
        ("fail = { nobody = 1 }", 8, "fail"),
        ("key = [\"nobody\"]", 8, "key"),
        ("response_ref = \"nobody\"", 8, "response_ref"),
    ] {
        let ran = answered(&binary, answers);
        assert_eq!(ran.code, code, "{answers}: {ran:?}");
        assert!(ran.stderr.contains(words), "{answers}: {ran:?}");
    }
}

/// The rows are shown beside the question: which values there are, in how many rows, and how old those are.
#[tokio::test]
async fn what_the_rows_show_stands_beside_the_question() {
    let (db, binary) = with(&format!(
        "CREATE TABLE idempotency_keys (key text PRIMARY KEY, gorm int NOT NULL, {CLOCKS});
         COMMENT ON COLUMN idempotency_keys.gorm IS 'one of three';
         CREATE INDEX ON idempotency_keys (created_at) WHERE gorm = 1;
         INSERT INTO idempotency_keys
             SELECT 'k' || g, 2, now() - interval '9 days', now() - interval '8 days' FROM generate_series(1, 30) AS g;
         INSERT INTO idempotency_keys VALUES ('new', 1, now(), now() + interval '1 day');"
    ))
    .await;
    let printed = report(&binary, "");
    let question = &printed["questions"][0];
    assert_eq!((&question["id"], &question["columns"]), (&json!("state"), &json!(["gorm"])));
    let evidence = question["evidence"].as_array().unwrap();
    let says = |words: &[&str]| {
        evidence.iter().any(|line| words.iter().all(|word| line.as_str().unwrap().contains(word)))
    };
    assert!(says(&["\"2\" in 30 rows", "9 days"]) && says(&["\"1\" in 1 row", "s ago"]), "{evidence:?}");
    assert!(says(&["one of three"]) && says(&["gorm = 1"]), "{evidence:?}");

    let watching = {
        let binary = Binary::on(&db);
        tokio::task::spawn_blocking(move || {
            binary.json(&["adopt", "--table", "idempotency_keys", "--watch", "6s"])
        })
    };
    tokio::time::sleep(std::time::Duration::from_millis(3_000)).await;
    db.run("UPDATE idempotency_keys SET gorm = 2 WHERE key = 'new'").await;
    let watched = watching.await.unwrap();
    let evidence = watched["questions"][0]["evidence"].to_string();
    assert!(evidence.contains("changed in 1 of 31 rows within 6 s"), "{evidence}");
}

/// A framework's table is known by its columns, whatever it is called.
#[tokio::test]
async fn tables_of_frameworks_are_known_by_their_columns() {
    for (schema, key, state) in [
        (
            "\"MessageId\" varchar(200) PRIMARY KEY, \"Dispatched\" boolean NOT NULL DEFAULT false,
             \"DispatchedAt\" timestamp, \"PersistenceVersion\" varchar(23) NOT NULL, \"Operations\" jsonb NOT NULL",
            "MessageId",
            json!({ "column": "Dispatched", "in_progress": [false], "completed": [true] }),
        ),
        (
            "id bigserial PRIMARY KEY, message_id uuid NOT NULL, consumer_id uuid NOT NULL, lock_id uuid NOT NULL,
             row_version bytea, received timestamptz NOT NULL, receive_count int NOT NULL,
             expiration_time timestamptz, consumed timestamptz, delivered timestamptz,
             last_sequence_number bigint, UNIQUE (message_id, consumer_id)",
            "message_id",
            json!({ "null_means_in_progress": ["delivered"] }),
        ),
        (
            "id uuid PRIMARY KEY, listener_id text NOT NULL, event_type text NOT NULL,
             serialized_event text NOT NULL, publication_date timestamptz NOT NULL, completion_date timestamptz",
            "id",
            json!({ "null_means_in_progress": ["completion_date"] }),
        ),
    ] {
        let (_db, binary) = with(&format!("CREATE TABLE anything ({schema})")).await;
        let report = binary.json(&["adopt", "--table", "anything"]);
        assert!(report["mapping"]["preset"].is_string(), "{report}");
        let whole: Value = {
            use figment::providers::{Format as _, Toml};
            figment::Figment::from(Toml::string(report["configuration"].as_str().unwrap())).extract().unwrap()
        };
        let table = &whole["table"][0];
        assert_eq!((&table["key"], &table["state"]), (&json!([key]), &state), "{report}");
        assert!(ids(&report).iter().all(|id| *id != "state" && *id != "clocks"), "{report}");
    }
}

/// What is known of a table asks nothing that its rows answer.
#[tokio::test]
async fn what_the_rows_answer_is_not_asked() {
    let (_db, binary) = with(&format!(
        "CREATE TABLE idempotency_keys (key text PRIMARY KEY, status text NOT NULL, response jsonb,
             created_at timestamptz NOT NULL, expires_at timestamptz, seen_ms bigint);
         INSERT INTO idempotency_keys
             SELECT 'k' || g, 'done', '{{}}', now() - interval '9 days', now() - interval '8 days', 1700000000000 + g
             FROM generate_series(1, 30) AS g;
         INSERT INTO idempotency_keys VALUES ('w', 'pending', NULL, now(), now() + interval '1 day', 1700000000000),
             ('f', 'failed', NULL, {LONG_AGO}, 1700000000000);"
    ))
    .await;
    let printed = report(&binary, "");
    let asked = ids(&printed);
    for id in ["state", "values.status", "null_expires", "encoding.seen_ms"] {
        assert!(!asked.contains(&id), "{asked:?}");
    }
}

/// What the mapping as printed, or as answered, leaves after a purge.
async fn purged(db: &TestDb, binary: &Binary, answers: &str) -> (i32, i64) {
    let path = file(binary, "mapping.toml", report(binary, answers)["configuration"].as_str().unwrap());
    let ran = binary.run(&["--config", &path, "purge"]);
    (ran.code, db.number("SELECT count(*) FROM idempotency_keys WHERE key = 'busy'").await)
}

/// A table whose state is told without doubt may have a second column that says that a row is unfinished, or must stay.
#[tokio::test]
async fn a_second_state_is_asked_about() {
    for (column, busy, free, answers) in [
        (
            "refund text CHECK (refund IN ('none', 'refunding', 'refunded'))",
            "'refunding'",
            "'refunded'",
            "others = { refund = \"set_means_in_progress\" }\n\
             values.refund = { none = \"completed\", refunded = \"completed\" }",
        ),
        ("capture_status text NOT NULL", "'capturing'", "'done'", ""),
        (
            "legal_hold boolean NOT NULL",
            "true",
            "false",
            "others = { legal_hold = \"set_means_in_progress\" }",
        ),
        ("saga_step int", "2", "NULL", ""),
        ("lease_period tstzrange", "tstzrange(now(), now() + interval '1 h')", "NULL", ""),
        ("acked_at timestamptz", "NULL", "now()", "clocks = { acked_at = \"null_means_in_progress\" }"),
    ] {
        let (db, binary) = with(&format!(
            "CREATE TABLE idempotency_keys (key text PRIMARY KEY,
                 status text NOT NULL CHECK (status IN ('pending', 'completed')), {CLOCKS}, {column});
             INSERT INTO idempotency_keys VALUES ('busy', 'completed', {LONG_AGO}, {busy}),
                 ('free', 'completed', {LONG_AGO}, {free});"
        ))
        .await;
        assert_eq!(purged(&db, &binary, "").await, (2, 1), "{column}");
        if column.starts_with("acked") || answers.is_empty() {
            continue;
        }
        assert_eq!(purged(&db, &binary, answers).await, (0, 1), "{column}: {answers}");
        assert_eq!(db.number("SELECT count(*) FROM idempotency_keys").await, 1, "{column}");
    }
}

/// What is never NULL may stand for nothing yet, and an answer may say that there is none.
#[tokio::test]
async fn what_stands_for_nothing_yet_is_no_proof_of_a_finished_row() {
    for (column, busy) in [
        ("completed_at timestamptz NOT NULL DEFAULT 'infinity'", "'infinity'"),
        ("finished_at timestamptz NOT NULL", "now() + interval '1 hour'"),
        ("processed_at timestamp NOT NULL", "'0001-01-01'"),
        ("completed_ms bigint NOT NULL", "0"),
        ("response jsonb NOT NULL", "'{\"status\": \"processing\"}'"),
        ("response_body text NOT NULL", "'{\"status\": \"IN_PROGRESS\"}'"),
        ("status_code int NOT NULL", "102"),
        ("updated_at timestamptz NOT NULL", "now()"),
    ] {
        let (db, binary) = with(&format!(
            "CREATE TABLE idempotency_keys (key text PRIMARY KEY, {CLOCKS}, {column});
             INSERT INTO idempotency_keys VALUES ('busy', {LONG_AGO}, {busy});"
        ))
        .await;
        assert_eq!(purged(&db, &binary, "").await.1, 1, "{column}");
    }
}

/// A clock that is a part of the key, as a table in partitions has it, is read in either part.
#[tokio::test]
async fn a_clock_may_be_part_of_the_key() {
    let (_db, binary) = with(
        "CREATE TABLE idempotency_keys (key text, created_at timestamptz, status text NOT NULL,
             PRIMARY KEY (key, created_at));
         INSERT INTO idempotency_keys VALUES ('a', now(), 'done'), ('b', now() - interval '1 hour', 'done');",
    )
    .await;
    let config = "[[table]]\nname = \"idempotency_keys\"\nkey = [\"key\"]\nscope = [\"created_at\"]\n[table.state]\n\
                  column = \"status\"\nin_progress = [\"busy\"]\ncompleted = [\"done\"]\n[table.clock]\n\
                  created = { column = \"created_at\", as = \"timestamptz\" }\n";
    let path = file(&binary, "mapping.toml", config);
    for arguments in [&["list"][..], &["list", "--sort", "claimed"], &["inspect", "a"]] {
        let ran = binary.run(&[&["--config", &path], arguments].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(ran.stdout.contains('a'), "{ran:?}");
    }
}

#[tokio::test]
async fn an_order_that_the_mapping_has_no_clock_for_is_refused_and_never_chosen() {
    let (_db, binary) = with(
        "CREATE TABLE keys (key text PRIMARY KEY, status text NOT NULL);
         INSERT INTO keys VALUES ('a', 'busy'), ('b', 'done');",
    )
    .await;
    let config = "[[table]]\nname = \"keys\"\nkey = [\"key\"]\n[table.state]\n\
                  column = \"status\"\nin_progress = [\"busy\"]\ncompleted = [\"done\"]\n";
    let path = file(&binary, "mapping.toml", config);
    for (order, setting) in [
        ("claimed", "table.clock.created"),
        ("claimed-desc", "table.clock.created"),
        ("expires", "table.clock.expires"),
        ("expires-desc", "table.clock.expires"),
    ] {
        let ran = binary.run(&["--config", &path, "list", "--sort", order]);
        assert_ne!(ran.code, 0, "{ran:?}");
        assert!(ran.stdout.is_empty() && ran.stderr.contains(setting), "{ran:?}");
    }
    let ran = binary.run(&["--config", &path, "list", "--status", "in_progress"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.stdout.contains('a'), "{ran:?}");
}
