//! Which table, which column plays which role, and how its states and clocks are written.
//!
//! Everything that touches rows goes through a [`Mapping`]. The table that `idemctl migrate`
//! creates is the built-in one, [`Mapping::owned`]; there is no second code path for it.

mod ident;
mod template;

use crate::protocol::Status;
use crate::store::Dialect;

pub use ident::{Ident, InvalidName, TableName};
pub(crate) use template::{Template, TemplateError};

/// How a table plays the roles of an idempotency table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mapping {
    /// The table, quoted exactly as written.
    pub name: TableName,
    /// The columns that make up the key.
    pub key: Vec<Ident>,
    /// The columns that make up the scope; none, one or several.
    pub scope: Vec<Ident>,
    /// How the three states are written.
    pub state: StateMapping,
    /// Which columns are the clocks.
    pub clocks: Clocks,
    /// Columns that are shown, and nothing depends on.
    pub shown: Shown,
    /// What a row becomes when its claim is taken away; absent: such commands are refused.
    pub fail: Option<FailRule>,
    /// What a failed row becomes when its retry is allowed; absent: `release` is refused.
    pub release: Option<ReleaseRule>,
}

/// How a table writes the three states.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StateMapping {
    /// One column whose values stand for states. A value that is not listed is never touched.
    Column {
        /// The column.
        column: Ident,
        /// The values that mean in progress.
        in_progress: Vec<String>,
        /// The values that mean completed.
        completed: Vec<String>,
        /// The values that mean failed.
        failed: Vec<String>,
    },
    /// A row is in progress while all of these columns are NULL, and completed otherwise.
    NullMeansInProgress(Vec<Ident>),
    /// A row that exists is in this state.
    Always(Status),
}

impl StateMapping {
    /// The state that a stored value stands for; `None` for a value that is not listed.
    pub fn status(&self, stored: Option<&str>) -> Option<Status> {
        match self {
            Self::Column { in_progress, completed, failed, .. } => {
                let stored = stored?;
                let listed = |values: &[String]| values.iter().any(|value| value == stored);
                if listed(in_progress) {
                    Some(Status::InProgress)
                } else if listed(completed) {
                    Some(Status::Completed)
                } else if listed(failed) {
                    Some(Status::Failed)
                } else {
                    None
                }
            }
            // The statement itself answers with the state's name.
            Self::NullMeansInProgress(_) | Self::Always(_) => {
                Status::ALL.into_iter().find(|status| Some(status.as_str()) == stored)
            }
        }
    }
}

/// The columns that hold points in time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clocks {
    /// When the row was made.
    pub created: Option<Ident>,
    /// When the key was acquired last; the order in which the reaper walks.
    pub claimed: Option<Ident>,
    /// The last sign of life.
    pub renewed: Option<Ident>,
    /// Until when the lease runs.
    pub lease: Option<Ident>,
    /// When the key was settled.
    pub finished: Option<Ident>,
    /// From when on the key counts as new; the order in which the purge walks.
    pub expires: Option<Ident>,
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

/// What a row becomes when its claim is taken away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FailRule {
    /// As the protocol says: failed, token erased, expiry counted afresh.
    Protocol,
}

/// What a failed row becomes when its retry is allowed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReleaseRule {
    /// As the protocol says: retry allowed, expiry counted afresh.
    Protocol,
}

/// The table that `idemctl migrate` creates.
pub const OWNED_TABLE: &str = "idempotency_keys";

impl Mapping {
    /// The built-in mapping, of the table that `idemctl migrate` creates.
    pub fn owned() -> Self {
        let column = |name: &'static str| Ident::known(name);
        let values = |status: Status| vec![status.as_str().to_owned()];
        Self {
            name: TableName { schema: None, name: column(OWNED_TABLE) },
            key: vec![column("idempotency_key")],
            scope: vec![column("scope")],
            state: StateMapping::Column {
                column: column("status"),
                in_progress: values(Status::InProgress),
                completed: values(Status::Completed),
                failed: values(Status::Failed),
            },
            clocks: Clocks {
                created: Some(column("created_at")),
                claimed: Some(column("claimed_at")),
                renewed: Some(column("renewed_at")),
                lease: Some(column("lease_expires_at")),
                finished: Some(column("finished_at")),
                expires: Some(column("expires_at")),
            },
            shown: Shown {
                request_hash: Some(column("request_hash")),
                response_status: Some(column("response_status")),
                response_headers: Some(column("response_headers")),
                response_body: Some(column("response_body")),
                response_bytes: Some(column("response_bytes")),
                token: Some(column("claim_token")),
                attempt: Some(column("attempt")),
                owner: Some(column("owner")),
                retry_allowed: Some(column("retry_allowed")),
                failure: Some(column("failure")),
            },
            fail: Some(FailRule::Protocol),
            release: Some(ReleaseRule::Protocol),
        }
    }

    /// The fragments that statements take from this mapping, as `(token, SQL)`.
    pub(crate) fn tokens(&self, dialect: Dialect) -> Vec<(&'static str, String)> {
        let sql = Fragments { mapping: self, dialect };
        vec![
            ("table", self.name.quoted(dialect)),
            ("record", sql.record()),
            ("key_match", sql.key_match()),
            ("row_match", sql.row_match()),
            ("row_order", sql.columns(self.key.iter().chain(&self.scope), ", ")),
            ("scope_order", sql.scope_order()),
            ("in_progress", sql.state_is(&[Status::InProgress])),
            ("finished", sql.state_is(&[Status::Completed, Status::Failed])),
            ("failed", sql.state_is(&[Status::Failed])),
            ("state", sql.state_value()),
            ("attempt", sql.shown(self.shown.attempt.as_ref(), "integer")),
            ("retry_allowed", sql.shown(self.shown.retry_allowed.as_ref(), "boolean")),
            ("finished_at", sql.clock(self.clocks.finished.as_ref())),
            ("scope", sql.scope_text()),
            ("expires", sql.clock(self.clocks.expires.as_ref())),
            ("claimed", sql.clock(self.clocks.claimed.as_ref().or(self.clocks.created.as_ref()))),
            ("renewed", sql.clock(self.clocks.renewed.as_ref().or(self.clocks.created.as_ref()))),
            ("lease", sql.clock(self.clocks.lease.as_ref())),
            ("token", sql.shown(self.shown.token.as_ref(), sql.token_type())),
            ("answer", sql.answer()),
        ]
    }

    /// The condition that the row is in one of these states, as SQL.
    pub(crate) fn state_is(&self, statuses: &[Status], dialect: Dialect) -> String {
        Fragments { mapping: self, dialect }.state_is(statuses)
    }

    /// How many columns precede the fixed ones in `{record}`.
    pub(crate) fn name_columns(&self) -> usize {
        self.key.len() + self.scope.len()
    }
}

/// Writes a mapping's fragments in one dialect.
struct Fragments<'a> {
    mapping: &'a Mapping,
    dialect: Dialect,
}

impl Fragments<'_> {
    fn quote(&self, ident: &Ident) -> String {
        ident.quoted(self.dialect)
    }

    fn columns<'i>(&self, idents: impl Iterator<Item = &'i Ident>, separator: &str) -> String {
        idents.map(|ident| self.quote(ident)).collect::<Vec<_>>().join(separator)
    }

    /// A column that a mapping may lack: a typed NULL in its place.
    fn shown(&self, ident: Option<&Ident>, sql_type: &str) -> String {
        match ident {
            Some(ident) => self.quote(ident),
            None => format!("CAST(NULL AS {sql_type})"),
        }
    }

    fn token_type(&self) -> &'static str {
        match self.dialect {
            Dialect::Postgres => "uuid",
            Dialect::Sqlite => "text",
        }
    }

    fn clock(&self, ident: Option<&Ident>) -> String {
        self.shown(
            ident,
            match self.dialect {
                Dialect::Postgres => "timestamptz",
                Dialect::Sqlite => "integer",
            },
        )
    }

    /// The columns of a row in the order that [`crate::store::KeyRow`] reads them: names first,
    /// then state, then the rest.
    fn record(&self) -> String {
        let Mapping { key, scope, clocks, shown, .. } = self.mapping;
        let mut columns: Vec<String> = key.iter().chain(scope).map(|ident| self.quote(ident)).collect();
        columns.extend([
            self.state_value(),
            self.shown(shown.request_hash.as_ref(), "text"),
            self.shown(shown.response_status.as_ref(), "integer"),
            self.shown(shown.response_headers.as_ref(), "text"),
            self.shown(shown.response_bytes.as_ref(), "bigint"),
            self.shown(shown.token.as_ref(), self.token_type()),
            self.shown(shown.attempt.as_ref(), "integer"),
            self.shown(shown.owner.as_ref(), "text"),
            self.shown(shown.retry_allowed.as_ref(), "boolean"),
            self.shown(shown.failure.as_ref(), "text"),
            self.clock(clocks.created.as_ref()),
            self.clock(clocks.claimed.as_ref().or(clocks.created.as_ref())),
            self.clock(clocks.renewed.as_ref().or(clocks.created.as_ref())),
            self.clock(clocks.lease.as_ref()),
            self.clock(clocks.finished.as_ref()),
            self.clock(clocks.expires.as_ref()),
        ]);
        columns.join(", ")
    }

    fn answer(&self) -> String {
        let shown = &self.mapping.shown;
        [
            self.shown(shown.response_status.as_ref(), "integer"),
            self.shown(shown.response_headers.as_ref(), "text"),
            self.shown(
                shown.response_body.as_ref(),
                match self.dialect {
                    Dialect::Postgres => "bytea",
                    Dialect::Sqlite => "blob",
                },
            ),
            self.shown(shown.response_bytes.as_ref(), "bigint"),
        ]
        .join(", ")
    }

    fn key_match(&self) -> String {
        self.equals(&self.mapping.key, 1)
    }

    /// One row by its full name: the key's columns are the first binds, the scope's follow.
    fn row_match(&self) -> String {
        let key = self.key_match();
        if self.mapping.scope.is_empty() {
            return key;
        }
        format!("{key} AND {}", self.equals(&self.mapping.scope, self.mapping.key.len() + 1))
    }

    fn equals(&self, columns: &[Ident], first_bind: usize) -> String {
        columns
            .iter()
            .enumerate()
            .map(|(index, column)| format!("{} = ${}", self.quote(column), first_bind + index))
            .collect::<Vec<_>>()
            .join(" AND ")
    }

    /// The scope's first column, for grouping.
    fn scope_text(&self) -> String {
        self.mapping.scope.first().map_or("''".to_owned(), |ident| self.quote(ident))
    }

    fn scope_order(&self) -> String {
        if self.mapping.scope.is_empty() {
            return self.columns(self.mapping.key.iter(), ", ");
        }
        self.columns(self.mapping.scope.iter(), ", ")
    }

    fn state_value(&self) -> String {
        match &self.mapping.state {
            StateMapping::Column { column, .. } => self.quote(column),
            StateMapping::NullMeansInProgress(_) => format!(
                "CASE WHEN {} THEN 'in_progress' ELSE 'completed' END",
                self.state_is(&[Status::InProgress])
            ),
            StateMapping::Always(status) => format!("'{}'", status.as_str()),
        }
    }

    /// A condition that holds for rows in one of these states and for no row of unknown state.
    fn state_is(&self, statuses: &[Status]) -> String {
        match &self.mapping.state {
            StateMapping::Column { column, in_progress, completed, failed } => {
                let values: Vec<String> = statuses
                    .iter()
                    .flat_map(|status| match status {
                        Status::InProgress => in_progress,
                        Status::Completed => completed,
                        Status::Failed => failed,
                    })
                    .map(|value| literal(value))
                    .collect();
                let column = self.quote(column);
                match values.as_slice() {
                    [] => "(1 = 0)".to_owned(),
                    // As partial indexes have it: SQLite compares the words.
                    [one] => format!("{column} = {one}"),
                    several => format!("{column} IN ({})", several.join(", ")),
                }
            }
            StateMapping::NullMeansInProgress(columns) => {
                let all_null = columns
                    .iter()
                    .map(|column| format!("{} IS NULL", self.quote(column)))
                    .collect::<Vec<_>>()
                    .join(" AND ");
                match (statuses.contains(&Status::InProgress), statuses.contains(&Status::Completed)) {
                    (true, true) => "(1 = 1)".to_owned(),
                    (true, false) => format!("({all_null})"),
                    (false, true) => format!("NOT ({all_null})"),
                    (false, false) => "(1 = 0)".to_owned(),
                }
            }
            StateMapping::Always(status) => {
                (if statuses.contains(status) { "(1 = 1)" } else { "(1 = 0)" }).to_owned()
            }
        }
    }
}

/// A state's value as a string literal. These come from the mapping, not from a request; quoting
/// doubles quotes, and both dialects take backslashes as they are.
fn literal(value: &str) -> String {
    format!("'{}'", value.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_state(state: StateMapping) -> Mapping {
        Mapping { state, ..Mapping::owned() }
    }

    #[test]
    fn unknown_states_are_in_no_condition() {
        let mapping = with_state(StateMapping::Column {
            column: Ident::new("st'ate").unwrap(),
            in_progress: vec!["it's open".into()],
            completed: vec!["done".into(), "paid".into()],
            failed: vec![],
        });
        let sql = |statuses: &[Status]| mapping.state_is(statuses, Dialect::Postgres);
        assert_eq!(sql(&[Status::InProgress]), r#""st'ate" = 'it''s open'"#);
        assert_eq!(sql(&[Status::Completed, Status::Failed]), r#""st'ate" IN ('done', 'paid')"#);
        assert_eq!(sql(&[Status::Failed]), "(1 = 0)");
        assert_eq!(mapping.state.status(Some("paid")), Some(Status::Completed));
        assert_eq!(mapping.state.status(Some("else")), None);
        assert_eq!(mapping.state.status(None), None);
    }

    #[test]
    fn null_columns_mean_in_progress_only_together() {
        let column = |name: &str| Ident::new(name).unwrap();
        let mapping = with_state(StateMapping::NullMeansInProgress(vec![column("a"), column("b")]));
        let sql = |statuses: &[Status]| mapping.state_is(statuses, Dialect::Sqlite);
        assert_eq!(sql(&[Status::InProgress]), "(`a` IS NULL AND `b` IS NULL)");
        assert_eq!(sql(&[Status::Completed, Status::Failed]), "NOT (`a` IS NULL AND `b` IS NULL)");
    }

    #[test]
    fn presence_can_mean_done() {
        let mapping = with_state(StateMapping::Always(Status::Completed));
        let finished = mapping.state_is(&[Status::Completed, Status::Failed], Dialect::Postgres);
        assert_eq!(finished, "(1 = 1)");
        assert_eq!(mapping.state_is(&[Status::InProgress], Dialect::Postgres), "(1 = 0)");
    }
}
