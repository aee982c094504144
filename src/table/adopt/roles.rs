//! What a column can say, and the account of all columns: each is mapped, irrelevant, or asked about.

use super::facts::{CatalogueColumn, CatalogueTable};
use super::look::{self, Samples};
use super::values;
use crate::table::Family;

/// What a column says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Role {
    Key,
    Scope,
    State,
    NullMeans,
    SetMeans,
    Lease,
    Alive,
    Claimed,
    Created,
    Expires,
    Finished,
    RequestHash,
    ResponseStatus,
    ResponseHeaders,
    ResponseBody,
    ResponseRef,
    Attempt,
    Owner,
    Failure,
    Irrelevant,
}

impl Role {
    const ALL: [Self; 20] = [
        Self::Key,
        Self::Scope,
        Self::State,
        Self::NullMeans,
        Self::SetMeans,
        Self::Lease,
        Self::Alive,
        Self::Claimed,
        Self::Created,
        Self::Expires,
        Self::Finished,
        Self::RequestHash,
        Self::ResponseStatus,
        Self::ResponseHeaders,
        Self::ResponseBody,
        Self::ResponseRef,
        Self::Attempt,
        Self::Owner,
        Self::Failure,
        Self::Irrelevant,
    ];

    /// Its name in answers.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Key => "key",
            Self::Scope => "scope",
            Self::State => "state",
            Self::NullMeans => "null_means_in_progress",
            Self::SetMeans => "set_means_in_progress",
            Self::Lease => "lease",
            Self::Alive => "alive",
            Self::Claimed => "claimed",
            Self::Created => "created",
            Self::Expires => "expires",
            Self::Finished => "finished",
            Self::RequestHash => "request_hash",
            Self::ResponseStatus => "response_status",
            Self::ResponseHeaders => "response_headers",
            Self::ResponseBody => "response_body",
            Self::ResponseRef => "response_ref",
            Self::Attempt => "attempt",
            Self::Owner => "owner",
            Self::Failure => "failure",
            Self::Irrelevant => "irrelevant",
        }
    }

    /// The role of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == name)
    }

    /// All names.
    pub(crate) fn names() -> String {
        Self::ALL.map(Self::as_str).join(", ")
    }

    /// For people.
    pub(crate) const fn means(self) -> &'static str {
        match self {
            Self::Key => "part of the key",
            Self::Scope => "part of the scope",
            Self::State => "its values are the states of the work",
            Self::NullMeans => "the work is unfinished while it is NULL",
            Self::SetMeans => "somebody works on the row while it is set",
            Self::Lease => "until when a worker holds the row",
            Self::Alive => "the last heartbeat of the work",
            Self::Claimed => "when the row was acquired last",
            Self::Created => "when the row was made",
            Self::Expires => "until when the row is needed",
            Self::Finished => "when the work was done",
            Self::RequestHash => "the request's fingerprint",
            Self::ResponseStatus => "the answer's status",
            Self::ResponseHeaders => "the answer's headers",
            Self::ResponseBody => "the answer",
            Self::ResponseRef => "a reference to what the request made",
            Self::Attempt => "how many tries there were",
            Self::Owner => "who works on it",
            Self::Failure => "why it failed",
            Self::Irrelevant => "nothing depends on it",
        }
    }

    /// It is a point in time.
    pub(crate) const fn is_clock(self) -> bool {
        matches!(
            self,
            Self::Lease | Self::Alive | Self::Claimed | Self::Created | Self::Expires | Self::Finished
        )
    }

    /// It says whether the work is done.
    pub(crate) const fn is_state(self) -> bool {
        matches!(self, Self::State | Self::NullMeans | Self::SetMeans)
    }

    /// Whether a column of this type can say it; else what it must be.
    pub(crate) fn fits(self, column: &CatalogueColumn) -> Result<(), &'static str> {
        match self {
            Self::State if column.is_time() || column.is_document() => Err("a flag, a number or a text"),
            Self::NullMeans if column.not_null => Err("a column that may be NULL"),
            Self::SetMeans
                if column.not_null
                    && column.family != Family::Boolean
                    && values::default(column).is_none() =>
            {
                Err("a flag, a column that may be NULL, or one whose default means that it is not set")
            }
            role if role.is_clock() && !can_be_clock(column) => Err("a point in time"),
            Self::ResponseStatus | Self::Attempt
                if !matches!(column.family, Family::Integer | Family::Fraction | Family::Text) =>
            {
                Err("a number")
            }
            _ => Ok(()),
        }
    }

    /// What may be answered for a column, in a question about its part in the state or among the clocks.
    pub(crate) fn offered(column: &CatalogueColumn, samples: &Samples, clocks_only: bool) -> Vec<Vec<Self>> {
        const CLOCKS: [Role; 6] =
            [Role::Lease, Role::Alive, Role::Claimed, Role::Created, Role::Expires, Role::Finished];
        let is_clock = column.is_time()
            || super::words::is_timed(&column.name) && can_be_clock(column)
            || look::looks_like_time(column, samples);
        // A number or a text in which nothing was written yet may become one.
        let may_be_clock = is_clock || (can_be_clock(column) && samples.of(&column.name).is_empty());
        let fits = |role: &Self| role.fits(column).is_ok();
        let mut offered: Vec<Vec<Self>> = Vec::new();
        if !clocks_only {
            let state = [Self::State, Self::NullMeans, Self::SetMeans];
            let state = state.into_iter().filter(|role| fits(role) && (*role != Self::State || !is_clock));
            offered.extend(state.map(|role| vec![role]));
        }
        if may_be_clock {
            offered.extend(CLOCKS.into_iter().filter(fits).map(|role| vec![role]));
            if !column.not_null {
                offered.push(vec![Self::SetMeans, Self::Lease]);
                offered.push(vec![Self::SetMeans, Self::Alive]);
                offered.push(vec![Self::SetMeans, Self::Claimed]);
                offered.push(vec![Self::NullMeans, Self::Finished]);
            }
        }
        if !is_clock && !clocks_only {
            let shown: &[Self] = match column.family {
                Family::Boolean => &[],
                Family::Integer | Family::Fraction => {
                    &[Self::ResponseStatus, Self::Attempt, Self::ResponseRef]
                }
                _ if column.is_document() => &[Self::ResponseBody, Self::ResponseHeaders],
                _ => &[Self::Owner, Self::Failure, Self::RequestHash, Self::ResponseBody, Self::ResponseRef],
            };
            offered.extend(shown.iter().map(|role| vec![*role]));
        }
        offered.push(vec![Self::Irrelevant]);
        offered
    }
}

/// Whether points in time can be written in it.
pub(crate) fn can_be_clock(column: &CatalogueColumn) -> bool {
    matches!(
        column.family,
        Family::Timestamptz | Family::Timestamp | Family::Integer | Family::Text | Family::Fraction
    )
}

/// What became of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It plays these roles.
    Mapped(Vec<Role>),
    /// Nothing depends on it.
    Irrelevant,
    /// The question of this id asks about it.
    Asked(String),
}

/// One line of the account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) column: String,
    pub(crate) sql_type: String,
    pub(crate) fate: Fate,
    /// Why.
    pub(crate) reason: String,
}

/// Whether each column of the table is in the account exactly once.
pub(crate) fn is_complete(table: &CatalogueTable, accounts: &[Account]) -> bool {
    table.columns.len() == accounts.len()
        && table.columns.iter().zip(accounts).all(|(column, account)| column.name == account.column)
}
