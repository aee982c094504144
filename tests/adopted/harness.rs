//! A table, its rows, and its description in a configuration file.

use std::collections::BTreeSet;
use std::fs;
use std::process::Stdio;

use serde_json::Value;

use crate::binary::{Binary, Ran};
use crate::support::{Dialect, TestDb};

/// A database with a team's own table, and the binary with a configuration that describes it.
pub struct Adopted {
    pub db: TestDb,
    pub binary: Binary,
    config: String,
}

impl Adopted {
    pub async fn new(dialect: Dialect, schema: &str, config: &str) -> Self {
        let db = TestDb::empty(dialect).await;
        db.run(schema).await;
        let binary = Binary::on(&db);
        let path = binary.home.path().join("idemctl.toml");
        fs::write(&path, config).unwrap();
        Self { db, config: path.display().to_string(), binary }
    }

    pub async fn postgres(schema: &str, config: &str) -> Self {
        Self::new(Dialect::Postgres, schema, config).await
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        let ran = self.binary.run(&[&["--config", &self.config], arguments].concat());
        ran.is_clean();
        ran
    }

    /// Runs a command with this on its standard input.
    pub fn run_with(&self, arguments: &[&str], stdin: &str) -> Ran {
        use std::io::Write as _;
        let mut command = self.binary.command(&[&["--config", &self.config], arguments].concat());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(stdin.as_bytes()).unwrap();
        child.wait_with_output().unwrap().into()
    }

    /// Runs a command that must succeed, and reads its JSON.
    #[track_caller]
    pub fn json(&self, arguments: &[&str]) -> Value {
        let ran = self.run(&[arguments, &["-o", "json"]].concat());
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.json()
    }

    /// A field of every row of a list.
    #[track_caller]
    pub fn listed(&self, arguments: &[&str]) -> BTreeSet<String> {
        let rows = self.json(&[&["list", "--limit", "0"], arguments].concat());
        let rows = rows.as_array().unwrap();
        let keys: BTreeSet<String> = rows.iter().map(|row| row["key"].as_str().unwrap().to_owned()).collect();
        assert_eq!(keys.len(), rows.len(), "a key is listed twice: {rows:?}");
        keys
    }

    /// The verdict on a key.
    #[track_caller]
    pub fn verdict(&self, key: &str) -> String {
        self.json(&["inspect", key])[0]["verdict"].as_str().unwrap().to_owned()
    }

    /// That a command ends so, with these words.
    #[track_caller]
    pub fn refuses(&self, arguments: &[&str], code: i32, words: &[&str]) {
        let ran = self.run(arguments);
        assert_eq!(ran.code, code, "{arguments:?}: {ran:?}");
        for word in words {
            assert!(ran.stderr.contains(word), "{arguments:?}: {word}: {ran:?}");
        }
    }
}

/// A set of names.
pub fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}
