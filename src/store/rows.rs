//! Reading rows: one key, or pages of a list.

use super::{
    AuditEntry, ErrorKind, Purpose, Row, Sql, Store, StoreError, Value, Visibility, VisibilityFlags,
};
use crate::protocol::{Answer, Record, Status, StuckRule, Timestamp, Token, Verdict};
use crate::table::{ClaimRules, Columns, ExpiredRule, FailedRule, Ident, Mapping};

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
    /// A reference to what the request created.
    pub response_ref: Option<String>,
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
    /// From when on the key counts as new; `None` where it never does.
    pub expires_at: Option<Timestamp>,
    /// Clocks that are not written as the mapping declares, or hold a moment up to 2000-01-01: the
    /// column, and what is in it. Such a row is never touched by a pass.
    pub unreadable: Vec<(String, String)>,
    /// How the application treats rows, as far as the mapping says.
    pub rules: ClaimRules,
    /// The database's clock when the row was read.
    pub read_at: Timestamp,
    /// What names the row beside its key, where the key does not name a single one.
    pub(super) locator: Vec<String>,
    /// Everything that can change, as it was read, to be compared with in a change.
    pub(super) seen: Vec<Value>,
}

impl KeyRow {
    /// Reads `{record}, {now}`.
    pub(crate) fn read(row: &mut Row, mapping: &Mapping, columns: &Columns) -> Result<Self, StoreError> {
        let mut key = Vec::with_capacity(mapping.key.len());
        for _ in &mapping.key {
            key.push(row.text()?.unwrap_or_default());
        }
        let mut scope = Vec::with_capacity(mapping.scope.len());
        for _ in &mapping.scope {
            scope.push(row.text()?);
        }
        let mut locator = Vec::new();
        for _ in 0..mapping.locator_columns(columns) {
            locator.push(row.text()?.unwrap_or_default());
        }
        let stored = row.text()?;
        let state = match mapping.state.status(stored.as_deref()) {
            Some(status) => RowState::Known(status),
            None => RowState::Unknown(stored.clone()),
        };
        let request_hash = row.text()?;
        let response_status = row.number()?;
        let response_headers = row.text()?;
        let response_bytes = row.int()?;
        let token = row.token()?;
        let attempt = row.int()?;
        let owner = row.text()?;
        let retry_allowed = row.bool()?;
        let failure = row.text()?;
        let response_ref = if mapping.is_owned() { None } else { row.text()? };
        let mut seen = vec![stored.clone().into(), token.into(), attempt.into(), Value::Bool(retry_allowed)];
        let mut unreadable = Vec::new();
        let mut clocks = [None; 6];
        for (clock, at) in mapping.read_clocks().zip(&mut clocks) {
            let value = row.value()?;
            let Some(clock) = clock else {
                seen.push(Value::Time(None));
                continue;
            };
            *at = value.as_ref().and_then(|value| clock.encoding.decode(value));
            let is_implausible = at.is_some_and(|at| at <= Timestamp::OLDEST_PLAUSIBLE);
            if let Some(value) = value.as_ref().filter(|_| at.is_none() || is_implausible) {
                unreadable.push((clock.column.to_string(), value.to_string()));
            }
            seen.push(value.unwrap_or_else(|| clock.encoding.bound(Timestamp::MAX).null()));
        }
        let [created_at, claimed_at, renewed_at, lease_expires_at, finished_at, expires_at] = clocks;
        let claimed_at = claimed_at.or(created_at);
        let has_expiry =
            mapping.clocks.expires.is_some() && seen.last().is_some_and(|last| last.null() != *last);
        Ok(Self {
            key,
            scope,
            state,
            stored_state: stored,
            request_hash,
            response_status,
            response_headers,
            response_bytes,
            response_ref,
            token,
            attempt,
            owner,
            retry_allowed,
            failure,
            created_at,
            claimed_at: claimed_at.or(renewed_at),
            renewed_at: renewed_at.or(claimed_at),
            lease_expires_at,
            finished_at,
            expires_at: match (mapping.clocks.ttl, created_at) {
                (Some(ttl), Some(created)) if !has_expiry => Some(created.plus(ttl)),
                _ => expires_at,
            },
            unreadable,
            rules: mapping.claim,
            read_at: {
                let now = row.time()?;
                row.required(now)?
            },
            locator,
            seen,
        })
    }

    /// The key as people write it; the columns of a key of several with commas between them.
    pub fn key_text(&self) -> String {
        joined(self.key.iter().map(|part| Some(part.as_str())))
    }

    /// The scope as people write it; NULL is `\N`.
    pub fn scope_text(&self) -> String {
        joined(self.scope.iter().map(Option::as_deref))
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
        // A table without an expiry keeps its rows for ever.
        let expires_at = match self.rules.expired {
            Some(ExpiredRule::Protocol) => time(self.expires_at, "expires_at")?,
            _ => self.expires_at.unwrap_or(Timestamp::MAX),
        };
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
            expires_at,
        })
    }

    /// Whether it is past its expiry.
    pub fn is_expired(&self) -> bool {
        self.expires_at.is_some_and(|at| at <= self.read_at)
    }

    /// Whether the reaper would take it, were its age limit this rule's.
    pub fn is_stuck(&self, rule: StuckRule) -> bool {
        let silent = self
            .renewed_at
            .is_some_and(|at| at > Timestamp::OLDEST_PLAUSIBLE && at <= self.read_at.minus(rule.older_than));
        self.state == RowState::Known(Status::InProgress) && silent && !self.is_leased(self.read_at)
    }

    /// A clock as it was read, by its place in the record.
    pub(super) fn seen_clock(&self, role: usize) -> &Value {
        const CLOCKS: usize = 4;
        &self.seen[CLOCKS + role]
    }

    /// Whether its lease runs at `at`.
    pub fn is_leased(&self, at: Timestamp) -> bool {
        self.lease_expires_at.is_some_and(|until| until > at)
    }

    /// What a retry of the same request would get now, as far as the mapping says how the application
    /// treats such a row.
    pub fn verdict(&self) -> Verdict {
        let RowState::Known(status) = self.state else { return Verdict::Unknown };
        let expired = self.is_expired();
        match (status, self.rules.expired) {
            (Status::InProgress, Some(ExpiredRule::Protocol)) => Verdict::Wait,
            // Nobody can say when it expires.
            (_, rule)
                if rule != Some(ExpiredRule::Protocol)
                    && !self.unreadable.is_empty()
                    && self.expires_at.is_none_or(|at| at <= Timestamp::OLDEST_PLAUSIBLE) =>
            {
                Verdict::Unknown
            }
            (_, Some(ExpiredRule::Protocol | ExpiredRule::Absent)) if expired => Verdict::Execute,
            (Status::InProgress, None) if expired => Verdict::Unknown,
            // Somebody may take it over at any time.
            (Status::InProgress, _) if self.rules.reopens && !self.is_leased(self.read_at) => {
                Verdict::Unknown
            }
            (Status::InProgress, _) => Verdict::Wait,
            (Status::Completed, None) if expired => Verdict::Unknown,
            (Status::Completed, _) => Verdict::Replay,
            (Status::Failed, expiry) => match (self.rules.failed, self.retry_allowed) {
                (Some(FailedRule::Retry), _) | (Some(FailedRule::ByRow), Some(true)) => Verdict::Execute,
                _ if expired && expiry.is_none() => Verdict::Unknown,
                (Some(FailedRule::Final | FailedRule::ByRow), _) => Verdict::FinalFailure,
                (None, _) => Verdict::Unknown,
            },
        }
    }
}

/// The parts of a name as one text. A single part is itself; of several, commas and backslashes within
/// them are escaped, so that no two names are written alike.
fn joined<'p>(parts: impl ExactSizeIterator<Item = Option<&'p str>>) -> String {
    let single = parts.len() == 1;
    parts
        .map(|part| match part {
            None => "\\N".to_owned(),
            Some(part) if single => part.to_owned(),
            Some(part) => part.replace('\\', "\\\\").replace(',', "\\,"),
        })
        .collect::<Vec<_>>()
        .join(",")
}

/// All that is known of a key.
#[derive(Debug)]
pub struct ExaminedKey {
    /// Every scope's row.
    pub rows: Vec<KeyRow>,
    /// What was done to the key, the oldest first.
    pub history: Vec<AuditEntry>,
    /// What part of the table was seen.
    pub visibility: Visibility,
}

/// Which rows of a key, or of the whole table, belong to a scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScopeFilter {
    /// The scope of a table whose scope is one column.
    Plain(String),
    /// These columns hold these values; `None` is NULL. Columns that are not named may hold any.
    Columns(Vec<(Ident, Option<String>)>),
}

impl From<&str> for ScopeFilter {
    fn from(scope: &str) -> Self {
        Self::Plain(scope.to_owned())
    }
}

impl From<String> for ScopeFilter {
    fn from(scope: String) -> Self {
        Self::Plain(scope)
    }
}

impl ScopeFilter {
    /// The columns that are compared, each with its value.
    pub(super) fn conditions<'f>(
        &'f self,
        mapping: &'f Mapping,
    ) -> Result<Vec<(&'f Ident, Option<&'f str>)>, StoreError> {
        match self {
            Self::Plain(scope) => match mapping.scope.as_slice() {
                [one] => Ok(vec![(one, Some(scope.as_str()))]),
                [] if scope.is_empty() => Ok(Vec::new()),
                [] => {
                    Err(StoreError::new(ErrorKind::Input, format!("the table {} has no scope", mapping.name)))
                }
                several => {
                    let names: Vec<String> = several.iter().map(ToString::to_string).collect();
                    Err(StoreError::new(
                        ErrorKind::Input,
                        format!(
                            "the scope of {} is of several columns ({}): name each as COLUMN=VALUE",
                            mapping.name,
                            names.join(", ")
                        ),
                    ))
                }
            },
            Self::Columns(parts) => parts
                .iter()
                .map(|(column, value)| {
                    if !mapping.scope.contains(column) {
                        return Err(StoreError::new(
                            ErrorKind::Input,
                            format!("{column:?} is no scope column of {}", mapping.name),
                        ));
                    }
                    Ok((column, value.as_deref()))
                })
                .collect(),
        }
    }
}

impl Store {
    /// A whole scope as people write it; `None` where the filter leaves columns open.
    pub fn scope_text(&self, scope: &ScopeFilter) -> Option<String> {
        let named = scope.conditions(&self.mapping).ok()?;
        let parts: Option<Vec<Option<&str>>> = self
            .mapping
            .scope
            .iter()
            .map(|column| named.iter().find(|(known, _)| *known == column).map(|(_, value)| *value))
            .collect();
        Some(joined(parts?.into_iter()))
    }

    pub(super) fn key_row(&self, row: &mut Row) -> Result<KeyRow, StoreError> {
        KeyRow::read(row, &self.mapping, &self.columns)
    }

    /// All that is known of a key: every scope's row and its history, read in one transaction with the
    /// check of the schema. Each round trip saved is one less that the person on call waits for.
    ///
    /// # Errors
    /// As [`Store::check_schema`], and when the database can't be asked.
    pub async fn examine(&self, key: &str) -> Result<ExaminedKey, StoreError> {
        self.examine_parts(&[key.to_owned()], None).await
    }

    /// [`Store::examine`] of a key of any number of columns, in the rows of a scope.
    ///
    /// # Errors
    /// As [`Store::examine`]; [`ErrorKind::Input`] when the key has another number of columns.
    pub async fn examine_parts(
        &self,
        key: &[String],
        scope: Option<&ScopeFilter>,
    ) -> Result<ExaminedKey, StoreError> {
        let (sql, binds) = self.key_query(key, scope)?;
        let mut transaction = self.backend.begin(Purpose::Read).await?;
        let mut flags = self.columns.flags;
        if self.mapping.is_owned() {
            match transaction.fetch(&self.sql.migrations_applied, &[]).await {
                Ok(rows) => flags = self.check_schema_in(rows)?,
                // No such table: said in the words for that.
                Err(error) if error.kind() == ErrorKind::Schema => {
                    return Err(self.check_schema().await.err().unwrap_or(error));
                }
                Err(error) => return Err(error),
            }
        }
        let rows = transaction.fetch(&sql, &binds).await?;
        let rows = rows.into_iter().map(|mut row| self.key_row(&mut row)).collect::<Result<_, _>>()?;
        // Beside an adopted table there may be no audit.
        let audited = self.mapping.is_owned()
            || match transaction.fetch_one(&self.sql.audit_exists, &[]).await? {
                Some(mut row) => row.int()? == Some(1),
                None => false,
            };
        let mut history = Vec::new();
        if audited {
            let binds = self.audit_binds(&joined(key.iter().map(|part| Some(part.as_str()))));
            for mut row in transaction.fetch(&self.sql.audit_of_key, &binds).await? {
                history.push(AuditEntry::read(&mut row)?);
            }
        }
        if flags != VisibilityFlags::default() {
            // What is asked now needs no second connection.
            transaction.rollback().await?;
        }
        let visibility = self.visibility(flags).await?;
        Ok(ExaminedKey { rows, history, visibility })
    }

    /// Every scope's row of one key.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn inspect(&self, key: &str) -> Result<Vec<KeyRow>, StoreError> {
        self.inspect_parts(&[key.to_owned()], None).await
    }

    /// [`Store::inspect`] of a key of any number of columns, in the rows of a scope.
    ///
    /// # Errors
    /// When the database can't be asked; [`ErrorKind::Input`] when the key has another number of
    /// columns.
    pub async fn inspect_parts(
        &self,
        key: &[String],
        scope: Option<&ScopeFilter>,
    ) -> Result<Vec<KeyRow>, StoreError> {
        let (sql, binds) = self.key_query(key, scope)?;
        let rows = self.read(&sql, &binds).await?;
        rows.into_iter().map(|mut row| self.key_row(&mut row)).collect()
    }

    fn key_query(
        &self,
        key: &[String],
        scope: Option<&ScopeFilter>,
    ) -> Result<(Sql, Vec<Value>), StoreError> {
        let names: Vec<String> = self.mapping.key.iter().map(ToString::to_string).collect();
        if key.len() != names.len() {
            return Err(StoreError::new(
                ErrorKind::Input,
                format!(
                    "a key of {} is of {} columns ({}): name each as COLUMN=VALUE",
                    self.mapping.name,
                    names.len(),
                    names.join(", ")
                ),
            ));
        }
        let mut binds: Vec<Value> = key.iter().map(|part| part.as_str().into()).collect();
        let mut sql = self.sql.inspect.clone();
        if let Some(scope) = scope {
            let fragments = self.fragments();
            let mut conditions = String::new();
            for (column, value) in scope.conditions(&self.mapping)? {
                conditions.push_str(&match value {
                    None => format!("{} IS NULL AND ", fragments.quote(column)),
                    Some(value) => {
                        binds.push(value.into());
                        format!("{} AND ", fragments.equals(column, &format!("${}", binds.len())))
                    }
                });
            }
            sql = Sql::new(sql.as_str().replacen("WHERE ", &format!("WHERE {conditions}"), 1));
        }
        Ok((sql, binds))
    }

    /// One row as it is now, with its stored answer: both of one moment, so that the answer is never
    /// another acquisition's. `None` when the row is gone.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn with_answer(&self, row: &KeyRow) -> Result<Option<(KeyRow, Option<Answer>)>, StoreError> {
        let sql = self.for_row(&self.sql.claim_read, row);
        let Some(mut found) = self.read_one(&sql, &name_binds(row)).await? else {
            return Ok(None);
        };
        let row = self.key_row(&mut found)?;
        let answer = super::keys::read_answer(&mut found, &self.mapping)?;
        Ok(Some((row, answer)))
    }

    /// A statement on a single row, for this one: a scope of NULL is asked for by name.
    pub(super) fn for_row(&self, sql: &Sql, row: &KeyRow) -> Sql {
        if row.scope.iter().all(Option::is_some) {
            return sql.clone();
        }
        let fragments = self.fragments();
        let mut text = sql.as_str().to_owned();
        for (index, _) in row.scope.iter().enumerate().filter(|(_, part)| part.is_none()) {
            if let Some((equals, is_null)) = fragments.scope_conditions(index) {
                text = text.replace(&equals, &is_null);
            }
        }
        Sql::new(text)
    }
}

/// The binds of `{row_match}`.
pub(super) fn name_binds(row: &KeyRow) -> Vec<Value> {
    let mut binds: Vec<Value> = row.key.iter().map(|part| part.as_str().into()).collect();
    binds.extend(row.scope.iter().map(|part| Value::Text(part.clone())));
    binds.extend(row.locator.iter().map(|part| part.as_str().into()));
    binds
}
