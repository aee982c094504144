//! `stats`

use std::time::Duration;

use serde::Serialize;

use super::PauseReport;
use super::printer::{Report, View, render};
use super::text::{span, visible};
use crate::protocol::Timestamp;
use crate::store::{Counted, How, LeaseRow, Pass, Standby, Stays, TableStats, Unreaped, Visibility};
use crate::words::count;

/// A summary of the table.
#[derive(Debug, Serialize)]
pub struct StatsReport {
    /// The table.
    pub table: String,
    /// The database's clock.
    pub now: Timestamp,
    /// All rows.
    pub rows: Counted,
    /// By state.
    pub states: States,
    /// Stuck rows.
    pub stuck: Counted,
    /// Rows in progress that no reaper takes.
    pub unreaped: Unreaped,
    /// The oldest claim in progress.
    pub oldest_claim_at: Option<Timestamp>,
    /// Expired rows.
    pub backlog: Backlog,
    /// Bytes.
    pub sizes: Sizes,
    /// The largest scopes.
    pub largest_scopes: Vec<ScopeSize>,
    /// Claims in each of the last hours; empty where only a full scan could tell.
    pub claims: Vec<Hour>,
    /// Settled rows that expire in each of the coming hours.
    pub expiries: Vec<Hour>,
    /// The last purge pass.
    pub last_purge: LastPassJson,
    /// The janitor's passes: who leads them, and what the last ones did; null where that is not seen.
    pub passes: Option<Vec<PassJson>>,
    /// The pause of every janitor on this database; null when none is on, and where that is not seen.
    pub pause: Option<PauseReport>,
    /// Why passes, last purge and pause are not seen; null where they are.
    pub passes_unseen: Option<String>,
    /// Row level security hides rows from the role: no number counts those.
    pub row_security: bool,
    /// How far the server is behind its primary; null where it is none.
    pub standby: Option<Standby>,
}

/// Rows by state.
#[derive(Debug, Serialize)]
pub struct States {
    /// In progress.
    pub in_progress: Counted,
    /// Completed.
    pub completed: Counted,
    /// Failed.
    pub failed: Counted,
    /// In a state that the mapping does not list.
    pub unknown: Counted,
    /// In a state whose rows the mapping keeps.
    pub kept: Counted,
}

/// Expired rows that a purge would delete now.
#[derive(Debug, Serialize)]
pub struct Backlog {
    /// How many.
    pub rows: Counted,
    /// Their share of all rows, in percent; null where nobody knows how many those are.
    pub percent: Option<f64>,
    /// The oldest expiry.
    pub oldest_expiry_at: Option<Timestamp>,
    /// For how long it should have been purged: since its expiry and the grace.
    pub age_seconds: Option<f64>,
    /// How long a purge takes at the last pass's pace; null where something keeps rows from going.
    pub gone_in_seconds: Option<u64>,
    /// What keeps due rows from going: foreign keys that reference them, triggers and rules.
    pub kept_by: Vec<String>,
    /// Rows that no purge takes, however old they are.
    pub stays: Stays,
}

/// Bytes.
#[derive(Debug, Serialize)]
pub struct Sizes {
    /// Of the table; of the whole file on SQLite.
    pub table_bytes: u64,
    /// Of its indexes; on SQLite, of the file's free pages.
    pub other_bytes: u64,
}

/// A scope and its rows.
#[derive(Debug, Serialize)]
pub struct ScopeSize {
    /// The scope.
    pub scope: String,
    /// Its rows.
    pub rows: Counted,
}

/// An hour and its rows.
#[derive(Debug, Serialize)]
pub struct Hour {
    /// Its start.
    pub from: Timestamp,
    /// The rows.
    pub rows: Counted,
}

/// One of the janitor's passes.
#[derive(Debug, Serialize)]
pub struct PassJson {
    /// `reap` or `purge`.
    pub pass: Pass,
    /// The janitor that leads it now.
    pub leader: Option<String>,
    /// When its lease runs out, unless it is renewed.
    pub lease_until: Option<Timestamp>,
    /// When the last pass began.
    pub started_at: Option<Timestamp>,
    /// When one last completed.
    pub succeeded_at: Option<Timestamp>,
}

/// What the last pass did.
#[derive(Debug, Serialize)]
pub struct LastPassJson {
    /// When it began.
    pub started_at: Option<Timestamp>,
    /// When one last completed.
    pub succeeded_at: Option<Timestamp>,
    /// Its rows per second.
    pub rows_per_second: Option<i64>,
}

impl From<&LeaseRow> for PassJson {
    fn from(lease: &LeaseRow) -> Self {
        let runs = !lease.left.is_zero();
        Self {
            pass: lease.pass,
            leader: lease.holder.clone().filter(|_| runs),
            lease_until: runs.then_some(lease.until),
            started_at: lease.note.started,
            succeeded_at: lease.note.succeeded,
        }
    }
}

impl StatsReport {
    /// The report.
    pub fn new(table: String, stats: &TableStats, grace: Duration) -> Self {
        let due = stats.oldest_expiry.map(|at| at.plus(grace)).filter(|due| *due < stats.now);
        let leases = stats.leases.as_ref();
        let of_purge = leases.ok().and_then(|leases| leases.iter().find(|lease| lease.pass == Pass::Purge));
        let purge = of_purge.map(|lease| lease.note).unwrap_or_default();
        let rate = purge.rate.and_then(|rate| u64::try_from(rate).ok()).filter(|rate| *rate > 0);
        let hours = |hours: &[(Timestamp, Counted)]| {
            hours.iter().map(|(from, rows)| Hour { from: *from, rows: *rows }).collect()
        };
        Self {
            table,
            now: stats.now,
            rows: stats.rows,
            states: States {
                in_progress: stats.in_progress,
                completed: stats.completed,
                failed: stats.failed,
                unknown: stats.unknown,
                kept: stats.kept,
            },
            stuck: stats.stuck,
            unreaped: stats.unreaped,
            oldest_claim_at: stats.oldest_claim,
            backlog: Backlog {
                rows: stats.backlog,
                percent: stats.rows.known().map(|rows| match rows {
                    0 => 0.0,
                    rows => (stats.backlog.value as f64 / rows as f64 * 1_000.0).round() / 10.0,
                }),
                oldest_expiry_at: stats.oldest_expiry,
                age_seconds: due.map(|due| stats.now.since(due).as_secs_f64()),
                gone_in_seconds: rate
                    .filter(|_| stats.kept_by.is_empty())
                    .map(|rate| stats.backlog.value.div_ceil(rate)),
                kept_by: stats.kept_by.clone(),
                stays: stats.stays,
            },
            sizes: Sizes { table_bytes: stats.table_bytes, other_bytes: stats.other_bytes },
            largest_scopes: stats
                .scopes
                .iter()
                .map(|(scope, rows)| ScopeSize { scope: scope.clone(), rows: *rows })
                .collect(),
            claims: hours(&stats.claims),
            expiries: hours(&stats.expiries),
            last_purge: LastPassJson {
                started_at: purge.started,
                succeeded_at: purge.succeeded,
                rows_per_second: purge.rate,
            },
            passes: leases.ok().map(|leases| leases.iter().map(PassJson::from).collect()),
            passes_unseen: leases.err().cloned(),
            pause: stats.pause.as_ref().map(|pause| PauseReport::paused(pause, stats.now)),
            row_security: false,
            standby: None,
        }
    }

    /// Says what part of the table was seen.
    #[must_use]
    pub fn seen_as(self, visibility: &Visibility) -> Self {
        Self { row_security: visibility.row_security, standby: visibility.standby.clone(), ..self }
    }
}

/// What is said of a number that takes a full scan.
const NOT_COUNTED: &str = "not counted; --exact does";

/// An estimate says so.
fn number(counted: Counted) -> String {
    let sign = match counted.how {
        How::Exact => "",
        How::Estimate => "~",
        How::AtLeast => "at least ",
        How::Unknown => return "unknown".to_owned(),
    };
    format!("{sign}{}", count(counted.value))
}

fn bytes(number: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let mut value = number as f64;
    let mut unit = 0;
    while value >= 1024.0 && unit < UNITS.len() - 1 {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{number} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// How wide the longest bar is.
const BAR: f64 = 40.0;

fn bars(title: &str, hours: &[Hour], view: &View, now: Timestamp) -> String {
    let most = hours.iter().map(|hour| hour.rows.value).max().unwrap_or(0);
    if most == 0 {
        return String::new();
    }
    let mut table = view.table(&[]);
    for hour in hours {
        let width = (hour.rows.value as f64 / most as f64 * BAR).round() as usize;
        table.add_row([view.age(hour.from, now), number(hour.rows), "█".repeat(width)]);
    }
    format!("{title}\n{}", render(&table))
}

impl StatsReport {
    fn add_passes(&self, passes: &[PassJson], view: &View, row: &mut dyn FnMut(&str, String)) {
        let last = |succeeded: Option<Timestamp>, started: Option<Timestamp>| match (succeeded, started) {
            (Some(at), _) => format!("completed {}", view.age(at, self.now)),
            (None, Some(at)) => format!("began {}, never completed", view.age(at, self.now)),
            (None, None) => "never".to_owned(),
        };
        row("last purge", last(self.last_purge.succeeded_at, self.last_purge.started_at));
        if let Some(reap) = passes.iter().find(|pass| pass.pass == Pass::Reap) {
            row("last reap by a janitor", last(reap.succeeded_at, reap.started_at));
        }
        let leader = |pass: &PassJson| pass.leader.as_deref().map(|leader| (leader.to_owned(), pass.pass));
        let leaders: Vec<(String, Pass)> = passes.iter().filter_map(leader).collect();
        row(
            "janitor",
            match leaders.as_slice() {
                [] => "none leads".to_owned(),
                [(one, _), (other, _)] if one == other => visible(one),
                several => several
                    .iter()
                    .map(|(leader, pass)| format!("{} for {pass}", visible(leader)))
                    .collect::<Vec<_>>()
                    .join(", "),
            },
        );
    }
}

impl Report for StatsReport {
    fn table(&self, view: &View) -> String {
        let mut table = view.table(&[]);
        let mut row = |name: &str, value: String| {
            table.add_row([name.to_owned(), value]);
        };
        row("table", visible(&self.table));
        row("rows", number(self.rows));
        row("completed", number(self.states.completed));
        row("failed", number(self.states.failed));
        for (name, rows, words) in [
            ("unknown state", self.states.unknown, ", which the mapping does not list"),
            ("kept", self.states.kept, ", on purpose"),
        ] {
            match rows.known() {
                Some(0) => {}
                Some(_) => row(name, format!("{}{words}", number(rows))),
                None => row(name, NOT_COUNTED.to_owned()),
            }
        }
        row(
            "in progress",
            match self.oldest_claim_at {
                Some(at) => format!(
                    "{}, the oldest claimed {}",
                    number(self.states.in_progress),
                    view.age(at, self.now)
                ),
                None => number(self.states.in_progress),
            },
        );
        row("stuck", number(self.stuck));
        for (rows, words) in [
            (
                self.unreaped.without_clock,
                "in progress without the clock that says since when: no reaper takes them",
            ),
            (
                self.unreaped.unreadable,
                "with a state or a clock that is not written as the mapping says: no reaper takes them",
            ),
        ] {
            match rows.known() {
                Some(0) => {}
                Some(_) => row("", format!("{} {words}", number(rows))),
                None => row("", format!("{words}: {NOT_COUNTED}")),
            }
        }
        let backlog = &self.backlog;
        let share = backlog.percent.map_or(String::new(), |percent| format!(", {percent}% of the table"));
        row("expired backlog", format!("{}{share}", number(backlog.rows)));
        if let Some(age) = backlog.age_seconds {
            row("", format!("the oldest should have been purged {} ago", span(Duration::from_secs_f64(age))));
        }
        if backlog.rows.value > 0 {
            row(
                "",
                match (backlog.gone_in_seconds, self.last_purge.rows_per_second) {
                    (Some(seconds), Some(rate)) => format!(
                        "gone in {}{} of purging, at the last pass's {} rows/s",
                        if backlog.rows.how == How::AtLeast { "at least " } else { "" },
                        span(Duration::from_secs(seconds.max(1))),
                        count(u64::try_from(rate).unwrap_or(0)),
                    ),
                    _ if !backlog.kept_by.is_empty() => {
                        format!("some may never go: {}", visible(&backlog.kept_by.join(", ")))
                    }
                    _ => "no purge has told its pace yet".to_owned(),
                },
            );
        }
        let stays = &backlog.stays;
        for (rows, words) in [
            (stays.in_progress, "expired in progress: no purge takes them, `idemctl reap-stuck` comes first"),
            (stays.without_clock, "without the clock that makes them due: no purge takes them"),
            (
                stays.unreadable,
                "with a state or a clock that is not written as the mapping says: no purge takes them",
            ),
        ] {
            match rows.known() {
                Some(0) => {}
                Some(_) => row("", format!("{} {words}", number(rows))),
                None => row("", format!("{words}: {NOT_COUNTED}")),
            }
        }
        match (&self.passes, &self.passes_unseen) {
            (Some(passes), _) => self.add_passes(passes, view, &mut row),
            (None, why) => {
                let why = why.as_deref().unwrap_or("they were not looked at");
                row("janitor and passes", format!("not seen: {}", visible(why)));
            }
        }
        if let Some(pause) = &self.pause {
            row("", pause.words(view));
        }
        row("size", format!("{} and {}", bytes(self.sizes.table_bytes), bytes(self.sizes.other_bytes)));
        for (index, scope) in self.largest_scopes.iter().enumerate() {
            let name = if scope.scope.is_empty() { "''".to_owned() } else { visible(&scope.scope) };
            row(if index == 0 { "largest scopes" } else { "" }, format!("{name}: {}", number(scope.rows)));
        }
        let mut out = render(&table);
        out.push_str(&bars("claims in the hour that began", &self.claims, view, self.now));
        out.push_str(&bars("expiries in the hour that begins", &self.expiries, view, self.now));
        out
    }
}
