//! `config show`

use serde::Serialize;

use super::printer::{Report, View, render};
use super::text::visible;
use crate::settings::Setting;

/// Every setting.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct ConfigReport {
    /// The settings.
    pub settings: Vec<Setting>,
}

impl Report for ConfigReport {
    fn table(&self, view: &View) -> String {
        let mut table = view.table(&["setting", "value", "from"]);
        for setting in &self.settings {
            table.add_row([setting.key.clone(), visible(&setting.value), visible(&setting.source)]);
        }
        render(&table)
    }

    fn lines(&self) -> Result<Vec<String>, serde_json::Error> {
        self.settings.iter().map(serde_json::to_string).collect()
    }
}
