//! The hosts of a database and the pool to the one that is used: it is found, lost, and found again.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgConnection, PgPool, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection as _, Row as _};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::backend::{RAW_ENCODING, describe, describe_host};
use super::sessions::{Kept, Sessions};
use crate::dialect::backend::Timeouts;
use crate::dialect::{ErrorKind, StoreError};

/// A host that is named earlier may answer by so much later and is still preferred.
const HEAD_START: Duration = Duration::from_millis(500);

/// How long one that takes writes is looked for while a failover may be under way: that takes some seconds.
const SEARCH_PATIENCE: Duration = Duration::from_secs(5);

/// A server that has not answered a statement for so long is asked by another connection whether it lives.
const SUSPICIOUS: Duration = Duration::from_secs(2);

/// A setting of nobody's that only a session of our own has. A pooler takes the place of the server while a
/// connection starts, and keeps it to itself: it refuses it or forgets it.
pub(super) const MARK: (&str, &str) = ("idemctl.direct", "1");

/// The pool to one host.
pub(super) struct Link {
    pub(super) pool: PgPool,
    /// What of the pool is kept between calls.
    pub(super) sessions: Arc<Sessions>,
    pub(super) target: String,
    timeouts: Timeouts,
    /// The pool is the application's: its connections keep their settings.
    borrowed: bool,
    /// The connections ask for our mark.
    marked: bool,
    /// The sessions may be another client's after each transaction: nothing of ours may stay on them.
    shared: Arc<AtomicBool>,
    /// A connection has found a database in SQL_ASCII.
    raw_text: Arc<AtomicBool>,
    /// Its last word was that the connection broke, or that it takes no writes.
    doubted: AtomicBool,
    /// How often one of them said so.
    losses: Arc<AtomicU64>,
    /// Others may take its place.
    several: bool,
    since: Instant,
}

impl Link {
    /// Whether each transaction has to bring its own settings, and statements no names.
    pub(super) fn is_shared(&self) -> bool {
        self.borrowed || self.shared.load(Ordering::Relaxed)
    }

    /// Whether named statements may be used: a lent pool's connections are its owner's alone.
    pub(super) fn is_prepared(&self) -> bool {
        self.borrowed || !self.shared.load(Ordering::Relaxed)
    }

    /// Whether a text there need not be UTF-8, as far as it was looked at.
    pub(super) fn has_raw_text(&self) -> bool {
        self.raw_text.load(Ordering::Relaxed)
    }

    /// How often a connection broke, or the host took no writes; hosts that were used before count as well.
    pub(super) fn losses(&self) -> u64 {
        self.losses.load(Ordering::Relaxed)
    }

    /// Takes note of the encoding that a session of somebody else's got for our transaction, see
    /// [`super::backend::RAW_ENCODING`].
    pub(super) fn hear_of_encoding(&self, encoding: &str) {
        self.raw_text.store(encoding == "SQL_ASCII", Ordering::Relaxed);
    }

    pub(super) fn connect_timeout(&self) -> Duration {
        self.timeouts.connect
    }

    pub(super) fn is_borrowed(&self) -> bool {
        self.borrowed
    }

    /// Whether the server itself was seen at the other end; `None` where that was not looked at.
    pub(super) fn is_direct(&self) -> Option<bool> {
        (self.marked && self.pool.size() > 0).then(|| !self.shared.load(Ordering::Relaxed))
    }

    pub(super) fn is_old(&self, age: Duration) -> bool {
        self.since.elapsed() > age
    }

    /// Keeps a connection for the next call; a lent one goes back to its pool.
    pub(super) fn take_back(&self, kept: Kept) {
        if !self.borrowed {
            self.sessions.give_back(kept);
        }
    }

    /// Takes note of how a call went: after a broken connection, and after a refusal to write, the next one
    /// looks for the host that takes writes.
    pub(super) fn hear(&self, error: &StoreError) {
        let lost = error.is_disconnect();
        // With one host: what its name leads to may have changed.
        let read_only = error.kind() == ErrorKind::ReadOnly;
        if lost || read_only {
            self.losses.fetch_add(1, Ordering::Relaxed);
        }
        if !self.borrowed && (lost && self.several || read_only) {
            self.doubted.store(true, Ordering::Relaxed);
        }
    }

    /// Waits for an answer of this host. Where there are others, a host that answers no new connection
    /// either is given up early.
    pub(super) async fn answer<T>(
        &self,
        patience: Option<Duration>,
        run: impl Future<Output = Result<T, sqlx::Error>>,
    ) -> Result<T, StoreError> {
        let answered = self.wait_for(patience, run).await;
        if let Err(error) = &answered {
            self.hear(error);
        }
        answered
    }

    async fn wait_for<T>(
        &self,
        patience: Option<Duration>,
        run: impl Future<Output = Result<T, sqlx::Error>>,
    ) -> Result<T, StoreError> {
        let Some(patience) = patience else { return Ok(run.await?) };
        let silent = |after: Duration| {
            StoreError::new(ErrorKind::Unreachable, format!("the database does not answer within {after:?}"))
        };
        if !self.several {
            return Ok(timeout(patience, run).await.map_err(|_| silent(patience))??);
        }
        let mut run = std::pin::pin!(run);
        let suspicious = SUSPICIOUS.min(patience);
        if let Ok(answer) = timeout(suspicious, &mut run).await {
            return Ok(answer?);
        }
        tokio::select! {
            answer = &mut run => return Ok(answer?),
            lives = self.lives() => if !lives {
                return Err(silent(suspicious + self.timeouts.connect));
            }
        }
        Ok(timeout(patience, run).await.map_err(|_| silent(patience))??)
    }

    /// Whether it answers a new connection, with whatever.
    async fn lives(&self) -> bool {
        let options = self.pool.connect_options();
        let attempt = async {
            let mut connection = PgConnection::connect_with(&options).await?;
            connection.ping().await?;
            let _ = connection.close().await;
            Ok::<_, sqlx::Error>(())
        };
        match timeout(self.timeouts.connect, attempt).await {
            Ok(Ok(()) | Err(sqlx::Error::Database(_))) => true,
            Ok(Err(_)) | Err(_) => false,
        }
    }

    /// The pool only says that it waited in vain; one more try tells why.
    pub(super) async fn why_not_connected(&self) -> Option<StoreError> {
        let options = self.pool.connect_options();
        let attempt = PgConnection::connect_with(&options);
        match timeout(Duration::from_secs(1), attempt).await {
            Ok(Err(error)) => Some(error.into()),
            Ok(Ok(_)) | Err(_) => None,
        }
    }
}

/// The link in use, and what it takes to make another one.
pub(super) struct Links {
    /// In the order they were listed.
    candidates: Vec<PgConnectOptions>,
    timeouts: Timeouts,
    max_connections: u32,
    current: Mutex<Arc<Link>>,
    /// One search at a time; the others wait for what it finds.
    searching: tokio::sync::Mutex<()>,
}

impl Links {
    /// To the only host there is, unless that `must_write`, or to the first that takes writes. Where a standby
    /// answers and no primary, one may be about to take over.
    pub(super) async fn connect(
        candidates: Vec<PgConnectOptions>,
        timeouts: Timeouts,
        prepared: bool,
        max_connections: u32,
        must_write: bool,
    ) -> Result<Self, StoreError> {
        let first = match candidates.as_slice() {
            [_] if !must_write => 0,
            [_] => writable(&candidates, 0, timeouts).await?,
            several => search(several, 0, timeouts, |error| error.kind() == ErrorKind::ReadOnly).await?,
        };
        let several = candidates.len() > 1;
        let link = new_link(&candidates[first], timeouts, max_connections, prepared, several, Arc::default());
        Ok(Self {
            candidates,
            timeouts,
            max_connections,
            current: Mutex::new(Arc::new(link)),
            searching: tokio::sync::Mutex::default(),
        })
    }

    /// On a pool that the application has.
    pub(super) fn lent(pool: PgPool, timeouts: Timeouts) -> Self {
        let link = Link {
            target: describe(&pool.connect_options()),
            pool,
            sessions: Arc::default(),
            timeouts,
            borrowed: true,
            marked: false,
            shared: Arc::default(),
            raw_text: Arc::default(),
            doubted: AtomicBool::new(false),
            losses: Arc::default(),
            several: false,
            since: Instant::now(),
        };
        Self {
            candidates: Vec::new(),
            timeouts,
            max_connections: 0,
            current: Mutex::new(Arc::new(link)),
            searching: tokio::sync::Mutex::default(),
        }
    }

    pub(super) fn has_several(&self) -> bool {
        self.candidates.len() > 1
    }

    /// The link in use, whatever its state.
    pub(super) fn current(&self) -> Arc<Link> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn replace(&self, link: Link) -> Arc<Link> {
        let link = Arc::new(link);
        *self.current.lock().unwrap_or_else(PoisonError::into_inner) = link.clone();
        link
    }

    /// The link for the next call: where the last one lost it, to the host that takes writes now.
    pub(super) async fn get(&self) -> Result<Arc<Link>, StoreError> {
        let link = self.current();
        if !link.doubted.load(Ordering::Relaxed) {
            return Ok(link);
        }
        let _one = self.searching.lock().await;
        let link = self.current();
        if !link.doubted.load(Ordering::Relaxed) {
            return Ok(link);
        }
        let found = match self.candidates.as_slice() {
            [one] => one.clone(),
            several => {
                // Rather the one that it was, if it is well after all.
                let last = several.iter().position(|one| describe(one) == link.target).unwrap_or(0);
                let passes = |error: &StoreError| error.kind() != ErrorKind::Refused;
                several[search(several, last, self.timeouts, passes).await?].clone()
            }
        };
        let prepared = link.marked;
        let several = self.has_several();
        let losses = link.losses.clone();
        Ok(self.replace(new_link(&found, self.timeouts, self.max_connections, prepared, several, losses)))
    }

    /// What stands between us and the server does not take our mark: no session there is ours alone.
    pub(super) async fn without_mark(&self, refused: &Arc<Link>) -> Arc<Link> {
        let _one = self.searching.lock().await;
        let link = self.current();
        if !Arc::ptr_eq(&link, refused) {
            return link;
        }
        let Some(options) = self.candidates.iter().find(|one| describe(one) == link.target) else {
            return link;
        };
        let losses = link.losses.clone();
        self.replace(new_link(
            options,
            self.timeouts,
            self.max_connections,
            false,
            self.has_several(),
            losses,
        ))
    }

    /// Whether that is why no connection was made.
    pub(super) fn is_mark_refused(link: &Link, error: &sqlx::Error) -> bool {
        let sqlx::Error::Database(error) = error else { return false };
        let speaks_of_it = ["startup", "options", MARK.0].iter().any(|word| error.message().contains(word));
        link.marked && (error.code().as_deref() == Some("08P01") || speaks_of_it)
    }
}

fn new_link(
    options: &PgConnectOptions,
    timeouts: Timeouts,
    max_connections: u32,
    marked: bool,
    several: bool,
    losses: Arc<AtomicU64>,
) -> Link {
    let shared = Arc::new(AtomicBool::new(!marked));
    let seen = shared.clone();
    let raw_text = Arc::new(AtomicBool::new(false));
    let found_raw_text = raw_text.clone();
    let pool = PgPoolOptions::new()
        .max_connections(max_connections)
        .acquire_timeout(timeouts.connect)
        // A dead connection shows itself in the first statement, and every call of ours may be
        // repeated; a ping before each would cost a round trip.
        .test_before_acquire(false)
        .after_connect(move |connection, _| {
            let (shared, raw_text) = (seen.clone(), found_raw_text.clone());
            Box::pin(async move {
                if marked {
                    let (is_ours, is_raw) = own_session(connection, timeouts).await?;
                    raw_text.store(is_raw, Ordering::Relaxed);
                    if !is_ours {
                        shared.store(true, Ordering::Relaxed);
                    }
                }
                Ok(())
            })
        });
    let marked_options = if marked { options.clone().options([MARK]) } else { options.clone() };
    Link {
        pool: pool.connect_lazy_with(marked_options),
        sessions: Arc::default(),
        target: describe(options),
        timeouts,
        borrowed: false,
        marked,
        shared,
        raw_text,
        doubted: AtomicBool::new(false),
        losses,
        several,
        since: Instant::now(),
    }
}

/// Sets what a write needs for the whole session if the session is ours alone, in one round trip; false
/// when it is not, and nothing was set. Also whether a text there need not be UTF-8, see [`super::backend::RAW_ENCODING`].
async fn own_session(connection: &mut PgConnection, timeouts: Timeouts) -> Result<(bool, bool), sqlx::Error> {
    let is_ours = format!("current_setting('{}', true) = '{}'", MARK.0, MARK.1);
    let set = format!(
        "SELECT {is_ours}, CASE WHEN {is_ours} THEN concat(\
         set_config('default_transaction_isolation', 'read committed', false), \
         set_config('lock_timeout', '{}', false), set_config('statement_timeout', '{}', false), \
         set_config('synchronous_commit', {}, false), \
         set_config('client_encoding', {RAW_ENCODING}, false)) END, \
         current_setting('server_encoding') = 'SQL_ASCII'",
        timeouts.lock.as_millis(),
        timeouts.statement.as_millis(),
        durable("current_setting('synchronous_commit')"),
    );
    match sqlx::raw_sql(AssertSqlSafe(set)).fetch_one(connection).await {
        Ok(row) => {
            let is_true =
                |index: usize| Ok::<_, sqlx::Error>(row.try_get::<Option<bool>, _>(index)? == Some(true));
            Ok((is_true(0)?, is_true(2)?))
        }
        // Whatever does not know this is no session of ours.
        Err(sqlx::Error::Database(_)) => Ok((false, false)),
        Err(error) => Err(error),
    }
}

/// A claim or a settlement that a crash forgets is executed twice: what waits for no disk at all is raised,
/// and nothing that waits for more is lowered.
fn durable(setting: &str) -> String {
    format!("CASE {setting} WHEN 'off' THEN 'on' ELSE {setting} END")
}

/// Follows the server's setting, which may have been raised since the session began.
pub(super) fn refresh_durability() -> String {
    format!(
        "SELECT set_config('synchronous_commit', {}, false) FROM pg_settings WHERE name = 'synchronous_commit'",
        durable("reset_val")
    )
}

/// For the transaction at hand.
pub(super) const DURABLE: &str = "SELECT set_config('synchronous_commit', 'on', true) \
                                  WHERE current_setting('synchronous_commit') = 'off'";

/// As [`writable`], again and again while what it fails for `passes`.
async fn search(
    candidates: &[PgConnectOptions],
    first: usize,
    timeouts: Timeouts,
    passes: impl Fn(&StoreError) -> bool,
) -> Result<usize, StoreError> {
    let started = Instant::now();
    let mut pause = Duration::from_millis(100);
    loop {
        let error = match writable(candidates, first, timeouts).await {
            Ok(found) => return Ok(found),
            Err(error) => error,
        };
        if started.elapsed() >= SEARCH_PATIENCE || !passes(&error) {
            return Err(error);
        }
        sleep(pause).await;
        pause = (pause * 2).min(Duration::from_secs(1));
    }
}

/// The position of a host that answers and accepts writes, preferably of `first`, then in their order; else
/// why none does. All are asked at once: one that accepts connections and says nothing holds up nobody.
async fn writable(
    candidates: &[PgConnectOptions],
    first: usize,
    timeouts: Timeouts,
) -> Result<usize, StoreError> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|at| *at != first);
    let mut asked = JoinSet::new();
    for (rank, at) in order.iter().enumerate() {
        let options = candidates[*at].clone();
        asked.spawn(async move {
            let answer = timeout(timeouts.connect, takes_writes(&options)).await;
            (rank, answer)
        });
    }
    let mut errors: Vec<Option<StoreError>> = order.iter().map(|_| None).collect();
    let mut found: Option<usize> = None;
    loop {
        let next = match found {
            None => asked.join_next().await,
            Some(rank) if errors[..rank].iter().all(Option::is_some) => break,
            Some(_) => match timeout(HEAD_START, asked.join_next()).await {
                Ok(next) => next,
                Err(_) => break,
            },
        };
        let Some(answer) = next else { break };
        let Ok((rank, answer)) = answer else { continue };
        let options = &candidates[order[rank]];
        errors[rank] = Some(match answer {
            Ok(Ok(true)) => {
                found = Some(found.map_or(rank, |other| other.min(rank)));
                continue;
            }
            Ok(Ok(false)) => StoreError::new(
                ErrorKind::ReadOnly,
                format!("{} is a read-only standby", describe_host(options)),
            ),
            Ok(Err(error)) => error.into(),
            Err(_) => {
                StoreError::new(ErrorKind::Unreachable, format!("{} does not answer", describe_host(options)))
            }
        });
    }
    if let Some(rank) = found {
        return Ok(order[rank]);
    }
    let said: Vec<String> = order
        .iter()
        .zip(&errors)
        .filter_map(|(at, error)| {
            Some(format!("{}: {}", describe_host(&candidates[*at]), error.as_ref()?.chain()))
        })
        .collect();
    // A host that lives and refuses us says more than one that is away.
    let told = |kind| errors.iter().flatten().any(|error| error.kind() == kind);
    let kind = [ErrorKind::Refused, ErrorKind::ReadOnly]
        .into_iter()
        .find(|kind| told(*kind))
        .unwrap_or(ErrorKind::Unreachable);
    Err(StoreError::new(kind, format!("no host takes writes: {}", said.join("; "))))
}

async fn takes_writes(options: &PgConnectOptions) -> Result<bool, sqlx::Error> {
    let mut connection = PgConnection::connect_with(options).await?;
    let read_only: String = sqlx::query_scalar("SELECT current_setting('transaction_read_only')")
        .persistent(false)
        .fetch_one(&mut connection)
        .await?;
    let _ = connection.close().await;
    Ok(read_only == "off")
}
