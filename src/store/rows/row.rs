//! A row as it was read, and what follows from it.

use super::names::joined;
use std::time::Duration;

use crate::protocol::{Answer, Record, Span, Standing, Status, StuckRule, Timestamp, Token, Verdict, rules};
use crate::store::{Row, StoreError, Value};
use crate::table::{ClaimRules, Columns, ExpiredRule, FailedRule, Ident, Mapping, Meaning};

/// The places of clocks in the record.
pub(in crate::store) const CREATED: usize = 0;

pub(in crate::store) const CLAIMED: usize = 1;

pub(in crate::store) const RENEWED: usize = 2;

pub(in crate::store) const LEASE: usize = 3;

pub(in crate::store) const EXPIRES: usize = 5;

/// Where they begin in what was seen.
pub(in crate::store) const CLOCKS: usize = 4;

pub(in crate::store) const A_DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// A row's state as its mapping reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RowState {
    /// One of the three.
    Known(Status),
    /// A stored value whose rows stay on purpose: no pass touches them.
    Kept(Option<String>),
    /// A stored value that the mapping does not list; such a row is never touched.
    Unknown(Option<String>),
}

/// Why an expiry can't be counted afresh: the column that stands against it, and what is in it.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::store) enum NoSpan {
    /// It can't be read as the mapping says, or holds a moment that no living application set: nothing is computed
    /// from that.
    Unread { column: String, value: String },
    /// The expiry lies before the claim, or less than the shortest ttl after it.
    NotAfterClaim { column: String, value: String },
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
    /// The last heartbeat.
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
    /// The setting that would say what a retry gets, and does not fit the table.
    pub mismatched: Option<&'static str>,
    /// A setting that would say whether it is stuck does not fit the table.
    is_ageless: bool,
    /// How the application treats rows, as far as the mapping says.
    pub rules: ClaimRules,
    /// The database's clock when the row was read.
    pub read_at: Timestamp,
    /// The columns of key and scope, and what names the row beside them where they do not name a single one,
    /// as they were read.
    pub(in crate::store) name: Vec<Option<Value>>,
    /// It has a lease of its own: one that is not the expiry in another role.
    has_lease: bool,
    /// The clocks that can't be read, by their place in the record.
    unread_clocks: Vec<usize>,
    /// Everything that can change, as it was read, to be compared with in a change.
    pub(in crate::store) seen: Vec<Value>,
}

impl KeyRow {
    /// Reads `{record}, {now}`.
    pub(crate) fn read(row: &mut Row, mapping: &Mapping, columns: &Columns) -> Result<Self, StoreError> {
        let mut unreadable = Vec::new();
        let mut name = Vec::with_capacity(mapping.name_columns(columns));
        for _ in 0..mapping.name_columns(columns) {
            name.push(row.value()?);
        }
        for (column, part) in mapping.key.iter().chain(&mapping.scope).zip(&name) {
            if let Some(part @ Value::RawText(_)) = part {
                unreadable.push((column.to_string(), part.to_string()));
            }
        }
        let shown = |part: &Option<Value>| part.as_ref().map(Value::name);
        let (keys, rest) = name.split_at(mapping.key.len());
        let key = keys.iter().map(|part| shown(part).unwrap_or_else(|| "\\N".to_owned())).collect();
        let scope = rest.iter().take(mapping.scope.len()).map(shown).collect();
        let stored_value = row.value()?;
        let stored = stored_value.as_ref().map(Value::name);
        let marks = mapping.state.marks.len();
        let is_marked = marks > 0 && row.int()? == Some(1);
        let mut marked_as = Vec::with_capacity(marks);
        for _ in 0..marks {
            marked_as.push(row.value()?.unwrap_or(Value::Text(None)));
        }
        let state = match mapping.state.meaning_of(stored_value.as_ref(), is_marked, columns) {
            Some(Meaning::Status(status)) => RowState::Known(status),
            Some(Meaning::Kept) => RowState::Kept(stored.clone()),
            None => RowState::Unknown(stored.clone()),
        };
        let request_hash = row.text()?;
        let response_status = row.number()?;
        let response_headers = row.text()?;
        let response_bytes = row.number()?;
        // What can't be read is shown, and compared as it is: it stops neither a list nor a pass.
        let mut odd = |column: Option<&Ident>, value: &Option<Value>, is_read: bool| {
            if let Some((column, value)) = column.zip(value.as_ref()).filter(|_| !is_read) {
                unreadable.push((column.to_string(), value.to_string()));
            }
        };
        let token_value = row.value()?;
        let token = token_value.as_ref().and_then(Value::as_token);
        odd(mapping.shown.token.as_ref(), &token_value, token.is_some());
        let attempt_value = row.value()?;
        let attempt = attempt_value.as_ref().and_then(Value::as_number);
        odd(mapping.shown.attempt.as_ref(), &attempt_value, attempt.is_some());
        let owner = row.text()?;
        let retry_value = row.value()?;
        let retry_allowed = retry_value.as_ref().and_then(Value::as_flag);
        odd(mapping.shown.retry_allowed.as_ref(), &retry_value, retry_allowed.is_some());
        let failure = row.text()?;
        let response_ref = if mapping.is_owned() { None } else { row.text()? };
        let mut seen = vec![
            stored_value.unwrap_or(Value::Text(None)),
            token_value.unwrap_or(Value::Token(None)),
            attempt_value.unwrap_or(Value::Int(None)),
            retry_value.unwrap_or(Value::Bool(None)),
        ];
        let mut clocks = [None; 6];
        let mut unread_clocks = Vec::new();
        for (role, (clock, at)) in mapping.read_clocks().zip(&mut clocks).enumerate() {
            let value = row.value()?;
            let Some(clock) = clock else {
                seen.push(Value::Time(None));
                continue;
            };
            *at = value.as_ref().and_then(|value| clock.decode(value));
            let is_implausible = at.is_some_and(|at| at <= Timestamp::OLDEST_PLAUSIBLE);
            if let Some(value) = value.as_ref().filter(|_| at.is_none() || is_implausible) {
                unreadable.push((clock.column.to_string(), value.to_string()));
                unread_clocks.push(role);
            }
            seen.push(value.unwrap_or_else(|| clock.bound(Timestamp::MAX).null()));
        }
        let [created_at, claimed_at, renewed_at, lease_expires_at, finished_at, expires_at] = clocks;
        let aged = mapping.clocks.aged.as_ref().and_then(|clock| clock.decode(&seen[CLOCKS + EXPIRES]));
        let claimed_at = claimed_at.or(created_at).or(aged);
        let has_expiry =
            mapping.clocks.expires.is_some() && seen.last().is_some_and(|last| last.null() != *last);
        seen.extend(marked_as);
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
            mismatched: {
                let mut decisive = mapping.expiry_settings();
                decisive.push("table.clock.lease");
                columns.misfit(&decisive).map(|misfit| misfit.setting)
            },
            is_ageless: {
                let mut decisive = mapping.age_settings();
                decisive.push("table.clock.lease");
                columns.misfit(&decisive).is_some()
            },
            has_lease: mapping.lease_of_settled().is_some(),
            rules: mapping.claim,
            read_at: {
                let now = row.time()?;
                row.required(now)?
            },
            name,
            unread_clocks,
            seen,
        })
    }

    /// Whether one of its clocks holds a value that is not written as the mapping says, or that no living
    /// application set; by its place in the record.
    fn is_unread(&self, role: usize) -> bool {
        self.unread_clocks.contains(&role)
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
            RowState::Kept(stored) | RowState::Unknown(stored) => {
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

    /// What the rules look at, as it was read; `None` in a state that is none of the three.
    pub fn standing(&self) -> Option<Standing> {
        let RowState::Known(status) = self.state else { return None };
        Some(Standing {
            status,
            // What never expires stays failed.
            is_expired: self.is_expired() && !(status == Status::Failed && self.never_expires()),
            is_leased: self.is_leased(self.read_at),
            retry_allowed: self.retry_allowed == Some(true),
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
        self.standing().is_some_and(|row| rules::may_reap(row, silent && !self.is_ageless))
    }

    /// Whether its claim is one of our protocol's whose lease is over: `run` takes it away before it asks again, and
    /// nothing protects it any more.
    pub fn is_takeable(&self) -> bool {
        self.state == RowState::Known(Status::InProgress)
            && self.rules.expired == Some(ExpiredRule::Protocol)
            && self.lease_expires_at.is_some_and(|until| until <= self.read_at)
    }

    /// A clock as it was read, by its place in the record.
    pub(in crate::store) fn seen_clock(&self, role: usize) -> &Value {
        &self.seen[CLOCKS + role]
    }

    /// The fencing token as it is written.
    pub(in crate::store) fn token_text(&self) -> Option<String> {
        let token = &self.seen[1];
        (*token != token.null()).then(|| token.name())
    }

    /// As long again as its claim had it, counted from now: its expiry once its claim was taken away. `Ok(None)`
    /// where the one it has stays, since it has none or is not meant to end.
    ///
    /// # Errors
    /// [`NoSpan`]: nothing says how long its claim had it.
    pub(in crate::store) fn expiry_afresh(&self, mapping: &Mapping) -> Result<Option<Timestamp>, NoSpan> {
        let column = |role: usize| {
            let clock = mapping.read_clocks().nth(role).flatten();
            clock.map(|clock| clock.column.to_string()).unwrap_or_default()
        };
        let unread =
            |role: usize| NoSpan::Unread { column: column(role), value: self.seen_clock(role).to_string() };
        if self.never_expires() {
            return Ok(None);
        }
        if self.is_unread(EXPIRES) {
            return Err(unread(EXPIRES));
        }
        let Some(expires) = self.expires_at else { return Ok(None) };
        if expires == Timestamp::MAX {
            return Ok(None);
        }
        // Its claim gave it the ttl of every row.
        if let (Some(aged), false) = (&mapping.clocks.aged, self.has_clock(CLAIMED)) {
            return Ok(Some(self.read_at.plus(aged.minus)));
        }
        let claimed = [CLAIMED, CREATED, RENEWED].into_iter().find(|role| self.has_clock(*role));
        let since = match claimed {
            Some(role) if self.is_unread(role) => return Err(unread(role)),
            Some(role) => {
                let clock = mapping.read_clocks().nth(role).flatten();
                let at = clock.and_then(|clock| clock.decode(self.seen_clock(role)));
                let at = at.unwrap_or(self.read_at);
                // A clock may be ahead of the database's by a little.
                if at > self.read_at.plus(A_DAY) {
                    return Err(unread(role));
                }
                at
            }
            None => self.read_at,
        };
        let span = expires.since(since);
        if span < Span::MIN && !mapping.is_owned() {
            return Err(NoSpan::NotAfterClaim {
                column: column(EXPIRES),
                value: self.seen_clock(EXPIRES).to_string(),
            });
        }
        // What is further away than any ttl says "never", like infinity.
        Ok((span <= Span::MAX).then(|| self.read_at.plus(span.max(Span::MIN))))
    }

    /// Whether its expiry is the number 0: tables that count seconds write that for a key that never expires,
    /// often as the column's default. Our own never holds it.
    fn never_expires(&self) -> bool {
        self.rules.expired != Some(ExpiredRule::Protocol) && *self.seen_clock(EXPIRES) == Value::Int(Some(0))
    }

    /// Whether a clock is mapped and not NULL.
    fn has_clock(&self, role: usize) -> bool {
        let seen = self.seen_clock(role);
        *seen != seen.null()
    }

    /// Whether its lease runs at `at`.
    pub fn is_leased(&self, at: Timestamp) -> bool {
        match self.lease_expires_at {
            Some(until) => until > at,
            // One that can't be read may run.
            None => self.has_clock(LEASE),
        }
    }

    /// Whether a lease that still runs protects it from being deleted, whatever its state: its application may
    /// be at work on it again.
    pub fn is_held(&self) -> bool {
        self.has_lease && self.is_leased(self.read_at)
    }

    /// What a retry of the same request would get now, as far as the mapping says how the application
    /// treats such a row.
    pub fn verdict(&self) -> Verdict {
        let Some(row) = self.standing().filter(|_| self.mismatched.is_none()) else {
            return Verdict::Unknown;
        };
        if self.rules.expired == Some(ExpiredRule::Protocol) {
            return rules::verdict(row);
        }
        // Whether its application takes 0 for "never" or for "long ago" only matters to what is not failed, and only
        // its application knows.
        let is_kept = row.status == Status::Failed && self.never_expires();
        let is_expiry_unread = self.is_unread(EXPIRES) || !self.has_clock(EXPIRES) && self.is_unread(CREATED);
        match (row.status, self.rules.expired) {
            // Nobody can say when it expires.
            _ if !is_kept && is_expiry_unread => Verdict::Unknown,
            (_, Some(ExpiredRule::Absent)) if row.is_expired => Verdict::Execute,
            (_, None) if row.is_expired && row.status != Status::Failed => Verdict::Unknown,
            // Somebody may take it over at any time.
            (Status::InProgress, _) if self.rules.reopens && !row.is_leased => Verdict::Unknown,
            (Status::InProgress, _) => Verdict::Wait,
            (Status::Completed, _) => Verdict::Replay,
            (Status::Failed, expiry) => match (self.rules.failed, self.retry_allowed) {
                (Some(FailedRule::Retry), _) | (Some(FailedRule::ByRow), Some(true)) => Verdict::Execute,
                _ if row.is_expired && expiry.is_none() => Verdict::Unknown,
                (Some(FailedRule::Final | FailedRule::ByRow), _) => Verdict::FinalFailure,
                (None, _) => Verdict::Unknown,
            },
        }
    }
}
