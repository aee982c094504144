//! Connections with settings of our own, kept between the calls of the protocol.
//!
//! The pool asks each connection that comes back whether it still lives: a round trip for a claim that is
//! one itself. So those that have just answered stay here. They count as taken, and whoever waits for the
//! pool gets the next one that comes free.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use sqlx::pool::PoolConnection;
use sqlx::postgres::PgPool;
use sqlx::{AssertSqlSafe, Connection as _, Postgres};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use super::link::{Link, refresh_durability};
use super::values::{query, read_row};
use crate::dialect::StoreError;
use crate::dialect::backend::Executor;
use crate::sql::Statement;
use crate::sql::{Row, Value};

/// After this long a connection goes back through the pool, which ends those that are too old.
const KEPT_FOR: Duration = Duration::from_secs(60);

/// A connection, and when the pool gave it out.
pub(super) struct Kept {
    pub(super) connection: PoolConnection<Postgres>,
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

/// How long a connection that was let go of may take to be back in its pool.
const ON_ITS_WAY: Duration = Duration::from_millis(500);

/// The connections that a pool has given out and nobody uses at the moment.
#[derive(Default)]
pub(super) struct Sessions {
    state: Mutex<State>,
    /// How many are in use.
    lent: AtomicUsize,
    /// Where the server grants fewer connections than the pool would open: one permit for each, and since when.
    granted: Mutex<Option<(Instant, Arc<Semaphore>)>>,
}

/// Counts a connection in use, or one that is waited for.
pub(super) struct Lent {
    home: Arc<Sessions>,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Drop for Lent {
    fn drop(&mut self) {
        self.home.lent.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Sessions {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A kept connection, or one of the pool's.
    pub(super) async fn acquire(self: &Arc<Self>, link: &Link) -> Result<(Kept, Lent), sqlx::Error> {
        let (kept, lent, _) = self.take(link).await?;
        Ok((kept, lent))
    }

    /// A connection that comes back here after a call that went well.
    pub(super) async fn statements(
        self: &Arc<Self>,
        link: &Arc<Link>,
        patience: Duration,
    ) -> Result<PgStatements, sqlx::Error> {
        let (Kept { mut connection, since }, lent, of_the_pool) = self.take(link).await?;
        if of_the_pool && link.is_old(KEPT_FOR) {
            sqlx::raw_sql(AssertSqlSafe(refresh_durability())).execute(&mut *connection).await?;
        }
        let link = link.clone();
        Ok(PgStatements { connection: Some(connection), since, settled: true, link, _lent: lent, patience })
    }

    /// The server grants no more connections than are in use now: from here on, calls wait for those.
    pub(super) fn be_content(&self) {
        let in_use = self.lent.load(Ordering::Relaxed).max(1);
        let mut granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
        granted.get_or_insert_with(|| (Instant::now(), Arc::new(Semaphore::new(in_use))));
    }

    async fn lend(self: &Arc<Self>, patience: Duration) -> Result<Lent, sqlx::Error> {
        let granted = {
            let mut granted = self.granted.lock().unwrap_or_else(PoisonError::into_inner);
            // The server may have more of them by now.
            granted.take_if(|(since, _)| since.elapsed() > KEPT_FOR);
            granted.clone()
        };
        let permit = match granted {
            None => None,
            Some((_, granted)) => match timeout(patience, granted.acquire_owned()).await {
                Ok(permit) => permit.ok(),
                Err(_) => return Err(sqlx::Error::PoolTimedOut),
            },
        };
        self.lent.fetch_add(1, Ordering::Relaxed);
        Ok(Lent { home: self.clone(), _permit: permit })
    }

    /// A connection, and whether it comes from the pool.
    async fn take(self: &Arc<Self>, link: &Link) -> Result<(Kept, Lent, bool), sqlx::Error> {
        let lent = self.lend(link.connect_timeout()).await?;
        // Under one lock: either the next one that comes free is kept before this looks, or it is seen that
        // somebody waits, and goes to the pool.
        let _waiting = {
            let mut state = self.state();
            if let Some(kept) = state.kept.pop() {
                return Ok((kept, lent, false));
            }
            state.waiting += 1;
            Waiting(self)
        };
        if !link.is_borrowed() {
            self.wait_for_those_on_their_way(&link.pool).await;
        }
        loop {
            let mut connection = link.pool.acquire().await?;
            let doubted = self.state().doubted.is_some_and(|at| at.elapsed() < KEPT_FOR);
            if !doubted || connection.ping().await.is_ok() {
                return Ok((Kept { connection, since: Instant::now() }, lent, true));
            }
            connection.close_on_drop();
        }
    }

    /// A connection that was let go of is back in its pool a moment later. Not waiting for it would open
    /// another one, which may be one more than the role is granted.
    async fn wait_for_those_on_their_way(&self, pool: &PgPool) {
        let started = Instant::now();
        loop {
            // This call is counted already, and has none.
            let in_use = self.lent.load(Ordering::Relaxed).saturating_sub(1);
            if pool.num_idle() > 0 || pool.size() as usize <= in_use || started.elapsed() > ON_ITS_WAY {
                return;
            }
            tokio::task::yield_now().await;
            if pool.num_idle() == 0 {
                sleep(Duration::from_micros(200)).await;
            }
        }
    }

    /// Keeps it, unless the pool should have it; dropped, it goes there.
    pub(super) fn give_back(&self, kept: Kept) {
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
    link: Arc<Link>,
    _lent: Lent,
    patience: Duration,
}

impl PgStatements {
    /// The connection for one statement, its link, and whether to trust it, which is for the statement to
    /// say.
    fn parts(&mut self) -> (&mut PoolConnection<Postgres>, &Link, &mut bool) {
        self.settled = false;
        let connection = self.connection.as_mut().expect("it is there until the drop");
        (connection, &self.link, &mut self.settled)
    }
}

impl Drop for PgStatements {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if self.settled {
            self.link.sessions.give_back(Kept { connection, since: self.since });
        } else {
            // What ended this one may have ended all of them, and each would cost a call one of its tries.
            let mut state = self.link.sessions.state();
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
    async fn execute(&mut self, sql: &Statement, binds: &[Value]) -> Result<u64, StoreError> {
        let patience = Some(self.patience);
        let (connection, link, settled) = self.parts();
        let done = link.answer(patience, query(sql, binds, true).execute(&mut **connection)).await;
        *settled = is_answer(&done);
        // It is a transaction of its own.
        Ok(done.map_err(StoreError::of_a_change)?.rows_affected())
    }

    async fn fetch(&mut self, sql: &Statement, binds: &[Value]) -> Result<Vec<Row>, StoreError> {
        let patience = Some(self.patience);
        let (connection, link, settled) = self.parts();
        let rows = link.answer(patience, query(sql, binds, true).fetch_all(&mut **connection)).await;
        *settled = is_answer(&rows);
        rows?.iter().map(read_row).collect()
    }
}
