//! Which table, which column plays which role, and how its states and clocks are written.
//!
//! Everything that touches rows goes through a [`Mapping`]. The table that `idemctl migrate`
//! creates is the built-in one, [`Mapping::owned`]; there is no second code path for it.

#[cfg(feature = "cli")]
pub(crate) mod adopt;
mod clock;
mod columns;
mod fragments;
mod rules;
mod state;

use std::time::Duration;

use crate::protocol::{Status, Timestamp};
use crate::sql::Value;

pub use crate::sql::{Ident, InvalidName, TableName};
pub use clock::{Clock, Encoding, Fraction, InvalidSpelling, Spelling, Unit};
pub use columns::VisibilityFlags;
pub use rules::{ClaimRules, ExpiredRule, FailedRule, WriteRule};
pub use state::{Literal, Mark, Meaning, StateMapping, StateShape};

pub(crate) use crate::sql::{Column, Family};
pub(crate) use columns::{Columns, Locator, Misfit};
pub(crate) use fragments::Fragments;

/// How a table plays the roles of an idempotency table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// The table, quoted exactly as written.
    pub name: TableName,
    /// The columns that make up the key.
    pub key: Vec<Ident>,
    /// The columns that make up the scope; none, one or several. They may hold NULLs.
    pub scope: Vec<Ident>,
    /// Columns that name a single row; empty where the database has a name of its own for it.
    pub locator: Vec<Ident>,
    /// Conditions on every statement: other rows of the table are none of ours.
    pub guard: Vec<(Ident, Literal)>,
    /// How the three states are written.
    pub state: StateMapping,
    /// Which columns are the clocks.
    pub clocks: Clocks,
    /// Columns that are shown, and nothing depends on.
    pub shown: Shown,
    /// What a row becomes when its claim is taken away; absent: such commands are refused.
    pub fail: Option<WriteRule>,
    /// What a failed row becomes when its retry is allowed; absent: `release` is refused.
    pub release: Option<WriteRule>,
    /// How the application's own claim behaves, for the verdict.
    pub claim: ClaimRules,
}

/// The columns that hold points in time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Clocks {
    /// When the row was made.
    pub created: Option<Clock>,
    /// When the key was acquired last; the order in which the reaper walks.
    pub claimed: Option<Clock>,
    /// The last heartbeat.
    pub renewed: Option<Clock>,
    /// Until when the lease runs.
    pub lease: Option<Clock>,
    /// When the key was settled.
    pub finished: Option<Clock>,
    /// From when on the key counts as new; the order in which the purge walks.
    pub expires: Option<Clock>,
    /// How long after its creation a row expires where it has no expiry of its own: no such column, or
    /// NULL in it. Without it such a row never expires.
    pub ttl: Option<Duration>,
    /// When the row was made, where nothing but its expiry and the ttl of every row tells: the former minus the
    /// latter.
    pub aged: Option<Clock>,
}

/// Columns that are shown to people.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shown {
    /// The request's fingerprint.
    pub request_hash: Option<Ident>,
    /// The answer's status.
    pub response_status: Option<Ident>,
    /// The answer's headers.
    pub response_headers: Option<Ident>,
    /// The answer's body.
    pub response_body: Option<Ident>,
    /// The body's true size.
    pub response_bytes: Option<Ident>,
    /// The whole answer in one JSON document.
    pub snapshot: Option<Snapshot>,
    /// A reference to what the request created, where that is what is stored.
    pub response_ref: Option<Ident>,
    /// The fencing token.
    pub token: Option<Ident>,
    /// Which try it is.
    pub attempt: Option<Ident>,
    /// The worker.
    pub owner: Option<Ident>,
    /// Whether a retry is allowed.
    pub retry_allowed: Option<Ident>,
    /// Why it failed.
    pub failure: Option<Ident>,
}

/// An answer stored as one JSON document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    /// The column.
    pub column: Ident,
    /// The member that holds the status, with dots between levels.
    pub status: Option<String>,
    /// The member that holds the body; the whole document where none is named.
    pub body: Option<String>,
}

/// One way along a clock on which rows become due for the purge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Walk {
    pub(crate) clock: Clock,
    /// The row is due so long after the clock's moment.
    pub(crate) plus: Duration,
    /// Only rows where this column is NULL.
    pub(crate) where_null: Option<Ident>,
}

impl Walk {
    /// What stands for this expiry in comparisons with the clock.
    pub(crate) fn bound(&self, expiry: Timestamp) -> Value {
        self.clock.bound(expiry.minus(self.plus))
    }

    /// The expiry that a stored clock means, or the least one from which a walk may go on.
    pub(crate) fn expiry(&self, stored: &Value) -> Option<Timestamp> {
        let at = self.clock.decode(stored)?;
        Some(self.clock.encoding.after(at).plus(self.plus))
    }

    /// The earliest expiry to be looked at: no clock at or before 2000-01-01 was ever set by an
    /// application that is alive.
    pub(crate) fn first(&self) -> Timestamp {
        Timestamp::OLDEST_PLAUSIBLE.plus(self.plus)
    }
}

/// The table that `idemctl migrate` creates.
pub const OWNED_TABLE: &str = "idempotency_keys";

impl Mapping {
    /// The built-in mapping, of the table that `idemctl migrate` creates.
    pub fn owned() -> Self {
        let column = |name: &'static str| Ident::known(name);
        let clock = |name: &'static str| Some(Clock::new(column(name), Encoding::Timestamptz));
        let values = |status: Status| vec![Literal::Text(status.as_str().to_owned())];
        Self {
            name: TableName { schema: None, name: column(OWNED_TABLE) },
            key: vec![column("idempotency_key")],
            scope: vec![column("scope")],
            locator: Vec::new(),
            guard: Vec::new(),
            state: StateMapping::from(StateShape::Column {
                column: column("status"),
                in_progress: values(Status::InProgress),
                completed: values(Status::Completed),
                failed: values(Status::Failed),
                keep: Vec::new(),
                null: None,
            }),
            clocks: Clocks {
                created: clock("created_at"),
                claimed: clock("claimed_at"),
                renewed: clock("renewed_at"),
                lease: clock("lease_expires_at"),
                finished: clock("finished_at"),
                expires: clock("expires_at"),
                ttl: None,
                aged: None,
            },
            shown: Shown {
                request_hash: Some(column("request_hash")),
                response_status: Some(column("response_status")),
                response_headers: Some(column("response_headers")),
                response_body: Some(column("response_body")),
                response_bytes: Some(column("response_bytes")),
                snapshot: None,
                response_ref: None,
                token: Some(column("claim_token")),
                attempt: Some(column("attempt")),
                owner: Some(column("owner")),
                retry_allowed: Some(column("retry_allowed")),
                failure: Some(column("failure")),
            },
            fail: Some(WriteRule::Protocol),
            release: Some(WriteRule::Protocol),
            claim: ClaimRules {
                expired: Some(ExpiredRule::Protocol),
                failed: Some(FailedRule::ByRow),
                reopens: false,
            },
        }
    }

    /// Whether this is the table that `idemctl migrate` creates, where claims are made by the protocol.
    pub fn is_owned(&self) -> bool {
        self.fail == Some(WriteRule::Protocol)
    }

    /// The clock that says when a row was acquired, as far as the table knows.
    pub(crate) fn claimed(&self) -> Option<&Clock> {
        let Clocks { created, claimed, renewed, aged, .. } = &self.clocks;
        claimed.as_ref().or(created.as_ref()).or(aged.as_ref()).or(renewed.as_ref())
    }

    /// The clock of the last heartbeat.
    pub(crate) fn renewed(&self) -> Option<&Clock> {
        self.clocks.renewed.as_ref().or(self.claimed())
    }

    /// When a row that has no heartbeat of its own gave its last one.
    pub(crate) fn renewed_else(&self) -> Option<&Clock> {
        let renewed = self.clocks.renewed.as_ref()?;
        self.claimed().filter(|claimed| claimed.column != renewed.column)
    }

    /// The lease that protects a row even when it is settled. Where one column is a lease while the row is at
    /// work and its expiry after that, a settled row has none.
    pub(crate) fn lease_of_settled(&self) -> Option<&Clock> {
        let Clocks { lease, expires, .. } = &self.clocks;
        lease.as_ref().filter(|lease| expires.as_ref().is_none_or(|expires| expires.column != lease.column))
    }

    /// The settings that say when a row was acquired, and when it had its last heartbeat.
    pub(crate) fn age_settings(&self) -> Vec<&'static str> {
        let Clocks { created, claimed, .. } = &self.clocks;
        let mut settings = vec!["table.clock.alive", "table.clock.claimed"];
        if claimed.is_none() {
            settings.push("table.clock.created");
        }
        // The age may be counted back from it.
        if claimed.is_none() && created.is_none() {
            settings.push("table.clock.expires");
        }
        settings
    }

    /// The clock that orders rows by their expiry.
    pub(crate) fn expiry_clock(&self) -> Option<&Clock> {
        let Clocks { created, expires, ttl, .. } = &self.clocks;
        expires.as_ref().or(created.as_ref().filter(|_| ttl.is_some()))
    }

    /// The settings that say when a row expires.
    pub(crate) fn expiry_settings(&self) -> Vec<&'static str> {
        let by_age = self.clocks.ttl.map(|_| "table.clock.created");
        std::iter::once("table.clock.expires").chain(by_age).collect()
    }

    /// Whether an old row may be freshly at work: its application claims rows again in place, and no clock
    /// shows it.
    pub(crate) fn hides_work(&self) -> bool {
        self.claim.reopens && self.clocks.renewed.is_none() && self.clocks.lease.is_none()
    }

    /// The ways along which rows become due for the purge; none where the mapping does not say when.
    pub(crate) fn walks(&self) -> Vec<Walk> {
        let Clocks { created, expires, ttl, .. } = &self.clocks;
        let mut walks = Vec::new();
        if let Some(clock) = expires {
            walks.push(Walk { clock: clock.clone(), plus: Duration::ZERO, where_null: None });
        }
        if let (Some(clock), Some(plus)) = (created, ttl) {
            let where_null = expires.as_ref().map(|clock| clock.column.clone());
            walks.push(Walk { clock: clock.clone(), plus: *plus, where_null });
        }
        walks
    }

    /// How many columns precede the fixed ones in `{record}`, and name the row in binds.
    pub(crate) fn name_columns(&self, columns: &Columns) -> usize {
        self.key.len() + self.scope.len() + self.locator_columns(columns)
    }

    /// How many of them are there because the key does not name a single row.
    pub(crate) fn locator_columns(&self, columns: &Columns) -> usize {
        if columns.key_is_unique { 0 } else { columns.locator_parts() }
    }
}
