//! Operates the idempotency-key table behind an API: the table in which a server remembers which
//! request it has already executed and what it answered.
//!
//! This library is what the `idemctl` binary is made of, and what a Rust server uses to claim,
//! renew and settle keys itself. Data flows one way through it:
//!
//! - [`protocol`] is pure: states, outcomes, keys, fingerprints. No database, no clock.
//! - [`janitor`] runs the passes that keep a table healthy: reap and purge.
//! - [`table`] says which table, which column plays which role, how states and clocks are written.
//! - [`store`] runs it all in a real database: PostgreSQL or SQLite.
//!
//! Start at [`store::Store`] and [`protocol::Claim`].

mod dialect;
pub mod janitor;
pub mod protocol;
mod sql;
pub mod store;
pub mod table;
mod words;

#[cfg(feature = "cli")]
mod advice;
#[cfg(feature = "cli")]
pub mod cli;
#[cfg(feature = "cli")]
pub mod commands;
#[cfg(feature = "cli")]
pub mod doctor;
#[cfg(feature = "cli")]
mod exit;
#[cfg(feature = "cli")]
mod output;
#[cfg(feature = "cli")]
mod settings;

#[cfg(feature = "cli")]
pub use settings::{SettingReference, TableSettingReference, settings_reference, table_reference};

/// The README's Rust, compiled with the documentation's tests.
#[cfg(all(doctest, feature = "postgres", feature = "sqlite"))]
#[doc = include_str!("../README.md")]
mod readme {}

/// The Rust of docs/embedding.md.
#[cfg(all(doctest, feature = "postgres", feature = "sqlite"))]
#[doc = include_str!("../docs/embedding.md")]
mod embedding {}
