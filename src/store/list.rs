//! Lists: filters, orders and pages, and what the database would do to answer them.

mod query;

use super::rows::ScopeFilter;
use super::{Catalogue, Dialect, KeyRow, Purpose, Statement, Store, StoreError, Value};
use crate::protocol::{Status, Timestamp};
use query::list_query;
pub(super) use query::{Builder, Selected};

/// Which rows to list. Everything that is set must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowFilter {
    /// In one of these states; empty is any.
    pub statuses: Vec<Status>,
    /// In this scope.
    pub scope: Option<ScopeFilter>,
    /// Keys that start so.
    pub key_prefix: Option<String>,
    /// Claimed at this moment or later.
    pub claimed_from: Option<Timestamp>,
    /// Claimed before or at this moment.
    pub claimed_until: Option<Timestamp>,
    /// No heartbeat after this moment.
    pub no_heartbeat_since: Option<Timestamp>,
    /// No lease running at this moment.
    pub unleased_at: Option<Timestamp>,
    /// Expired (or not) at this moment.
    pub expired: Option<(bool, Timestamp)>,
    /// In a state that the mapping does not list.
    pub unknown_state: bool,
    /// In a state that the mapping keeps.
    pub kept: bool,
    /// Answered with a status from the first to the second, both included.
    pub response_status: Option<(i64, i64)>,
}

/// The order of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RowOrder {
    /// By key, then scope: the primary key's order.
    #[default]
    Key,
    /// By the moment of the last claim.
    Claimed {
        /// The newest first.
        newest_first: bool,
    },
    /// By expiry.
    Expires {
        /// The latest first.
        latest_first: bool,
    },
}

/// A page of rows.
#[derive(Debug)]
pub struct RowPage {
    /// The rows, in order.
    pub rows: Vec<KeyRow>,
}

impl Store {
    /// One page of at most `limit` rows that follow `after`, in this order.
    ///
    /// # Errors
    /// When the database can't be asked, and when the mapping lacks the clock of the filter or the order
    /// ([`ErrorKind::MissingSetting`](crate::store::ErrorKind::MissingSetting)).
    pub async fn list(
        &self,
        filter: &RowFilter,
        order: RowOrder,
        after: Option<&KeyRow>,
        limit: u32,
    ) -> Result<RowPage, StoreError> {
        self.list_as(Purpose::Read, filter, order, after, limit).await
    }

    /// The first page of a list that no index serves, by reading the table as it lies.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn list_by_scan(
        &self,
        filter: &RowFilter,
        order: RowOrder,
        limit: u32,
    ) -> Result<RowPage, StoreError> {
        self.list_as(Purpose::Scan, filter, order, None, limit).await
    }

    async fn list_as(
        &self,
        purpose: Purpose,
        filter: &RowFilter,
        order: RowOrder,
        after: Option<&KeyRow>,
        limit: u32,
    ) -> Result<RowPage, StoreError> {
        self.check_filter(filter)?;
        let selected = list_query(&self.mapping, &self.columns, filter, order, after, limit)?;
        let (sql, binds) = self.selecting(&self.sql.select_rows, selected)?;
        let rows = self
            .with_retries_when(
                true,
                |_| false,
                || async {
                    let mut transaction = self.backend.begin(purpose).await?;
                    let rows = transaction.fetch(&sql, &binds).await?;
                    transaction.commit().await?;
                    Ok(rows)
                },
            )
            .await;
        let rows = match rows {
            Ok(rows) => rows,
            Err(error) => {
                return self.nothing_holds(error, &binds).await.map(|()| RowPage { rows: Vec::new() });
            }
        };
        let rows: Result<Vec<_>, _> = rows.into_iter().map(|mut row| self.key_row(&mut row)).collect();
        Ok(RowPage { rows: rows? })
    }
}

impl Store {
    /// A statement of the catalogue with these conditions.
    pub(super) fn selecting(
        &self,
        sql: &Statement,
        selected: Selected,
    ) -> Result<(Statement, Vec<Value>), StoreError> {
        let mut fragments = self.fragments();
        fragments.variation.selected = selected.text;
        Ok((Catalogue::varied(sql, &fragments, self.clock)?, selected.binds))
    }

    /// Whether the mapping has what the filter asks for.
    fn check_filter(&self, filter: &RowFilter) -> Result<(), StoreError> {
        let mapping = &self.mapping;
        let asks_silent = filter.no_heartbeat_since.is_some() && mapping.state.has(Status::InProgress);
        if asks_silent || filter.claimed_from.is_some() || filter.claimed_until.is_some() {
            self.check_settings(&mapping.age_settings())?;
        }
        if asks_silent {
            self.check_work_shows()?;
        }
        if filter.unleased_at.is_some() {
            self.check_settings(&["table.clock.lease"])?;
        }
        if filter.expired.is_some() {
            self.check_settings(&mapping.expiry_settings())?;
        }
        if filter.response_status.is_some() {
            self.check_settings(&["table.show.response_status", "table.show.response"])?;
        }
        Ok(())
    }
}

/// How a database would find the rows of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListPlan {
    /// It reads row after row until enough of them match: possibly the whole table.
    pub may_read_everything: bool,
    /// About how many rows match, where the planner has an opinion.
    pub expected_rows: Option<u64>,
    /// About how many rows the table has, where it may read all of them and anything tells.
    pub table_rows: Option<u64>,
    /// How many bytes it has then; on SQLite, the whole file.
    pub table_bytes: u64,
}

impl Store {
    /// How the first page of a list would be found, asked of the database's planner.
    ///
    /// # Errors
    /// When the database can't be asked.
    pub async fn list_plan(
        &self,
        filter: &RowFilter,
        order: RowOrder,
        limit: u32,
    ) -> Result<ListPlan, StoreError> {
        self.check_filter(filter)?;
        let selected = list_query(&self.mapping, &self.columns, filter, order, None, limit)?;
        let (sql, binds) = self.selecting(&self.sql.select_rows, selected)?;
        let grammar = self.dialect().grammar();
        let explain = sql.explained(grammar.explain());
        let mut lines = Vec::new();
        let plan = match self.read(&explain, &binds).await {
            Ok(plan) => plan,
            Err(error) => self.nothing_holds(error, &binds).await.map(|()| Vec::new())?,
        };
        for mut row in plan {
            for _ in 0..grammar.plan_columns() {
                row.int()?;
            }
            lines.push(row.some_text()?);
        }
        let may_read_everything = reads_everything(self.dialect(), &lines, *filter != RowFilter::default());
        let (table_rows, table_bytes) = match may_read_everything {
            true => {
                let size = self.sizes().await?;
                (size.rows, size.table_bytes)
            }
            false => (None, 0),
        };
        Ok(ListPlan {
            may_read_everything,
            // The first line is the limit's own; the second is what it takes its rows from.
            expected_rows: lines
                .get(1)
                .and_then(|line| line.split("rows=").nth(1))
                .and_then(|rest| rest.split(' ').next())
                .and_then(|rows| rows.parse().ok()),
            table_rows,
            table_bytes,
        })
    }
}

/// Reads a plan: without a condition on an index every row may have to be looked at, unless nothing
/// is filtered and an index gives the order.
fn reads_everything(dialect: Dialect, plan: &[String], filtered: bool) -> bool {
    let has = |words: &str| plan.iter().any(|line| line.contains(words));
    match dialect {
        Dialect::Postgres => has("Seq Scan") || (has("Filter:") && !has("Index Cond:")),
        Dialect::Sqlite => {
            has("USE TEMP B-TREE FOR ORDER BY") && !has("SEARCH")
                || (filtered && has("SCAN") && !has("SEARCH"))
        }
    }
}
