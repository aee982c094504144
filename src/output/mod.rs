//! Reports: one set of structs, rendered as a table for people or as JSON for programs. The JSON is
//! the contract; the table is made from the same values, so the two can't disagree.

mod adopt;
mod audit;
mod config;
mod doctor;
mod janitor;
mod key;
mod list;
mod migrate;
mod operate;
mod pause;
mod printer;
mod progress;
mod purge;
mod reap;
mod stats;
mod text;

pub use adopt::AdoptReport;
pub(crate) use adopt::question_text;
pub use audit::AuditReport;
pub use config::ConfigReport;
pub use doctor::DoctorReport;
pub use janitor::{CheckProblem, CheckReport, CycleReport};
pub use key::{HistoryEntry, InspectReport, KEPT, KeyReport};
pub use list::ListReport;
pub use migrate::{MigrateReport, MigrateVerb};
pub use operate::{OperateReport, OperatedKey};
pub use pause::PauseReport;
pub use printer::{Format, Printer};
pub use progress::Progress;
pub use purge::PurgeJson;
pub use reap::ReapJson;
pub use stats::StatsReport;
pub use text::{Zone, clock_time, escape_json, span, visible};
