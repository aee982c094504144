//! Lists: filters, orders and pages, and what the database would do to answer them.

use std::time::Duration;

use super::rows::{ScopeFilter, name_binds};
use super::{Catalogue, Dialect, ErrorKind, KeyRow, Purpose, Statement, Store, StoreError, Value};
use crate::protocol::{Status, Timestamp};
use crate::table::{Clock, Columns, Encoding, Family, Fragments, Mapping};

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

/// Conditions, an order and a limit, under construction: what a statement takes for its `{selected}`.
#[derive(Default)]
pub(super) struct Builder {
    binds: Vec<Value>,
    pub(super) conditions: Vec<String>,
}

impl Builder {
    fn bind(&mut self, value: impl Into<Value>) -> String {
        self.binds.push(value.into());
        format!("${}", self.binds.len())
    }

    pub(super) fn compare(&mut self, column: &str, operator: &str, value: impl Into<Value>) {
        let bind = self.bind(value);
        self.conditions.push(format!("{column} {operator} {bind}"));
    }

    pub(super) fn finish(mut self, order: &str, limit: u32) -> Selected {
        let limit = self.bind(i64::from(limit));
        let conditions = match self.conditions.is_empty() {
            true => String::new(),
            false => format!("\nWHERE {}", self.conditions.join("\n  AND ")),
        };
        Selected { text: format!("{conditions}\nORDER BY {order}\nLIMIT {limit}"), binds: self.binds }
    }
}

/// What a [`Builder`] made.
pub(super) struct Selected {
    text: String,
    binds: Vec<Value>,
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
    /// When the database can't be asked, and when the mapping lacks the clock of the filter or the order
    /// ([`ErrorKind::MissingSetting`]).
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

/// The condition that a clock is at or before (or not before, or after) a moment.
fn compare_clock(query: &mut Builder, column: &str, clock: &Clock, operator: &str, at: Timestamp) -> String {
    let bind = query.bind(clock.bound(at));
    format!("{column} {operator} {bind}")
}

fn lacks(mapping: &Mapping, setting: &str, what: &str) -> StoreError {
    StoreError::new(
        ErrorKind::MissingSetting,
        format!("{what} needs `{setting}`, which the mapping of {} does not have", mapping.name),
    )
}

fn list_query(
    mapping: &Mapping,
    columns: &Columns,
    filter: &RowFilter,
    order: RowOrder,
    after: Option<&KeyRow>,
    limit: u32,
) -> Result<Selected, StoreError> {
    let dialect = columns.dialect;
    let fragments = Fragments::new(mapping, columns, None);
    let column = |clock: &Clock| clock.column.quoted(dialect);
    let mut query = Builder::default();
    if !mapping.guard.is_empty() {
        query.conditions.push(fragments.guarded("(1 = 1)".to_owned()));
    }
    if !filter.statuses.is_empty() {
        query.conditions.push(mapping.state_is(&filter.statuses, columns));
    }
    if filter.unknown_state {
        query.conditions.push(mapping.state.is_unknown(columns).unwrap_or_else(|| "(1 = 0)".to_owned()));
    }
    if filter.kept {
        query.conditions.push(mapping.state.is_kept(columns).unwrap_or_else(|| "(1 = 0)".to_owned()));
    }
    if let Some(scope) = &filter.scope {
        for (ident, value) in scope.conditions(mapping)? {
            let condition = match value {
                None => format!("{} IS NULL", ident.quoted(dialect)),
                Some(value) => {
                    let bind = query.bind(value);
                    fragments.equals(ident, &bind)
                }
            };
            query.conditions.push(condition);
        }
    }
    if let (Some(prefix), Some(ident)) = (&filter.key_prefix, mapping.key.first()) {
        let quoted = ident.quoted(dialect);
        if columns.family(ident).is_none_or(|family| family == Family::Text) {
            query.compare(&quoted, ">=", prefix.as_str());
            if let Some(end) = after_prefix(prefix) {
                query.compare(&quoted, "<", end);
            }
        }
        if columns.get(ident).is_some() {
            // Another collation than the bytes' own makes the range a guess, and a UUID has none.
            let bind = query.bind(prefix.as_str());
            query.conditions.push(format!("substr({}, 1, length({bind})) = {bind}", fragments.text(ident)));
        }
    }
    let claimed = mapping.claimed();
    for (moment, operator, what) in
        [(filter.claimed_from, ">=", "--since"), (filter.claimed_until, "<=", "--until")]
    {
        let Some(moment) = moment else { continue };
        let clock = claimed.ok_or_else(|| lacks(mapping, "table.clock.created", what))?;
        // A bound is below everything that is later: what is at the moment itself is at most it.
        let (operator, moment) = match operator {
            // Every text of a second is above its bound, which has no fraction.
            ">=" if matches!(clock.encoding, Encoding::Text(_)) => (operator, moment),
            ">=" => (">", moment.minus(Duration::from_micros(1))),
            other => (other, moment),
        };
        let condition = compare_clock(&mut query, &column(clock), clock, operator, moment);
        query.conditions.push(condition);
        query.conditions.extend(fragments.spelled(clock));
    }
    // Where no row is ever in progress, none is stuck, whatever clocks there are.
    if let Some(since) = filter.no_heartbeat_since.filter(|_| mapping.state.has(Status::InProgress)) {
        let renewed =
            mapping.renewed().ok_or_else(|| lacks(mapping, "table.clock.created", "a stuck row"))?;
        let first = Timestamp::OLDEST_PLAUSIBLE;
        let mut silent = |clock: &Clock| {
            let mut conditions = vec![
                compare_clock(&mut query, &column(clock), clock, ">", first),
                compare_clock(&mut query, &column(clock), clock, "<=", since),
            ];
            conditions.extend(fragments.spelled(clock));
            conditions.join(" AND ")
        };
        let mut condition = silent(renewed);
        if let Some(other) = mapping.renewed_else() {
            let other_silent = silent(other);
            if columns.is_nullable(&renewed.column) {
                condition = format!("(({condition}) OR ({} IS NULL AND {other_silent}))", column(renewed));
            }
            if !columns.is_nullable(&other.column) {
                // Implied, and the order of the index that serves the reaper.
                condition = format!("{condition} AND {other_silent}");
            }
        }
        query.conditions.push(condition);
    }
    if let (Some(at), Some(clock)) = (filter.unleased_at, &mapping.clocks.lease) {
        let bind = query.bind(clock.bound(at));
        query.conditions.push(fragments.unleased(&bind));
    }
    if let Some((expired, at)) = filter.expired {
        let walks = mapping.walks();
        if walks.is_empty() {
            return Err(lacks(mapping, "table.clock.expires", "an expiry"));
        }
        let ways: Vec<String> = walks
            .iter()
            .map(|walk| {
                let bind = query.bind(walk.bound(at));
                let mut way = vec![format!("{} <= {bind}", column(&walk.clock))];
                way.extend(fragments.spelled(&walk.clock));
                way.extend(walk.where_null.iter().map(|null| format!("{} IS NULL", null.quoted(dialect))));
                way.join(" AND ")
            })
            .collect();
        let condition = match ways.as_slice() {
            [one] => one.clone(),
            several => format!("(({}))", several.join(") OR (")),
        };
        query.conditions.push(if expired { condition } else { format!("({condition}) IS NOT TRUE") });
    }
    if let Some((from, to)) = filter.response_status {
        let shown = &mapping.shown;
        let family = match (&shown.response_status, &shown.snapshot) {
            (Some(ident), _) => columns.family(ident),
            // A member of a document is text.
            (None, Some(snapshot)) if snapshot.status.is_some() => Some(Family::Text),
            _ => return Err(lacks(mapping, "table.show.response_status", "--response-status")),
        };
        let stored = fragments.response_status();
        let number = dialect.grammar().number_of(&stored, family);
        query.compare(&number, ">=", from);
        query.compare(&number, "<=", to);
    }

    let (clock, descending) = match order {
        RowOrder::Key => (None, false),
        RowOrder::Claimed { newest_first } => {
            let what = "the order of the claims";
            let clock = claimed.ok_or_else(|| lacks(mapping, "table.clock.created", what))?;
            (Some(clock), newest_first)
        }
        RowOrder::Expires { latest_first } => {
            let what = "the order of the expiries";
            let clock = mapping.expiry_clock().ok_or_else(|| lacks(mapping, "table.clock.expires", what))?;
            (Some(clock), latest_first)
        }
    };
    let mut ordered: Vec<Ordered> = Vec::new();
    if let Some(clock) = clock {
        // The age may be the expiry in another role.
        let role =
            mapping.read_clocks().position(|role| role.is_some_and(|role| role.column == clock.column));
        let stored = after.zip(role).map(|(after, role)| after.seen_clock(role));
        ordered.push(Ordered {
            // Fractions of a unit are rounded when they are read; rows between would be passed over.
            column: match columns.family(&clock.column) {
                Some(Family::Fraction) => fragments.clock(Some(clock)),
                _ => column(clock),
            },
            nullable: columns.is_nullable(&clock.column),
            value: stored.map(|stored| (stored.clone(), None)),
        });
    }
    let names = mapping.key.iter().chain(&mapping.scope);
    let binds = after.map(name_binds);
    for (index, ident) in names.enumerate() {
        ordered.push(Ordered {
            column: ident.quoted(dialect),
            nullable: columns.is_nullable(ident),
            value: binds.as_ref().and_then(|binds| Some((binds.get(index)?.clone(), Some(ident)))),
        });
    }
    if !columns.key_is_unique {
        ordered.extend(fragments.locator_order().into_iter().enumerate().map(|(index, column)| {
            let at = mapping.key.len() + mapping.scope.len() + index;
            Ordered {
                value: binds.as_ref().and_then(|binds| Some((binds.get(at)?.clone(), column.1))),
                column: column.0,
                nullable: false,
            }
        }));
    }
    if after.is_some() {
        let condition = beyond(&mut query, &fragments, &ordered, descending, dialect);
        query.conditions.push(condition);
    }
    let direction = if descending { " DESC" } else { "" };
    let order: Vec<String> = ordered.iter().map(|one| format!("{}{direction}", one.column)).collect();
    Ok(query.finish(&order.join(", "), limit))
}

/// A column of an order, and where the last page ended in it.
struct Ordered<'i> {
    column: String,
    nullable: bool,
    /// The value, and the column whose type its text is to be taken in.
    value: Option<(Value, Option<OrderedAs<'i>>)>,
}

type OrderedAs<'i> = &'i crate::table::Ident;

/// The condition that a row comes after the last page's last one.
fn beyond(
    query: &mut Builder,
    fragments: &Fragments<'_>,
    ordered: &[Ordered<'_>],
    descending: bool,
    dialect: Dialect,
) -> String {
    let operator = if descending { "<" } else { ">" };
    let mut terms = Vec::with_capacity(ordered.len());
    for one in ordered {
        let is_null = one.value.as_ref().is_none_or(|(value, _)| *value == value.null());
        let bind = match &one.value {
            Some((value, as_type)) if !is_null => {
                let bind = query.bind(value.clone());
                Some(match as_type {
                    Some(ident) => fragments.bind(ident, &bind),
                    None => bind,
                })
            }
            _ => None,
        };
        terms.push((one, bind));
    }
    let nulls_follow = dialect.nulls_sort_last() != descending;
    let follows = |one: &Ordered<'_>, bind: &Option<String>| match bind {
        Some(bind) if one.nullable && nulls_follow => {
            format!("({column} {operator} {bind} OR {column} IS NULL)", column = one.column)
        }
        Some(bind) => format!("{} {operator} {bind}", one.column),
        None if nulls_follow => "(1 = 0)".to_owned(),
        None => format!("{} IS NOT NULL", one.column),
    };
    let equals = |one: &Ordered<'_>, bind: &Option<String>| match bind {
        Some(bind) => format!("{} = {bind}", one.column),
        None => format!("{} IS NULL", one.column),
    };
    if terms.iter().all(|(one, bind)| !one.nullable && bind.is_some()) {
        // A comparison of whole rows is what an index can walk along.
        let columns: Vec<&str> = terms.iter().map(|(one, _)| one.column.as_str()).collect();
        let binds: Vec<&str> = terms.iter().filter_map(|(_, bind)| bind.as_deref()).collect();
        let first = match (columns.first(), binds.first()) {
            (Some(column), Some(bind)) => format!("{column} {operator}= {bind} AND "),
            _ => String::new(),
        };
        return format!("{first}({}) {operator} ({})", columns.join(", "), binds.join(", "));
    }
    let mut ways = Vec::with_capacity(terms.len());
    let mut same = String::new();
    for (one, bind) in &terms {
        ways.push(format!("{same}{}", follows(one, bind)));
        same.push_str(&format!("{} AND ", equals(one, bind)));
    }
    // The first condition is implied by the others; it is the one an index can use.
    let first = match terms.first() {
        Some((one, Some(bind))) if !(one.nullable && nulls_follow) => {
            format!("{} {operator}= {bind} AND ", one.column)
        }
        _ => String::new(),
    };
    format!("{first}(({}))", ways.join(") OR ("))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let (mapping, columns) = (Mapping::owned(), Columns::owned(Dialect::Postgres));
        let hostile = "'; DROP TABLE x --";
        let filter = RowFilter {
            scope: Some(hostile.into()),
            key_prefix: Some(hostile.into()),
            response_status: Some((500, 599)),
            ..RowFilter::default()
        };
        let selected = list_query(&mapping, &columns, &filter, RowOrder::Key, None, 50).unwrap();
        assert!(!selected.text.contains("DROP"), "{}", selected.text);
        assert_eq!(selected.binds.len(), 6);
    }
}
