//! The server, or the file.

use std::path::PathBuf;

use super::{question, unsigned};
use crate::protocol::Timestamp;
use crate::store::backend::Pooling;
use crate::store::{Store, StoreError};

/// A PostgreSQL server, and what it makes of this role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServerFacts {
    /// `15.6`
    pub version: String,
    /// It replays another server's log.
    pub standby: bool,
    /// Transactions write nothing unless they ask to.
    pub read_only: bool,
    /// The role.
    pub role: String,
    /// The database.
    pub database: String,
    /// The role's own limit for a statement, in milliseconds; 0 is none.
    pub statement_timeout: u64,
    /// The role's own limit for a lock, in milliseconds; 0 is none.
    pub lock_timeout: u64,
    /// The role may do everything.
    pub superuser: bool,
    /// The role may read what other sessions do.
    pub sees_statistics: bool,
    /// Autovacuum runs.
    pub autovacuum: bool,
    /// Its clock.
    pub now: Timestamp,
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
            version: row.text()?.unwrap_or_default(),
            standby: row.bool()?.unwrap_or(false),
            read_only: row.bool()?.unwrap_or(false),
            role: row.text()?.unwrap_or_default(),
            database: row.text()?.unwrap_or_default(),
            statement_timeout: unsigned(row.int()?),
            lock_timeout: unsigned(row.int()?),
            superuser: row.bool()?.unwrap_or(false),
            sees_statistics: row.bool()?.unwrap_or(false),
            autovacuum: row.bool()?.unwrap_or(true),
            now: {
                let now = row.time()?;
                row.required(now)?
            },
        })
    }

    /// The file.
    ///
    /// # Errors
    /// When it can't be read.
    pub async fn file_facts(&self) -> Result<FileFacts, StoreError> {
        let mut row = self.ask_one(question!("doctor_server" sqlite), &[], &[]).await?;
        Ok(FileFacts {
            path: self.backend.file().map(PathBuf::from).unwrap_or_default(),
            version: row.text()?.unwrap_or_default(),
            journal: row.text()?.unwrap_or_default(),
            auto_vacuum: row.int()?.unwrap_or(0),
            bytes: unsigned(row.int()?),
            free: unsigned(row.int()?),
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
        Ok(row.text()?.filter(|said| said != "ok"))
    }

    /// What stands between this connection and the database.
    ///
    /// # Errors
    /// When it can't be connected to.
    pub async fn pooling(&self) -> Result<Pooling, StoreError> {
        self.backend.pooling().await
    }
}
