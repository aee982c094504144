//! What may hold a janitor back: a pause that an operator set in the database, and standbys that lag.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::audit::Actor;
use super::{Confirmed, Doubt, ErrorKind, Purpose, Row, Store, StoreError};
use crate::protocol::Timestamp;

/// A pause of every janitor of this database.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PauseRow {
    /// Why.
    pub reason: String,
    /// Since when.
    pub since: Timestamp,
    /// Until when; `None` is until somebody resumes.
    pub until: Option<Timestamp>,
    /// Who.
    pub actor: Option<String>,
    /// From which host.
    pub host: Option<String>,
}

impl PauseRow {
    pub(super) fn read(mut row: Row) -> Result<Self, StoreError> {
        let reason = row.some_text()?;
        let since = row.time()?;
        let since = row.required(since)?;
        Ok(Self { reason, since, until: row.time()?, actor: row.text()?, host: row.text()? })
    }
}

/// How far the standbys are behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lag {
    /// The slowest one that replays is so far behind; zero where there is none.
    Behind(Duration),
    /// A standby is behind, and nobody has measured yet how far.
    Unknown,
    /// The role may not look.
    Unreadable,
}

impl Store {
    /// The pause that is on, if one is.
    ///
    /// # Errors
    /// When the database can't be asked; [`ErrorKind::Schema`] where it can't be paused.
    pub async fn pause(&self) -> Result<Option<PauseRow>, StoreError> {
        self.read_one(&self.sql.pause_read, &[]).await?.map(PauseRow::read).transpose()
    }

    /// Pauses every janitor of this database, for `length` or until somebody resumes.
    ///
    /// # Errors
    /// When the database can't be written.
    pub async fn set_pause(
        &self,
        reason: &str,
        length: Option<Duration>,
        actor: &Actor,
        _confirmed: &Confirmed,
    ) -> Result<PauseRow, StoreError> {
        let length = length.map(|length| i64::try_from(length.as_micros()).unwrap_or(i64::MAX));
        let (actor, reason) = (&self.storable_actor(actor).await?, self.storable(reason).await?);
        let binds = [reason.into(), length.into(), actor.user.clone().into(), actor.host.clone().into()];
        let (entry, doubt) = (self.entry_for_all(actor, "paused"), Doubt::default());
        let since = self.now().await?;
        // To pause twice is to pause; the audit gets one entry.
        let pause = self
            .with_retries(true, || async {
                let mut transaction = self.backend.begin(Purpose::Write).await?;
                transaction.execute(&self.sql.pause_set, &binds).await?;
                let pause = transaction.fetch_one(&self.sql.pause_read, &[]).await?;
                let on = transaction.executor();
                if !(doubt.is_there() && self.was_audited(on, &entry, since).await?) {
                    self.write_audit(on, &entry).await?;
                }
                doubt.commit(transaction).await?;
                Ok(pause)
            })
            .await?;
        pause.map(PauseRow::read).transpose()?.ok_or_else(|| StoreError::corrupt("the pause was not kept"))
    }

    /// Ends the pause, and says which one that was.
    ///
    /// # Errors
    /// When the database can't be written.
    pub async fn clear_pause(
        &self,
        actor: &Actor,
        _confirmed: &Confirmed,
    ) -> Result<Option<PauseRow>, StoreError> {
        let actor = &self.storable_actor(actor).await?;
        let (entry, doubt) = (self.entry_for_all(actor, "resumed"), Doubt::default());
        let since = self.now().await?;
        // The pause that a try ended whose commit was not answered.
        let ended = Mutex::new(None);
        self.with_retries(true, || async {
            let mut transaction = self.backend.begin(Purpose::Write).await?;
            let pause = transaction.fetch_one(&self.sql.pause_read, &[]).await?;
            let pause = pause.map(PauseRow::read).transpose()?;
            let was_there = transaction.execute(&self.sql.pause_clear, &[]).await? > 0;
            let on = transaction.executor();
            if let (Some(pause), true) = (&pause, was_there) {
                self.write_audit(on, &entry).await?;
                *ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(pause.clone());
            } else if doubt.is_there() && self.was_audited(on, &entry, since).await? {
                return Ok(ended.lock().unwrap_or_else(PoisonError::into_inner).take());
            }
            doubt.commit(transaction).await?;
            Ok(pause.filter(|_| was_there))
        })
        .await
    }

    /// How far the standbys are behind in replaying.
    ///
    /// # Errors
    /// When the database can't be asked; [`ErrorKind::Input`] where there can't be any.
    pub async fn replication_lag(&self) -> Result<Lag, StoreError> {
        if !self.dialect().has_standbys() {
            return Err(StoreError::new(ErrorKind::Input, "this database has no standbys"));
        }
        let row = self.read_one(&self.sql.replication_lag, &[]).await?;
        let mut row = row.ok_or_else(|| StoreError::corrupt("a count has no row"))?;
        let _standbys = row.int()?;
        let hidden = row.some_int()?;
        let unmeasured = row.some_int()?;
        let behind = row.int()?.and_then(|micros| u64::try_from(micros).ok()).unwrap_or(0);
        let may_look = row.int()? == Some(1);
        Ok(if hidden > 0 || !may_look {
            Lag::Unreadable
        } else if unmeasured > 0 {
            Lag::Unknown
        } else {
            Lag::Behind(Duration::from_micros(behind))
        })
    }

    /// Deletes at most `n` entries of the audit that were made before `before`; how many those were.
    ///
    /// # Errors
    /// When the database can't be written.
    pub async fn expire_audit(
        &self,
        before: Timestamp,
        n: u32,
        _confirmed: &Confirmed,
    ) -> Result<u64, StoreError> {
        let mut transaction = self.backend.begin(Purpose::PurgeOrdered).await?;
        let gone = transaction.execute(&self.sql.audit_expire, &[before.into(), i64::from(n).into()]).await?;
        transaction.commit().await?;
        Ok(gone)
    }
}
