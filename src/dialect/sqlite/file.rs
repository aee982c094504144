//! What can be told of the file without SQLite: whether it is there, what closes it, and whether changes lie
//! beside it.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::dialect::{ErrorKind, StoreError};

/// A relative path means another file in every folder: people are told the full one.
pub(super) fn full(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

/// Refuses a file that is not there. One that can't be looked at is another matter: nobody is to make it.
pub(super) fn check_there(path: &Path) -> Result<(), StoreError> {
    match fs::metadata(path) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Err(StoreError::new(
            ErrorKind::NoFile,
            format!("there is no SQLite database at {}", full(path).display()),
        )),
        Err(error) => {
            Err(StoreError::closed_file(format!("{} can't be opened", full(path).display()), error))
        }
    }
}

/// A file that SQLite keeps beside the database: `-wal`, `-shm`, `-journal`.
fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = full(path).into_os_string();
    name.push(suffix);
    name.into()
}

/// Whether the file itself says that changes go to a log beside it. A connection that takes the file for
/// immutable says something else.
pub(super) fn is_in_wal_mode(path: &Path) -> io::Result<bool> {
    let mut header = [0; 20];
    match File::open(path)?.read_exact(&mut header) {
        Ok(()) => Ok(header[18..] == [2, 2]),
        // A file without its first page has no mode yet.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}

/// The files beside the database that hold changes of it, or a transaction to be rolled back: whoever takes it
/// for immutable reads none of them.
pub(super) fn unread_changes(path: &Path) -> Vec<PathBuf> {
    let holds_some = |path: &PathBuf| {
        let mut first = [0];
        match File::open(path).and_then(|mut file| file.read(&mut first)) {
            // A journal that is done with begins with zeros, or is empty.
            Ok(read) => read > 0 && first != [0],
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        }
    };
    ["-wal", "-journal"].map(|suffix| beside(path, suffix)).into_iter().filter(holds_some).collect()
}

/// The same error with the file that is its cause, where that can be seen.
pub(super) fn explained(error: StoreError, path: &Path) -> StoreError {
    const CANT_OPEN: u32 = 14;
    /// SQLITE_READONLY_RECOVERY, _CANTLOCK and _DIRECTORY: the log's index can't be made, or not be changed.
    const READ_ONLY_INDEX: [u32; 3] = [8 | (1 << 8), 8 | (2 << 8), 8 | (6 << 8)];
    let Some(code) = error.sqlite_code() else { return error };
    if code & 0xff == CANT_OPEN {
        for suffix in ["", "-wal", "-shm"] {
            let file = beside(path, suffix);
            match File::open(&file) {
                Err(cause) if cause.kind() != io::ErrorKind::NotFound => {
                    let what = format!("{} can't be opened: {cause}", file.display());
                    return error.of_a_file(ErrorKind::Refused, what);
                }
                _ => {}
            }
        }
    }
    if code == 1 && error.said().contains("no such vfs") {
        return error.of_a_file(ErrorKind::Input, "the parameter vfs names none that SQLite has".to_owned());
    }
    if READ_ONLY_INDEX.contains(&code) && is_in_wal_mode(path).unwrap_or(false) {
        return error.of_a_file(
            ErrorKind::Right,
            format!(
                "{} is in WAL mode: even to read it SQLite has to make or change the log's index beside it, and \
                 this user may not",
                full(path).display()
            ),
        );
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_beside_a_file_is_seen() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("keys.db");
        assert_eq!(check_there(&path).unwrap_err().kind(), ErrorKind::NoFile);
        fs::write(&path, "").unwrap();
        check_there(&path).unwrap();
        assert!(!is_in_wal_mode(&path).unwrap());
        assert!(unread_changes(&path).is_empty());
        fs::write(beside(&path, "-wal"), "").unwrap();
        fs::write(beside(&path, "-journal"), [0; 28]).unwrap();
        assert!(unread_changes(&path).is_empty());
        fs::write(beside(&path, "-wal"), [0x37, 0x7f, 0x06, 0x82]).unwrap();
        fs::write(beside(&path, "-journal"), [0xd9, 0xd5]).unwrap();
        assert_eq!(unread_changes(&path), [beside(&path, "-wal"), beside(&path, "-journal")]);
    }
}
