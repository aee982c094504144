//! Where a store really works: not what a URL names, but what the database makes of it.

use super::{ErrorKind, Purpose, Statement, Store, StoreError};

impl Store {
    /// Server, database and schema, for people. [`Store::target`] names the schema from then on.
    ///
    /// # Errors
    /// When the database can't be asked, and [`ErrorKind::WrongSchema`] where there is no schema to work in, or where
    /// the search path finds a table whose schema nobody names in one schema and idemctl's other tables in another.
    pub async fn location(&self) -> Result<String, StoreError> {
        if self.dialect().has_search_path() && self.schema.get().is_none() {
            let table = self.mapping.name.quoted(self.dialect());
            let sql = Statement::new(include_str!("../dialect/postgres/sql/location.sql"));
            let mut transaction = self.backend.begin(Purpose::Read).await?;
            let row = transaction.fetch_one(&sql, &[table.into()]).await?;
            transaction.commit().await?;
            let (schema, astray) = match row {
                Some(mut row) => (row.text()?, row.text()?),
                None => (None, None),
            };
            let schema = schema.ok_or_else(|| {
                StoreError::new(
                    ErrorKind::WrongSchema,
                    format!("none of the schemas of the search path is there in {}", self.backend.target()),
                )
            })?;
            if let Some(astray) = astray.filter(|_| self.mapping.name.schema.is_none()) {
                return Err(StoreError::new(
                    ErrorKind::WrongSchema,
                    format!(
                        "the search path leads to several places in {}: {} belongs to the schema {schema}, but there is \
                         {astray}",
                        self.backend.target(),
                        self.mapping.name
                    ),
                ));
            }
            // Somebody else may have been faster, with the same.
            let _ = self.schema.set(schema);
        }
        Ok(self.target())
    }
}
