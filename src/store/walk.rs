//! The purge's walks through the table as it lies: where more rows than a batch share one expiry, and where no index
//! has the expiry's order. Each of them goes by what exists: heap blocks of every table that holds rows, or rows in
//! the order that the table itself is kept in.

use super::{Batch, Confirmed, Dialect, DueRow, Purpose, Served, Store, StoreError, Value};
use crate::protocol::Timestamp;

/// So many rows may be sorted for each batch, where an index leads to them and has another order: to read the
/// whole table would cost more.
const SORTED: i64 = 10_000;

/// Where a walk through rows that share one expiry, or through the whole table, stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TiedCursor(Position);

#[derive(Debug, Clone, PartialEq, Eq, Default)]
enum Position {
    /// Not begun.
    #[default]
    Start,
    /// Along the heap of so many tables at once: the block that comes next, and the one after the last.
    Blocks { from: u64, end: u64, tables: u64 },
    /// By row lists.
    Rows,
    /// In the order that the table is kept in: the row that comes next, and the last of all.
    Keys { from: Vec<Value>, last: Vec<Value> },
    /// At its end.
    End,
}

impl TiedCursor {
    /// Goes on by row lists. False when it does so already.
    pub fn leave_the_blocks(&mut self) -> bool {
        let by_blocks = matches!(self.0, Position::Blocks { .. });
        if by_blocks {
            self.0 = Position::Rows;
        }
        by_blocks
    }
}

impl Store {
    /// Where to begin a walk through the table as it lies; `None` where an index has the expiry's order,
    /// so that there is a shorter way. Without one each step of the usual walk would read the whole table.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn heap_walk(&self, until: Timestamp) -> Result<Option<TiedCursor>, StoreError> {
        if self.expiry_has_an_order(until).await? {
            return Ok(None);
        }
        let served = self.step_is_served(&self.index_facts().await?, until).await?;
        if served.iter().all(|(_, how)| matches!(how, Served::Index(_)))
            && self.purge_count(self.first_expiry(), until, SORTED + 1).await? <= SORTED.unsigned_abs()
        {
            return Ok(None);
        }
        Ok(Some(TiedCursor(match self.dialect() {
            Dialect::Postgres => self.all_blocks().await?,
            Dialect::Sqlite => self.all_keys().await?,
        })))
    }

    /// All heap blocks of all tables that hold rows.
    async fn all_blocks(&self) -> Result<Position, StoreError> {
        let name = self.mapping.name.quoted(self.dialect());
        let Some(mut row) = self.read_one(&self.sql.heap_extent, &[name.into()]).await? else {
            return Ok(Position::End);
        };
        let (end, tables) = (number(row.int()?), number(row.int()?));
        Ok(Position::Blocks { from: 0, end, tables })
    }

    /// All rows in the order that the table is kept in.
    async fn all_keys(&self) -> Result<Position, StoreError> {
        if self.columns.place.is_empty() {
            return Ok(Position::Rows);
        }
        let mut ends = self.places(&self.sql.purge_keys_ends, &[]).await?.into_iter();
        Ok(match (ends.next(), ends.next()) {
            (Some(from), Some(last)) => Position::Keys { from, last },
            _ => Position::End,
        })
    }

    /// The places of the rows that a query gives.
    async fn places(&self, sql: &super::Statement, binds: &[Value]) -> Result<Vec<Vec<Value>>, StoreError> {
        let rows = self.read(sql, binds).await?;
        rows.into_iter()
            .map(|mut row| {
                let mut place = Vec::with_capacity(self.columns.place.len());
                for _ in &self.columns.place {
                    let value = row.value()?;
                    place.push(row.required(value)?);
                }
                Ok(place)
            })
            .collect()
    }

    /// Deletes what expired after `after` and not after `until` in the next piece of a walk: about `n` rows of one
    /// expiry, `n` heap blocks, or `n` rows of the table; never more than `limit` rows. `None` when the walk is at
    /// its end. A cursor that has not begun is for the rows of one expiry.
    ///
    /// # Errors
    /// As [`Store::purge_range`].
    pub async fn purge_piece(
        &self,
        (after, until): (Timestamp, Timestamp),
        n: u32,
        limit: Option<u64>,
        cursor: &mut TiedCursor,
        confirmed: &Confirmed,
    ) -> Result<Option<Batch>, StoreError> {
        if cursor.0 == Position::Start {
            cursor.0 = match self.dialect() {
                // SQLite leaves no dead entries in its index.
                Dialect::Sqlite => Position::Rows,
                Dialect::Postgres => self.tied_walk(after, until).await?,
            };
        }
        match &cursor.0 {
            Position::Start | Position::End => Ok(None),
            Position::Rows => {
                let at_most = limit.and_then(|limit| u32::try_from(limit).ok()).unwrap_or(u32::MAX);
                let batch = self.purge_limited(after, until, n.max(1).min(at_most), confirmed).await?;
                if batch.deleted > 0 {
                    return Ok(Some(batch));
                }
                // The statement passes over locked rows without a word; whatever it leaves is locked.
                cursor.0 = Position::End;
                let left = self.purge_count(after, until, 1).await? > 0;
                Ok(left.then_some(Batch { met_lock: true, ..Batch::default() }))
            }
            &Position::Blocks { from, end, tables } => {
                if from >= end {
                    return Ok(None);
                }
                let blocks = (u64::from(n) / tables.max(1)).max(1);
                let to = end.min(from.saturating_add(blocks));
                let batch = self.purge_blocks((from, to), (after, until), limit).await?;
                cursor.0 = Position::Blocks { from: to, end, tables };
                Ok(Some(batch))
            }
            Position::Keys { from, last } => {
                let (to, next) = self.keys_ahead(from, last, n).await?;
                let mut binds = vec![self.expiry_bound(after), self.expiry_bound(until)];
                binds.extend_from_slice(from);
                binds.extend(to);
                let sql = match limit {
                    Some(limit) => {
                        binds.push(at_most(limit));
                        &self.sql.purge_keys_limited
                    }
                    None => &self.sql.purge_keys,
                };
                let statement = (sql, &binds[..]);
                let (batch, _) = self.purge_batch(Purpose::PurgeRange, None, statement, statement).await?;
                cursor.0 = next;
                Ok(Some(batch))
            }
        }
    }

    /// Where a piece of the table's own order ends, and what comes after it.
    async fn keys_ahead(
        &self,
        from: &[Value],
        last: &[Value],
        n: u32,
    ) -> Result<(Vec<Value>, Position), StoreError> {
        let mut binds = vec![(i64::from(n.max(1)) - 1).into()];
        binds.extend_from_slice(from);
        let mut places = self.places(&self.sql.purge_keys_step, &binds).await?.into_iter();
        // Fewer rows than a piece are left: it goes to the end.
        let to = places.next().unwrap_or_else(|| last.to_vec());
        let next = match places.next() {
            Some(from) => Position::Keys { from, last: last.to_vec() },
            None => Position::End,
        };
        Ok((to, next))
    }

    /// The rows that [`Store::purge_piece`] would delete from the piece where the walk stands; the walk moves on.
    /// `None` when it goes by row lists.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn purge_due_piece(
        &self,
        (after, until): (Timestamp, Timestamp),
        n: u32,
        cursor: &mut TiedCursor,
    ) -> Result<Option<Vec<DueRow>>, StoreError> {
        let (after, until) = (self.expiry_bound(after), self.expiry_bound(until));
        let (binds, next) = match &cursor.0 {
            Position::Start | Position::Rows | Position::End => return Ok(None),
            &Position::Blocks { from, end, tables } => {
                let blocks = (u64::from(n) / tables.max(1)).max(1);
                let to = end.min(from.saturating_add(blocks));
                let binds = vec![format!("({from},0)").into(), format!("({to},0)").into(), after, until];
                (binds, Position::Blocks { from: to, end, tables })
            }
            Position::Keys { from, last } => {
                let (to, next) = self.keys_ahead(from, last, n).await?;
                let mut binds = vec![after, until];
                binds.extend_from_slice(from);
                binds.extend(to);
                (binds, next)
            }
        };
        let purpose = match self.dialect() {
            Dialect::Postgres if self.is_referenced => Purpose::PurgeRange,
            Dialect::Postgres => Purpose::PurgeTied,
            Dialect::Sqlite => Purpose::Read,
        };
        let rows = self
            .with_retries(true, || async {
                let mut transaction = self.backend.begin(purpose).await?;
                let rows = transaction.fetch(&self.sql.purge_due_piece, &binds).await?;
                transaction.commit().await?;
                Ok(rows)
            })
            .await?;
        cursor.0 = next;
        rows.into_iter().map(|row| self.due_row(row)).collect::<Result<_, _>>().map(Some)
    }

    async fn purge_blocks(
        &self,
        (from, to): (u64, u64),
        (after, until): (Timestamp, Timestamp),
        limit: Option<u64>,
    ) -> Result<Batch, StoreError> {
        let binds: [Value; 5] = [
            format!("({from},0)").into(),
            format!("({to},0)").into(),
            self.expiry_bound(after),
            self.expiry_bound(until),
            at_most(limit.unwrap_or(u64::MAX)),
        ];
        // The triggers of foreign keys run under the settings of the walk, and live by their indexes.
        let (purpose, all) = match self.is_referenced {
            true => (Purpose::PurgeRange, &self.sql.purge_tied_referenced),
            false => (Purpose::PurgeTied, &self.sql.purge_tied),
        };
        let some = (&self.sql.purge_tied_skip_locked, &binds[..]);
        let all = if limit.is_some() { some } else { (all, &binds[..4]) };
        Ok(self.purge_batch(purpose, None, all, some).await?.0)
    }

    /// How to walk the rows of one expiry. Along the heap blocks they lie in, unless they are so
    /// thinly spread that nearly every block read would be in vain.
    async fn tied_walk(&self, after: Timestamp, until: Timestamp) -> Result<Position, StoreError> {
        let table = self.mapping.name.quoted(self.dialect());
        let binds = [self.expiry_bound(after), self.expiry_bound(until), table.into()];
        let Some(mut row) = self.read_one(&self.sql.purge_tied_extent, &binds).await? else {
            return Ok(Position::End);
        };
        let block = |text: Option<String>| text.and_then(|text| text.parse::<u64>().ok());
        let extent = block(row.text()?).zip(block(row.text()?));
        let (rows, tables) = (number(row.int()?), number(row.int()?));
        Ok(match extent {
            None => Position::End,
            Some((first, last)) if rows > last - first => {
                Position::Blocks { from: first, end: last + 1, tables }
            }
            Some(_) => Position::Rows,
        })
    }
}

/// A count of the database's; none is negative.
fn number(count: Option<i64>) -> u64 {
    count.and_then(|count| u64::try_from(count).ok()).unwrap_or(0)
}

fn at_most(limit: u64) -> Value {
    i64::try_from(limit).unwrap_or(i64::MAX).into()
}
