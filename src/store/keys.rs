//! The protocol's calls, each once on the store and once on a connection that the caller holds.

use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::{Catalogue, Dialect, ErrorKind, Executor, Purpose, Row, Store, StoreError, Value};
use crate::protocol::{
    Answer, Claim, ClaimOutcome, Decision, Key, Lease, Record, Retry, Scope, Settlement, Status, Timestamp,
    Token, decide,
};
use crate::table::{Mapping, Snapshot};

/// How often a claim looks again when the row changes under its hands. Each round means that
/// somebody else made progress.
const CLAIM_ROUNDS: usize = 32;

/// So many rounds in which nothing changed are no accident.
const BARRED_AFTER: usize = 3;

/// A claim whose statement took longer than this waited for somebody, and carries a moment from
/// before the wait.
const STALE_STAMP: Duration = Duration::from_millis(100);

/// A connection or transaction that the caller holds: `&mut PgConnection`, `&mut SqliteConnection`,
/// and `&mut *transaction` of either.
pub trait CallerConnection: sealed::Sealed + Send {}

mod sealed {
    use crate::store::{Dialect, Executor};

    pub trait Sealed {
        const DIALECT: Dialect;
        #[allow(private_interfaces, reason = "sealed: nobody outside can name it")]
        fn executor(&mut self) -> Box<dyn Executor + '_>;
    }
}

#[cfg(feature = "postgres")]
impl CallerConnection for sqlx::PgConnection {}
#[cfg(feature = "postgres")]
impl sealed::Sealed for sqlx::PgConnection {
    const DIALECT: Dialect = Dialect::Postgres;
    #[allow(private_interfaces, reason = "sealed: nobody outside can name it")]
    fn executor(&mut self) -> Box<dyn Executor + '_> {
        Box::new(crate::dialect::postgres::PgCaller(self))
    }
}

#[cfg(feature = "sqlite")]
impl CallerConnection for sqlx::SqliteConnection {}
#[cfg(feature = "sqlite")]
impl sealed::Sealed for sqlx::SqliteConnection {
    const DIALECT: Dialect = Dialect::Sqlite;
    #[allow(private_interfaces, reason = "sealed: nobody outside can name it")]
    fn executor(&mut self) -> Box<dyn Executor + '_> {
        Box::new(crate::dialect::sqlite::SqliteCaller(self))
    }
}

impl Store {
    /// Asks for a key. Exactly one of any number of parallel claims gets [`ClaimOutcome::Claimed`].
    ///
    /// A broken connection is retried: the token makes the repetition harmless.
    ///
    /// # Errors
    /// When the database can't be asked. It is then unknown whether the claim took effect; asking
    /// again with the same [`Claim`] tells.
    pub async fn claim(&self, claim: &Claim) -> Result<ClaimOutcome, StoreError> {
        self.claim_for(Purpose::Write, claim).await
    }

    async fn claim_for(&self, purpose: Purpose, claim: &Claim) -> Result<ClaimOutcome, StoreError> {
        // Whoever asks again waits for locks in doing so.
        let passes = |error: &StoreError| purpose != Purpose::Ask && error.is_transient();
        self.with_retries_when(true, passes, || async {
            let mut session = self.backend.session(purpose).await?;
            let outcome = Calls::new(self, session.executor()).claim(claim, Some(claim.lease)).await?;
            session.end().await?;
            Ok(outcome)
        })
        .await
    }

    /// Asks for a key and, while somebody else is at work, asks again until `patience` is over. Somebody whose
    /// transaction is open and holds the key is at work as well: a lock is waited for like any other claim.
    ///
    /// # Errors
    /// As [`Store::claim`].
    pub async fn wait(&self, claim: &Claim, patience: Duration) -> Result<ClaimOutcome, StoreError> {
        if patience.is_zero() {
            return self.claim(claim).await;
        }
        // Without a deadline where the clock has no such moment.
        let deadline = Instant::now().checked_add(patience);
        let mut pause = Duration::from_millis(25);
        loop {
            let asked = self.claim_for(Purpose::Ask, claim).await;
            let left =
                deadline.map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()));
            match asked {
                Ok(ClaimOutcome::InProgress { .. }) if !left.is_zero() => {}
                Err(error) if error.is_transient() && !left.is_zero() => {}
                Err(error) if error.is_a_lock() => {
                    return self.locked_by_somebody(claim).await;
                }
                other => return other,
            }
            sleep(pause.min(left)).await;
            pause = (pause * 2).min(Duration::from_secs(1));
        }
    }

    /// What a claim is answered whose key somebody's open transaction holds: whatever the row was before it,
    /// nobody knows what it will be.
    async fn locked_by_somebody(&self, claim: &Claim) -> Result<ClaimOutcome, StoreError> {
        let (record, now) = self.record(&claim.key, &claim.scope).await?;
        let running = record.filter(|record| record.status == Status::InProgress);
        Ok(ClaimOutcome::InProgress {
            since: running.as_ref().map_or(now, |record| record.claimed_at),
            lease: running.and_then(|record| record.lease_expires_at),
        })
    }

    /// A heartbeat: extends the lease to `lease` from now.
    ///
    /// # Errors
    /// [`ErrorKind::StaleClaim`] when the token does not hold the key any more.
    pub async fn renew(
        &self,
        key: &Key,
        scope: &Scope,
        token: Token,
        lease: Lease,
    ) -> Result<(), StoreError> {
        self.with_retries(true, || async {
            let mut session = self.backend.session(Purpose::Write).await?;
            Calls::new(self, session.executor()).renew(key, scope, token, lease).await?;
            session.end().await
        })
        .await
    }

    /// Stores the answer; every retry gets it from now on.
    ///
    /// # Errors
    /// [`ErrorKind::StaleClaim`] when the token does not hold the key any more;
    /// [`ErrorKind::Input`] when the body is over the limit: complete then with
    /// [`Answer::without_body`], since what has been executed must not run again.
    pub async fn complete(
        &self,
        key: &Key,
        scope: &Scope,
        token: Token,
        answer: &Answer,
    ) -> Result<(), StoreError> {
        self.settle(key, scope, token, &Settlement::Completed { answer: answer.clone() }).await
    }

    /// Records that the work failed, and whether a later claim may try again.
    ///
    /// # Errors
    /// As [`Store::complete`].
    pub async fn fail(
        &self,
        key: &Key,
        scope: &Scope,
        token: Token,
        reason: &str,
        retry: Retry,
        answer: Option<&Answer>,
    ) -> Result<(), StoreError> {
        let settlement = Settlement::Failed { reason: reason.to_owned(), retry, answer: answer.cloned() };
        self.settle(key, scope, token, &settlement).await
    }

    /// [`Store::complete`] or [`Store::fail`], as `settlement` says.
    ///
    /// # Errors
    /// As [`Store::complete`].
    pub async fn settle(
        &self,
        key: &Key,
        scope: &Scope,
        token: Token,
        settlement: &Settlement,
    ) -> Result<(), StoreError> {
        self.with_retries(true, || async {
            let mut session = self.backend.session(Purpose::Write).await?;
            Calls::new(self, session.executor()).settle(key, scope, token, settlement).await?;
            session.end().await
        })
        .await
    }

    /// [`Store::claim`] inside a connection or transaction that the caller holds.
    ///
    /// The claim has no lease and can't be renewed elsewhere: it is visible only when the
    /// transaction commits, and gone when it rolls back. Parallel claims of the key wait for that
    /// instead of hearing [`ClaimOutcome::InProgress`].
    ///
    /// ```no_run
    /// # use idemctl::protocol::{Answer, Claim, ClaimOutcome};
    /// # async fn handle(store: idemctl::store::Store, pool: sqlx::PgPool, claim: Claim) -> Result<(), Box<dyn std::error::Error>> {
    /// let mut tx = pool.begin().await?;
    /// if let ClaimOutcome::Claimed { token, .. } = store.claim_on(&mut *tx, &claim).await? {
    ///     // ... the business write, in the same transaction ...
    ///     let answer = Answer::new(201, "created");
    ///     store.complete_on(&mut *tx, &claim.key, &claim.scope, token, &answer).await?;
    /// }
    /// tx.commit().await?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// Serialization and deadlock errors go to the caller, who rolls back and starts again.
    pub async fn claim_on<C: CallerConnection>(
        &self,
        connection: &mut C,
        claim: &Claim,
    ) -> Result<ClaimOutcome, StoreError> {
        let mut executor = self.on(connection)?;
        Calls::new(self, &mut *executor).claim(claim, None).await
    }

    /// [`Store::renew`] on the caller's connection.
    ///
    /// # Errors
    /// As [`Store::renew`]; the caller then rolls back.
    pub async fn renew_on<C: CallerConnection>(
        &self,
        connection: &mut C,
        key: &Key,
        scope: &Scope,
        token: Token,
        lease: Lease,
    ) -> Result<(), StoreError> {
        let mut executor = self.on(connection)?;
        Calls::new(self, &mut *executor).renew(key, scope, token, lease).await
    }

    /// [`Store::complete`] on the caller's connection. In the transaction of the business write it
    /// closes the window in which a crash leaves the work done and the key open.
    ///
    /// When the commit's answer is lost, ask with [`Store::claim`] under the same token before the work is
    /// done again: this call says `Ok` to a repetition, and the business write beside it would be made
    /// twice.
    ///
    /// # Errors
    /// As [`Store::complete`]; the caller then rolls back.
    pub async fn complete_on<C: CallerConnection>(
        &self,
        connection: &mut C,
        key: &Key,
        scope: &Scope,
        token: Token,
        answer: &Answer,
    ) -> Result<(), StoreError> {
        let settlement = Settlement::Completed { answer: answer.clone() };
        self.settle_on(connection, key, scope, token, &settlement).await
    }

    /// [`Store::settle`] on the caller's connection.
    ///
    /// # Errors
    /// As [`Store::complete`]; the caller then rolls back.
    pub async fn settle_on<C: CallerConnection>(
        &self,
        connection: &mut C,
        key: &Key,
        scope: &Scope,
        token: Token,
        settlement: &Settlement,
    ) -> Result<(), StoreError> {
        let mut executor = self.on(connection)?;
        Calls::new(self, &mut *executor).settle(key, scope, token, settlement).await
    }

    fn on<'c, C: CallerConnection>(
        &self,
        connection: &'c mut C,
    ) -> Result<Box<dyn Executor + 'c>, StoreError> {
        if C::DIALECT.as_str() != self.dialect().as_str() {
            return Err(StoreError::new(
                ErrorKind::Input,
                format!("a {} connection for a {} store", C::DIALECT.as_str(), self.dialect().as_str()),
            ));
        }
        Ok(connection.executor())
    }

    /// Claims and completes `count` keys in one transaction: rows for demonstrations and benchmarks,
    /// written by the protocol's own statements.
    ///
    /// # Errors
    /// As [`Store::claim`]; nothing was written then.
    pub async fn insert_completed(
        &self,
        prefix: &str,
        scope: &str,
        count: u32,
        answer: &Answer,
    ) -> Result<(), StoreError> {
        let scope = Scope::new(scope)?;
        let settlement = Settlement::Completed { answer: answer.clone() };
        let mut transaction = self.backend.begin(Purpose::Write).await?;
        for number in 0..count {
            let claim = Claim::new(Key::new(format!("{prefix}{number}"))?, scope.clone());
            let mut calls = Calls::new(self, transaction.executor());
            if let ClaimOutcome::Claimed { token, .. } = calls.claim(&claim, Some(claim.lease)).await? {
                calls.settle(&claim.key, &scope, token, &settlement).await?;
            }
        }
        transaction.commit().await
    }

    /// Only the table that `idemctl migrate` creates can be claimed in: another one's application has a
    /// protocol of its own.
    fn refuse_adopted(&self) -> Result<(), StoreError> {
        if self.mapping.is_owned() {
            return Ok(());
        }
        Err(StoreError::new(
            ErrorKind::Input,
            format!("keys of {} are claimed and settled by the application that owns it", self.mapping.name),
        ))
    }

    /// The row as the protocol sees it, and the moment it was read at.
    ///
    /// # Errors
    /// When the database can't be asked; [`ErrorKind::Input`] on an adopted table.
    pub async fn record(&self, key: &Key, scope: &Scope) -> Result<(Option<Record>, Timestamp), StoreError> {
        self.refuse_adopted()?;
        let mut transaction = self.backend.begin(Purpose::Read).await?;
        let found = Calls::new(self, transaction.executor()).read(key, scope).await?;
        transaction.commit().await?;
        match found {
            Some((record, now)) => Ok((Some(record), now)),
            None => Ok((None, self.now().await?)),
        }
    }
}

/// The protocol on one connection.
struct Calls<'c> {
    sql: &'c Catalogue,
    store: &'c Store,
    on: &'c mut dyn Executor,
}

impl<'c> Calls<'c> {
    fn new(store: &'c Store, on: &'c mut dyn Executor) -> Self {
        Self { sql: &store.sql, store, on }
    }

    async fn claim(&mut self, claim: &Claim, lease: Option<Lease>) -> Result<ClaimOutcome, StoreError> {
        self.store.refuse_adopted()?;
        let lease = lease.map(Lease::as_micros);
        let owner = match &claim.owner {
            Some(owner) => Some(self.store.storable_on(self.on, owner).await?),
            None => None,
        };
        let binds: Vec<Value> = vec![
            claim.key.as_str().into(),
            claim.scope.as_str().into(),
            claim.fingerprint.as_ref().map(ToString::to_string).into(),
            claim.token.into(),
            owner.into(),
            claim.if_lost.is_allowed().into(),
            lease.into(),
            claim.ttl.as_micros().into(),
        ];
        let (mut last, mut repeats) = (None, 0);
        for _ in 0..CLAIM_ROUNDS {
            let asked = Instant::now();
            if self.on.execute(&self.sql.claim_insert, &binds).await.map_err(StoreError::of_a_name)? == 1 {
                if self.restamp_after(asked, claim, lease).await? {
                    return Ok(ClaimOutcome::Claimed { token: claim.token, attempt: 1 });
                }
                continue;
            }
            let found = self.read(&claim.key, &claim.scope).await?;
            // Whatever comes in between changes what is read. Where nothing changes, and the row still can be
            // neither made nor taken over, something else keeps us from it.
            let seen = Some(found.as_ref().map(|(record, _)| (record.token, record.claimed_at)));
            repeats = if seen == last { repeats + 1 } else { 0 };
            last = seen;
            if repeats >= BARRED_AFTER
                && let Some(error) = self.barred().await?
            {
                return Err(error);
            }
            let Some((record, now)) = found else {
                // Purged or rolled back between the collision and the read: ask again.
                continue;
            };
            let (attempt, as_absent) = match decide(Some(&record), claim, now) {
                // Our own, from a try whose answer was lost, maybe for longer than the lease. It may be reaped,
                // settled or purged since it was read.
                Decision::Answer(outcome @ ClaimOutcome::Claimed { .. }) => {
                    if self.restamp(claim, lease).await? {
                        return Ok(outcome);
                    }
                    continue;
                }
                Decision::Answer(outcome) => return Ok(outcome),
                Decision::Acquire { attempt, as_absent } => (attempt, as_absent),
            };
            let mut binds = binds.clone();
            binds.extend([
                i64::from(record.attempt).into(),
                record.claimed_at.into(),
                as_absent.into(),
                // It was compared by its own rule, so it may be the other spelling of this request's.
                record.fingerprint.into(),
            ]);
            let asked = Instant::now();
            if self.on.execute(&self.sql.claim_take_over, &binds).await? == 1
                && self.restamp_after(asked, claim, lease).await?
            {
                return Ok(ClaimOutcome::Claimed { token: claim.token, attempt });
            }
        }
        if repeats + 1 >= CLAIM_ROUNDS {
            return Err(StoreError::new(
                ErrorKind::Other,
                "nothing was claimed: the database neither keeps a new row of the key nor changes the one that is \
                 there, and no other claim is in the way; a trigger or a rule on the table may do that",
            ));
        }
        Err(StoreError::new(
            ErrorKind::Conflict,
            format!("the row changed {CLAIM_ROUNDS} times while it was being claimed"),
        ))
    }

    /// A lease taken after a wait must not be born short. False when the claim was taken away meanwhile.
    async fn restamp_after(
        &mut self,
        asked: Instant,
        claim: &Claim,
        lease: Option<i64>,
    ) -> Result<bool, StoreError> {
        if asked.elapsed() < STALE_STAMP {
            return Ok(true);
        }
        self.restamp(claim, lease).await
    }

    /// Starts lease and ttl of our own claim anew. False when it is ours no more.
    async fn restamp(&mut self, claim: &Claim, lease: Option<i64>) -> Result<bool, StoreError> {
        let binds = [
            claim.key.as_str().into(),
            claim.scope.as_str().into(),
            claim.token.into(),
            lease.into(),
            claim.ttl.as_micros().into(),
        ];
        Ok(self.on.execute(&self.sql.claim_restamp, &binds).await? == 1)
    }

    /// The error that says so, where row level security keeps the role from rows of the table.
    async fn barred(&mut self) -> Result<Option<StoreError>, StoreError> {
        if !self.store.dialect().has_row_security() {
            return Ok(None);
        }
        let name = self.store.mapping.name.quoted(self.store.dialect());
        let row = self.on.fetch_one(&self.sql.row_security, &[name.into()]).await?;
        let mut row = row.ok_or_else(|| StoreError::corrupt("row level security can't be asked for"))?;
        let applies = row.bool()?;
        let role = row.text()?;
        let role = row.required(role)?;
        Ok(row.required(applies)?.then(|| {
            StoreError::new(
                ErrorKind::Right,
                format!(
                    "the row of the key is hidden from the role {role:?}, or closed to it: row level security \
                     applies to {}, and its policies do not let this row be read and updated",
                    self.store.mapping.name
                ),
            )
        }))
    }

    /// Why a change under this token changed nothing. A row that still is what the change asks for was kept
    /// from it, and no worker took the claim away.
    async fn not_changed(&mut self, found: Option<&Record>, token: Token) -> Result<StoreError, StoreError> {
        let is_ours =
            found.is_some_and(|record| record.token == Some(token) && record.status == Status::InProgress);
        if (found.is_none() || is_ours)
            && let Some(error) = self.barred().await?
        {
            return Ok(error);
        }
        if is_ours {
            let kept = self.store.kept_words_on(self.on).await;
            return Ok(StoreError::new(
                ErrorKind::Other,
                format!("the row of the key was not changed: {kept}"),
            ));
        }
        Ok(StoreError::stale())
    }

    async fn renew(
        &mut self,
        key: &Key,
        scope: &Scope,
        token: Token,
        lease: Lease,
    ) -> Result<(), StoreError> {
        self.store.refuse_adopted()?;
        let binds = [key.as_str().into(), scope.as_str().into(), token.into(), lease.as_micros().into()];
        match self.on.execute(&self.sql.renew, &binds).await? {
            0 => {
                let found = self.read(key, scope).await?.map(|(record, _)| record);
                Err(self.not_changed(found.as_ref(), token).await?)
            }
            _ => Ok(()),
        }
    }

    async fn settle(
        &mut self,
        key: &Key,
        scope: &Scope,
        token: Token,
        settlement: &Settlement,
    ) -> Result<(), StoreError> {
        self.store.refuse_adopted()?;
        if let Some(answer) = settlement.answer() {
            answer.check(self.store.answer_limit)?;
        }
        let mut binds: Vec<Value> = vec![key.as_str().into(), scope.as_str().into(), token.into()];
        binds.extend(answer_binds(settlement.answer()));
        let (sql, settled) = match settlement {
            Settlement::Completed { .. } => (&self.sql.complete, Status::Completed),
            Settlement::Failed { reason, retry, .. } => {
                let reason = self.store.storable_on(self.on, reason).await?;
                binds.extend([reason.into(), retry.is_allowed().into()]);
                (&self.sql.fail, Status::Failed)
            }
        };
        if self.on.execute(sql, &binds).await? == 1 {
            return Ok(());
        }
        // Nothing in progress under this token. If it settled the row in the same way before, this
        // is a repetition after a broken connection: the first outcome stands.
        match self.read(key, scope).await?.map(|(record, _)| record) {
            Some(record) if record.token == Some(token) && record.status == settled => Ok(()),
            found => Err(self.not_changed(found.as_ref(), token).await?),
        }
    }

    async fn read(&mut self, key: &Key, scope: &Scope) -> Result<Option<(Record, Timestamp)>, StoreError> {
        let binds = [key.as_str().into(), scope.as_str().into()];
        let Some(mut row) = self.on.fetch_one(&self.sql.claim_read, &binds).await? else {
            return Ok(None);
        };
        let key_row = self.store.key_row(&mut row)?;
        let now = key_row.read_at;
        let answer = read_answer(&mut row, &self.store.mapping)?;
        Ok(Some((key_row.into_record(answer)?, now)))
    }
}

fn answer_binds(answer: Option<&Answer>) -> [Value; 4] {
    use crate::protocol::Body;
    let Some(answer) = answer else {
        return [Value::Int(None), Value::Text(None), Value::Bytes(None), Value::Int(None)];
    };
    let body = match &answer.body {
        Body::Kept(bytes) => Some(bytes.clone()),
        Body::Omitted { .. } => None,
    };
    [
        answer.status.map(i64::from).into(),
        answer.headers_to_json().into(),
        body.into(),
        i64::try_from(answer.body_bytes()).unwrap_or(i64::MAX).into(),
    ]
}

/// Reads the four columns of `{answer}`; `None` when nothing was stored.
pub(super) fn read_answer(row: &mut Row, mapping: &Mapping) -> Result<Option<Answer>, StoreError> {
    use crate::protocol::Body;
    let mut status = row.number()?;
    let headers = row.text()?;
    let mut body = row.bytes()?;
    let bytes = row.int()?;
    if let (Some(snapshot), Some(document)) = (&mapping.shown.snapshot, &body) {
        let (found, part) = open_snapshot(snapshot, document);
        status = status.or(found);
        body = part;
    }
    if status.is_none() && headers.is_none() && body.is_none() && bytes.is_none() {
        return Ok(None);
    }
    let body = match body {
        Some(body) => Body::Kept(body),
        None => Body::Omitted { bytes: bytes.and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or(0) },
    };
    let headers = match Answer::headers_from_json(headers.as_deref()) {
        Ok(headers) => headers,
        // Every application stores its headers in its own way; the answer is worth more than they are.
        Err(_) if !mapping.is_owned() => Vec::new(),
        Err(error) => return Err(StoreError::corrupt(error)),
    };
    Ok(Some(Answer {
        status: status
            .map(i32::try_from)
            .transpose()
            .map_err(|_| StoreError::corrupt("the stored status is out of range"))?,
        headers,
        body,
    }))
}

/// Status and body out of an answer that is stored as one JSON document. A body that is a string there
/// is that text; any other is its JSON, as the document has it. A document that is none is the body.
fn open_snapshot(snapshot: &Snapshot, document: &[u8]) -> (Option<i64>, Option<Vec<u8>>) {
    use serde_json::value::RawValue;
    type Members<'d> = std::collections::BTreeMap<String, &'d RawValue>;
    fn member<'d>(document: &'d str, path: &str) -> Option<&'d str> {
        path.split('.').try_fold(document, |inner, level| {
            let members: Members<'d> = serde_json::from_str(inner).ok()?;
            members.get(level).map(|raw| raw.get())
        })
    }
    let Ok(text) = std::str::from_utf8(document) else { return (None, Some(document.to_vec())) };
    let status = snapshot.status.as_deref().and_then(|path| member(text, path));
    let status = status.and_then(|raw| raw.trim_matches('"').parse().ok());
    let body = match snapshot.body.as_deref() {
        None => Some(text),
        Some(path) => member(text, path),
    };
    let body = body.map(|raw| match serde_json::from_str::<String>(raw) {
        Ok(text) => text.into_bytes(),
        Err(_) => raw.as_bytes().to_vec(),
    });
    (status, body)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Ident;

    #[test]
    fn a_snapshot_is_taken_apart_and_its_parts_are_left_as_they_are() {
        let snapshot = |status: Option<&str>, body: Option<&str>| Snapshot {
            column: Ident::new("response").unwrap(),
            status: status.map(str::to_owned),
            body: body.map(str::to_owned),
        };
        let open = |snapshot: &Snapshot, text: &str| {
            let (status, body) = open_snapshot(snapshot, text.as_bytes());
            (status, body.map(|body| String::from_utf8(body).unwrap()))
        };
        let both = snapshot(Some("meta.code"), Some("body"));
        assert_eq!(
            open(&both, r#"{"meta": {"code": 201}, "body": {"b": 1.0,  "a": 2}}"#),
            (Some(201), Some(r#"{"b": 1.0,  "a": 2}"#.to_owned()))
        );
        assert_eq!(
            open(&both, r#"{"meta": {"code": "201"}, "body": "a\nb"}"#),
            (Some(201), Some("a\nb".to_owned()))
        );
        assert_eq!(open(&both, "[]"), (None, None));
        assert_eq!(open(&snapshot(None, None), "not JSON"), (None, Some("not JSON".to_owned())));
    }
}
