//! How a command ends: its exit code, and the words for it.

use std::error::Error;
use std::fmt;
use std::process::ExitCode;

use crate::advice;
use crate::store::{ErrorKind, StoreError, causes};

/// The exit codes of every command but `run`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done, or nothing to do.
    Done,
    /// Unexpected failure.
    Failed,
    /// Usage or configuration.
    Usage,
    /// No such key.
    NoSuchKey,
    /// In progress.
    InProgress,
    /// The row changed meanwhile, wrong state, mismatch, stale claim, not confirmed.
    Refused,
    /// Done in part.
    Partial,
    /// Database unreachable, or it refused us.
    Unreachable,
    /// Pending migration, missing table, missing right.
    NotReady,
    /// Interrupted by Ctrl-C, after what was begun was ended.
    Interrupted,
    /// A code of `run`'s own, or its command's.
    Code(u8),
}

impl Exit {
    /// The number.
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::NoSuchKey => 3,
            Self::InProgress => 4,
            Self::Refused => 5,
            Self::Partial => 6,
            Self::Unreachable => 7,
            Self::NotReady => 8,
            Self::Interrupted => 130,
            Self::Code(code) => code,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

/// A command that did not do its work: what failed, why, and what to do next.
#[derive(Debug)]
pub struct Failure {
    /// The exit code.
    pub exit: Exit,
    what: String,
    source: Option<Box<dyn Error + Send + Sync>>,
    hint: Option<String>,
}

impl Failure {
    /// What failed.
    pub fn new(exit: Exit, what: impl Into<String>) -> Self {
        Self { exit, what: what.into(), source: None, hint: None }
    }

    /// Why.
    #[must_use]
    pub fn because(mut self, source: impl Error + Send + Sync + 'static) -> Self {
        self.source = Some(Box::new(source));
        self
    }

    /// What to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// What to do next, if anything.
    pub fn hint_text(&self) -> Option<&str> {
        self.hint.as_deref()
    }

    /// What failed and why, one line a cause.
    pub fn chain(&self) -> Vec<String> {
        let mut lines = vec![self.what.clone()];
        if let Some(source) = &self.source {
            lines.extend(causes(source.as_ref()).into_iter().filter(|line| !self.what.contains(line)));
        }
        lines
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.chain().join(": "))
    }
}

/// The one place where a store's error becomes an exit code and a next step.
impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let (exit, hint) = match error.kind() {
            ErrorKind::Unreachable if error.is_out_of_connections() => (
                Exit::Unreachable,
                Some(
                    "end sessions that are not needed, or raise the limit: max_connections, ALTER ROLE … CONNECTION LIMIT",
                ),
            ),
            ErrorKind::Unreachable => (
                Exit::Unreachable,
                Some(
                    "check that the database runs and that the URL names it; `idemctl config show` says where the URL came from",
                ),
            ),
            ErrorKind::Refused => (
                Exit::Unreachable,
                Some("check the user, the password, the database's name and the TLS settings in the URL"),
            ),
            ErrorKind::Clock => (Exit::NotReady, Some("set the clock of this host; nothing was changed")),
            ErrorKind::NoFile => {
                (Exit::Unreachable, Some("check the path in the URL; `idemctl migrate` makes the file"))
            }
            ErrorKind::WrongSchema => (
                Exit::NotReady,
                Some(
                    "name one schema that is there, such as ?schema=app in the URL, or make it with CREATE SCHEMA; nothing \
                     was changed",
                ),
            ),
            ErrorKind::StaleClaim => (Exit::Refused, Some("look at the key with `idemctl inspect KEY`")),
            ErrorKind::Schema => {
                (Exit::NotReady, Some("run `idemctl migrate`; `idemctl migrate status` says what is missing"))
            }
            ErrorKind::SchemaMismatch => (
                Exit::NotReady,
                Some(
                    "nothing was changed; use the idemctl that this schema belongs to, or another schema or database",
                ),
            ),
            ErrorKind::Right => (
                Exit::NotReady,
                Some(
                    "grant the role what the message names: SELECT to look, UPDATE and DELETE to fix, CREATE to migrate",
                ),
            ),
            ErrorKind::ReadOnly => {
                (Exit::NotReady, Some("name the primary in the URL, or list all hosts: postgres://db1,db2/…"))
            }
            ErrorKind::Mapping if error.is_state_of_table() => (
                Exit::NotReady,
                Some("change the table as the database says; the mapping is right, and nothing was changed"),
            ),
            ErrorKind::Mapping => (
                Exit::NotReady,
                Some("compare `[[table]]` in the configuration with the table; nothing was changed"),
            ),
            ErrorKind::MissingSetting => (
                Exit::Usage,
                Some(
                    "add the setting to `[[table]]` in the configuration, see idemctl.toml(5); nothing was changed",
                ),
            ),
            ErrorKind::Reopens => (
                Exit::Usage,
                Some(
                    "in most applications a claim inserts its row, or fails: there `reopens = false` is right, and a row in \
                     progress is stuck by its age alone. Were it wrong, the claim of a row whose work goes on would be \
                     taken away, and a retry would execute beside it. Nothing was changed",
                ),
            ),
            ErrorKind::Referenced => (
                Exit::Refused,
                Some(
                    "delete or detach the referencing rows first; purge.allow_cascade = true lets purge, forget and a rule that deletes its row reach them",
                ),
            ),
            ErrorKind::Locked => (Exit::Failed, Some("somebody holds a lock; try again when it is gone")),
            ErrorKind::Conflict => (Exit::Failed, Some("try again")),
            ErrorKind::Timeout => {
                (Exit::Failed, Some("narrow the selection, or raise database.statement_timeout"))
            }
            ErrorKind::DiskFull => {
                (Exit::Failed, Some("make room on the database's disk; nothing of this step was kept"))
            }
            ErrorKind::OutcomeUnknown => (
                Exit::Failed,
                Some(
                    "look before you try again: `idemctl inspect KEY` and `idemctl audit` show whether it was done",
                ),
            ),
            ErrorKind::Encoding => {
                (Exit::Usage, Some("a database in UTF8 holds every text; this one can't hold such a key"))
            }
            ErrorKind::Input => (Exit::Usage, None),
            ErrorKind::Corrupt => (Exit::Failed, Some("check that this is the right database")),
            ErrorKind::Other => (Exit::Failed, None),
        };
        let hint = advice::by_cause(&error).or(hint);
        let mut failure = Self::new(exit, error.to_string());
        failure.source = error.into_source();
        failure.hint = hint.map(str::to_owned);
        failure
    }
}
