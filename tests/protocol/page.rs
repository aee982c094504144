//! Reads the blocks of the checked-in page man/idemctl-protocol.7, roff's escapes undone.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::support::Dialect;

fn lines() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("man/idemctl-protocol.7");
    fs::read_to_string(path).expect("the page is checked in").lines().map(str::to_owned).collect()
}

/// Every block that comes out as it is, with the heading above it.
fn blocks() -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut heading = String::new();
    let mut block: Option<Vec<String>> = None;
    for line in lines() {
        if let Some(title) = line.strip_prefix(".SH ").or_else(|| line.strip_prefix(".SS ")) {
            heading = title.trim_matches('"').to_owned();
        } else if line == ".EX" {
            block = Some(Vec::new());
        } else if line == ".EE" {
            blocks.push((heading.clone(), block.take().expect("a block is open").join("\n")));
        } else if let Some(block) = &mut block {
            block.push(unescape(&line));
        }
    }
    blocks
}

fn unescape(line: &str) -> String {
    let mut out = String::new();
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let escapes =
            [("-", "-"), ("&", ""), ("e", "\\"), ("(aq", "'"), ("(ga", "`"), ("(ha", "^"), ("(ti", "~")];
        let (escape, text) = escapes
            .into_iter()
            .find(|(escape, _)| after.starts_with(escape))
            .unwrap_or_else(|| panic!("an unknown escape: {line}"));
        out.push_str(text);
        rest = &after[escape.len()..];
    }
    out + rest
}

/// The statements of a dialect, by name.
pub fn statements(dialect: Dialect) -> BTreeMap<String, String> {
    let suffix = match dialect {
        Dialect::Postgres => " (PostgreSQL)",
        _ => " (SQLite)",
    };
    let mut statements = BTreeMap::new();
    for (heading, block) in blocks() {
        if let Some(name) = heading.strip_suffix(suffix) {
            // The first block is the statement; those after it explain.
            statements.entry(name.to_owned()).or_insert(block);
        }
    }
    assert_eq!(statements.len(), 7, "{statements:?}");
    statements
}

/// The blocks of a section.
#[allow(dead_code, reason = "each test crate uses its own part")]
pub fn section(title: &str) -> Vec<String> {
    blocks().into_iter().filter(|(heading, _)| heading == title).map(|(_, block)| block).collect()
}
