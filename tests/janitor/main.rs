//! The daemon, as those who run it meet it: schedules, leaders, outages, signals, systemd, HTTP.

#[path = "../cli/binary.rs"]
#[allow(dead_code, reason = "each test crate uses its own part")]
mod binary;
#[path = "../support/mod.rs"]
mod support;

mod cycle;
mod daemon;
mod fitness;
mod holds;
mod leaders;
mod listening;
mod outages;
mod soak;
mod supervised;
mod systemd;
