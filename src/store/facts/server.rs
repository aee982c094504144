//! The server, or the file.

use std::path::PathBuf;

use super::question;
use crate::protocol::Timestamp;
use crate::store::Pooling;
use crate::store::{Store, StoreError};

/// A PostgreSQL server, and what it makes of this role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerFacts {
    /// `15.6`
    pub version: String,
    /// It replays another server's log.
    pub standby: bool,
    /// The role.
    pub role: String,
    /// The database.
    pub database: String,
    /// How it stores text: `UTF8`.
    pub encoding: String,
    /// Autovacuum runs.
    pub autovacuum: bool,
    /// Its clock.
    pub now: Timestamp,
}

/// What a role's sessions begin with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleLimits {
    /// Transactions write nothing unless they ask to.
    pub read_only: bool,
    /// The role's own limit for a statement, in milliseconds; 0 is none.
    pub statement_timeout: u64,
    /// The role's own limit for a lock, in milliseconds; 0 is none.
    pub lock_timeout: u64,
    /// Whether a commit waits for the disk: `on`, `off`, ….
    pub synchronous_commit: String,
    /// Where that comes from: `default`, `configuration file`, `database`, `user`, ….
    pub synchronous_commit_source: String,
}

/// An SQLite file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileFacts {
    /// Where it is.
    pub path: PathBuf,
    /// SQLite's version.
    pub version: String,
    /// `wal`, `delete`, …
    pub journal: String,
    /// 0 none, 1 full, 2 incremental.
    pub auto_vacuum: i64,
    /// Bytes.
    pub bytes: u64,
    /// Bytes that deleted rows left.
    pub free: u64,
    /// Its clock, which is this host's.
    pub now: Timestamp,
}

impl Store {
    /// The server.
    ///
    /// # Errors
    /// When it can't be asked.
    pub async fn server_facts(&self) -> Result<ServerFacts, StoreError> {
        let mut row = self.ask_one(question!("doctor_server" postgres), &[], &[]).await?;
        Ok(ServerFacts {
            version: row.some_text()?,
            standby: row.some_bool()?,
            role: row.some_text()?,
            database: row.some_text()?,
            encoding: row.some_text()?,
            autovacuum: row.some_bool()?,
            now: {
                let now = row.time()?;
                row.required(now)?
            },
        })
    }

    /// What the role's sessions begin with.
    ///
    /// # Errors
    /// When the server can't be asked.
    pub async fn role_limits(&self) -> Result<RoleLimits, StoreError> {
        let mut row = self.ask_one(question!("doctor_role" postgres), &[], &[]).await?;
        Ok(RoleLimits {
            read_only: row.some_bool()?,
            statement_timeout: row.some_count()?,
            lock_timeout: row.some_count()?,
            synchronous_commit: row.some_text()?,
            synchronous_commit_source: row.some_text()?,
        })
    }

    /// Whether the role may do everything.
    ///
    /// # Errors
    /// When the server can't be asked.
    pub async fn is_superuser(&self) -> Result<bool, StoreError> {
        Ok(self.ask_one(question!("doctor_privileges" postgres), &[], &[]).await?.some_bool()?)
    }

    /// The file.
    ///
    /// # Errors
    /// When it can't be read.
    pub async fn file_facts(&self) -> Result<FileFacts, StoreError> {
        let mut row = self.ask_one(question!("doctor_server" sqlite), &[], &[]).await?;
        Ok(FileFacts {
            path: self
                .backend
                .file()
                .map(PathBuf::from)
                .ok_or_else(|| StoreError::corrupt("the database has no file"))?,
            version: row.some_text()?,
            journal: row.some_text()?,
            auto_vacuum: row.some_int()?,
            bytes: row.some_count()?,
            free: row.some_count()?,
            now: {
                let now = row.time()?;
                row.required(now)?
            },
        })
    }

    /// The first damage that SQLite finds in the file; `None` where it is sound. It reads all of it.
    ///
    /// # Errors
    /// When it can't be read.
    pub async fn file_damage(&self) -> Result<Option<String>, StoreError> {
        let mut row = self.ask_one(question!("doctor_check" sqlite), &[], &[]).await?;
        Ok(Some(row.some_text()?).filter(|said| said != "ok"))
    }

    /// What stands between this connection and the database.
    ///
    /// # Errors
    /// When it can't be connected to.
    pub async fn pooling(&self) -> Result<Pooling, StoreError> {
        self.backend.pooling().await
    }
}
