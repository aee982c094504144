//! docs/json-output.md names every field that the binary prints, and no other.

use std::collections::BTreeSet;

use idemctl::protocol::{Answer, ClaimOutcome};
use idemctl::store::{Confirmed, Dialect, Pass, TimeSource};
use serde_json::Value;

use crate::binary::Binary;
use crate::document;
use crate::supervised::{FAST, Janitor};
use crate::support::{TestDb, claim, on_both_dialects, secs, ttl, until};

/// The fields in the first column of the tables of one section.
fn documented(section: &str) -> BTreeSet<String> {
    let text = document("json-output.md");
    let (_, after) = text.split_once(&format!("\n## {section}\n")).expect(section);
    let body = after.split("\n## ").next().unwrap_or_default();
    let fields: BTreeSet<String> = body
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`').map(|(field, _)| field.to_owned()))
        .collect();
    assert!(!fields.is_empty(), "{section}");
    fields
}

/// The names of all fields in some documents, in the file's notation.
fn printed(documents: &[Value]) -> BTreeSet<String> {
    let mut fields = BTreeSet::new();
    for document in documents {
        match document {
            // The rows of a list are documents of their own with -o jsonl.
            Value::Array(rows) => rows.iter().for_each(|row| collect(row, "", &mut fields)),
            other => collect(other, "", &mut fields),
        }
    }
    fields
}

fn collect(value: &Value, prefix: &str, fields: &mut BTreeSet<String>) {
    let Value::Object(members) = value else { return };
    for (name, value) in members {
        let path = format!("{prefix}{name}");
        fields.insert(path.clone());
        match value {
            Value::Object(_) => collect(value, &format!("{path}."), fields),
            Value::Array(items) => items.iter().for_each(|item| collect(item, &format!("{path}[]."), fields)),
            _ => {}
        }
    }
}

async fn complete(db: &TestDb, name: &str, answer: &Answer) {
    let claim = claim(name);
    let ClaimOutcome::Claimed { token, .. } = db.store.claim(&claim).await.unwrap() else { panic!("{name}") };
    db.store.complete(&claim.key, &claim.scope, token, answer).await.unwrap();
}

/// Some keys in every state, looked at with every command.
async fn every_field_is_documented(db: TestDb) {
    let binary = Binary::on(&db);
    let past = db.store.with_clock(TimeSource::Shifted(-60 * 60 * 1_000_000)).unwrap();
    past.claim(&claim("stuck").with_ttl(ttl(86_400)).with_owner("api-3:4711")).await.unwrap();
    complete(&db, "text", &Answer::new(201, "created").with_header("Location", "/orders/1")).await;
    complete(&db, "bytes", &Answer::new(200, vec![0xff, 0xfe])).await;
    complete(&db, "large", &Answer::new(200, "large").without_body()).await;

    let reaped =
        [binary.json(&["reap-stuck", "--dry-run"]), binary.json(&["reap-stuck", "--reason", "test"])];
    assert_eq!(printed(&reaped), documented("reap-stuck"));

    let request = binary.home.path().join("request");
    std::fs::write(&request, "{}").unwrap();
    let flags = ["--body", "--fingerprint-file", request.to_str().unwrap()];
    let inspected =
        ["stuck", "text", "bytes", "large"].map(|key| binary.json(&[&["inspect", key][..], &flags].concat()));
    assert_eq!(printed(&inspected), documented("inspect"));

    let left_out = documented("list");
    let is_left_out = |field: &String| {
        left_out.iter().any(|out| {
            let rest = field.strip_prefix(out.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        })
    };
    let expected = documented("inspect").into_iter().filter(|field| !is_left_out(field)).collect();
    assert_eq!(printed(&[binary.json(&["list"])]), expected);

    let operated = [
        binary.json(&["release", "stuck", "--dry-run"]),
        binary.json(&["forget", "text", "--yes", "--reason", "test"]),
    ];
    assert_eq!(printed(&operated), documented("release, fail, forget"));

    // Number objects and earlier rows are documented once.
    let audited = printed(&[binary.json(&["audit"])]);
    let audited = audited.into_iter().filter(|field| !field.starts_with("row_before.")).collect();
    assert_eq!(documented("audit"), audited);
    let paused = [binary.json(&["pause", "--reason", "test"]), binary.json(&["resume"])];
    assert_eq!(printed(&paused), documented("pause"));
    assert_eq!(printed(&[binary.json(&["janitor", "--once"])]), documented("janitor --once"));
    assert_eq!(printed(&[binary.json(&["janitor", "--check"])]), documented("janitor --check"));
    db.store.lead(&Pass::ALL, "host:1", secs(60), &Confirmed::given()).await.unwrap();
    binary.json(&["pause", "--reason", "test"]);
    let stats = printed(&[binary.json(&["stats"])]);
    binary.json(&["resume"]);
    let stats: BTreeSet<String> = stats
        .into_iter()
        .filter(|field| field.starts_with("rows.") || !(field.ends_with(".value") || field.ends_with(".how")))
        .filter(|field| !["states", "backlog", "sizes", "last_purge"].contains(&field.as_str()))
        .collect();
    assert_eq!(documented("stats"), stats);

    let purged = [binary.json(&["purge", "--dry-run"]), binary.json(&["purge"])];
    assert_eq!(printed(&purged), documented("purge"));

    let migrated = [binary.json(&["migrate", "status"]), binary.json(&["migrate", "--dry-run"])];
    assert_eq!(printed(&migrated), documented("migrate"));

    assert_eq!(printed(&[binary.json(&["doctor"])]), documented("doctor"));

    assert_eq!(printed(&[binary.json(&["config", "show"])]), documented("config show"));

    // Beside the own tables, which need no mapping.
    db.run("CREATE TABLE paid (idempotency_key varchar(64) PRIMARY KEY, status varchar(9), created_at varchar(30))")
        .await;
    let path = binary.home.path().join("paid.toml").display().to_string();
    assert_eq!(printed(&[binary.json(&["adopt", "--write", &path])]), documented("adopt"));
}

on_both_dialects!(every_field_is_documented, every_field_of_the_status_is_documented);

/// A janitor that ran, and then one that is paused.
async fn every_field_of_the_status_is_documented(db: TestDb) {
    let janitor = Janitor::start(&db.url, FAST);
    until("it ran and counted", || async {
        let status = janitor.status();
        janitor.pass("purge")["last"].is_object() && status["tables"][0]["sample"].is_object()
    })
    .await;
    let ran = janitor.status();
    Binary::on(&db).json(&["pause", "--reason", "test"]);
    until("it is paused", || async { janitor.pass("purge")["held"].is_object() }).await;
    let fields = printed(&[ran, janitor.status()]);
    let is_once = |field: &String| !(field.ends_with(".value") || field.ends_with(".how"));
    let fields: BTreeSet<String> = fields
        .into_iter()
        .filter(|field| is_once(field) || field.starts_with("tables[].sample.in_progress."))
        .filter(|field| field != "database")
        .collect();
    assert_eq!(documented("/status"), fields);
}

/// The fields that only rows of a team's own table have.
#[tokio::test]
async fn the_fields_of_adopted_tables_are_documented() {
    for dialect in [Dialect::Postgres, Dialect::Sqlite] {
        let db = TestDb::empty(dialect).await;
        db.run(
            "CREATE TABLE keys (k varchar(9) NOT NULL, part varchar(9) NOT NULL, tenant varchar(9), made text, made_id varchar(9));
             INSERT INTO keys VALUES ('a', 'b', NULL, 'long ago', 'order-1')",
        )
        .await;
        let binary = Binary::on(&db);
        let path = binary.home.path().join("idemctl.toml");
        std::fs::write(
            &path,
            "[[table]]\nname = 'keys'\nkey = ['k', 'part']\nscope = 'tenant'\nstate.always = 'completed'\n\
             clock.created = { column = 'made', as = { text = 'sqlite' } }\nshow.response_ref = 'made_id'\n",
        )
        .unwrap();
        let config = path.display().to_string();
        let listed = binary.json(&["--config", &config, "list"]);
        let mut expected = documented("Rows of adopted tables");
        let others = documented("inspect");
        assert!(expected.is_disjoint(&others));
        let printed = printed(&[listed]);
        expected.retain(|field| !printed.contains(field));
        assert_eq!(expected, BTreeSet::new(), "documented, and not printed");
        let known: BTreeSet<String> = others.union(&documented("Rows of adopted tables")).cloned().collect();
        let unknown: Vec<&String> = printed.difference(&known).collect();
        assert!(unknown.is_empty(), "printed, and not documented: {unknown:?}");
    }
}

#[tokio::test]
async fn the_columns_of_csv_are_documented() {
    let db = TestDb::new(Dialect::Sqlite).await;
    let ran = Binary::on(&db).run(&["list", "-o", "csv"]);
    let header = ran.stdout.lines().next().unwrap().replace(',', ", ");
    let text = document("json-output.md").replace('\n', " ");
    assert!(text.contains(&format!("these columns: {header}.")), "{header}");
}
