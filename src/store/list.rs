//! Lists: filters, orders and pages, and what the database would do to answer them.

use super::rows::name_binds;
use super::{Catalogue, Dialect, KeyRow, Purpose, Sql, Store, StoreError, Value};
use crate::protocol::{Status, Timestamp};
use crate::table::Mapping;

/// Which rows to list. Everything that is set must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RowFilter {
    /// In one of these states; empty is any.
    pub statuses: Vec<Status>,
    /// In this scope.
    pub scope: Option<String>,
    /// Keys that start so.
    pub key_prefix: Option<String>,
    /// Claimed at this moment or later.
    pub claimed_from: Option<Timestamp>,
    /// Claimed before or at this moment.
    pub claimed_until: Option<Timestamp>,
    /// No sign of life after this moment.
    pub silent_since: Option<Timestamp>,
    /// No lease running at this moment.
    pub unleased_at: Option<Timestamp>,
    /// Expired (or not) at this moment.
    pub expired: Option<(bool, Timestamp)>,
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

/// A query with conditions, under construction.
pub(super) struct Builder {
    text: String,
    binds: Vec<Value>,
    pub(super) conditions: Vec<String>,
}

impl Builder {
    pub(super) fn new(sql: &Sql) -> Self {
        Self { text: sql.as_str().to_owned(), binds: Vec::new(), conditions: Vec::new() }
    }

    fn bind(&mut self, value: impl Into<Value>) -> String {
        self.binds.push(value.into());
        format!("${}", self.binds.len())
    }

    pub(super) fn compare(&mut self, column: &str, operator: &str, value: impl Into<Value>) {
        let bind = self.bind(value);
        self.conditions.push(format!("{column} {operator} {bind}"));
    }

    pub(super) fn finish(mut self, order: &str, limit: u32) -> (Sql, Vec<Value>) {
        let limit = self.bind(i64::from(limit));
        if !self.conditions.is_empty() {
            self.text.push_str("\nWHERE ");
            self.text.push_str(&self.conditions.join("\n  AND "));
        }
        self.text.push_str(&format!("\nORDER BY {order}\nLIMIT {limit}"));
        (Sql::new(self.text), self.binds)
    }
}

/// The least string after every string that starts with `prefix`, in byte order; `None` when there
/// is none.
fn after_prefix(prefix: &str) -> Option<String> {
    let mut chars: Vec<char> = prefix.chars().collect();
    while let Some(last) = chars.pop() {
        // Skips the surrogates, which are no characters.
        let next = match last {
            '\u{d7ff}' => Some('\u{e000}'),
            last => char::from_u32(last as u32 + 1),
        };
        if let Some(next) = next {
            chars.push(next);
            return Some(chars.into_iter().collect());
        }
    }
    None
}

impl Store {
    /// One page of at most `limit` rows that follow `after`, in this order.
    ///
    /// # Errors
    /// When the database can't be asked.
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
        let (sql, binds) = list_query(&self.mapping, &self.sql, self.dialect(), filter, order, after, limit);
        let mut transaction = self.backend.begin(purpose).await?;
        let rows = transaction.fetch(&sql, &binds).await?;
        transaction.commit().await?;
        let rows: Result<Vec<_>, _> =
            rows.into_iter().map(|mut row| KeyRow::read(&mut row, &self.mapping)).collect();
        Ok(RowPage { rows: rows? })
    }
}

/// How a database would find the rows of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListPlan {
    /// It reads row after row until enough of them match: possibly the whole table.
    pub may_read_everything: bool,
    /// About how many rows match, where the planner has an opinion.
    pub expected_rows: Option<u64>,
    /// About how many rows the table has, where the database keeps such a number.
    pub table_rows: Option<u64>,
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
        let (sql, binds) = list_query(&self.mapping, &self.sql, self.dialect(), filter, order, None, limit);
        let explain = match self.dialect() {
            Dialect::Postgres => "EXPLAIN",
            Dialect::Sqlite => "EXPLAIN QUERY PLAN",
        };
        let explain = Sql::new(format!("{explain} {}", sql.as_str()));
        let mut lines = Vec::new();
        for mut row in self.read(&explain, &binds).await? {
            if self.dialect() == Dialect::Sqlite {
                // id, parent, notused, detail
                for _ in 0..3 {
                    row.int()?;
                }
            }
            lines.push(row.text()?.unwrap_or_default());
        }
        let row = self.read_one(&self.sql.table_rows, &[self.mapping.name.name.as_str().into()]).await?;
        let rows = match row {
            Some(mut row) => row.int()?,
            None => None,
        };
        Ok(ListPlan {
            may_read_everything: reads_everything(self.dialect(), &lines, *filter != RowFilter::default()),
            // The first line is the limit's own; the second is what it takes its rows from.
            expected_rows: lines
                .get(1)
                .and_then(|line| line.split("rows=").nth(1))
                .and_then(|rest| rest.split(' ').next())
                .and_then(|rows| rows.parse().ok()),
            table_rows: rows.and_then(|rows| u64::try_from(rows).ok()),
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

fn list_query(
    mapping: &Mapping,
    sql: &Catalogue,
    dialect: Dialect,
    filter: &RowFilter,
    order: RowOrder,
    after: Option<&KeyRow>,
    limit: u32,
) -> (Sql, Vec<Value>) {
    let column = |ident: &crate::table::Ident| ident.quoted(dialect);
    let mut query = Builder::new(&sql.select_rows);
    if !filter.statuses.is_empty() {
        query.conditions.push(mapping.state_is(&filter.statuses, dialect));
    }
    if let (Some(scope), Some(ident)) = (&filter.scope, mapping.scope.first()) {
        query.compare(&column(ident), "=", scope.as_str());
    }
    if let (Some(prefix), Some(ident)) = (&filter.key_prefix, mapping.key.first()) {
        query.compare(&column(ident), ">=", prefix.as_str());
        if let Some(end) = after_prefix(prefix) {
            query.compare(&column(ident), "<", end);
        }
    }
    let clocks = &mapping.clocks;
    let claimed = clocks.claimed.as_ref().or(clocks.created.as_ref());
    let renewed = clocks.renewed.as_ref().or(claimed);
    if let (Some(from), Some(ident)) = (filter.claimed_from, claimed) {
        query.compare(&column(ident), ">=", from);
    }
    if let (Some(until), Some(ident)) = (filter.claimed_until, claimed) {
        query.compare(&column(ident), "<=", until);
    }
    if let (Some(since), Some(ident)) = (filter.silent_since, renewed) {
        query.compare(&column(ident), "<=", since);
        // Implied, and the order of the index that serves the reaper.
        if let Some(claimed) = claimed.filter(|claimed| *claimed != ident) {
            query.compare(&column(claimed), "<=", since);
        }
    }
    if let (Some(at), Some(ident)) = (filter.unleased_at, &clocks.lease) {
        let lease = column(ident);
        let bind = query.bind(at);
        query.conditions.push(format!("({lease} IS NULL OR {lease} <= {bind})"));
    }
    if let (Some((expired, at)), Some(ident)) = (filter.expired, &clocks.expires) {
        query.compare(&column(ident), if expired { "<=" } else { ">" }, at);
    }
    if let (Some((from, to)), Some(ident)) = (filter.response_status, &mapping.shown.response_status) {
        query.compare(&column(ident), ">=", from);
        query.compare(&column(ident), "<=", to);
    }

    let (clock, descending) = match order {
        RowOrder::Key => (None, false),
        RowOrder::Claimed { newest_first } => (claimed, newest_first),
        RowOrder::Expires { latest_first } => (clocks.expires.as_ref(), latest_first),
    };
    let (beyond, direction) = if descending { ("<", " DESC") } else { (">", "") };
    let names: Vec<String> = mapping.key.iter().chain(&mapping.scope).map(column).collect();
    if let Some(after) = after {
        let clock_value = match order {
            RowOrder::Key => None,
            RowOrder::Claimed { .. } => after.claimed_at,
            RowOrder::Expires { .. } => after.expires_at,
        };
        let clock = clock.zip(clock_value).map(|(ident, at)| (column(ident), query.bind(at)));
        let binds: Vec<String> = name_binds(after).into_iter().map(|value| query.bind(value)).collect();
        let after_name = format!("({}) {beyond} ({})", names.join(", "), binds.join(", "));
        query.conditions.push(match clock {
            // The first condition is implied by the second; it is the one an index can use.
            Some((clock, at)) => format!(
                "{clock} {beyond}= {at} AND ({clock} {beyond} {at} OR ({clock} = {at} AND {after_name}))"
            ),
            None => after_name,
        });
    }
    let mut columns: Vec<String> = clock.into_iter().map(column).collect();
    columns.extend(names);
    let order: Vec<String> = columns.into_iter().map(|column| format!("{column}{direction}")).collect();
    query.finish(&order.join(", "), limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Clock;

    #[test]
    fn a_prefix_ends_where_the_next_begins() {
        assert_eq!(after_prefix("ab").as_deref(), Some("ac"));
        assert_eq!(after_prefix("a\u{10ffff}").as_deref(), Some("b"));
        assert_eq!(after_prefix("\u{d7ff}").as_deref(), Some("\u{e000}"));
        assert_eq!(after_prefix("\u{10ffff}"), None);
        assert_eq!(after_prefix(""), None);
    }

    #[test]
    fn values_only_come_in_by_binds() {
        let mapping = Mapping::owned();
        let catalogue = Catalogue::render(Dialect::Postgres, &mapping, Clock::Database).unwrap();
        let hostile = "'; DROP TABLE x --";
        let filter = RowFilter {
            scope: Some(hostile.into()),
            key_prefix: Some(hostile.into()),
            response_status: Some((500, 599)),
            ..RowFilter::default()
        };
        let (sql, binds) =
            list_query(&mapping, &catalogue, Dialect::Postgres, &filter, RowOrder::Key, None, 50);
        assert!(!sql.as_str().contains("DROP"), "{}", sql.as_str());
        assert_eq!(binds.len(), 6);
    }
}
