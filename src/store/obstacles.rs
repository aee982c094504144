//! What keeps a purge from deleting without any error: rights, row level security, triggers.

use super::{Dialect, ErrorKind, Store, StoreError};
use crate::table::Ident;

/// What keeps a purge from deleting.
#[derive(Debug, Default)]
pub struct Obstacles {
    /// Row level security hides rows from this role: they are neither deleted nor counted.
    pub row_security: bool,
    /// Triggers and rules that can keep a row without an error.
    pub keepers: Vec<String>,
    /// Why no row can be deleted at all.
    pub refusal: Option<StoreError>,
}

impl Store {
    /// What keeps a purge from deleting.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn purge_obstacles(&self) -> Result<Obstacles, StoreError> {
        let name = &self.mapping.name;
        let binds = match self.dialect() {
            Dialect::Postgres => vec![name.quoted(Dialect::Postgres).into()],
            Dialect::Sqlite => {
                vec![name.name.as_str().into(), name.schema.as_ref().map(Ident::as_str).into()]
            }
        };
        // A table that is not there is for the first statement on it to report.
        let Some(mut row) = self.read_one(&self.sql.purge_obstacles, &binds).await? else {
            return Ok(Obstacles::default());
        };
        let kind = match row.text()?.as_deref() {
            Some("v" | "view") => Some("a view"),
            Some("m") => Some("a materialized view"),
            Some("f") => Some("a foreign table"),
            _ => None,
        };
        let row_security = row.bool()?.unwrap_or(false);
        let may_delete = row.bool()?.unwrap_or(true);
        let role = row.text()?.unwrap_or_default();
        let keepers = row.text()?.and_then(|text| serde_json::from_str(&text).ok()).unwrap_or_default();
        let foreign = row.text()?;
        let refusal = match kind {
            Some(kind) => Some(StoreError::new(
                ErrorKind::Mapping,
                format!("{name} is {kind}, not a table: its rows are only looked at"),
            )),
            None if !may_delete => Some(StoreError::new(
                ErrorKind::Right,
                format!("the role {role:?} lacks the right DELETE on {name}"),
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
        Ok(Obstacles { row_security, keepers, refusal })
    }
}
