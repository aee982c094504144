//! The purge by lists of rows. A batch that the database refuses for one of its rows goes in parts, down to
//! that row.

use serde_json::{Value as Json, json};

use super::passes::Batch;
use super::rows::name_texts;
use super::{Confirmed, Dialect, Purpose, Row, Store, StoreError, Value};
use crate::protocol::Timestamp;

/// A row that is due, by its name and by where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DueRow {
    /// Its key, as people write it.
    pub key: String,
    /// Its scope, as people write it.
    pub scope: String,
    locator: Vec<Option<Value>>,
}

impl Store {
    /// At most `n` of the rows that expired after `after` and not after `until`, the earliest first. The
    /// first `left` of them are passed over: those that were left before.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn purge_due(
        &self,
        after: Timestamp,
        until: Timestamp,
        n: u32,
        left: u64,
    ) -> Result<Vec<DueRow>, StoreError> {
        let left = i64::try_from(left).unwrap_or(i64::MAX);
        let binds =
            [self.expiry_bound(after), self.expiry_bound(until), i64::from(n.max(1)).into(), left.into()];
        let rows = self
            .with_retries(true, || async {
                let mut transaction = self.backend.begin(self.step_purpose()).await?;
                let rows = transaction.fetch(&self.sql.purge_due, &binds).await?;
                transaction.commit().await?;
                Ok(rows)
            })
            .await?;
        rows.into_iter().map(|row| self.due_row(row)).collect()
    }

    pub(super) fn due_row(&self, mut row: Row) -> Result<DueRow, StoreError> {
        let named = self.mapping.key.len() + self.mapping.scope.len();
        let mut name = Vec::with_capacity(named);
        for _ in 0..named {
            name.push(row.value()?);
        }
        let parts = self.columns.locator_parts();
        let mut locator = Vec::with_capacity(parts);
        for _ in 0..parts {
            locator.push(row.value()?);
        }
        let (key, scope) = name_texts(&self.mapping, &name);
        Ok(DueRow { key, scope, locator })
    }

    /// The statement of [`Store::purge_rows`] without any row: what it fails with then is no row's fault.
    ///
    /// # Errors
    /// Why the database does not take it.
    pub async fn purge_nothing(
        &self,
        (after, until): (Timestamp, Timestamp),
        _confirmed: &Confirmed,
    ) -> Result<(), StoreError> {
        let mut binds = vec![self.expiry_bound(after), self.expiry_bound(until)];
        binds.extend(self.list_of(&[]));
        self.with_retries(true, || async {
            let mut transaction = self.backend.begin(Purpose::PurgeOrdered).await?;
            let tried = transaction.execute(&self.sql.purge_listed, &binds).await;
            let _ = transaction.rollback().await;
            tried.map(|_| ())
        })
        .await
    }

    /// Deletes those of these rows that still expired after `after` and not after `until`, in one
    /// transaction. What may be one row's fault is not tried again.
    ///
    /// # Errors
    /// As [`Store::purge_range`]. Where the database refuses one of the rows, none was deleted.
    pub async fn purge_rows(
        &self,
        (after, until): (Timestamp, Timestamp),
        rows: &[DueRow],
        _confirmed: &Confirmed,
    ) -> Result<Batch, StoreError> {
        let mut binds = vec![self.expiry_bound(after), self.expiry_bound(until)];
        binds.extend(self.list_of(rows));
        self.purge_batch_when(
            |error| error.is_transient() && !error.may_be_of_a_row(),
            Purpose::PurgeOrdered,
            None,
            (&self.sql.purge_listed, &binds),
            (&self.sql.purge_listed_skip_locked, &binds),
        )
        .await
        .map(|(batch, _)| batch)
    }

    /// The binds that list rows.
    fn list_of(&self, rows: &[DueRow]) -> Vec<Value> {
        match self.dialect() {
            Dialect::Postgres => (0..self.columns.locator_parts())
                .map(|part| array(rows.iter().filter_map(|row| row.locator.get(part)?.as_ref())).into())
                .collect(),
            Dialect::Sqlite => {
                let list: Vec<Json> = rows.iter().map(|row| self.json_of(&row.locator)).collect();
                vec![Json::from(list).to_string().into()]
            }
        }
    }

    /// A locator as SQLite's statements read it.
    fn json_of(&self, locator: &[Option<Value>]) -> Json {
        if self.columns.has_row_number() {
            return json!(locator.iter().flatten().next().and_then(Value::as_number));
        }
        let parts = locator.iter().flat_map(|part| match part {
            Some(Value::Int(Some(number))) => [json!("value"), json!(number)],
            Some(Value::Real(Some(number))) => [json!("value"), json!(number.get())],
            Some(value @ Value::Bytes(_)) => [json!("blob"), json!(value.name())],
            Some(value @ Value::RawText(_)) => [json!("raw"), json!(value.name())],
            Some(value) => [json!("value"), json!(value.name())],
            None => [json!("value"), Json::Null],
        });
        parts.collect()
    }
}

/// The text of a PostgreSQL array of texts.
fn array<'v>(values: impl Iterator<Item = &'v Value>) -> String {
    let quoted = |value: &Value| format!("\"{}\"", value.name().replace('\\', "\\\\").replace('"', "\\\""));
    format!("{{{}}}", values.map(quoted).collect::<Vec<_>>().join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_holds_any_text() {
        let texts: [Value; 4] = ["(0,1)".into(), "a\"b".into(), "c\\d".into(), "".into()];
        assert_eq!(array(texts.iter()), r#"{"(0,1)","a\"b","c\\d",""}"#);
        assert_eq!(array([].iter()), "{}");
    }
}
