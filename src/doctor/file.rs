//! The SQLite file.

use std::path::Path;

use super::{Findings, Severity};
use crate::store::{FileFacts, Store};

/// A file up to this size is read to its end.
const READ_WHOLE: u64 = 64 * 1024 * 1024;

pub(super) async fn check(base: &Store, findings: &mut Findings) {
    let facts = match base.file_facts().await {
        Ok(facts) => facts,
        Err(error) => return findings.settle("file", Err(error)),
    };
    findings
        .ok("file", format!("SQLite {}, {} bytes, {} of them free", facts.version, facts.bytes, facts.free));
    writable(&facts.path, findings);
    journal(&facts, findings);
    vacuum(&facts, findings);
    if facts.bytes > READ_WHOLE {
        findings.add(
            Severity::Info,
            ("integrity", "integrity_not_checked"),
            format!("the file has {} bytes: checking it would read them all", facts.bytes),
            "Damage shows itself as exit 1 when a damaged page is met. Check a copy, or at a quiet hour.",
            vec!["PRAGMA quick_check;".to_owned()],
        );
        return;
    }
    match base.file_damage().await {
        Ok(None) => findings.ok("integrity", "PRAGMA quick_check finds no damage"),
        Ok(Some(damage)) => findings.add(
            Severity::Error,
            ("integrity", "file_damaged"),
            format!("PRAGMA quick_check: {damage}"),
            "The file is damaged: by a failing disk, a crash without fsync, or a copy made while it was \
             written. What idemctl reports of it may be wrong. Stop the writers, and restore a backup.",
            vec!["sqlite3 DAMAGED .recover | sqlite3 RECOVERED".to_owned()],
        ),
        Err(error) => findings.settle("integrity", Err(error)),
    }
}

/// Why the file, or the folder in which its journal is made, can't be written by this user.
pub(crate) fn closed_to_writes(path: &Path) -> Vec<String> {
    let may = |path: &Path| rustix::fs::access(path, rustix::fs::Access::WRITE_OK);
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut closed = Vec::new();
    for (what, path) in [("file", path), ("folder", folder)] {
        if let Err(error) = may(path) {
            closed.push(format!("the {what} {} can't be written: {error}", path.display()));
        }
    }
    closed
}

fn writable(path: &Path, findings: &mut Findings) {
    let closed = closed_to_writes(path);
    if closed.is_empty() {
        return findings.ok("writable", "the file and its folder can be written");
    }
    findings.add(
        Severity::Error,
        ("writable", "file_not_writable"),
        closed.join("; "),
        "Reports work; reap, purge and all other changes are refused (exit 8). The folder must be writable \
         too: SQLite makes its journal beside the file.",
        vec!["run idemctl as the user that owns the file, or give this one's group the right".to_owned()],
    );
}

/// Of the modes only this one is the file's; all others each connection chooses for itself.
fn journal(facts: &FileFacts, findings: &mut Findings) {
    match facts.journal.as_str() {
        "wal" => {
            findings.ok("journal", "write-ahead log: readers and a writer do not keep each other waiting")
        }
        other => findings.add(
            Severity::Warning,
            ("journal", "journal_not_wal"),
            format!("the journal mode is not WAL but {other}"),
            "Each batch of a purge keeps all readers and writers out while it commits; a long read keeps the \
             purge out.",
            vec!["PRAGMA journal_mode = WAL;".to_owned()],
        ),
    }
}

fn vacuum(facts: &FileFacts, findings: &mut Findings) {
    match facts.auto_vacuum {
        2 => findings.ok("auto_vacuum", "incremental: a purge gives room back to the file system, in small pieces"),
        1 => findings.add(
            Severity::Info,
            ("auto_vacuum", "auto_vacuum_full"),
            "auto_vacuum is full",
            "Every commit moves pages to give room back: each batch of a purge takes longer.",
            vec!["PRAGMA auto_vacuum = INCREMENTAL;".to_owned()],
        ),
        _ => findings.add(
            Severity::Info,
            ("auto_vacuum", "auto_vacuum_none"),
            "auto_vacuum is off",
            "The file never gets smaller; what a purge frees is used again for new rows. Changing that writes \
             the whole file anew, and keeps everybody out meanwhile.",
            vec!["PRAGMA auto_vacuum = INCREMENTAL; VACUUM;".to_owned()],
        ),
    }
}
