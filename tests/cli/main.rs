//! The real binary, as its users meet it: exit codes, output, signals, kills, races.

#[path = "../support/mod.rs"]
mod support;

#[allow(dead_code, reason = "each test crate uses its own part")]
mod binary;
mod errors;
mod failover;
mod golden;
mod hands;
mod interrupted;
mod kills;
mod lost;
mod operator;
mod partial;
mod passes;
mod places;
mod races;
mod reports;
mod running;
mod terminal;
