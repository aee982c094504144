//! A bounded look at rows, and what it shows.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::NaiveDateTime;

use super::facts::{CatalogueColumn, CatalogueTable};
use super::{clocks, words};
use crate::protocol::{Status, Timestamp};
use crate::table::Family;
use crate::words::number_of;

/// How a value is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Storage {
    /// A whole number.
    Integer,
    /// Text.
    Text,
    /// Anything else.
    Other,
}

/// A value, cut to its first characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Cell {
    /// How it is stored.
    pub(crate) storage: Storage,
    /// The value; of a point in time its microseconds since 1970.
    pub(crate) text: String,
}

/// A value that occurs, and in which rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Occurrence {
    /// How it is stored.
    pub(crate) storage: Storage,
    /// The value.
    pub(crate) text: String,
    /// How many of the rows looked at have it.
    pub(crate) count: u64,
}

/// Some rows of a table.
#[derive(Debug, Clone, Default)]
pub(crate) struct Samples {
    /// The names of the columns, in the order of the cells.
    pub(crate) columns: Vec<String>,
    /// The rows; `None` is NULL.
    pub(crate) rows: Vec<Vec<Option<Cell>>>,
    /// The database's clock.
    pub(crate) now: Option<Timestamp>,
    /// These are all rows of the table.
    pub(crate) whole: bool,
    /// After a second look: how long after, in how many rows it looked again, and in how many of them each
    /// column was changed.
    pub(crate) watched: Option<Watched>,
}

/// What a second look has shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watched {
    pub(crate) after: Duration,
    pub(crate) rows: usize,
    pub(crate) changed: BTreeMap<String, usize>,
}

impl Samples {
    fn place(&self, column: &str) -> Option<usize> {
        self.columns.iter().position(|name| name == column)
    }

    /// The column's value in each row.
    pub(crate) fn cells(&self, column: &str) -> Vec<Option<&Cell>> {
        let Some(place) = self.place(column) else { return Vec::new() };
        self.rows.iter().map(|row| row.get(place).and_then(Option::as_ref)).collect()
    }

    /// What occurs in a column, the most frequent first, NULLs left out.
    pub(crate) fn of(&self, column: &str) -> Vec<Occurrence> {
        let mut counts: BTreeMap<&Cell, u64> = BTreeMap::new();
        for cell in self.cells(column).into_iter().flatten() {
            *counts.entry(cell).or_default() += 1;
        }
        let mut seen: Vec<Occurrence> = counts
            .into_iter()
            .map(|(cell, count)| Occurrence { storage: cell.storage, text: cell.text.clone(), count })
            .collect();
        seen.sort_by_key(|seen| std::cmp::Reverse(seen.count));
        seen
    }

    /// In how many rows a column is NULL.
    pub(crate) fn nulls(&self, column: &str) -> usize {
        self.cells(column).into_iter().filter(Option::is_none).count()
    }

    /// With what a second look at the same rows shows, found again by these columns.
    pub(crate) fn watched(mut self, later: &Self, after: Duration, name: &[String]) -> Self {
        let places: Vec<usize> = name.iter().filter_map(|column| self.place(column)).collect();
        let named = |row: &[Option<Cell>]| -> Vec<Option<Cell>> {
            places.iter().map(|place| row.get(*place).cloned().flatten()).collect()
        };
        let again: BTreeMap<Vec<Option<Cell>>, &Vec<Option<Cell>>> =
            later.rows.iter().map(|row| (named(row), row)).collect();
        let mut watched = Watched { after, ..Watched::default() };
        for row in &self.rows {
            let Some(other) = again.get(&named(row)) else { continue };
            watched.rows += 1;
            for ((column, before), now) in self.columns.iter().zip(row).zip(other.iter()) {
                if before != now {
                    *watched.changed.entry(column.clone()).or_default() += 1;
                }
            }
        }
        self.watched = Some(watched);
        self
    }

    /// The moments in a column, row by row, as far as they can be read.
    pub(crate) fn moments(&self, column: &CatalogueColumn) -> Vec<Option<i64>> {
        self.cells(&column.name).into_iter().map(|cell| moment(column, cell?)).collect()
    }

    /// How long ago each row was made, in microseconds, as far as its clock says.
    pub(crate) fn ages(&self, created: Option<&CatalogueColumn>) -> Vec<Option<i64>> {
        let (Some(created), Some(now)) = (created, self.now) else { return vec![None; self.rows.len()] };
        let cells = self.cells(&created.name);
        cells.into_iter().map(|cell| Some(now.as_micros() - moment(created, cell?)?)).collect()
    }

    /// Whether no value of the column stands for "nothing yet", and hardly one is there twice: a name, a number
    /// or a document of the row's own, and no state.
    pub(crate) fn is_own_value(&self, column: &CatalogueColumn) -> bool {
        const FEW: usize = 50;
        if self.rows.len() < FEW || self.nulls(&column.name) > 0 {
            return false;
        }
        let seen = self.of(&column.name);
        let default = column.default.as_deref().unwrap_or_default();
        let stands_for_nothing = |seen: &Occurrence| match column.family {
            Family::Integer | Family::Fraction => seen.text.parse::<f64>().is_ok_and(|number| number <= 0.0),
            _ => seen.text.trim().chars().count() < 6 || default.contains(&seen.text),
        };
        let most = seen.first().map_or(0, |seen| seen.count);
        seen.len() * 2 > self.rows.len() && most <= 3 && !seen.iter().any(stands_for_nothing)
    }

    /// Whether all values of a number are statuses of HTTP, and of several kinds: a row's own states are seldom
    /// 201 and 404.
    pub(crate) fn looks_like_http(&self, column: &str) -> bool {
        const USUAL: [i64; 32] = [
            200, 201, 202, 204, 301, 302, 303, 304, 307, 308, 400, 401, 402, 403, 404, 405, 406, 408, 409,
            410, 412, 413, 415, 422, 423, 425, 428, 429, 500, 502, 503, 504,
        ];
        let seen: Vec<i64> = self.of(column).iter().filter_map(|seen| seen.text.parse().ok()).collect();
        seen.len() >= 2
            && seen.iter().all(|number| USUAL.contains(number))
            && seen.iter().any(|number| matches!(number, 200 | 201 | 204))
            && seen.iter().any(|number| number % 100 != 0)
    }

    /// Whether an answer that is never NULL is a placeholder in some rows.
    pub(crate) fn has_placeholder(&self, column: &CatalogueColumn) -> bool {
        let is_empty = |text: &str| {
            let plain: String =
                text.chars().filter(|c| !c.is_whitespace()).collect::<String>().to_lowercase();
            matches!(
                plain.as_str(),
                "" | "{}" | "[]" | "null" | "\"\"" | "\\x" | "0" | "-1" | "none" | "n/a" | "-"
            ) || super::words::state_value(&plain).is_some()
                || says_unfinished(text)
        };
        self.of(&column.name).iter().any(|seen| is_empty(&seen.text))
    }
}

/// Whether a document says that the work goes on, in one of its first members.
fn says_unfinished(document: &str) -> bool {
    let document = document.trim_start();
    let is_document = document.starts_with(['{', '<', '(']);
    let mut parts = document.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-');
    is_document && parts.any(|word| words::state_value(word) == Some(Status::InProgress))
}

/// Whether a value is a moment that has come, and one at which anybody can have worked.
pub(crate) fn has_passed(column: &CatalogueColumn, seen: &Occurrence, now: Option<Timestamp>) -> bool {
    const A_MINUTE: i64 = 60_000_000;
    let cell = Cell { storage: seen.storage, text: seen.text.clone() };
    let Some(at) = moment(column, &cell) else { return false };
    at > Timestamp::OLDEST_PLAUSIBLE.as_micros() && now.is_none_or(|now| at <= now.as_micros() + A_MINUTE)
}

/// The moment of a value, in microseconds since 1970; a clock without a zone is taken for UTC.
pub(crate) fn moment(column: &CatalogueColumn, cell: &Cell) -> Option<i64> {
    if matches!(column.family, Family::Timestamptz | Family::Timestamp) {
        return cell.text.parse().ok();
    }
    match cell.storage {
        Storage::Integer => {
            let number: i64 = cell.text.parse().ok()?;
            let unit = match clocks::epoch(number)? {
                "epoch_s" => 1_000_000,
                "epoch_ms" => 1_000,
                _ => 1,
            };
            number.checked_mul(unit)
        }
        Storage::Text => {
            let whole = cell.text.get(..19)?.replace('T', " ");
            let wall = NaiveDateTime::parse_from_str(&whole, "%Y-%m-%d %H:%M:%S").ok()?;
            Some(wall.and_utc().timestamp_micros())
        }
        Storage::Other => None,
    }
}

/// The default is the moment at which the row is made.
pub(crate) fn defaults_to_now(column: &CatalogueColumn) -> bool {
    column.default.as_deref().is_some_and(|text| {
        let text = text.to_ascii_lowercase();
        // A time ahead of now is a lease, or an expiry.
        if text.contains('+') || text.contains("interval") {
            return false;
        }
        ["now()", "current_timestamp", "clock_timestamp", "statement_timestamp", "localtimestamp", "'now'"]
            .iter()
            .any(|known| text.contains(known))
            || (text.contains("epoch") && text.contains("now"))
    })
}

/// Whether the rows, or the default, show that points in time are written there: all values of a number lie
/// between 2000 and 2100 in one unit, all texts are spelled like one.
pub(crate) fn looks_like_time(column: &CatalogueColumn, samples: &Samples) -> bool {
    if !matches!(column.family, Family::Integer | Family::Text | Family::Fraction) {
        return false;
    }
    let seen = samples.of(&column.name);
    // Units that no mapping reads are moments all the same: nanoseconds since 1970, .NET's ticks.
    const NANOSECONDS: std::ops::Range<i64> = 946_684_800_000_000_000..4_102_444_800_000_000_000;
    const TICKS: std::ops::Range<i64> = 630_822_816_000_000_000..662_380_416_000_000_000;
    let is_number = |number: i64| {
        clocks::epoch(number).is_some() || NANOSECONDS.contains(&number) || TICKS.contains(&number)
    };
    let is_time = |seen: &Occurrence| match seen.storage {
        Storage::Integer => seen.text.parse().is_ok_and(is_number),
        _ if column.family == Family::Fraction => {
            seen.text.parse::<f64>().is_ok_and(|number| is_number(number as i64))
        }
        _ => clocks::is_spelled(&seen.text) || is_calendar(&seen.text),
    };
    defaults_to_now(column) || (!seen.is_empty() && seen.iter().all(is_time))
}

/// Whether a text looks like a day and a time in a spelling that no mapping compares: `31.01.2026 09:00:00`.
fn is_calendar(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let groups = text.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty()).count();
    (8..=40).contains(&text.len())
        && digits >= 8
        && groups >= 5
        && text.contains(':')
        && text.bytes().all(|byte| byte.is_ascii_digit() || b" .-/:,+TZ".contains(&byte))
}

/// An age in words of people: `3 minutes`.
fn ago(micros: i64) -> String {
    let seconds = micros.unsigned_abs() / 1_000_000;
    match seconds {
        0..120 => format!("{seconds} s"),
        120..7_200 => format!("{} min", seconds / 60),
        7_200..172_800 => format!("{} h", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// When the rows of a value were made.
fn span(ages: &[i64]) -> String {
    match (ages.iter().min(), ages.iter().max()) {
        (Some(youngest), Some(oldest)) if ago(*youngest) != ago(*oldest) => {
            format!(", made {} to {} ago", ago(*youngest), ago(*oldest))
        }
        (Some(youngest), _) => format!(", made {} ago", ago(*youngest)),
        _ => String::new(),
    }
}

/// What the catalogue and the rows say of a column, one line each.
pub(crate) fn evidence(
    table: &CatalogueTable,
    column: &CatalogueColumn,
    samples: &Samples,
    created: Option<&CatalogueColumn>,
) -> Vec<String> {
    let name = column.name.as_str();
    let mut lines = Vec::new();
    let null = if column.not_null { "never NULL" } else { "may be NULL" };
    let default = column.default.as_ref().map_or_else(String::new, |text| format!(", default {text}"));
    lines.push(format!("{name}: {}, {null}{default}", column.sql_type));
    if let Some(comment) = &column.comment {
        lines.push(format!("{name}: its comment says {comment:?}"));
    }
    for predicate in table.predicates.iter().filter(|text| super::values::mentions(text, name)) {
        lines.push(format!("{name}: an index is only for rows where {predicate}"));
    }
    for check in table.checks.iter().filter(|text| super::values::mentions(text, name)) {
        lines.push(format!("{name}: {check}"));
    }
    if samples.rows.is_empty() {
        return lines;
    }
    let ages = samples.ages(created);
    let cells = samples.cells(name);
    let ages_of = |wanted: &dyn Fn(Option<&Cell>) -> bool| -> Vec<i64> {
        let rows = cells.iter().zip(&ages).filter(|(cell, _)| wanted(**cell));
        rows.filter_map(|(_, age)| *age).collect()
    };
    let nulls = samples.nulls(name);
    if nulls > 0 {
        lines.push(format!(
            "{name}: NULL in {nulls} of {} rows looked at{}",
            samples.rows.len(),
            span(&ages_of(&|cell| cell.is_none()))
        ));
    }
    let is_clock = column.is_time() || looks_like_time(column, samples);
    if let (true, Some(now)) = (is_clock, samples.now) {
        let moments: Vec<i64> = cells.iter().flatten().filter_map(|cell| moment(column, cell)).collect();
        let ahead = moments.iter().filter(|at| **at > now.as_micros()).count();
        if !moments.is_empty() {
            lines.push(format!(
                "{name}: set in {}{}, {ahead} of them ahead of now",
                number_of(moments.len() as u64, "row"),
                span(&ages_of(&|cell| cell.is_some()))
            ));
        }
        let distances: Vec<i64> = cells
            .iter()
            .zip(&ages)
            .filter_map(|(cell, age)| Some(moment(column, (*cell)?)? - (now.as_micros() - (*age)?)))
            .collect();
        if created.is_some_and(|created| created.name != name)
            && let (Some(least), Some(most)) = (distances.iter().min(), distances.iter().max())
        {
            let sign = |micros: i64| if micros < 0 { "before" } else { "after" };
            lines.push(format!(
                "{name}: {} {} to {} {} the row was made",
                ago(*least),
                sign(*least),
                ago(*most),
                sign(*most)
            ));
        }
    } else {
        let seen = samples.of(name);
        let all = seen.len();
        for occurrence in seen.iter().take(8) {
            let ages = ages_of(&|cell| {
                cell.is_some_and(|cell| cell.text == occurrence.text && cell.storage == occurrence.storage)
            });
            lines.push(format!(
                "{name}: {:?} in {}{}",
                occurrence.text,
                number_of(occurrence.count, "row"),
                span(&ages)
            ));
        }
        if all > 8 {
            lines.push(format!("{name}: and {} other values", all - 8));
        }
    }
    if let Some(watched) = &samples.watched {
        let changed = watched.changed.get(name).copied().unwrap_or(0);
        lines.push(format!(
            "{name}: changed in {changed} of {} rows within {} s",
            watched.rows,
            watched.after.as_secs()
        ));
    }
    lines
}
