//! What breaks around a store, and that nothing is lost, done twice or blamed wrongly.

mod connections;
mod encodings;
mod failover;
mod files;
mod outcomes;
mod refusals;
mod sessions;

use std::process::Command;

/// Says to a test that it runs inside another user's or file system's limits, and where.
const INSIDE: &str = "IDEMCTL_TEST_INSIDE";

/// Runs one test of this crate again in a process of its own, under a wrapper such as `setpriv`.
fn run_inside(wrapper: &[&str], test: &str, inside: &std::path::Path) {
    let program = inside.join("the-tests");
    std::fs::copy(std::env::current_exe().unwrap(), &program).unwrap();
    let output = Command::new(wrapper[0])
        .args(&wrapper[1..])
        .arg(&program)
        .args(["--exact", test, "--nocapture"])
        .env(INSIDE, inside)
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}", wrapper[0]));
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && out.contains("1 passed"), "{out}{err}");
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("id");
    String::from_utf8_lossy(&id.stdout).trim() == "0"
}
