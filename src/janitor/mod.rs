//! The two passes that keep a table healthy: reap (stuck rows become failed) and purge (expired
//! rows go), the pace at which they work, and the schedule by which they start.
//!
//! The commands `reap-stuck` and `purge` run these passes once, with the very same code that a
//! daemon runs on a schedule. A pass returns a report whether it came to its end or not: what was
//! changed is always said.

mod pace;
mod purge;
mod reap;
mod schedule;

pub use pace::{Pace, PaceOptions};
pub use purge::{PurgeEnd, PurgeOptions, PurgeOutcome, PurgeProgress, PurgeReport, count_due, purge};
pub use reap::{ReapOptions, ReapOutcome, ReapReport, ReapedKey, reap};
pub use schedule::{InvalidSchedule, Schedule};
