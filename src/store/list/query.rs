//! The statement of a list: its conditions, its order, its pages.

use std::time::Duration;

use super::{RowFilter, RowOrder};
use crate::protocol::{Status, Timestamp};
use crate::store::rows::name_binds;
use crate::store::{Dialect, ErrorKind, KeyRow, StoreError, Value};
use crate::table::{Clock, Columns, Encoding, Family, Fragments, Mapping};

/// Conditions, an order and a limit, under construction: what a statement takes for its `{selected}`.
#[derive(Default)]
pub(in crate::store) struct Builder {
    binds: Vec<Value>,
    pub(in crate::store) conditions: Vec<String>,
}

impl Builder {
    fn bind(&mut self, value: impl Into<Value>) -> String {
        self.binds.push(value.into());
        format!("${}", self.binds.len())
    }

    pub(in crate::store) fn compare(&mut self, column: &str, operator: &str, value: impl Into<Value>) {
        let bind = self.bind(value);
        self.conditions.push(format!("{column} {operator} {bind}"));
    }

    pub(in crate::store) fn finish(mut self, order: &str, limit: u32) -> Selected {
        let limit = self.bind(i64::from(limit));
        let conditions = match self.conditions.is_empty() {
            true => String::new(),
            false => format!("\nWHERE {}", self.conditions.join("\n  AND ")),
        };
        Selected { text: format!("{conditions}\nORDER BY {order}\nLIMIT {limit}"), binds: self.binds }
    }
}

/// What a [`Builder`] made.
pub(in crate::store) struct Selected {
    pub(super) text: String,
    pub(super) binds: Vec<Value>,
}

/// The least string after every string that starts with `prefix`, in byte order; `None` when there
/// is none.
pub(in crate::store) fn after_prefix(prefix: &str) -> Option<String> {
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

/// The condition that a clock is at or before (or not before, or after) a moment.
pub(in crate::store) fn compare_clock(
    query: &mut Builder,
    column: &str,
    clock: &Clock,
    operator: &str,
    at: Timestamp,
) -> String {
    let bind = query.bind(clock.bound(at));
    format!("{column} {operator} {bind}")
}

pub(in crate::store) fn lacks(mapping: &Mapping, setting: &str, what: &str) -> StoreError {
    StoreError::new(
        ErrorKind::MissingSetting,
        format!("{what} needs `{setting}`, which the mapping of {} does not have", mapping.name),
    )
}

pub(in crate::store) fn list_query(
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
pub(in crate::store) struct Ordered<'i> {
    column: String,
    nullable: bool,
    /// The value, and the column whose type its text is to be taken in.
    value: Option<(Value, Option<OrderedAs<'i>>)>,
}

pub(in crate::store) type OrderedAs<'i> = &'i crate::table::Ident;

/// The condition that a row comes after the last page's last one.
pub(in crate::store) fn beyond(
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
