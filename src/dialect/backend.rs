//! The wall between what is equal in every dialect and what is not: a backend opens transactions,
//! and a transaction runs statements. Everything above is written once.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use async_trait::async_trait;

use super::StoreError;
use crate::sql::{Dialect, Row, Statement, Value};

/// What a transaction is for; each dialect sets its isolation, timeouts and plans accordingly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Reads; takes no lock that a writer would wait for.
    Read,
    /// One read that no index serves.
    Scan,
    /// A read of an examination: whatever it finds, it is not worth more than a few seconds.
    Probe,
    /// Protocol calls, operators and the reaper: durable once committed.
    Write,
    /// A protocol call of somebody who waits and will ask again: it waits for a lock only for a moment.
    Ask,
    /// One batch of the purge, a range of the index. Waits for a lock only briefly, and need not be
    /// durable: a delete lost in a crash is made again.
    PurgeRange,
    /// The same, or a step of it, where the index's order counts: the first rows of a range.
    PurgeOrdered,
    /// One batch of the purge along the heap.
    PurgeTied,
    /// A migration: waits as long as it must.
    Migrate,
}

impl Purpose {
    /// Whether it may change anything.
    #[cfg(any(feature = "postgres", feature = "sqlite"))]
    pub(crate) fn writes(self) -> bool {
        !matches!(self, Self::Read | Self::Scan | Self::Probe)
    }

    /// Whether it is a batch of the purge, which gives way to everybody else.
    #[cfg(feature = "sqlite")]
    pub(crate) fn is_purge(self) -> bool {
        matches!(self, Self::PurgeRange | Self::PurgeOrdered | Self::PurgeTied)
    }
}

/// How long we wait for what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Timeouts {
    /// For a connection. Default 5 s.
    pub connect: Duration,
    /// For a lock. Default 1 s.
    pub lock: Duration,
    /// For one statement. Default 30 s.
    pub statement: Duration,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(5),
            lock: Duration::from_secs(1),
            statement: Duration::from_secs(30),
        }
    }
}

/// How long one read of an examination may take.
#[cfg(feature = "postgres")]
pub(crate) const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

/// How long a purge batch waits for a lock before it leaves the locked rows to the next pass.
pub(crate) const PURGE_LOCK_TIMEOUT: Duration = Duration::from_millis(20);

/// What stands between a connection and the database's own processes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pooling {
    /// Nothing that could be seen.
    Direct,
    /// Something that does not pass everything on; in its own words, where it said any.
    Pooler(Option<String>),
    /// Something that gives each transaction whichever connection is free.
    PerTransaction,
}

/// Runs statements on one connection.
#[async_trait]
pub(crate) trait Executor: Send {
    /// Runs a statement and says how many rows it changed.
    async fn execute(&mut self, sql: &Statement, binds: &[Value]) -> Result<u64, StoreError>;
    /// Runs a query and reads all of its rows.
    async fn fetch(&mut self, sql: &Statement, binds: &[Value]) -> Result<Vec<Row>, StoreError>;

    /// Runs a query and reads its first row.
    async fn fetch_one(&mut self, sql: &Statement, binds: &[Value]) -> Result<Option<Row>, StoreError> {
        Ok(self.fetch(sql, binds).await?.into_iter().next())
    }
}

/// A transaction of our own; dropped without a commit it is rolled back.
#[async_trait]
pub(crate) trait Transaction: Executor {
    async fn commit(self: Box<Self>) -> Result<(), StoreError>;
    /// Waits until nothing of it is left, locks included; a drop does not.
    async fn rollback(self: Box<Self>) -> Result<(), StoreError>;
    /// For passing it where only an executor is wanted.
    fn executor(&mut self) -> &mut dyn Executor;
}

/// What a protocol call runs on.
pub(crate) enum Session {
    /// Each statement is a transaction of its own: a claim is one round trip and not three.
    #[cfg_attr(
        not(feature = "postgres"),
        allow(dead_code, reason = "SQLite has one transaction around them")
    )]
    Statements(Box<dyn Executor>),
    /// One transaction around them all.
    Transaction(Box<dyn Transaction>),
}

impl Session {
    pub(crate) fn executor(&mut self) -> &mut dyn Executor {
        match self {
            Self::Statements(statements) => &mut **statements,
            Self::Transaction(transaction) => transaction.executor(),
        }
    }

    /// Makes it last.
    pub(crate) async fn end(self) -> Result<(), StoreError> {
        match self {
            Self::Statements(_) => Ok(()),
            Self::Transaction(transaction) => transaction.commit().await,
        }
    }
}

/// A statement and what it binds.
pub(crate) type Bound<'b> = (&'b Statement, &'b [Value]);

/// What one transaction of the purge did.
pub(crate) struct PurgeRun {
    /// Rows that are gone.
    pub(crate) deleted: u64,
    /// What the query that went ahead of the delete found; the outer `None` when it has to be asked
    /// again.
    pub(crate) ahead: Option<Option<Row>>,
    /// How long the database worked; the way there and back does not count.
    pub(crate) took: Duration,
}

/// A database.
#[async_trait]
pub(crate) trait Backend: Send + Sync {
    fn dialect(&self) -> Dialect;
    /// Where it is, without secrets; for people.
    fn target(&self) -> String;
    /// How often a connection broke, or the host took no writes: with it may have gone what did not wait for
    /// the disk.
    fn losses(&self) -> u64 {
        0
    }
    async fn begin(&self, purpose: Purpose) -> Result<Box<dyn Transaction>, StoreError>;
    /// For calls of which each statement decides by itself: a connection whose statements are transactions
    /// of their own, where the settings of [`Purpose::Write`] can be the session's; else a transaction for
    /// this purpose.
    async fn session(&self, purpose: Purpose) -> Result<Session, StoreError> {
        Ok(Session::Transaction(self.begin(purpose).await?))
    }
    /// Whether another host may take over.
    fn has_several_hosts(&self) -> bool {
        false
    }
    /// One transaction of the purge: a query about what comes next, where one is given, and a delete.
    async fn purge(
        &self,
        purpose: Purpose,
        ahead: Option<Bound<'_>>,
        delete: Bound<'_>,
    ) -> Result<PurgeRun, StoreError> {
        self.purge_by_binds(purpose, ahead, delete).await
    }
    /// The same as a transaction of single statements.
    async fn purge_by_binds(
        &self,
        purpose: Purpose,
        ahead: Option<Bound<'_>>,
        delete: Bound<'_>,
    ) -> Result<PurgeRun, StoreError> {
        let mut transaction = self.begin(purpose).await?;
        let began = Instant::now();
        let run = async {
            // The query first: what the delete locks is not kept locked for it.
            let ahead = match ahead {
                Some((sql, binds)) => Some(transaction.fetch_one(sql, binds).await?),
                None => None,
            };
            let (sql, binds) = delete;
            Ok((ahead, transaction.execute(sql, binds).await?))
        };
        let ran: Result<_, StoreError> = run.await;
        match ran {
            Ok((ahead, deleted)) => {
                transaction.commit().await?;
                Ok(PurgeRun { deleted, ahead, took: began.elapsed() })
            }
            // PostgreSQL reports the error first and lets go of its rows then. Not waiting for that,
            // the statement that skips locked rows would skip those that this one had deleted.
            Err(error) => {
                let _ = transaction.rollback().await;
                Err(error)
            }
        }
    }
    /// Settings that a database takes only while it has no tables.
    async fn prepare_empty(&self) -> Result<(), StoreError> {
        Ok(())
    }
    /// Runs statements outside any transaction of ours, on a connection without time limits.
    async fn run_script(&self, script: &str) -> Result<(), StoreError>;
    /// What stands between this connection and the database's own processes.
    async fn pooling(&self) -> Result<Pooling, StoreError>;
    /// Whether a text of this PostgreSQL database need not be UTF-8: its encoding is SQL_ASCII.
    fn has_raw_text(&self) -> bool {
        false
    }
    /// The file that it is, where it is one.
    fn file(&self) -> Option<&Path>;
    /// Files beside it whose changes this connection does not see.
    fn unread_changes(&self) -> Vec<PathBuf> {
        Vec::new()
    }
    /// Gives space back that deleted rows left, a bounded piece at a time; false when done.
    async fn reclaim_some(&self) -> Result<bool, StoreError>;
    async fn close(&self);
}
