//! Reading rows: one key, or pages of a list.

use super::{AuditEntry, ErrorKind, Purpose, Row, Store, StoreError, Value};
use crate::protocol::{Answer, Record, Status, StuckRule, Timestamp, Token};
use crate::table::Mapping;

/// A row's state as its mapping reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowState {
    /// One of the three.
    Known(Status),
    /// A stored value that the mapping does not list; such a row is never touched.
    Unknown(Option<String>),
}

/// One row of a mapped table, without its body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyRow {
    /// The key's columns.
    pub key: Vec<String>,
    /// The scope's columns.
    pub scope: Vec<Option<String>>,
    /// The state.
    pub state: RowState,
    /// The state as it is written in the row.
    pub stored_state: Option<String>,
    /// The stored fingerprint.
    pub request_hash: Option<String>,
    /// The stored answer's status.
    pub response_status: Option<i64>,
    /// The stored answer's headers, as stored.
    pub response_headers: Option<String>,
    /// The true size of the answer's body.
    pub response_bytes: Option<i64>,
    /// The fencing token.
    pub token: Option<Token>,
    /// Which try it is.
    pub attempt: Option<i64>,
    /// The worker.
    pub owner: Option<String>,
    /// Whether a retry is allowed, or will be should the worker be lost.
    pub retry_allowed: Option<bool>,
    /// Why it failed.
    pub failure: Option<String>,
    /// When the key was first seen.
    pub created_at: Option<Timestamp>,
    /// When it was acquired last.
    pub claimed_at: Option<Timestamp>,
    /// The last sign of life.
    pub renewed_at: Option<Timestamp>,
    /// Until when the lease runs.
    pub lease_expires_at: Option<Timestamp>,
    /// When it was settled.
    pub finished_at: Option<Timestamp>,
    /// From when on the key counts as new.
    pub expires_at: Option<Timestamp>,
    /// The database's clock when the row was read.
    pub read_at: Timestamp,
}

impl KeyRow {
    /// Reads `{record}, {now}`.
    pub(crate) fn read(row: &mut Row, mapping: &Mapping) -> Result<Self, StoreError> {
        let mut key = Vec::with_capacity(mapping.key.len());
        for _ in &mapping.key {
            key.push(row.text()?.unwrap_or_default());
        }
        let mut scope = Vec::with_capacity(mapping.scope.len());
        for _ in &mapping.scope {
            scope.push(row.text()?);
        }
        let stored = row.text()?;
        let state = match mapping.state.status(stored.as_deref()) {
            Some(status) => RowState::Known(status),
            None => RowState::Unknown(stored.clone()),
        };
        Ok(Self {
            key,
            scope,
            state,
            stored_state: stored,
            request_hash: row.text()?,
            response_status: row.int()?,
            response_headers: row.text()?,
            response_bytes: row.int()?,
            token: row.token()?,
            attempt: row.int()?,
            owner: row.text()?,
            retry_allowed: row.bool()?,
            failure: row.text()?,
            created_at: row.time()?,
            claimed_at: row.time()?,
            renewed_at: row.time()?,
            lease_expires_at: row.time()?,
            finished_at: row.time()?,
            expires_at: row.time()?,
            read_at: {
                let now = row.time()?;
                row.required(now)?
            },
        })
    }

    /// The key as people write it.
    pub fn key_text(&self) -> String {
        self.key.join(",")
    }

    /// The scope as people write it.
    pub fn scope_text(&self) -> String {
        self.scope.iter().map(|part| part.as_deref().unwrap_or_default()).collect::<Vec<_>>().join(",")
    }

    /// The row as the protocol sees it, with `answer` as its answer.
    ///
    /// # Errors
    /// When a column that the protocol needs is NULL or out of range.
    pub fn into_record(self, answer: Option<Answer>) -> Result<Record, StoreError> {
        let status = match self.state {
            RowState::Known(status) => status,
            RowState::Unknown(stored) => {
                return Err(StoreError::corrupt(format!("the row has the unknown state {stored:?}")));
            }
        };
        let time = |at: Option<Timestamp>, column: &str| {
            at.ok_or_else(|| StoreError::corrupt(format!("{column} is NULL")))
        };
        let claimed_at = time(self.claimed_at, "claimed_at")?;
        Ok(Record {
            status,
            fingerprint: self.request_hash,
            answer,
            token: self.token,
            attempt: u32::try_from(self.attempt.unwrap_or(1))
                .map_err(|_| StoreError::corrupt("attempt is out of range"))?,
            owner: self.owner,
            retry_allowed: self.retry_allowed.unwrap_or(false),
            failure: self.failure,
            created_at: self.created_at.unwrap_or(claimed_at),
            claimed_at,
            renewed_at: self.renewed_at.unwrap_or(claimed_at),
            lease_expires_at: self.lease_expires_at,
            finished_at: self.finished_at,
            expires_at: time(self.expires_at, "expires_at")?,
        })
    }

    /// Whether it is past its expiry.
    pub fn is_expired(&self) -> bool {
        self.expires_at.is_some_and(|at| at <= self.read_at)
    }

    /// Whether the reaper would take it, were its age limit this rule's.
    pub fn is_stuck(&self, rule: StuckRule) -> bool {
        self.clone().into_record(None).is_ok_and(|record| rule.is_stuck(&record, self.read_at))
    }
}

impl Store {
    /// All that is known of a key: every scope's row and its history, read in one transaction with the
    /// check of the schema. Each round trip saved is one less that the person on call waits for.
    ///
    /// # Errors
    /// As [`Store::check_schema`], and when the database can't be asked.
    pub async fn examine(&self, key: &str) -> Result<(Vec<KeyRow>, Vec<AuditEntry>), StoreError> {
        let mut transaction = self.backend.begin(Purpose::Read).await?;
        match transaction.fetch(&self.sql.migrations_applied, &[]).await {
            Ok(rows) => self.check_schema_in(rows)?,
            // No such table: said in the words for that.
            Err(error) if error.kind() == ErrorKind::Schema => {
                return self.check_schema().await.and(Err(error));
            }
            Err(error) => return Err(error),
        }
        let rows = transaction.fetch(&self.sql.inspect, &[key.into()]).await?;
        let history = transaction.fetch(&self.sql.audit_of_key, &self.audit_binds(key)).await?;
        Ok((
            rows.into_iter()
                .map(|mut row| KeyRow::read(&mut row, &self.mapping))
                .collect::<Result<_, _>>()?,
            history.into_iter().map(|mut row| AuditEntry::read(&mut row)).collect::<Result<_, _>>()?,
        ))
    }

    /// Every scope's row of one key.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn inspect(&self, key: &str) -> Result<Vec<KeyRow>, StoreError> {
        let rows = self.read(&self.sql.inspect, &[key.into()]).await?;
        rows.into_iter().map(|mut row| KeyRow::read(&mut row, &self.mapping)).collect()
    }

    /// One row as it is now, with its stored answer: both of one moment, so that the answer is never
    /// another acquisition's. `None` when the row is gone.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn with_answer(&self, row: &KeyRow) -> Result<Option<(KeyRow, Option<Answer>)>, StoreError> {
        let Some(mut found) = self.read_one(&self.sql.claim_read, &name_binds(row)).await? else {
            return Ok(None);
        };
        let row = KeyRow::read(&mut found, &self.mapping)?;
        Ok(Some((row, super::keys::read_answer(&mut found)?)))
    }
}

/// The binds of `{row_match}`.
pub(super) fn name_binds(row: &KeyRow) -> Vec<Value> {
    let mut binds: Vec<Value> = row.key.iter().map(|part| part.as_str().into()).collect();
    binds.extend(row.scope.iter().map(|part| Value::Text(part.clone())));
    binds
}
