//! Where reports go (stdout, and nothing else goes there) and where notices go (stderr).

use std::io::{self, IsTerminal as _, Write as _};

use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;

use super::text::{Zone, age, escape_json, visible};
use crate::exit::{Exit, Failure};
use crate::protocol::Timestamp;
use crate::store::masked;

/// The format of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// For people.
    Table,
    /// One document.
    Json,
    /// One document a line.
    Jsonl,
    /// Comma-separated values.
    Csv,
}

/// How a table shows moments and emphasis.
#[derive(Debug, Clone, Copy)]
pub struct View {
    zone: Zone,
    color: bool,
}

impl View {
    /// A moment and its age.
    pub fn time(&self, at: Timestamp, now: Timestamp) -> String {
        if at.to_datetime().is_none() {
            return at.to_string();
        }
        format!("{}  ({})", self.zone.format(at), age(at, now))
    }

    /// The age alone.
    pub fn age(&self, at: Timestamp, now: Timestamp) -> String {
        age(at, now)
    }

    /// A word that must not be missed.
    pub fn strong(&self, text: &str) -> String {
        if self.color { format!("\u{1b}[1m{text}\u{1b}[0m") } else { text.to_owned() }
    }

    /// A table without borders: every line is a row, whatever reads it.
    pub fn table(&self, header: &[&str]) -> Table {
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        if !header.is_empty() {
            table.set_header(header.iter().map(|name| name.to_uppercase()));
        }
        table
    }
}

/// Renders a table without the spaces that comfy-table pads its last column with.
pub(super) fn render(table: &Table) -> String {
    let lines: Vec<String> = table.to_string().lines().map(|line| line.trim_end().to_owned()).collect();
    // Without borders every column still has a space before it.
    lines.iter().map(|line| format!("{}\n", line.strip_prefix(' ').unwrap_or(line))).collect()
}

/// What a command found or did.
pub trait Report: Serialize {
    /// As a table, ending in a line feed.
    fn table(&self, view: &View) -> String;

    /// The documents of its JSON lines: itself, or its parts.
    fn lines(&self) -> Result<Vec<String>, serde_json::Error> {
        Ok(vec![serde_json::to_string(self)?])
    }

    /// As comma-separated values; `None` where that makes no sense.
    fn csv(&self) -> Option<Vec<Vec<String>>> {
        None
    }
}

/// Prints reports and notices.
#[derive(Debug, Clone, Copy)]
pub struct Printer {
    format: Format,
    view: View,
    quiet: bool,
    raw_csv: bool,
}

impl Printer {
    /// A printer.
    pub fn new(format: Format, zone: Zone, color: bool, quiet: bool) -> Self {
        Self { format, view: View { zone, color }, quiet, raw_csv: false }
    }

    /// The same, and whether cells of comma-separated values are left as they are.
    #[must_use]
    pub fn with_raw_csv(self, raw_csv: bool) -> Self {
        Self { raw_csv, ..self }
    }

    /// The format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// How tables look.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Whether a progress bar makes sense.
    pub fn shows_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// Prints a report. False when the reader has closed its end: that is no error, and nobody
    /// wants more.
    ///
    /// # Errors
    /// When stdout can't be written.
    pub fn report<R: Report>(&self, report: &R) -> Result<bool, Failure> {
        self.write(&self.render(report)?)
    }

    /// The report as text.
    ///
    /// # Errors
    /// When it can't be had in this format.
    pub fn render<R: Report>(&self, report: &R) -> Result<String, Failure> {
        let unprintable = |error: serde_json::Error| {
            Failure::new(Exit::Failed, "the report can't be printed").because(error)
        };
        match self.format {
            Format::Table => Ok(report.table(&self.view)),
            Format::Json => {
                let json = serde_json::to_string_pretty(report).map_err(unprintable)?;
                Ok(escape_json(&json) + "\n")
            }
            Format::Jsonl => {
                let mut out = String::new();
                for line in report.lines().map_err(unprintable)? {
                    out.push_str(&escape_json(&line));
                    out.push('\n');
                }
                Ok(out)
            }
            Format::Csv => {
                let rows = report.csv().ok_or_else(|| {
                    Failure::new(Exit::Usage, "only `list` can print comma-separated values")
                })?;
                if self.raw_csv {
                    return Ok(csv_text(&rows));
                }
                let tame = |row: Vec<String>| row.into_iter().map(without_formula).collect();
                Ok(csv_text(&rows.into_iter().map(tame).collect::<Vec<Vec<String>>>()))
            }
        }
    }

    /// The report as people read it, whatever the format.
    pub fn table_of<R: Report>(&self, report: &R) -> String {
        report.table(&self.view)
    }

    /// Writes to stdout; false when the reader is gone.
    ///
    /// # Errors
    /// When stdout can't be written for another reason.
    pub fn write(&self, text: &str) -> Result<bool, Failure> {
        let mut out = io::stdout().lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
            Err(error) => Err(Failure::new(Exit::Failed, "can't write the report").because(error)),
        }
    }

    /// Tells a person something that is not part of the report, on one line.
    pub fn notice(&self, text: &str) {
        if !self.quiet {
            complain(&format!("idemctl: {}", visible(text)));
        }
    }
}

/// Writes a line to stderr; there is nobody to tell when that fails.
pub fn complain(line: &str) {
    let _ = writeln!(io::stderr().lock(), "{}", masked(line));
}

/// A spreadsheet runs a cell that begins so; with a quote before it, it is text.
fn without_formula(cell: String) -> String {
    if cell.starts_with(['=', '+', '-', '@', '\t', '\r']) { format!("'{cell}") } else { cell }
}

/// Comma-separated values as RFC 4180 has them.
pub(super) fn csv_text(rows: &[Vec<String>]) -> String {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in rows {
        // Writing to memory does not fail.
        let _ = writer.write_record(row);
    }
    writer.into_inner().ok().and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default()
}
