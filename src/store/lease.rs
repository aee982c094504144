//! Who leads: a row per table and pass in `idemctl_lease`, taken and renewed by compare-and-set on the
//! database's clock. Session locks would strand behind a pooler, and not every engine has them.

use std::time::Duration;

use super::holds::PauseRow;
use super::{Confirmed, Purpose, Row, Statement, Store, StoreError, Value};
use crate::protocol::Timestamp;

/// The passes of a janitor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Pass {
    /// Stuck rows become failed.
    Reap,
    /// Expired rows go.
    Purge,
}

impl Pass {
    /// Both, in the order in which they run where both are due.
    pub const ALL: [Self; 2] = [Self::Reap, Self::Purge];

    /// Its name in reports, metrics and `idemctl_lease`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Reap => "reap",
            Self::Purge => "purge",
        }
    }
}

impl std::fmt::Display for Pass {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What the last pass did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PassRecord {
    /// When it began.
    pub started: Option<Timestamp>,
    /// When one last completed.
    pub succeeded: Option<Timestamp>,
    /// Rows per second.
    pub rate: Option<i64>,
}

/// Who leads a pass, and what it did last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeaseRow {
    /// The pass.
    pub pass: Pass,
    /// Who holds its lease, or held it last.
    pub holder: Option<String>,
    /// Until when.
    pub until: Timestamp,
    /// How long that is from now, by the database's clock; zero when the lease has run out.
    pub left: Duration,
    /// What the last pass did.
    pub note: PassRecord,
}

/// What asking for the leases of a table came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Leadership {
    /// The passes that the asker leads now.
    pub leads: Vec<Pass>,
    /// Every pass's row.
    pub rows: Vec<LeaseRow>,
    /// The pause that is on.
    pub pause: Option<PauseRow>,
}

impl Store {
    /// Whether janitors can elect a leader and be paused here. Beside an adopted table the tables for
    /// that may be missing.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn has_leases(&self) -> Result<bool, StoreError> {
        let row = self.read_one(&self.sql.leases_exist, &[]).await?;
        Ok(match row {
            Some(mut row) => row.int()? == Some(1),
            None => false,
        })
    }

    /// Takes, or renews, the leases of these passes for `length` from now on the database's clock.
    ///
    /// # Errors
    /// When the database can't be asked, or takes no writes.
    pub async fn lead(
        &self,
        passes: &[Pass],
        holder: &str,
        length: Duration,
        _confirmed: &Confirmed,
    ) -> Result<Leadership, StoreError> {
        let length = i64::try_from(length.as_micros()).unwrap_or(i64::MAX);
        // A lease that was taken without our hearing of it is taken again by its holder.
        let (leads, rows, pause) = self
            .with_retries_when(
                true,
                |_| false,
                || async {
                    let mut transaction = self.backend.begin(Purpose::Write).await?;
                    let mut leads = Vec::new();
                    for pass in passes {
                        let binds = [self.table_bind(), pass.as_str().into(), holder.into(), length.into()];
                        if transaction.execute(&self.sql.lease_acquire, &binds).await? == 1 {
                            leads.push(*pass);
                        }
                    }
                    let rows = transaction.fetch(&self.sql.leases_read, &[self.table_bind()]).await?;
                    let pause = transaction.fetch_one(&self.sql.pause_read, &[]).await?;
                    transaction.commit().await?;
                    Ok((leads, rows, pause))
                },
            )
            .await?;
        Ok(Leadership { leads, rows: read_leases(rows)?, pause: pause.map(PauseRow::read).transpose()? })
    }

    /// Who leads the passes of this table, and what they did last.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn leases(&self) -> Result<Vec<LeaseRow>, StoreError> {
        read_leases(self.read(&self.sql.leases_read, &[self.table_bind()]).await?)
    }

    /// As [`Store::leases`]; none where the role may not read them, which is for [`Store::missing_rights`] to say.
    ///
    /// # Errors
    /// When the database can't be asked.
    #[cfg(feature = "cli")]
    pub(crate) async fn leases_if_readable(&self) -> Result<Vec<LeaseRow>, StoreError> {
        match self.leases().await {
            Err(error) if error.kind() == super::ErrorKind::Right => Ok(Vec::new()),
            other => other,
        }
    }

    /// Gives every lease of this holder on this table back at once.
    ///
    /// # Errors
    /// When the database can't be asked; the leases then run out by themselves.
    pub async fn release_leases(&self, holder: &str) -> Result<(), StoreError> {
        self.write_again(&self.sql.leases_release, &[self.table_bind(), holder.into()]).await
    }

    /// What the last pass of this kind did.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn pass_record(&self, pass: Pass) -> Result<PassRecord, StoreError> {
        Ok(match self.read_one(&self.sql.pass_read, &[self.table_bind(), pass.as_str().into()]).await? {
            None => PassRecord::default(),
            Some(mut row) => PassRecord { started: row.time()?, succeeded: row.time()?, rate: row.int()? },
        })
    }

    /// Notes what a pass did, for `stats` and for whoever watches.
    ///
    /// # Errors
    /// When the role may not write the note; the pass itself stands.
    pub async fn record_pass(&self, pass: Pass, note: PassRecord) -> Result<(), StoreError> {
        let binds = [
            self.table_bind(),
            pass.as_str().into(),
            Value::Time(note.started),
            Value::Time(note.succeeded),
            note.rate.into(),
        ];
        self.write_again(&self.sql.pass_record, &binds).await
    }

    /// One statement that may be run twice.
    async fn write_again(&self, sql: &Statement, binds: &[Value]) -> Result<(), StoreError> {
        self.with_retries(true, || async {
            let mut transaction = self.backend.begin(Purpose::Write).await?;
            transaction.execute(sql, binds).await?;
            transaction.commit().await
        })
        .await
    }

    fn table_bind(&self) -> Value {
        self.mapping.name.to_string().into()
    }
}

fn read_leases(rows: Vec<Row>) -> Result<Vec<LeaseRow>, StoreError> {
    let mut leases = Vec::new();
    for mut row in rows {
        let name = row.some_text()?;
        let holder = row.text()?;
        let until = row.time()?;
        let until = row.required(until)?;
        let now = row.time()?;
        let left = if holder.is_some() { until.since(row.required(now)?) } else { Duration::ZERO };
        let note = PassRecord { started: row.time()?, succeeded: row.time()?, rate: row.int()? };
        // Rows of passes that a later version may bring are its own business.
        if let Some(pass) = Pass::ALL.into_iter().find(|pass| pass.as_str() == name) {
            leases.push(LeaseRow { pass, holder, until, left, note });
        }
    }
    leases.sort_by_key(|lease| lease.pass);
    Ok(leases)
}
