//! The two passes that keep a table healthy: reap (stuck rows become failed) and purge (expired
//! rows go), the pace at which they work, and the daemon that runs them on schedules.
//!
//! The commands `reap-stuck` and `purge` run these passes once, with the very same code that the
//! daemon runs. A pass returns a report, whether it completes or not: what was
//! changed is always said.

mod daemon;
mod hold;
mod pace;
mod policy;
mod purge;
mod reap;
mod refused;
mod schedule;
mod status;

pub use daemon::{
    Connect, Daemon, Mode, Observer, PassEnd, PassReport, Plan, PurgeOrder, ReapPlan, TablePlan,
};
#[cfg(feature = "cli")]
pub(crate) use daemon::{check_lag_readable, unable};
pub use hold::{Admission, Hold};
pub use pace::{Pace, PaceOptions};
pub use policy::{InvalidPattern, RetryPolicy, ScopePattern};
pub use purge::{
    PurgeEnd, PurgeOptions, PurgeOutcome, PurgeProgress, PurgeReport, count_due, purge, unrecognized_left,
};
pub use reap::{MIN_STUCK_AGE, ReapOptions, ReapOutcome, ReapProgress, ReapReport, ReapedKey, reap};
pub use refused::{Refused, RefusedRow};
pub use schedule::{InvalidSchedule, Schedule};
pub use status::{DatabaseStatus, Held, HeldReason, JanitorStatus, LastPass, PassStatus, TableStatus};
