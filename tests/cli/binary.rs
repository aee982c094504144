//! Starts the binary in an environment that knows nothing of the machine's.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::support::TestDb;

/// The binary with an empty home.
pub struct Binary {
    pub home: TempDir,
    url: Option<String>,
}

impl Binary {
    /// Without any database.
    pub fn new() -> Self {
        Self { home: TempDir::new().unwrap(), url: None }
    }

    /// On a test's database.
    pub fn on(db: &TestDb) -> Self {
        Self { url: Some(db.url.clone()), ..Self::new() }
    }

    /// On the database of a URL.
    #[allow(dead_code, reason = "each test crate uses its own part")]
    pub fn at(url: &str) -> Self {
        Self { url: Some(url.to_owned()), ..Self::new() }
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_idemctl"));
        command.env_clear().env("HOME", self.home.path()).env("TZ", "UTC").stdin(Stdio::null());
        if let Some(path) = std::env::var_os("PATH") {
            command.env("PATH", path);
        }
        if let Some(url) = &self.url {
            command.env("IDEMCTL_DATABASE_URL", url);
        }
        command.args(arguments);
        command
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::from(self.command(arguments).output().unwrap())
    }

    /// Runs it, expects success, and reads its JSON.
    #[track_caller]
    pub fn json(&self, arguments: &[&str]) -> Value {
        let mut all = arguments.to_vec();
        all.extend(["-o", "json"]);
        let ran = self.run(&all);
        assert_eq!(ran.code, 0, "{ran:?}");
        ran.json()
    }

    /// A line that `run` appends to a file, and the arguments for it.
    pub fn append(&self, key: &str, file: &Path) -> Command {
        let script = format!("echo ran >> '{}'", file.display());
        self.command(&["run", "--key", key, "--wait", "60s", "--", "sh", "-c", &script])
    }
}

/// What the binary did.
#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
    pub bytes: Vec<u8>,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        use std::os::unix::process::ExitStatusExt as _;
        Self {
            code: output.status.code().unwrap_or_else(|| -output.status.signal().unwrap_or(0)),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            bytes: output.stdout,
        }
    }
}

impl Ran {
    #[track_caller]
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// Nothing that moves a cursor, and no sign of a panic.
    #[track_caller]
    pub fn is_clean(&self) {
        for text in [&self.stdout, &self.stderr] {
            assert!(!text.contains("panicked"), "{self:?}");
            assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{self:?}");
        }
    }
}
