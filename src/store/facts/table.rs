//! The table and what hangs on it, from the catalogue.

use super::{names, question};
use crate::protocol::Timestamp;
use crate::store::{Dialect, Store, StoreError};

/// What a table is, and what this role may do with it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TableFacts {
    /// What it is where it is no ordinary table.
    pub kind: Option<&'static str>,
    /// It is split into partitions.
    pub partitioned: bool,
    /// Its rows are gone after a crash.
    pub unlogged: bool,
    /// Its owner.
    pub owner: String,
    /// The role owns it, or is a member of the role that does.
    pub owned: bool,
    /// Row level security is switched on.
    pub row_security: bool,
    /// For its owner too.
    pub row_security_forced: bool,
    /// It applies to this role.
    pub row_security_active: bool,
    /// Autovacuum is switched off for it.
    pub unvacuumed: bool,
    /// The role may reach into its schema.
    pub usage: bool,
    /// The role may read it.
    pub select: bool,
    /// The role may insert.
    pub insert: bool,
    /// The role may update every column.
    pub update: bool,
    /// The role may update some column.
    pub update_any: bool,
    /// The role may delete.
    pub delete: bool,
    /// It checks the types of what it stores; SQLite's alone.
    pub strict: bool,
}

/// How large a table is, as the last vacuum or analyze left the numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TableSize {
    /// About how many rows it has.
    pub rows: u64,
    /// Bytes, without indexes.
    pub bytes: u64,
    /// How many tables hold its rows.
    pub partitions: u64,
    /// Autovacuum is switched off for one of them.
    pub unvacuumed: bool,
}

/// What the statistics say of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct VacuumFacts {
    /// Rows alive.
    pub live: u64,
    /// Rows that are gone and still take room.
    pub dead: u64,
    /// When a vacuum last completed.
    pub vacuumed_at: Option<Timestamp>,
    /// When it was last analyzed.
    pub analyzed_at: Option<Timestamp>,
}

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnFacts {
    /// Its name.
    pub name: String,
    /// Its type, as it was declared.
    pub declared: String,
    /// The type underneath.
    pub base: String,
    /// How many characters it holds, where that is limited.
    pub width: Option<u64>,
    /// It never holds NULL.
    pub not_null: bool,
    /// How its texts compare.
    pub collation: Option<String>,
    /// Texts that are not the same bytes are never equal.
    pub deterministic: bool,
    /// The role may read it.
    pub readable: bool,
}

/// An index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexFacts {
    /// As SQL has it.
    pub sql: String,
    /// Its table, as SQL has it.
    pub table: String,
    /// Its bare name.
    pub name: String,
    /// The planner may use it.
    pub usable: bool,
    /// It is unique.
    pub unique: bool,
    /// Only some rows are in it.
    pub partial: bool,
    /// It is asked at the end of the transaction.
    pub deferrable: bool,
    /// Two NULLs are the same.
    pub nulls_equal: bool,
    /// Its columns in order; `None` for an expression.
    pub columns: Vec<Option<String>>,
    /// The columns inside of its expressions.
    pub inside: Vec<String>,
    /// The collations of its columns, where the database tells.
    pub collations: Vec<Option<String>>,
    /// It is the table's own, not a partition's.
    pub own: bool,
    /// It has partitions itself.
    pub partitioned: bool,
    /// The statement that made it, where the database tells.
    pub definition: Option<String>,
}

/// A row level security policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Policy {
    /// Its name.
    pub name: String,
    /// `ALL`, `SELECT`, …
    pub command: String,
    /// It allows; else it restricts what others allow.
    pub permissive: bool,
    /// Which rows.
    pub condition: String,
}

impl Policy {
    /// Whether policies let every row pass for a command: one allows all, and none restricts that.
    pub fn let_all_pass(policies: &[Self], command: &str) -> bool {
        let of_it = policies.iter().filter(|policy| policy.command == "ALL" || policy.command == command);
        let (allow, restrict): (Vec<_>, Vec<_>) = of_it.partition(|policy| policy.permissive);
        allow.iter().any(|policy| policy.condition == "true")
            && restrict.iter().all(|policy| policy.condition == "true")
    }
}

/// What kind of thing meets a delete or an update.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TriggerKind {
    /// A trigger before the row is changed: it can keep the row as it is.
    Before,
    /// A trigger after that.
    After,
    /// A rule that does something else instead.
    Instead,
    /// A rule that does something beside it.
    Also,
}

/// Something that meets a delete or an update of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trigger {
    /// Its name.
    pub name: String,
    /// The table that it is on.
    pub table: String,
    /// Its function, or its text.
    pub action: String,
    /// It meets a delete.
    pub on_delete: bool,
    /// It meets an update.
    pub on_update: bool,
    /// What kind it is.
    pub kind: TriggerKind,
}

/// A table whose foreign key points here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildTable {
    /// As SQL has it.
    pub table: String,
    /// The constraint.
    pub constraint: String,
    /// About how many rows it has.
    pub rows: u64,
    /// `CASCADE`, `NO ACTION`, …
    pub on_delete: String,
    /// The referencing columns, as SQL has them.
    pub columns: String,
    /// An index begins with them.
    pub indexed: bool,
    /// It is split into partitions.
    pub partitioned: bool,
}

/// A table beside the table of keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuxiliaryTable {
    /// Its name.
    pub name: String,
    /// It is there.
    pub exists: bool,
    /// The role may read it.
    pub select: bool,
    /// The role may insert.
    pub insert: bool,
    /// The role may update.
    pub update: bool,
}

impl Store {
    /// The table; `None` where there is none of that name.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn table_facts(&self) -> Result<Option<TableFacts>, StoreError> {
        let rows = self.ask(question!("doctor_table" both), &[], &self.table_binds()).await?;
        let Some(mut row) = rows.into_iter().next() else { return Ok(None) };
        let kind = row.some_text()?;
        let named = match kind.as_str() {
            "v" | "view" => Some("a view"),
            "m" => Some("a materialized view"),
            "f" => Some("a foreign table"),
            "virtual" | "shadow" => Some("a virtual table"),
            _ => None,
        };
        Ok(Some(match self.dialect() {
            Dialect::Sqlite => TableFacts {
                kind: named,
                strict: row.some_bool()?,
                owned: true,
                usage: true,
                select: true,
                insert: true,
                update: true,
                update_any: true,
                delete: true,
                ..TableFacts::default()
            },
            Dialect::Postgres => TableFacts {
                kind: named,
                partitioned: kind == "p",
                unlogged: row.some_text()? == "u",
                owner: row.some_text()?,
                owned: row.some_bool()?,
                row_security: row.some_bool()?,
                row_security_forced: row.some_bool()?,
                row_security_active: row.some_bool()?,
                usage: row.some_bool()?,
                select: row.some_bool()?,
                insert: row.some_bool()?,
                update: row.some_bool()?,
                update_any: row.some_bool()?,
                delete: row.some_bool()?,
                unvacuumed: row.some_bool()?,
                strict: true,
            },
        }))
    }

    /// How large it is. SQLite keeps no such numbers.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn table_size(&self) -> Result<TableSize, StoreError> {
        if !self.dialect().has_table_sizes() {
            return Ok(TableSize { partitions: 1, ..TableSize::default() });
        }
        let mut row = self.ask_one(question!("doctor_size" postgres), &[], &[self.name_bind()]).await?;
        Ok(TableSize {
            rows: row.some_count()?,
            bytes: row.some_count()?,
            partitions: row.some_count()?,
            unvacuumed: row.some_bool()?,
        })
    }

    /// Its dead rows and its last vacuum. SQLite has none of either.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn vacuum_facts(&self) -> Result<VacuumFacts, StoreError> {
        if !self.dialect().has_vacuum() {
            return Ok(VacuumFacts::default());
        }
        let mut row = self.ask_one(question!("doctor_vacuum" postgres), &[], &[self.name_bind()]).await?;
        Ok(VacuumFacts {
            live: row.some_count()?,
            dead: row.some_count()?,
            vacuumed_at: row.time()?,
            analyzed_at: row.time()?,
        })
    }

    /// The indexes that somebody builds right now, as SQL has them.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn indexes_being_built(&self) -> Result<Vec<String>, StoreError> {
        let rows = self.ask(question!("doctor_building" postgres), &[], &[]).await?;
        rows.into_iter().map(|mut row| Ok(row.some_text()?)).collect()
    }

    /// Its columns.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn column_facts(&self) -> Result<Vec<ColumnFacts>, StoreError> {
        let rows = self.ask(question!("doctor_columns" both), &[], &[self.name_bind()]).await?;
        rows.into_iter()
            .map(|mut row| {
                Ok(ColumnFacts {
                    name: row.some_text()?,
                    declared: row.some_text()?,
                    base: row.some_text()?,
                    width: row.int()?.and_then(|width| u64::try_from(width).ok()),
                    not_null: row.some_bool()?,
                    collation: row.text()?,
                    deterministic: row.some_bool()?,
                    readable: row.some_bool()?,
                })
            })
            .collect()
    }

    /// Its indexes, those of its partitions too.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn index_facts(&self) -> Result<Vec<IndexFacts>, StoreError> {
        let rows = self.ask(question!("doctor_indexes" both), &[], &[self.name_bind()]).await?;
        rows.into_iter()
            .map(|mut row| {
                Ok(IndexFacts {
                    sql: row.some_text()?,
                    table: row.some_text()?,
                    name: row.some_text()?,
                    usable: row.some_bool()?,
                    unique: row.some_bool()?,
                    partial: row.some_bool()?,
                    deferrable: row.some_bool()?,
                    nulls_equal: row.some_bool()?,
                    columns: names(row.text()?)?,
                    inside: names(row.text()?)?.into_iter().flatten().collect(),
                    collations: names(row.text()?)?,
                    own: row.some_bool()?,
                    partitioned: row.some_bool()?,
                    definition: row.text()?,
                })
            })
            .collect()
    }

    /// The row level security policies that this role's reads and deletes meet.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn policies(&self) -> Result<Vec<Policy>, StoreError> {
        let rows = self.ask(question!("doctor_policies" postgres), &[], &[self.name_bind()]).await?;
        rows.into_iter()
            .map(|mut row| {
                Ok(Policy {
                    name: row.some_text()?,
                    command: row.some_text()?,
                    permissive: row.some_bool()?,
                    condition: row.some_text()?,
                })
            })
            .collect()
    }

    /// What meets a delete or an update of its rows.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn triggers(&self) -> Result<Vec<Trigger>, StoreError> {
        let rows = self.ask(question!("doctor_triggers" both), &[], &[self.name_bind()]).await?;
        let mut triggers = Vec::new();
        for mut row in rows {
            let name = row.some_text()?;
            let action = row.some_text()?;
            match self.dialect() {
                Dialect::Sqlite => {
                    triggers.push(read_sqlite_trigger(name, action));
                    continue;
                }
                Dialect::Postgres => {}
            }
            let (on_delete, on_update) = (row.some_bool()?, row.some_bool()?);
            let kind = match (row.some_bool()?, row.some_bool()?) {
                (true, false) => TriggerKind::Before,
                (false, false) => TriggerKind::After,
                (true, true) => TriggerKind::Instead,
                (false, true) => TriggerKind::Also,
            };
            let table = row.some_text()?;
            triggers.push(Trigger { name, table, action, on_delete, on_update, kind });
        }
        Ok(triggers)
    }

    /// The tables whose foreign keys point here.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn children(&self) -> Result<Vec<ChildTable>, StoreError> {
        let rows = self.ask(question!("doctor_children" both), &[], &[self.name_bind()]).await?;
        rows.into_iter()
            .map(|mut row| {
                Ok(ChildTable {
                    table: row.some_text()?,
                    constraint: row.some_text()?,
                    rows: row.some_count()?,
                    on_delete: row.some_text()?,
                    columns: row.some_text()?,
                    indexed: row.some_bool()?,
                    partitioned: row.some_bool()?,
                })
            })
            .collect()
    }

    /// The tables beside it.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn auxiliary_tables(&self) -> Result<Vec<AuxiliaryTable>, StoreError> {
        let rows = self.ask(question!("doctor_auxiliary" both), &[], &[]).await?;
        rows.into_iter()
            .map(|mut row| {
                Ok(AuxiliaryTable {
                    name: row.some_text()?,
                    exists: row.some_bool()?,
                    select: row.some_bool()?,
                    insert: row.some_bool()?,
                    update: row.some_bool()?,
                })
            })
            .collect()
    }

    /// The values that the state's column may hold, where its type lists them.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn enum_values(&self, column: &str) -> Result<Vec<String>, StoreError> {
        let rows =
            self.ask(question!("doctor_enum" postgres), &[], &[self.name_bind(), column.into()]).await?;
        rows.into_iter().map(|mut row| Ok(row.some_text()?)).collect()
    }
}

/// Reads a trigger's head: SQLite keeps it as it was written. `CREATE [TEMP] TRIGGER name [BEFORE|AFTER|
/// INSTEAD OF] event`, and what is neither says so little that both events are taken for met.
fn read_sqlite_trigger(name: String, text: String) -> Trigger {
    let upper = text.to_ascii_uppercase();
    let quoted = name.to_ascii_uppercase();
    // What comes after the name, so that a hostile name says nothing.
    let rest = upper.split_once(&quoted).map_or(upper.as_str(), |(_, rest)| rest);
    let head: Vec<&str> = rest
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .take_while(|word| *word != "ON" && *word != "BEGIN")
        .collect();
    let says = |word: &str| head.contains(&word);
    let ignores = rest.split_whitespace().collect::<String>().contains("RAISE(IGNORE)");
    let unclear = !says("DELETE") && !says("UPDATE") && !says("INSERT");
    Trigger {
        table: String::new(),
        on_delete: says("DELETE") || unclear,
        on_update: says("UPDATE") || unclear,
        kind: if ignores { TriggerKind::Before } else { TriggerKind::After },
        name,
        action: text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triggers_head_says_what_it_meets() {
        let read = |text: &str| read_sqlite_trigger("t on delete".to_owned(), text.to_owned());
        let keeps =
            read("CREATE TRIGGER `t on delete` BEFORE DELETE ON k BEGIN SELECT raise ( ignore ); END");
        assert!(keeps.on_delete && !keeps.on_update && keeps.kind == TriggerKind::Before);
        let logs = read("create trigger \"T ON DELETE\" after update of s ON k BEGIN DELETE FROM x; END");
        assert!(!logs.on_delete && logs.on_update && logs.kind == TriggerKind::After);
        let inserts = read("CREATE TRIGGER `t on delete` INSERT ON k BEGIN SELECT 1; END");
        assert!(!inserts.on_delete && !inserts.on_update);
    }
}
