//! The protocol's sentences, each on every dialect.

mod claims;
mod fingerprints;
mod listing;
mod reaping;
mod settling;
mod transactions;
