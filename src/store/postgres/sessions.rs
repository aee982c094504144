//! Connections with settings of our own, kept between the calls of the protocol.
//!
//! The pool asks each connection that comes back whether it still lives: a round trip for a claim that is
//! one itself. So those that have just answered stay here. They count as taken, and whoever waits for the
//! pool gets the next one that comes free.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use sqlx::pool::PoolConnection;
use sqlx::postgres::PgPool;
use sqlx::{Connection as _, Postgres};

use super::patiently;
use super::values::{query, read_row};
use crate::store::backend::Executor;
use crate::store::value::{Row, Value};
use crate::store::{Sql, StoreError};

/// After this long a connection goes back through the pool, which ends those that are too old.
const KEPT_FOR: Duration = Duration::from_secs(60);

/// A connection, and when the pool gave it out.
struct Kept {
    connection: PoolConnection<Postgres>,
    since: Instant,
}

#[derive(Default)]
struct State {
    kept: Vec<Kept>,
    /// How many calls wait for the pool.
    waiting: usize,
    /// When a call was last left without its answer: what the pool has may be dead as well.
    doubted: Option<Instant>,
    closed: bool,
}

/// The connections that a pool has given out and nobody uses at the moment.
#[derive(Default)]
pub(super) struct Sessions(Mutex<State>);

impl Sessions {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A kept connection, or one of the pool's.
    pub(super) async fn acquire(&self, pool: &PgPool) -> Result<PoolConnection<Postgres>, sqlx::Error> {
        Ok(self.take(pool).await?.connection)
    }

    /// A connection that comes back here after a call that went well.
    pub(super) async fn statements(
        self: &Arc<Self>,
        pool: &PgPool,
        patience: Duration,
    ) -> Result<PgStatements, sqlx::Error> {
        let Kept { connection, since } = self.take(pool).await?;
        Ok(PgStatements { connection: Some(connection), since, settled: true, home: self.clone(), patience })
    }

    async fn take(&self, pool: &PgPool) -> Result<Kept, sqlx::Error> {
        // Under one lock: either the next one that comes free is kept before this looks, or it is seen that
        // somebody waits, and goes to the pool.
        let _waiting = {
            let mut state = self.state();
            if let Some(kept) = state.kept.pop() {
                return Ok(kept);
            }
            state.waiting += 1;
            Waiting(self)
        };
        loop {
            let mut connection = pool.acquire().await?;
            let doubted = self.state().doubted.is_some_and(|at| at.elapsed() < KEPT_FOR);
            if !doubted || connection.ping().await.is_ok() {
                return Ok(Kept { connection, since: Instant::now() });
            }
            connection.close_on_drop();
        }
    }

    /// Keeps it, unless the pool should have it; dropped, it goes there.
    fn give_back(&self, kept: Kept) {
        let mut state = self.state();
        if state.waiting == 0 && !state.closed && kept.since.elapsed() < KEPT_FOR {
            state.kept.push(kept);
        }
    }

    /// Gives all of them back to the pool, which waits for them when it closes.
    pub(super) fn close(&self) {
        let mut state = self.state();
        state.closed = true;
        state.kept.clear();
    }
}

impl Drop for Sessions {
    fn drop(&mut self) {
        // A pool's connection needs a runtime to go back, and there may be none any more.
        for kept in self.state().kept.drain(..) {
            drop(kept.connection.detach());
        }
    }
}

/// Counts a call that waits for the pool, for as long as it does.
struct Waiting<'s>(&'s Sessions);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.state().waiting -= 1;
    }
}

/// A connection whose statements are transactions of their own.
pub(super) struct PgStatements {
    connection: Option<PoolConnection<Postgres>>,
    since: Instant,
    /// Every statement has been answered; one that was given up may still be at work.
    settled: bool,
    home: Arc<Sessions>,
    patience: Duration,
}

impl PgStatements {
    /// The connection for one statement, and whether to trust it, which is for the statement to say.
    fn parts(&mut self) -> (&mut PoolConnection<Postgres>, &mut bool) {
        self.settled = false;
        let connection = self.connection.as_mut().expect("it is there until the drop");
        (connection, &mut self.settled)
    }
}

impl Drop for PgStatements {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if self.settled {
            self.home.give_back(Kept { connection, since: self.since });
        } else {
            // What ended this one may have ended all of them, and each would cost a call one of its tries.
            let mut state = self.home.state();
            state.doubted = Some(Instant::now());
            state.kept.clear();
        }
    }
}

/// A statement that the server refuses (a lock that it waited for in vain, say) is answered, too.
fn is_answer<T>(ran: &Result<T, StoreError>) -> bool {
    ran.as_ref().err().is_none_or(|error| !error.is_disconnect())
}

#[async_trait]
impl Executor for PgStatements {
    async fn execute(&mut self, sql: &Sql, binds: &[Value]) -> Result<u64, StoreError> {
        let patience = Some(self.patience);
        let (connection, settled) = self.parts();
        let done = patiently(patience, query(sql, binds, true).execute(&mut **connection)).await;
        *settled = is_answer(&done);
        // It is a transaction of its own.
        Ok(done.map_err(StoreError::of_a_change)?.rows_affected())
    }

    async fn fetch(&mut self, sql: &Sql, binds: &[Value]) -> Result<Vec<Row>, StoreError> {
        let patience = Some(self.patience);
        let (connection, settled) = self.parts();
        let rows = patiently(patience, query(sql, binds, true).fetch_all(&mut **connection)).await;
        *settled = is_answer(&rows);
        rows?.iter().map(read_row).collect()
    }
}
