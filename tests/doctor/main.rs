//! `idemctl doctor`, through the real binary: each finding on a table that has the trouble and on no other,
//! and that what is said to fix it does.

#[path = "../cli/binary.rs"]
#[allow(dead_code, reason = "each test crate uses its own part")]
mod binary;
#[path = "../adopted/harness.rs"]
#[allow(dead_code, reason = "each test crate uses its own part")]
mod harness;
#[path = "../support/mod.rs"]
mod support;

mod codes;
mod golden;
mod patient;
mod pooled;
mod postgres;
mod purging;
mod roles;
mod sqlite;
mod stays;
mod unread;
