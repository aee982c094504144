//! What the role may not do that a janitor has to. The database is asked to plan the very statements that the
//! passes run: a right to single columns counts where it suffices, and nowhere else.

use super::{Dialect, ErrorKind, Pass, Purpose, Statement, Store, StoreError};
use crate::table::WriteRule;

const READ: &[&str] = &["SELECT"];
const DELETE: &[&str] = &["SELECT", "DELETE"];
/// Passing over a locked row takes `FOR UPDATE`.
const DELETE_SKIPPING: &[&str] = &["SELECT", "UPDATE", "DELETE"];
const UPDATE: &[&str] = &["SELECT", "UPDATE"];
const UPSERT: &[&str] = &["SELECT", "INSERT", "UPDATE"];
const INSERT: &[&str] = &["INSERT"];

/// Rights on a table that the role lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingRights {
    /// The table, as SQL has it.
    pub table: String,
    /// `SELECT`, `INSERT`, `UPDATE`, `DELETE`.
    pub rights: Vec<&'static str>,
    /// The role, as SQL has it.
    pub role: String,
}

impl MissingRights {
    /// The statement that gives them.
    pub fn grant(&self) -> String {
        format!("GRANT {} ON {} TO {};", self.rights.join(", "), self.table, self.role)
    }
}

/// The work that rights are asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// The passes that run.
    pub reaps: bool,
    /// As [`Work::reaps`].
    pub purges: bool,
    /// They write the audit, and expire it.
    pub audits: bool,
    /// Leaders are elected.
    pub leads: bool,
}

impl Store {
    /// The rights that this work needs and the role lacks, table by table. Files have none.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn missing_rights(&self, work: Work) -> Result<Vec<MissingRights>, StoreError> {
        if !self.dialect().has_roles() {
            return Ok(Vec::new());
        }
        let own = self.mapping.name.quoted(self.dialect());
        let reap = match &self.mapping.fail {
            Some(WriteRule::Delete) => DELETE_SKIPPING,
            _ => UPDATE,
        };
        let sql = &self.sql;
        let mut needed: Vec<(&str, &Statement, &[&'static str])> = Vec::new();
        if work.reaps {
            needed.extend([(own.as_str(), &sql.select_rows, READ), (own.as_str(), &sql.reap_row, reap)]);
        }
        if work.purges {
            needed.extend([
                (own.as_str(), &sql.purge_step, READ),
                (own.as_str(), &sql.purge_range, DELETE),
                (own.as_str(), &sql.purge_range_skip_locked, DELETE_SKIPPING),
            ]);
        }
        if work.audits {
            if work.reaps {
                needed.push(("idemctl_audit", &sql.audit_insert, INSERT));
            }
            if work.purges {
                needed.push(("idemctl_audit", &sql.audit_expire, DELETE_SKIPPING));
            }
        }
        if work.leads {
            needed.extend([
                ("idemctl_lease", &sql.lease_acquire, UPSERT),
                ("idemctl_lease", &sql.leases_read, READ),
                ("idemctl_lease", &sql.leases_release, UPDATE),
                ("idemctl_lease", &sql.pass_record, UPSERT),
                ("idemctl_pause", &sql.pause_read, READ),
            ]);
        }
        let mut missing: Vec<MissingRights> = Vec::new();
        for (table, statement, rights) in needed {
            if !self.lacks_right(statement).await? {
                continue;
            }
            let (lacking, role) = self.lacking_of(table, rights).await?;
            match missing.iter_mut().find(|known| known.table == table) {
                Some(known) => {
                    let more = lacking.into_iter().filter(|right| !known.rights.contains(right));
                    let more: Vec<_> = more.collect();
                    known.rights.extend(more);
                }
                None => missing.push(MissingRights { table: table.to_owned(), rights: lacking, role }),
            }
        }
        Ok(missing)
    }

    /// Whether the role lacks a right to run a statement. It is planned and not run; NULLs stand in for its
    /// binds.
    async fn lacks_right(&self, statement: &Statement) -> Result<bool, StoreError> {
        let explain = statement.with_nulls().explained("EXPLAIN");
        let mut transaction = self.backend.begin(Purpose::Read).await?;
        let planned = transaction.fetch(&explain, &[]).await;
        transaction.rollback().await?;
        match planned {
            Ok(_) => Ok(false),
            Err(error) if error.kind() == ErrorKind::Right => Ok(true),
            // What else the database says of it is not about rights, and said where the mapping is checked.
            Err(error)
                if error.is_disconnect() || error.is_transient() || error.kind() == ErrorKind::Timeout =>
            {
                Err(error)
            }
            Err(error) => {
                tracing::debug!(%error, "a statement can't be planned");
                Ok(false)
            }
        }
    }

    /// Those of the rights that the role does not have on the whole table; all of them, where it has each and is
    /// refused all the same (a right on a schema, or on a function, is missing).
    async fn lacking_of(
        &self,
        table: &str,
        rights: &[&'static str],
    ) -> Result<(Vec<&'static str>, String), StoreError> {
        let row = self.read_one(&self.sql.table_rights, &[table.into()]).await?;
        let mut row =
            row.ok_or_else(|| StoreError::new(ErrorKind::Schema, format!("{table} is not there any more")))?;
        let mut lacking = Vec::new();
        for right in ["SELECT", "INSERT", "UPDATE", "DELETE"] {
            if !row.some_bool()? && rights.contains(&right) {
                lacking.push(right);
            }
        }
        let role = crate::table::Ident::new(row.some_text()?)
            .map_err(|error| StoreError::corrupt(error.to_string()))?
            .quoted(Dialect::Postgres);
        Ok((if lacking.is_empty() { rights.to_vec() } else { lacking }, role))
    }

    /// Whether row level security hides rows from these passes. What it hides is taken to hide some where it can't
    /// be read.
    ///
    /// # Errors
    /// When the connection is lost.
    pub async fn hides_rows(&self, passes: &[Pass]) -> Result<bool, StoreError> {
        if !self.dialect().has_row_security() {
            return Ok(false);
        }
        let asked = async {
            let name = self.mapping.name.quoted(self.dialect());
            // Nearly always this is all that there is to ask.
            let row = self.read_one(&self.sql.row_security, &[name.into()]).await?;
            match row.map(|mut row| row.some_bool()).transpose()? {
                Some(true) => self.hidden_from(passes).await,
                _ => Ok(Vec::new()),
            }
        };
        match asked.await {
            Ok(commands) => Ok(!commands.is_empty()),
            Err(error) if error.is_disconnect() => Err(error),
            Err(error) => {
                tracing::debug!(%error, "what row level security hides can't be read");
                Ok(true)
            }
        }
    }

    /// The commands whose row level security policies let a pass meet a part of the rows alone.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn hidden_from(&self, passes: &[Pass]) -> Result<Vec<&'static str>, StoreError> {
        if !self.dialect().has_row_security() {
            return Ok(Vec::new());
        }
        let active = match self.table_facts().await? {
            Some(facts) => facts.row_security_active,
            None => false,
        };
        if !active {
            return Ok(Vec::new());
        }
        let policies = self.policies().await?;
        let mut commands = vec!["SELECT"];
        if passes.contains(&Pass::Purge) {
            commands.push("DELETE");
        }
        if passes.contains(&Pass::Reap) {
            commands.push("UPDATE");
        }
        commands.retain(|command| !super::Policy::let_all_pass(&policies, command));
        Ok(commands)
    }
}
