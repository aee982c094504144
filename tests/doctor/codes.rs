//! Every code that the examination has is documented, and every documented one it has.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn project(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The codes in the table of docs/doctor.md.
pub fn documented() -> BTreeSet<String> {
    let text = fs::read_to_string(project("docs/doctor.md")).unwrap();
    text.lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`').map(|(code, _)| code.to_owned()))
        .collect()
}

/// The codes in the source: the second of a check's two names.
fn written() -> BTreeSet<String> {
    let mut codes = BTreeSet::new();
    for entry in fs::read_dir(project("src/doctor")).unwrap() {
        let text = fs::read_to_string(entry.unwrap().path()).unwrap();
        let text: String = text.split("#[cfg(test)]").next().unwrap().split_whitespace().collect();
        let text = text.replace(".ok(CHECK,", "").replace(".ok(\"", "");
        for piece in text.split("(CHECK,\"").skip(1) {
            codes.insert(piece.split('"').next().unwrap().to_owned());
        }
        // ("check","code"),
        for piece in text.split("(\"").skip(1) {
            if let Some((_, rest)) = piece.split_once("\",\"")
                && let Some((code, after)) = rest.split_once('"')
                && after.starts_with("),")
                && code.chars().all(|c| c.is_ascii_lowercase() || c == '_')
                && !piece.split_once("\",\"").unwrap().0.contains(['"', '(', ')'])
            {
                codes.insert(code.to_owned());
            }
        }
        if text.contains("(check,\"check_failed\")") {
            codes.insert("check_failed".to_owned());
        }
    }
    codes
}

#[test]
fn every_code_is_documented_and_no_other() {
    let (documented, written) = (documented(), written());
    assert!(written.len() > 40, "{written:?}");
    assert_eq!(documented, written);
}
