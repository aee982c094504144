//! `doctor`

use serde::Serialize;

use super::printer::{Report, View};
use super::text::visible;
use crate::doctor::{Finding, Severity};
use crate::protocol::Timestamp;
use crate::words::number_of;

/// What an examination found.
#[derive(Debug, Serialize)]
pub struct DoctorReport {
    /// The database.
    pub database: String,
    /// Where that came from.
    pub source: String,
    /// When, by the database's clock.
    pub now: Timestamp,
    /// Findings that are errors.
    pub errors: usize,
    /// Findings that are warnings.
    pub warnings: usize,
    /// Checks that could not be made, or not wholly.
    pub unexamined: usize,
    /// Everything that was checked, in order.
    pub findings: Vec<Finding>,
    #[serde(skip)]
    full: bool,
}

impl DoctorReport {
    /// The report; `full` shows in the table what checks found that have nothing to fix.
    pub fn new(database: String, source: String, now: Timestamp, findings: Vec<Finding>, full: bool) -> Self {
        let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
        Self {
            database,
            source,
            now,
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            unexamined: findings.iter().filter(|finding| finding.code == "check_failed").count(),
            findings,
            full,
        }
    }
}

/// Breaks a text into lines of a reader's width.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let line = &mut lines[last];
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.to_owned());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

/// How wide the meaning of a finding is.
const WIDTH: usize = 96;

impl Report for DoctorReport {
    fn table(&self, view: &View) -> String {
        let mut out = format!("{} (from {})\n", visible(&self.database), visible(&self.source));
        let mut table: Option<&str> = None;
        let mut last = None;
        for finding in &self.findings {
            if finding.table.as_deref() != table {
                table = finding.table.as_deref();
                out.push_str(&format!("\n{}\n", visible(table.unwrap_or_default())));
            }
            let severity = format!("{:<8}", finding.severity.as_str());
            let severity = match finding.severity {
                Severity::Error | Severity::Warning => view.strong(&severity),
                _ => severity,
            };
            let is_short = finding.severity == Severity::Ok && !self.full;
            // One line for a check that was made of several columns.
            let line = (finding.table.as_deref(), finding.code);
            if is_short && last.replace(line) == Some(line) {
                continue;
            }
            last = Some(line);
            let found = if is_short { String::new() } else { format!("  {}", visible(&finding.found)) };
            out.push_str(format!("{severity}  {}{found}", finding.code).trim_end());
            out.push('\n');
            for line in finding.means.map(|means| wrapped(means, WIDTH)).unwrap_or_default() {
                out.push_str(&format!("          {line}\n"));
            }
            for line in &finding.fix {
                out.push_str(&format!("          > {}\n", visible(line)));
            }
        }
        let fine = self.findings.iter().filter(|finding| finding.severity == Severity::Ok).count();
        let number = |count: usize, word: &str| number_of(count as u64, word);
        let unexamined = match self.unexamined {
            0 => String::new(),
            1 => "; 1 check could not be made".to_owned(),
            several => format!("; {several} checks could not be made"),
        };
        out.push_str(&format!(
            "\n{}, {}, {fine} checks passed{unexamined}\n",
            number(self.errors, "error"),
            number(self.warnings, "warning")
        ));
        out
    }

    fn lines(&self) -> Result<Vec<String>, serde_json::Error> {
        self.findings.iter().map(serde_json::to_string).collect()
    }
}
