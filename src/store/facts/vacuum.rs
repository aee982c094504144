//! What holds back vacuum.

use std::time::Duration;

use super::{question, unsigned};
use crate::store::{Store, StoreError};

/// What kind of thing holds vacuum back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HolderKind {
    /// A session's transaction or snapshot.
    Transaction,
    /// A transaction that was prepared and neither committed nor rolled back.
    Prepared,
    /// A replication slot.
    Slot,
    /// A standby that reports what its queries still read.
    Standby,
    /// Sessions that the role may not look into.
    Hidden,
}

/// Something that holds vacuum back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Holder {
    /// What it is.
    pub kind: HolderKind,
    /// Its process, its name, or how many are hidden.
    pub name: String,
    /// Whose it is.
    pub whose: Option<String>,
    /// Since when, where that is known.
    pub age: Option<Duration>,
    /// For how many transactions.
    pub transactions: u64,
    /// What it does.
    pub state: Option<String>,
}

/// A replication slot that nobody reads from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdleSlot {
    /// Its name.
    pub name: String,
    /// Bytes of log that it keeps.
    pub kept: u64,
    /// For how many transactions it keeps the catalogue's old rows.
    pub catalogue: u64,
}

impl Store {
    /// What holds vacuum back, the oldest first.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn vacuum_holders(&self) -> Result<Vec<Holder>, StoreError> {
        let rows = self.ask(question!("doctor_horizon" postgres), &[], &[]).await?;
        rows.into_iter()
            .map(|mut row| {
                Ok(Holder {
                    kind: match row.text()?.as_deref() {
                        Some("prepared") => HolderKind::Prepared,
                        Some("slot") => HolderKind::Slot,
                        Some("standby") => HolderKind::Standby,
                        Some("hidden") => HolderKind::Hidden,
                        _ => HolderKind::Transaction,
                    },
                    name: row.text()?.unwrap_or_default(),
                    whose: row.text()?.filter(|whose| !whose.is_empty()),
                    age: row.int()?.map(|micros| Duration::from_micros(u64::try_from(micros).unwrap_or(0))),
                    transactions: unsigned(row.int()?),
                    state: row.text()?,
                })
            })
            .collect()
    }

    /// Replication slots that nobody reads from, the one that keeps most first.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn idle_slots(&self) -> Result<Vec<IdleSlot>, StoreError> {
        let rows = self.ask(question!("doctor_slots" postgres), &[], &[]).await?;
        rows.into_iter()
            .map(|mut row| {
                let name = row.text()?.unwrap_or_default();
                row.bool()?;
                Ok(IdleSlot { name, kept: unsigned(row.int()?), catalogue: unsigned(row.int()?) })
            })
            .collect()
    }
}
