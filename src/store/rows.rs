//! Reading rows: one key, or pages of a list.

mod names;
mod row;

use super::{
    AuditEntry, ErrorKind, Purpose, Row, Statement, Store, StoreError, Value, Visibility, VisibilityFlags,
};
use crate::protocol::Answer;
use crate::sql::raw_text;
pub use names::ScopeFilter;
pub(super) use names::{joined, name_texts};
pub(super) use row::NoSpan;
pub use row::{KeyRow, RowState};

/// All that is known of a key.
#[derive(Debug)]
pub struct ExaminedKey {
    /// Every scope's row.
    pub rows: Vec<KeyRow>,
    /// What was done to the key, the oldest first; an error of [`ErrorKind::Right`] where the role may not read that.
    pub history: Result<Vec<AuditEntry>, StoreError>,
    /// What part of the table was seen.
    pub visibility: Visibility,
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
                    transaction.rollback().await?;
                    return Err(self.check_schema().await.err().unwrap_or(error));
                }
                Err(error) => return Err(error),
            }
        }
        let mut rows = match transaction.fetch(&sql, &binds).await {
            Ok(rows) => rows,
            Err(error) => {
                let _ = transaction.rollback().await;
                self.nothing_holds(error, &binds).await?;
                let visibility = self.visibility(flags).await?;
                return Ok(ExaminedKey { rows: Vec::new(), history: Ok(Vec::new()), visibility });
            }
        };
        if let Some(raw) = as_raw(&binds).filter(|_| rows.is_empty() && self.may_hold_raw_text()) {
            rows = transaction.fetch(&sql, &raw).await?;
        }
        let rows = rows.into_iter().map(|mut row| self.key_row(&mut row)).collect::<Result<_, _>>()?;
        // Beside an adopted table there may be no audit.
        let audited = self.mapping.is_owned()
            || match transaction.fetch_one(&self.sql.audit_exists, &[]).await? {
                Some(mut row) => row.int()? == Some(1),
                None => false,
            };
        let history = match audited {
            false => Ok(Vec::new()),
            true => {
                let binds = self.audit_binds(&joined(key.iter().map(|part| Some(part.as_str()))));
                transaction.fetch(&self.sql.audit_of_key, &binds).await
            }
        };
        let history = match history {
            Ok(rows) => {
                Ok(rows.into_iter().map(|mut row| AuditEntry::read(&mut row)).collect::<Result<_, _>>()?)
            }
            // The row is seen all the same.
            Err(error) if error.kind() == ErrorKind::Right => Err(error),
            Err(error) => return Err(error),
        };
        if history.is_err() || flags != VisibilityFlags::default() {
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
        let mut rows = match self.read(&sql, &binds).await {
            Ok(rows) => rows,
            Err(error) => return self.nothing_holds(error, &binds).await.map(|()| Vec::new()),
        };
        if let Some(raw) = as_raw(&binds).filter(|_| rows.is_empty() && self.may_hold_raw_text()) {
            rows = self.read(&sql, &raw).await?;
        }
        rows.into_iter().map(|mut row| self.key_row(&mut row)).collect()
    }

    /// Whether a text in this database need not be UTF-8.
    fn may_hold_raw_text(&self) -> bool {
        self.dialect().types_are_hints() || self.backend.has_raw_text()
    }

    fn key_query(
        &self,
        key: &[String],
        scope: Option<&ScopeFilter>,
    ) -> Result<(Statement, Vec<Value>), StoreError> {
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
            let mut narrowed = self.fragments();
            narrowed.variation.narrowed = conditions;
            sql = super::Catalogue::varied(&sql, &narrowed, self.clock)?;
        }
        Ok((sql, binds))
    }

    /// One row as it is now, with its stored answer: both of one moment, so that the answer is never
    /// another acquisition's. `None` when the row is gone.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn with_answer(&self, row: &KeyRow) -> Result<Option<(KeyRow, Option<Answer>)>, StoreError> {
        let sql = self.for_row(&self.sql.claim_read, row)?;
        let Some(mut found) = self.read_one(&sql, &name_binds(row)).await? else {
            return Ok(None);
        };
        let row = self.key_row(&mut found)?;
        let answer = super::keys::read_answer(&mut found, &self.mapping)?;
        Ok(Some((row, answer)))
    }

    /// A statement on a single row, for this one: a part of its name that is NULL is asked for as such.
    pub(super) fn for_row(&self, sql: &Statement, row: &KeyRow) -> Result<Statement, StoreError> {
        if row.name.iter().all(Option::is_some) {
            return Ok(sql.clone());
        }
        let mut fragments = self.fragments();
        let nulls = row.name.iter().enumerate().filter(|(_, part)| part.is_none());
        fragments.variation.null_names = nulls.map(|(index, _)| index).collect();
        Ok(super::Catalogue::varied(sql, &fragments, self.clock)?)
    }
}

/// The same names, each that is the hexadecimal form of text that is no UTF-8 taken for that; `None` where
/// none is.
fn as_raw(binds: &[Value]) -> Option<Vec<Value>> {
    let raw: Vec<Option<Value>> = binds
        .iter()
        .map(|bind| match bind {
            Value::Text(Some(text)) => raw_text(text),
            _ => None,
        })
        .collect();
    raw.iter()
        .any(Option::is_some)
        .then(|| raw.into_iter().zip(binds).map(|(raw, bind)| raw.unwrap_or_else(|| bind.clone())).collect())
}

/// The binds of `{row_match}`: what names the row, as it was read.
pub(super) fn name_binds(row: &KeyRow) -> Vec<Value> {
    row.name.iter().map(|part| part.clone().unwrap_or(Value::Text(None))).collect()
}
