//! The store against real databases: what the protocol promises, under load, faults and restarts.

#[path = "../support/mod.rs"]
mod support;

mod answers;
mod conformance;
mod faults;
mod harness;
mod migrations;
mod model;
mod purge;
mod races;
mod verdicts;
