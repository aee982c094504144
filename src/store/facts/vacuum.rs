//! What holds back vacuum.

use std::time::Duration;

use super::{Question, question};
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
    /// Sessions that hold vacuum back, and standbys that report what their queries still read, the oldest
    /// first.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn sessions_in_the_way(&self) -> Result<Vec<Holder>, StoreError> {
        self.holders(question!("doctor_horizon" postgres)).await
    }

    /// Prepared transactions that hold vacuum back, the oldest first.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn prepared_in_the_way(&self) -> Result<Vec<Holder>, StoreError> {
        self.holders(question!("doctor_prepared" postgres)).await
    }

    /// Replication slots that hold vacuum back.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn slots_in_the_way(&self) -> Result<Vec<Holder>, StoreError> {
        self.holders(question!("doctor_slots_xmin" postgres)).await
    }

    async fn holders(&self, question: Question) -> Result<Vec<Holder>, StoreError> {
        let rows = self.ask(question, &[], &[]).await?;
        rows.into_iter()
            .map(|mut row| {
                Ok(Holder {
                    kind: match row.some_text()?.as_str() {
                        "prepared" => HolderKind::Prepared,
                        "slot" => HolderKind::Slot,
                        "standby" => HolderKind::Standby,
                        "hidden" => HolderKind::Hidden,
                        _ => HolderKind::Transaction,
                    },
                    name: row.some_text()?,
                    whose: row.text()?.filter(|whose| !whose.is_empty()),
                    // A clock that was set back makes no age.
                    age: row.int()?.map(|micros| Duration::from_micros(u64::try_from(micros).unwrap_or(0))),
                    transactions: u64::try_from(row.some_int()?).unwrap_or(0),
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
                let name = row.some_text()?;
                row.bool()?;
                // A slot that was never used keeps nothing yet, and says NULL.
                let kept = row.int()?.map_or(0, |bytes| u64::try_from(bytes).unwrap_or(0));
                let catalogue = row.int()?.map_or(0, |age| u64::try_from(age).unwrap_or(0));
                Ok(IdleSlot { name, kept, catalogue })
            })
            .collect()
    }
}
