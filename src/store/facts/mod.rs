//! What an examination asks: the server, the table, its rows. Every question is one bounded read; none
//! changes anything.

mod plan;
mod rows;
mod server;
mod table;
mod vacuum;

use super::{Dialect, Purpose, Row, Store, StoreError, Value, sql};
use crate::sql::Template;
use crate::table::Ident;

pub use plan::{PurgePlan, Served};
pub use rows::{ClockSample, RowSample};
pub use server::{FileFacts, RoleLimits, ServerFacts};
pub use table::{
    AuxiliaryTable, ChildTable, ColumnFacts, IndexFacts, Policy, TableFacts, TableSize, Trigger, TriggerKind,
    VacuumFacts,
};
pub use vacuum::{Holder, HolderKind, IdleSlot};

/// One question: its name, and its text in each dialect.
#[derive(Debug, Clone, Copy)]
struct Question {
    name: &'static str,
    postgres: &'static str,
    sqlite: &'static str,
}

/// A question by the name of its file.
macro_rules! question {
    ($name:literal) => {
        $crate::store::facts::Question {
            name: $name,
            postgres: include_str!(concat!("../sql/", $name, ".sql")),
            sqlite: include_str!(concat!("../sql/", $name, ".sql")),
        }
    };
    ($name:literal postgres) => {
        $crate::store::facts::Question {
            name: $name,
            postgres: include_str!(concat!("../../dialect/postgres/sql/", $name, ".sql")),
            sqlite: "",
        }
    };
    ($name:literal sqlite) => {
        $crate::store::facts::Question {
            name: $name,
            postgres: "",
            sqlite: include_str!(concat!("../../dialect/sqlite/sql/", $name, ".sql")),
        }
    };
    ($name:literal both) => {
        $crate::store::facts::Question {
            name: $name,
            postgres: include_str!(concat!("../../dialect/postgres/sql/", $name, ".sql")),
            sqlite: include_str!(concat!("../../dialect/sqlite/sql/", $name, ".sql")),
        }
    };
}
use question;

impl Store {
    async fn ask(
        &self,
        question: Question,
        tokens: &[(&'static str, String)],
        binds: &[Value],
    ) -> Result<Vec<Row>, StoreError> {
        let text = match self.dialect() {
            Dialect::Postgres => question.postgres,
            Dialect::Sqlite => question.sqlite,
        };
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let mut all = sql::tokens(&self.fragments(), self.clock);
        all.extend(tokens.iter().cloned());
        let sql = Template { name: question.name, text }.render(&all)?;
        self.with_retries_when(
            true,
            |_| false,
            || async {
                let mut transaction = self.backend.begin(Purpose::Probe).await?;
                let rows = transaction.fetch(&sql, binds).await?;
                transaction.commit().await?;
                Ok(rows)
            },
        )
        .await
    }

    async fn ask_one(
        &self,
        question: Question,
        tokens: &[(&'static str, String)],
        binds: &[Value],
    ) -> Result<Row, StoreError> {
        let row = self.ask(question, tokens, binds).await?.into_iter().next();
        row.ok_or_else(|| StoreError::corrupt(format!("{} has no row", question.name)))
    }

    /// The table as a question names it: quoted for PostgreSQL's catalogue, bare for SQLite's.
    fn name_bind(&self) -> Value {
        match self.dialect() {
            Dialect::Postgres => self.mapping.name.quoted(Dialect::Postgres).into(),
            Dialect::Sqlite => self.mapping.name.name.as_str().into(),
        }
    }

    fn table_binds(&self) -> Vec<Value> {
        match self.dialect() {
            Dialect::Postgres => vec![self.name_bind()],
            Dialect::Sqlite => {
                vec![self.name_bind(), self.mapping.name.schema.as_ref().map(Ident::as_str).into()]
            }
        }
    }

    /// The table as SQL has it, for statements that are shown to people.
    pub(crate) fn table_sql(&self) -> String {
        self.mapping.name.quoted(self.dialect())
    }

    /// A column as SQL has it, for statements that are shown to people.
    pub(crate) fn column_sql(&self, column: &Ident) -> String {
        column.quoted(self.dialect())
    }
}

/// A list of names that came as JSON; `None` for what has no name. NULL is an empty list.
pub(super) fn names(text: Option<String>) -> Result<Vec<Option<String>>, StoreError> {
    let Some(text) = text else { return Ok(Vec::new()) };
    serde_json::from_str(&text)
        .map_err(|error| StoreError::corrupt(format!("a list of names can't be read: {error}")))
}
