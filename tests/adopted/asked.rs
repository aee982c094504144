//! `adopt` on a terminal: its questions one by one, with what is known beside each.

use std::io::Read as _;
use std::process::{Child, Stdio};

use serde_json::Value;

use crate::binary::Binary;
use crate::support::terminal::Terminal;
use crate::support::{Dialect, TestDb};

const SCHEMA: &str = "
    CREATE TABLE idempotency_keys (k TEXT PRIMARY KEY, status TEXT NOT NULL, created_at INTEGER NOT NULL);
    INSERT INTO idempotency_keys VALUES
        ('a', 'P', unixepoch() - 1830), ('b', 'D', unixepoch() - 7230), ('c', 'D', unixepoch() - 172830),
        ('d', 'D', unixepoch() - 7230), ('e', 'D', unixepoch() - 7230), ('f', 'D', unixepoch() - 7230);";

/// What is answered, in the order of the questions.
const ANSWERS: [(&str, &str); 4] = [
    ("reopens", "false"),
    ("values.status", "{ P = \"in_progress\", D = \"completed\" }"),
    ("ttl", "\"24h\""),
    ("fail", "\"delete\""),
];

async fn table() -> (TestDb, Binary) {
    let db = TestDb::empty(Dialect::Sqlite).await;
    db.run(SCHEMA).await;
    let binary = Binary::on(&db);
    (db, binary)
}

struct Asked {
    child: Child,
    terminal: Terminal,
}

impl Asked {
    /// Standard input and the messages are the terminal; the mapping goes elsewhere.
    fn start(binary: &Binary, more: &[&str]) -> Self {
        let terminal = Terminal::open();
        let mut command = binary.command(&[&["adopt"], more].concat());
        command.stdin(terminal.stream()).stdout(Stdio::piped()).stderr(terminal.stream());
        let child = terminal.spawn(&mut command);
        Self { child, terminal }
    }

    /// Exit code, standard output, and what stood on the terminal.
    fn end(mut self) -> (Option<i32>, String, String) {
        let mut printed = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut printed).unwrap();
        let code = self.child.wait().unwrap().code();
        (code, printed, self.terminal.read_all())
    }
}

fn with_file(binary: &Binary, answers: &[(&str, &str)]) -> String {
    let path = binary.home.path().join("answers.toml");
    let lines: Vec<String> = answers.iter().map(|(id, answer)| format!("{id} = {answer}\n")).collect();
    std::fs::write(&path, lines.concat()).unwrap();
    let ran = binary.run(&["adopt", "--answers", &path.display().to_string()]);
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.stdout
}

#[tokio::test]
async fn a_question_is_shown_with_its_evidence_and_a_bad_answer_is_refused_at_once() {
    let (_db, binary) = table().await;
    let report = binary.json(&["adopt"]);
    let ids: Vec<&str> = report["questions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|question| question["id"].as_str().unwrap())
        .collect();
    assert_eq!(ids, ANSWERS.map(|(id, _)| id));
    let mut asked = Asked::start(&binary, &[]);
    // No option, no flag, no meaning of a value, no column of the table, no length of time.
    for line in [
        "99",
        "maybe",
        "false",
        "{ P = \"busy\" }",
        "column.nobody = \"state\"",
        ANSWERS[1].1,
        "soon",
        "\"24h\"",
        "delete",
    ] {
        asked.terminal.types(&format!("{line}\n"));
    }
    let (code, printed, shown) = asked.end();
    assert_eq!(code, Some(0), "{shown}");
    assert_eq!(printed, with_file(&binary, &ANSWERS), "{shown}");
    for question in report["questions"].as_array().unwrap() {
        let lines = question["evidence"].as_array().unwrap().iter().chain([&question["text"]]);
        for line in lines.filter_map(Value::as_str) {
            // Its width is the terminal's.
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words(&shown).contains(&words(line)), "{line}\n{shown}");
        }
    }
    for evidence in ["\"D\" in 5 rows", "\"P\" in 1 row"] {
        assert!(shown.contains(evidence), "{evidence}: {shown}");
    }
    for refused in [
        "there is no option 99",
        "\"maybe\" is neither true nor false",
        "P is \"busy\"; a value is in_progress, completed, failed or keep",
        "the table has no column \"nobody\"",
        "\"soon\" is no duration",
    ] {
        assert!(shown.contains(refused), "{refused}: {shown}");
    }
}

#[tokio::test]
async fn what_is_left_open_stays_on_the_safe_side() {
    let (_db, binary) = table().await;
    for end in ["\u{4}", "\n\n\n\n"] {
        let mut asked = Asked::start(&binary, &[]);
        asked.terminal.types(&format!("false\n{end}"));
        let (code, printed, shown) = asked.end();
        assert_eq!(code, Some(0), "{shown}");
        assert_eq!(printed, with_file(&binary, &ANSWERS[..1]), "{shown}");
        assert!(shown.contains("3 questions are open"), "{shown}");
    }
}

#[tokio::test]
async fn a_stop_in_the_middle_prints_and_writes_nothing() {
    let (_db, binary) = table().await;
    let path = binary.home.path().join("mapping.toml");
    let mut asked = Asked::start(&binary, &["--write", &path.display().to_string()]);
    asked.terminal.types("false\n");
    asked.terminal.reads("values.status:");
    asked.terminal.types("\u{3}");
    let (code, printed, shown) = asked.end();
    assert_eq!(printed, "", "{shown}");
    assert!(!path.exists(), "{shown}");
    assert_eq!(code, Some(130), "{shown}");
}
