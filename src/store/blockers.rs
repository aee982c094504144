//! What keeps a purge from deleting without any error: rights, row level security, triggers.

use super::facts::names;
use super::{Dialect, ErrorKind, Executor, Operation, Row, Store, StoreError, Value};
use crate::table::{Ident, WriteRule};

/// What keeps a purge from deleting.
#[derive(Debug, Default)]
pub struct Blockers {
    /// Row level security hides rows from this role: they are neither deleted nor counted.
    pub row_security: bool,
    /// Triggers and rules that can keep a row without an error.
    pub blocking_triggers: Vec<String>,
    /// Why no row can be deleted at all.
    pub refusal: Option<StoreError>,
}

impl Store {
    /// What keeps a purge from deleting.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn purge_blockers(&self) -> Result<Blockers, StoreError> {
        let name = &self.mapping.name;
        let binds = match self.dialect() {
            Dialect::Postgres => vec![name.quoted(Dialect::Postgres).into()],
            Dialect::Sqlite => {
                vec![name.name.as_str().into(), name.schema.as_ref().map(Ident::as_str).into()]
            }
        };
        // A table that is not there is for the first statement on it to report.
        let Some(mut row) = self.read_one(&self.sql.purge_blockers, &binds).await? else {
            return Ok(Blockers::default());
        };
        let kind = match row.text()?.as_deref() {
            Some("v" | "view") => Some("a view"),
            Some("m") => Some("a materialized view"),
            Some("f") => Some("a foreign table"),
            _ => None,
        };
        let row_security = row.some_bool()?;
        let may_delete = row.some_bool()?;
        let role = row.some_text()?;
        let blocking_triggers = names(row.text()?)?.into_iter().flatten().collect();
        let foreign = row.text()?;
        let quoted_role = Ident::new(&role).map_or_else(|_| role.clone(), |role| role.quoted(self.dialect()));
        let refusal = match kind {
            Some(kind) => Some(StoreError::new(
                ErrorKind::Mapping,
                format!("{name} is {kind}, not a table: its rows are only looked at"),
            )),
            None if !may_delete => Some(StoreError::new(
                ErrorKind::Right,
                format!(
                    "the role {role:?} lacks the right DELETE on {name}: `GRANT DELETE ON {} TO {};` gives it",
                    self.table_sql(),
                    quoted_role,
                ),
            )),
            None => foreign.map(|child| {
                StoreError::new(
                    ErrorKind::Mapping,
                    format!(
                        "{child}, a part of {name}, is a foreign table: its rows can't be walked from here; \
                         detach it, or map the other parts"
                    ),
                )
            }),
        };
        Ok(Blockers { row_security, blocking_triggers, refusal })
    }

    /// What may keep a row from a change without an error: triggers, rules and policies.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn row_blocking_triggers(&self, operation: Operation) -> Result<Vec<String>, StoreError> {
        let deletes = self.rule(operation) == Some(&WriteRule::Delete);
        blocking_triggers(
            self.read(&self.sql.row_blocking_triggers, &self.blocking_triggers_binds(deletes)).await?,
        )
    }

    /// What an operation writes.
    pub(super) fn rule(&self, operation: Operation) -> Option<&WriteRule> {
        match operation {
            Operation::Fail { .. } => self.mapping.fail.as_ref(),
            Operation::Release => self.mapping.release.as_ref(),
            Operation::Forget => Some(&WriteRule::Delete),
        }
    }

    fn blocking_triggers_binds(&self, deletes: bool) -> [Value; 2] {
        let name = &self.mapping.name;
        let name = match self.dialect() {
            Dialect::Postgres => name.quoted(Dialect::Postgres),
            Dialect::Sqlite => name.name.as_str().to_owned(),
        };
        [name.into(), deletes.into()]
    }

    /// Says that a row stayed as it was, and what may have kept it, as far as that can be found.
    pub(crate) async fn kept_words(&self, operation: Operation) -> String {
        kept_by(self.row_blocking_triggers(operation).await)
    }

    /// The same of an update, asked on a connection at hand.
    pub(super) async fn kept_words_on(&self, on: &mut dyn Executor) -> String {
        kept_by(
            on.fetch(&self.sql.row_blocking_triggers, &self.blocking_triggers_binds(false))
                .await
                .and_then(blocking_triggers),
        )
    }
}

fn blocking_triggers(rows: Vec<Row>) -> Result<Vec<String>, StoreError> {
    rows.into_iter()
        .map(|mut row| {
            let trigger = row.text()?;
            Ok(row.required(trigger)?)
        })
        .collect()
}

fn kept_by(blocking_triggers: Result<Vec<String>, StoreError>) -> String {
    let by = match blocking_triggers.unwrap_or_default().as_slice() {
        [] => "a trigger, a rule or a policy keeps it".to_owned(),
        [one] => format!("kept by {one}"),
        several => format!("kept by one of {}", several.join(", ")),
    };
    format!("it stayed as it was, without an error: {by}")
}
