//! `janitor --once` and `janitor --check`

use serde::Serialize;

use super::printer::{Report, View, render};
use super::text::{span, visible};
use crate::janitor::{JanitorStatus, PassEnd, PassReport, TablePlan};
use crate::protocol::Timestamp;
use crate::store::{LeaseRow, Pass};
use crate::words::count;

/// What one cycle did.
#[derive(Debug, Serialize)]
pub struct CycleReport {
    /// Each pass of each table.
    pub passes: Vec<CyclePass>,
}

/// What became of one pass.
#[derive(Debug, Serialize)]
pub struct CyclePass {
    /// The table.
    pub table: String,
    /// `reap` or `purge`.
    pub pass: Pass,
    /// `done`, what ended it before that, `led_elsewhere`, `paused`, or `unable`: the mapping lacks a setting.
    pub outcome: &'static str,
    /// Rows that it deleted, or failed.
    pub rows: u64,
    /// Rows that it left for others' locks, or that changed meanwhile.
    pub skipped: u64,
    /// Stuck rows that others hold a lock on.
    pub locked: u64,
    /// Rows that it left because their state or clock is not written as the mapping says; null where they were not
    /// counted.
    pub unrecognized: Option<u64>,
    /// Rows in progress that hold NULL in every clock that could make them stuck; null for a purge, and where they
    /// were not counted.
    pub without_clock: Option<u64>,
    /// Rows that the database refused to delete or to fail.
    pub refused: u64,
    /// Expired rows that were left; null for a reap, and where they were not counted.
    pub backlog: Option<u64>,
    /// Row level security hides rows from the role: those were neither found nor changed nor counted.
    pub row_security: bool,
    /// What was to be counted and could not be, and why.
    pub not_counted: Vec<String>,
    /// How long it took.
    pub duration_ms: u64,
    /// Who leads, where that is another janitor; why, where it is paused, unable or failed.
    pub why: Option<String>,
    #[serde(skip)]
    is_partial: bool,
}

impl CycleReport {
    /// From the passes that ran, and the status for those that did not.
    pub fn new(status: &JanitorStatus, ended: &[PassEnd]) -> Self {
        let mut passes = Vec::new();
        for table in &status.tables {
            for pass in &table.passes {
                let ran = ended.iter().find(|end| end.table == table.table && end.pass == pass.pass);
                let (outcome, why) = match (ran, &pass.last, &pass.held) {
                    (Some(_), Some(last), _) => (last.end, last.error.clone()),
                    _ if pass.unable.is_some() => ("unable", pass.unable.clone()),
                    (_, _, Some(held)) => ("paused", Some(held.detail.clone())),
                    _ if pass.leads => ("stopped", None),
                    _ => ("led_elsewhere", pass.leader.clone()),
                };
                let (locked, leaves_some) = match ran.and_then(|end| end.report.as_ref()) {
                    Some(PassReport::Reap(report, stopped)) => {
                        let left = report.locked
                            + report.refused.rows
                            + report.unreadable
                            + report.unknown
                            + report.without_clock.map_or(0, |rows| rows.value);
                        let unseen = report.row_security || !report.not_counted.is_empty();
                        (report.locked, *stopped || left > 0 || unseen)
                    }
                    Some(PassReport::Purge(report)) => (0, !report.leaves_nothing()),
                    None => (0, outcome == "stopped"),
                };
                let last = ran.and(pass.last.as_ref());
                passes.push(CyclePass {
                    table: table.table.clone(),
                    pass: pass.pass,
                    outcome,
                    rows: ran.map_or(0, PassEnd::rows),
                    skipped: last.map_or(0, |last| last.skipped),
                    locked,
                    unrecognized: last.and_then(|last| last.unrecognized),
                    without_clock: last.and_then(|last| last.without_clock),
                    refused: last.map_or(0, |last| last.refused),
                    backlog: last.and_then(|last| last.backlog),
                    row_security: last.is_some_and(|last| last.row_security),
                    not_counted: last.map_or_else(Vec::new, |last| last.not_counted.clone()),
                    duration_ms: ran.map_or(0, |end| end.took.as_millis() as u64),
                    why,
                    is_partial: leaves_some,
                });
            }
        }
        Self { passes }
    }

    /// Whether work is left that this cycle should have done.
    pub fn is_partial(&self) -> bool {
        self.passes.iter().any(|pass| pass.is_partial)
    }
}

impl Report for CycleReport {
    fn table(&self, view: &View) -> String {
        let mut table = view.table(&["table", "pass", "outcome", "rows", "left", "took", "why"]);
        for pass in &self.passes {
            let left = match (pass.pass, pass.backlog, pass.outcome) {
                (_, _, "led_elsewhere") => String::new(),
                (Pass::Reap, ..) => count(pass.locked),
                (Pass::Purge, Some(backlog), _) => count(backlog),
                (Pass::Purge, None, _) => "not counted".to_owned(),
            };
            table.add_row([
                visible(&pass.table),
                pass.pass.to_string(),
                pass.outcome.replace('_', " "),
                count(pass.rows),
                left,
                format!("{} ms", count(pass.duration_ms)),
                pass.why.as_deref().map(visible).unwrap_or_default(),
            ]);
        }
        render(&table)
    }

    fn lines(&self) -> Result<Vec<String>, serde_json::Error> {
        self.passes.iter().map(serde_json::to_string).collect()
    }
}

/// What a janitor with this configuration would do.
#[derive(Debug, Serialize)]
pub struct CheckReport {
    /// The database, without secrets.
    pub target: String,
    /// Where that came from.
    pub source: String,
    /// Each pass of each table.
    pub passes: Vec<CheckedPass>,
    /// What keeps the passes from their work; empty where the janitor is ready.
    pub problems: Vec<CheckProblem>,
}

/// Something that keeps a pass from its work.
#[derive(Debug, Serialize)]
pub struct CheckProblem {
    /// The table.
    pub table: String,
    /// What it is, by a name that stays.
    pub code: &'static str,
    /// What was found.
    pub found: String,
    /// The statements or settings that fix it, in order.
    pub fix: Vec<String>,
}

impl CheckProblem {
    /// On one line.
    pub fn words(&self) -> String {
        format!("{} ({})", self.found, self.fix.join(" "))
    }
}

/// One pass.
#[derive(Debug, Serialize)]
pub struct CheckedPass {
    /// The table.
    pub table: String,
    /// `reap` or `purge`.
    pub pass: Pass,
    /// When it runs.
    pub schedule: String,
    /// When that is next.
    pub next_start_at: Option<Timestamp>,
    /// Who leads it now.
    pub leader: Option<String>,
    /// When a pass last completed.
    pub last_success_at: Option<Timestamp>,
    /// Whether several janitors can agree on a leader here.
    pub can_elect: bool,
    /// What the table's mapping lacks for it; such a pass never runs.
    pub unable: Option<String>,
    #[serde(skip)]
    now: Timestamp,
}

impl CheckReport {
    /// Without any table yet.
    pub fn new(target: String, source: String) -> Self {
        Self { target, source, passes: Vec::new(), problems: Vec::new() }
    }

    /// Tables beside which nobody can be elected.
    pub fn without_leaders(&self) -> Vec<&str> {
        let mut tables: Vec<&str> = Vec::new();
        for pass in self.passes.iter().filter(|pass| !pass.can_elect) {
            if !tables.contains(&pass.table.as_str()) {
                tables.push(&pass.table);
            }
        }
        tables
    }

    /// Adds a table.
    pub fn add(
        &mut self,
        plan: &TablePlan,
        can_elect: bool,
        leases: &[LeaseRow],
        unable: &[(Pass, String)],
        now: Timestamp,
    ) {
        let reap = plan.reap.as_ref().map(|reap| (Pass::Reap, &reap.schedule));
        for (pass, schedule) in reap.into_iter().chain([(Pass::Purge, &plan.purge.schedule)]) {
            let lease = leases.iter().find(|lease| lease.pass == pass);
            self.passes.push(CheckedPass {
                table: plan.table.clone(),
                pass,
                schedule: schedule.to_string(),
                next_start_at: now.to_datetime().and_then(|at| schedule.after(at)).map(Timestamp::from),
                leader: lease.filter(|lease| !lease.left.is_zero()).and_then(|lease| lease.holder.clone()),
                last_success_at: lease.and_then(|lease| lease.note.succeeded),
                can_elect,
                unable: unable.iter().find(|(of, _)| *of == pass).map(|(_, lacks)| lacks.clone()),
                now,
            });
        }
    }
}

impl Report for CheckReport {
    fn table(&self, view: &View) -> String {
        let mut table = view.table(&["table", "pass", "schedule", "next start", "leader", "last success"]);
        for pass in &self.passes {
            let next = match (&pass.unable, pass.next_start_at) {
                (Some(lacks), _) => format!("never: {}", visible(lacks)),
                (None, Some(at)) => format!("in {}", span(at.since(pass.now))),
                (None, None) => String::new(),
            };
            table.add_row([
                visible(&pass.table),
                pass.pass.to_string(),
                visible(&pass.schedule),
                next,
                match (&pass.leader, pass.can_elect) {
                    (Some(leader), _) => visible(leader),
                    (None, true) => "none".to_owned(),
                    (None, false) => "can't be elected (idemctl migrate)".to_owned(),
                },
                pass.last_success_at.map_or("never".to_owned(), |at| view.time(at, pass.now)),
            ]);
        }
        let ready = if self.problems.is_empty() { "is ready" } else { "is not ready" };
        let mut out =
            format!("{} (from {}) {ready} for the janitor\n{}", self.target, self.source, render(&table));
        for problem in &self.problems {
            out.push_str(&format!("{}  {}\n", view.strong("problem"), visible(&problem.found)));
            for line in &problem.fix {
                out.push_str(&format!("         > {}\n", visible(line)));
            }
        }
        out
    }
}
