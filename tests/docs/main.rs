//! What docs/ says is what the binary does.

#[path = "../janitor/supervised.rs"]
#[allow(dead_code, reason = "each test crate uses its own part")]
mod supervised;
#[path = "../support/mod.rs"]
mod support;

#[allow(dead_code, reason = "the tests of the command line use the rest")]
#[path = "../cli/binary.rs"]
mod binary;
mod commands;
mod exit_codes;
mod json;
mod names;
#[path = "../protocol/page.rs"]
mod page;
mod python;

use std::fs;
use std::path::{Path, PathBuf};

/// A path in the project.
fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The text of a file in docs/.
fn document(name: &str) -> String {
    let path = project("docs").join(name);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
