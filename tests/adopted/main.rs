//! Tables that a team already has, through the real binary: what is listed, what is stuck, what goes,
//! what is refused.

#[path = "../cli/binary.rs"]
#[allow(dead_code, reason = "each test crate uses its own part")]
mod binary;
#[path = "../support/mod.rs"]
mod support;

mod account;
mod adopt;
mod article;
mod asked;

mod clocks;
mod fixtures;
mod harness;
mod incidents;
mod marks;
mod misfits;
mod names;
mod overlaps;
mod reading;
mod shapes;
mod walks;
