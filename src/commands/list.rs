//! `idemctl list`

use tokio_util::sync::CancellationToken;

use super::unless_stopped;
use crate::exit::{Exit, Failure};
use crate::output::{Format, KeyReport, ListReport, Printer};
use crate::protocol::Status;
use crate::settings::ListSettings;
use crate::store::{KeyRow, RowFilter, Store};
use crate::words::{count, number_of};

/// Rows read at a time. Each page is a query of its own: a snapshot held for as long as a reader of
/// the output takes would keep vacuum from its work.
const PAGE: u32 = 1_000;

/// Prints the rows page by page.
pub(super) async fn list(
    store: &Store,
    settings: &ListSettings,
    printer: &Printer,
    stop: &CancellationToken,
) -> Result<Exit, Failure> {
    let filter = unless_stopped(stop, filter(store, settings)).await?;
    let scans = unless_stopped(stop, warn_of_a_full_scan(store, settings, &filter, printer)).await?;
    let printer = &printer.with_raw_csv(settings.raw_csv);
    let mut stream = Stream::new(printer);
    let mut left = settings.limit;
    let mut after: Option<KeyRow> = None;
    loop {
        let page = left.map_or(PAGE, |left| u32::try_from(left).unwrap_or(PAGE).min(PAGE));
        // One row more than is shown tells whether there are more.
        let ask = page + 1;
        let reading = async {
            Ok(if scans && left.is_some_and(|left| left <= u64::from(PAGE)) {
                store.list_by_scan(&filter, settings.order, ask).await?.rows
            } else {
                store.list(&filter, settings.order, after.as_ref(), ask).await?.rows
            })
        };
        // What was printed so far ends as a whole document.
        let mut rows = match unless_stopped(stop, reading).await {
            Err(failure) if failure.exit == Exit::Interrupted => {
                stream.end()?;
                printer.notice("interrupted: the list is not complete");
                return Ok(Exit::Interrupted);
            }
            read => read?,
        };
        let more = rows.len() > page as usize;
        rows.truncate(page as usize);
        left = left.map(|left| left.saturating_sub(rows.len() as u64));
        let keys = rows
            .iter()
            .map(|row| {
                KeyReport::new(row, settings.shown_stuck, &settings.masked_headers).seen_as(store.seen())
            })
            .collect();
        if !stream.page(ListReport { keys })? {
            return Ok(Exit::Done);
        }
        after = rows.into_iter().next_back();
        if !more || left == Some(0) {
            // Nobody should take 50 for all.
            if more {
                printer.notice("there are more; --limit 0 lists all");
            }
            break;
        }
    }
    stream.end()?;
    Ok(Exit::Done)
}

/// A table of fewer rows is read in a moment, whatever the plan; so is one of fewer bytes.
const NOT_WORTH_A_WORD: u64 = 100_000;
const NOT_WORTH_A_WORD_BYTES: u64 = 16 * 1024 * 1024;

/// Nobody should wonder why a list takes minutes and what it does to the database meanwhile.
async fn warn_of_a_full_scan(
    store: &Store,
    settings: &ListSettings,
    filter: &RowFilter,
    printer: &Printer,
) -> Result<bool, Failure> {
    let limit = settings.limit.map_or(PAGE, |limit| u32::try_from(limit).unwrap_or(PAGE).min(PAGE));
    let plan = store.list_plan(filter, settings.order, limit).await?;
    let size = match plan.table_rows {
        _ if !plan.may_read_everything => return Ok(false),
        Some(rows) if rows < NOT_WORTH_A_WORD => return Ok(false),
        Some(rows) => format!("about {}", number_of(rows, "row")),
        None if plan.table_bytes < NOT_WORTH_A_WORD_BYTES => return Ok(false),
        None => format!("the table, in a file of {} bytes", count(plan.table_bytes)),
    };
    printer.notice(&format!("no index serves this list: it may read all of {size}"));
    // Where many rows match, the first ones are found soon in any order.
    let few = |expected: u64| plan.table_rows.is_none_or(|rows| expected < rows / 100);
    Ok(plan.expected_rows.is_none_or(few))
}

async fn filter(store: &Store, settings: &ListSettings) -> Result<RowFilter, Failure> {
    let now = store.now().await?;
    let mut filter = RowFilter {
        statuses: settings.statuses.clone(),
        unknown_state: settings.unknown_state,
        kept: settings.kept,
        scope: settings.scope.clone(),
        key_prefix: settings.key_prefix.clone(),
        claimed_from: settings.since.map(|when| when.resolve(now)),
        claimed_until: settings.until.map(|when| when.resolve(now)),
        expired: settings.expired.then_some((true, now)),
        response_status: settings.response_status,
        ..RowFilter::default()
    };
    if let Some(age) = settings.older_than {
        let limit = now.minus(age);
        filter.claimed_until = Some(filter.claimed_until.map_or(limit, |until| until.min(limit)));
    }
    if let Some(rule) = settings.stuck {
        if !filter.statuses.is_empty() && !filter.statuses.contains(&Status::InProgress) {
            return Err(Failure::new(Exit::Usage, "only keys in progress can be stuck")
                .hint("leave out --status, or leave out --stuck"));
        }
        filter.statuses = vec![Status::InProgress];
        filter.no_heartbeat_since = Some(now.minus(rule.older_than));
        filter.unleased_at = Some(now);
    }
    Ok(filter)
}

/// Prints pages so that together they are one document.
struct Stream<'p> {
    printer: &'p Printer,
    printed: u64,
}

impl<'p> Stream<'p> {
    fn new(printer: &'p Printer) -> Self {
        Self { printer, printed: 0 }
    }

    /// False when the reader is gone.
    fn page(&mut self, report: ListReport) -> Result<bool, Failure> {
        if report.keys.is_empty() {
            return Ok(true);
        }
        let first = self.printed == 0;
        self.printed += report.keys.len() as u64;
        match self.printer.format() {
            Format::Json => {
                let text = self.printer.render(&report)?;
                // A page is `[\n…\n]`: its brackets become commas between pages.
                let items = text.trim_end().trim_start_matches('[').trim_end_matches(']').trim_end();
                let lead = if first { "[" } else { "," };
                self.printer.write(&format!("{lead}{items}"))
            }
            Format::Csv => {
                let header = if first { ListReport::csv_header() } else { String::new() };
                self.printer.write(&format!("{header}{}", self.printer.render(&report)?))
            }
            Format::Table | Format::Jsonl => self.printer.report(&report),
        }
    }

    fn end(self) -> Result<(), Failure> {
        let nothing = self.printed == 0;
        match self.printer.format() {
            Format::Json => {
                self.printer.write(if nothing { "[]\n" } else { "\n]\n" })?;
            }
            Format::Csv if nothing => {
                self.printer.write(&ListReport::csv_header())?;
            }
            Format::Table if nothing => self.printer.notice("no key matches"),
            _ => {}
        }
        Ok(())
    }
}
