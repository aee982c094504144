//! What a daemon is to do.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::janitor::{PurgeOptions, ReapOptions, Schedule};
use crate::store::{Store, StoreError};

/// Opens the tables of a plan: at the start, and anew whenever the database was away.
#[async_trait]
pub trait Connect: Send + Sync {
    /// The plan's tables in their order, each checked to be as the configuration says.
    async fn connect(&self) -> Result<Vec<Store>, StoreError>;

    /// Where the database is, without secrets.
    fn target(&self) -> String;
}

/// What a daemon is to do.
#[derive(Clone)]
pub struct Plan {
    /// How to get to the tables.
    pub connect: Arc<dyn Connect>,
    /// The tables.
    pub tables: Vec<TablePlan>,
    /// How long a leader may be without a heartbeat.
    pub lease: Duration,
    /// How long the batch at hand may take at the end.
    pub shutdown_timeout: Duration,
    /// The shortest and the longest wait for a database that is away.
    pub reconnect: (Duration, Duration),
    /// How long an entry of the audit is kept.
    pub audit_retention: Duration,
    /// A loop that has nothing to do turns this often all the same, to show that it does and to notice a
    /// clock that was set.
    pub turn_every: Duration,
    /// How often the tables are counted, for whoever watches; never unless set.
    pub sample_every: Option<Duration>,
}

/// What is to be done with one table.
#[derive(Debug, Clone, PartialEq)]
pub struct TablePlan {
    /// Its name.
    pub table: String,
    /// The reap pass; none where the table can't be reaped.
    pub reap: Option<ReapPlan>,
    /// The purge pass.
    pub purge: PurgeOrder,
    /// When a row counts as stuck.
    pub stuck_after: Duration,
}

/// The reap pass of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct ReapPlan {
    /// What it may do.
    pub options: ReapOptions,
    /// When.
    pub schedule: Schedule,
}

/// The purge pass of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct PurgeOrder {
    /// What it may do.
    pub options: PurgeOptions,
    /// When.
    pub schedule: Schedule,
    /// It waits while a standby is further behind.
    pub max_lag: Option<Duration>,
}

impl Plan {
    /// The wait before the n-th try: twice the one before, up to the longest, and by chance between half of
    /// that and all of it.
    pub(super) fn backoff(&self, attempt: u32) -> Duration {
        let (shortest, longest) = self.reconnect;
        let doubled = shortest.saturating_mul(2_u32.saturating_pow(attempt.saturating_sub(1).min(20)));
        doubled.min(longest).mul_f64(0.5 + 0.5 * fastrand::f64())
    }
}
