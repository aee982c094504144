//! The audit: who changed which key, when, why, and what the row was before.

use super::list::Builder;
use super::{Executor, KeyRow, Row, RowState, Store, StoreError, Value};
use crate::protocol::{Timestamp, ascii_json};

/// Who changes something, and on whose order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Actor {
    /// The command, as typed: `reap-stuck`.
    pub command: String,
    /// The user at the operating system.
    pub user: Option<String>,
    /// The host.
    pub host: Option<String>,
    /// Why, as given by `--reason`.
    pub reason: Option<String>,
}

/// One entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// When, by the database's clock.
    pub at: Timestamp,
    /// The key.
    pub key: String,
    /// Its scope.
    pub scope: String,
    /// The command that did it.
    pub command: String,
    /// What it did: `reaped`.
    pub action: String,
    /// The user.
    pub actor: Option<String>,
    /// The host.
    pub host: Option<String>,
    /// The reason that was given.
    pub reason: Option<String>,
    /// The row before, as JSON, without bodies.
    pub row_before: Option<String>,
}

impl AuditEntry {
    pub(super) fn read(row: &mut Row) -> Result<Self, StoreError> {
        Ok(Self {
            at: {
                let at = row.time()?;
                row.required(at)?
            },
            key: row.some_text()?,
            scope: row.some_text()?,
            command: row.some_text()?,
            action: row.some_text()?,
            actor: row.text()?,
            host: row.text()?,
            reason: row.text()?,
            row_before: row.text()?,
        })
    }
}

/// Which entries of the audit to read. Everything that is set must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AuditFilter {
    /// Since this moment.
    pub since: Option<Timestamp>,
    /// Until this moment.
    pub until: Option<Timestamp>,
    /// By this command.
    pub command: Option<String>,
    /// Of this key.
    pub key: Option<String>,
    /// In this scope.
    pub scope: Option<String>,
}

impl Store {
    /// Whether changes are audited here: an adopted table works without the audit table.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn has_audit(&self) -> Result<bool, StoreError> {
        let row = self.read_one(&self.sql.audit_exists, &[]).await?;
        Ok(match row {
            Some(mut row) => row.int()? == Some(1),
            None => false,
        })
    }

    /// What was done to a key in any scope, the oldest first; also when the key is gone.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn audit_of_key(&self, key: &str) -> Result<Vec<AuditEntry>, StoreError> {
        let rows = self.read(&self.sql.audit_of_key, &self.audit_binds(key)).await?;
        rows.into_iter().map(|mut row| AuditEntry::read(&mut row)).collect()
    }

    pub(super) fn audit_binds(&self, key: &str) -> [Value; 2] {
        [self.mapping.name.to_string().into(), key.into()]
    }

    /// The table's entries that match, the newest first, and the moment they were read at.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn audit(&self, filter: &AuditFilter, limit: u32) -> Result<Vec<AuditEntry>, StoreError> {
        let mut query = Builder::default();
        query.compare("table_name", "=", self.mapping.name.to_string());
        for (column, value) in
            [("command", &filter.command), ("idempotency_key", &filter.key), ("scope", &filter.scope)]
        {
            if let Some(value) = value {
                query.compare(column, "=", value.as_str());
            }
        }
        if let Some(since) = filter.since {
            query.compare("at", ">=", since);
        }
        if let Some(until) = filter.until {
            query.compare("at", "<=", until);
        }
        let selected = query.finish("at DESC, id DESC", limit);
        let (sql, binds) = self.selecting(&self.sql.audit_rows, selected)?;
        let rows = match self.read(&sql, &binds).await {
            Ok(rows) => rows,
            Err(error) => return self.nothing_holds(error, &binds).await.map(|()| Vec::new()),
        };
        rows.into_iter().map(|mut row| AuditEntry::read(&mut row)).collect()
    }

    /// The entry of a change to a row.
    pub(super) fn entry(&self, actor: &Actor, action: &str, before: &KeyRow) -> Entry {
        Entry([
            self.mapping.name.to_string().into(),
            before.key_text().into(),
            before.scope_text().into(),
            actor.command.as_str().into(),
            action.into(),
            actor.user.as_deref().into(),
            actor.host.as_deref().into(),
            actor.reason.as_deref().into(),
            ascii_json(&row_as_json(before)).into(),
        ])
    }

    /// The entry of a change that has no key: it concerns them all.
    pub(super) fn entry_for_all(&self, actor: &Actor, action: &str) -> Entry {
        Entry([
            self.mapping.name.to_string().into(),
            "".into(),
            "".into(),
            actor.command.as_str().into(),
            action.into(),
            actor.user.as_deref().into(),
            actor.host.as_deref().into(),
            actor.reason.as_deref().into(),
            Value::Text(None),
        ])
    }

    /// Writes it, in the transaction of the change itself.
    pub(super) async fn write_audit(&self, on: &mut dyn Executor, entry: &Entry) -> Result<(), StoreError> {
        on.execute(&self.sql.audit_insert, &entry.0).await?;
        Ok(())
    }

    /// Whether the entry was written since then. A row has each of its states once, so that no other
    /// change of it leaves the same entry.
    pub(super) async fn was_audited(
        &self,
        on: &mut dyn Executor,
        entry: &Entry,
        since: Timestamp,
    ) -> Result<bool, StoreError> {
        let mut binds = entry.0.to_vec();
        binds.push(since.into());
        let row = on.fetch_one(&self.sql.audit_written, &binds).await?;
        let mut row = row.ok_or_else(|| StoreError::corrupt("a count has no row"))?;
        Ok(row.int()?.is_some_and(|count| count > 0))
    }
}

/// What an entry binds.
pub(super) struct Entry([Value; 9]);

fn row_as_json(row: &KeyRow) -> String {
    let status = match &row.state {
        RowState::Known(status) => Some(status.as_str()),
        RowState::Kept(stored) | RowState::Unknown(stored) => stored.as_deref(),
    };
    serde_json::json!({
        "key": row.key_text(),
        "scope": row.scope_text(),
        "status": status,
        "attempt": row.attempt,
        "owner": row.owner,
        "claim_token": row.token_text(),
        "request_hash": row.request_hash,
        "retry_allowed": row.retry_allowed,
        "failure": row.failure,
        "response_status": row.response_status,
        "response_bytes": row.response_bytes,
        "created_at": row.created_at,
        "claimed_at": row.claimed_at,
        "last_heartbeat": row.renewed_at,
        "lease_expires_at": row.lease_expires_at,
        "finished_at": row.finished_at,
        "expires_at": row.expires_at,
    })
    .to_string()
}
