//! SQLite's errors, sorted by what a caller can do about them.

use crate::dialect::ErrorKind;

/// SQLite's result code: the low byte is the primary one.
pub(in crate::dialect) fn classify(code: Option<&str>, message: &str) -> ErrorKind {
    let primary = code.and_then(|code| code.parse::<u32>().ok()).map(|code| code & 0xff);
    match primary {
        Some(5 | 6) => ErrorKind::Locked,
        Some(8) => ErrorKind::ReadOnly,
        Some(3) => ErrorKind::Right,
        // CANTOPEN: the file or its folder is missing or closed to us.
        Some(14) => ErrorKind::Unreachable,
        Some(13) => ErrorKind::DiskFull,
        // CORRUPT and NOTADB.
        Some(11 | 26) => ErrorKind::Corrupt,
        Some(1)
            if ["no such table", "no such column", "has no column named"]
                .iter()
                .any(|lacking| message.contains(lacking)) =>
        {
            ErrorKind::Schema
        }
        _ => ErrorKind::Other,
    }
}
