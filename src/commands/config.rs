//! `idemctl config show`

use crate::exit::{Exit, Failure};
use crate::output::{ConfigReport, Printer};
use crate::settings::{Setting, Settings};

/// Prints every setting, and the database that they lead to.
pub(super) fn show(settings: &Settings, printer: &Printer) -> Result<Exit, Failure> {
    let mut all = settings.effective.settings();
    // The URL has layers of its own; what counts is what a command would use.
    let target = settings.database()?;
    for setting in &mut all {
        if setting.key == "database.url" {
            *setting = Setting {
                key: setting.key.clone(),
                value: target.url.to_string(),
                source: target.source.to_string(),
            };
        }
    }
    printer.report(&ConfigReport { settings: all })?;
    Ok(Exit::Done)
}
