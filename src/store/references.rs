//! Rows of other tables that point at ours. Deleting a key must never delete a payment.

use std::sync::Arc;

use super::{Catalogue, Dialect, ErrorKind, Operation, Store, StoreError};
use crate::table::WriteRule;

/// A foreign key that points at the table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The constraint.
    pub constraint: String,
    /// The table that has it.
    pub table: String,
    /// What becomes of its rows when ours are deleted: `CASCADE`, `NO ACTION`, ….
    pub on_delete: String,
    condition: Option<String>,
}

impl Reference {
    /// Whether deleting our rows changes the rows that point at them, or orphans them.
    fn spreads(&self, dialect: Dialect) -> bool {
        let keeps = matches!(self.on_delete.as_str(), "RESTRICT" | "NO ACTION");
        // On SQLite nothing enforces the key on our connection.
        !keeps || !dialect.enforces_references()
    }
}

impl std::fmt::Display for Reference {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} ({}, ON DELETE {})", self.table, self.constraint, self.on_delete)
    }
}

impl Store {
    /// The foreign keys that point at the table.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn references(&self) -> Result<Vec<Reference>, StoreError> {
        let name = self.mapping.name.quoted(self.dialect());
        let rows = self.read(&self.sql.inbound_keys, &[name.into()]).await?;
        rows.into_iter()
            .map(|mut row| {
                Ok(Reference {
                    constraint: row.some_text()?,
                    table: row.some_text()?,
                    on_delete: row.some_text()?,
                    condition: row.text()?,
                })
            })
            .collect()
    }

    /// Refuses to delete rows where that would change or orphan rows of other tables.
    ///
    /// # Errors
    /// [`ErrorKind::Referenced`], unless `allow_cascade`.
    pub async fn check_references(&self, allow_cascade: bool) -> Result<Vec<Reference>, StoreError> {
        let references = self.references().await?;
        let dialect = self.dialect();
        match references.iter().find(|reference| reference.spreads(dialect)) {
            Some(reference) if !allow_cascade => Err(StoreError::new(
                ErrorKind::Referenced,
                format!("deleting keys would reach the rows of {reference}"),
            )),
            _ => Ok(references),
        }
    }

    /// The same for an operation on a key, and for reap-stuck, which fails it: where that deletes the row.
    ///
    /// # Errors
    /// As [`Store::check_references`].
    pub async fn check_references_of(
        &self,
        operation: Operation,
        allow_cascade: bool,
    ) -> Result<(), StoreError> {
        if self.rule(operation) == Some(&WriteRule::Delete) {
            self.check_references(allow_cascade).await?;
        }
        Ok(())
    }

    /// The same store, whose purge leaves every row that another table still points at; and the foreign
    /// keys that make it do so.
    ///
    /// # Errors
    /// As [`Store::check_references`].
    pub async fn sparing_references(
        &self,
        allow_cascade: bool,
    ) -> Result<(Self, Vec<Reference>), StoreError> {
        let mut references = self.check_references(allow_cascade).await?;
        let is_referenced = !references.is_empty();
        let dialect = self.dialect();
        references.retain(|reference| !reference.spreads(dialect));
        if references.is_empty() {
            return Ok((Self { is_referenced, ..self.clone() }, references));
        }
        let mut unreferenced = String::new();
        for reference in &references {
            let Some(condition) = &reference.condition else { continue };
            // Both come quoted from the database's own catalogue.
            unreferenced.push_str(&format!(
                "\n  AND NOT EXISTS (SELECT 1 FROM {} AS r WHERE {condition})",
                reference.table
            ));
        }
        let mut store = Self { is_referenced, unreferenced: unreferenced.into(), ..self.clone() };
        store.sql = Arc::new(Catalogue::render(&store.fragments(), store.clock)?);
        Ok((store, references))
    }
}
