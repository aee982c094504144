//! An operator's consent, which every call that changes rows asks for. It is made here, and where the janitor's
//! daemon starts.

use std::io::{self, IsTerminal as _, Write as _};

use super::input_lines;
use crate::exit::{Exit, Failure};
use crate::output::{KeyReport, ListReport, Printer};
use crate::store::{Confirmed, KeyRow};
use crate::words::number_of;

/// Of a command that says by itself what it changes: whoever gave it wants that.
pub(super) fn by_command() -> Confirmed {
    Confirmed::given()
}

/// Shows the rows and asks at the terminal whether to `command` them.
///
/// # Errors
/// With [`Exit::Refused`] when nobody can be asked, and when the answer is no.
pub(super) async fn ask(
    command: &str,
    rows: &[KeyRow],
    report: impl Fn(&KeyRow) -> KeyReport,
    printer: &Printer,
) -> Result<Confirmed, Failure> {
    if !io::stdin().is_terminal() || !io::stderr().is_terminal() {
        let keys = number_of(rows.len() as u64, "key");
        return Err(Failure::new(Exit::Refused, format!("nobody can be asked whether to {command} {keys}"))
            .hint("look with --dry-run, then say --yes"));
    }
    let shown = printer.table_of(&ListReport { keys: rows.iter().map(report).collect() });
    let what = match rows.len() {
        1 => "this key".to_owned(),
        many => format!("these {many} keys"),
    };
    let asked = {
        let mut err = io::stderr().lock();
        write!(err, "{shown}{command} {what}? [y/N] ").and_then(|()| err.flush())
    };
    let answer = input_lines().recv().await.and_then(Result::ok).unwrap_or_default();
    if asked.is_ok() && matches!(answer.trim(), "y" | "Y" | "yes") {
        return Ok(Confirmed::given());
    }
    Err(Failure::new(Exit::Refused, "not confirmed: nothing was changed"))
}
