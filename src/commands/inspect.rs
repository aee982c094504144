//! `idemctl inspect`

use crate::exit::{Exit, Failure};
use crate::output::{HistoryEntry, InspectReport, KeyReport, Printer, visible};
use crate::protocol::{Fingerprint, Timestamp};
use crate::settings::InspectSettings;
use crate::store::{ExaminedKey, Store};

/// The settings of the stored answer.
pub(super) const ANSWER: [&str; 5] = [
    "table.show.response",
    "table.show.response_body",
    "table.show.response_headers",
    "table.show.response_ref",
    "table.show.response_status",
];

/// Shows a key in every scope that has it, with its verdict and its history.
pub(super) async fn inspect(
    store: &Store,
    settings: &InspectSettings,
    printer: &Printer,
) -> Result<Exit, Failure> {
    if settings.fingerprint_file.is_some() {
        store.check_settings(&["table.show.request_hash"])?;
    }
    let request = match &settings.fingerprint_file {
        None => None,
        Some(path) => Some(Fingerprint::raw(&std::fs::read(path).map_err(|error| {
            Failure::new(Exit::Usage, format!("can't read the fingerprint file {}", path.display()))
                .because(error)
        })?)),
    };
    if settings.body {
        store.check_settings(&ANSWER)?;
    }
    let examined = store.examine_parts(&settings.key, settings.scope.as_ref()).await?;
    let ExaminedKey { rows, history, visibility } = examined;
    super::open::say_what_is_seen(printer, &visibility, store);
    let is_known = history.is_ok();
    if let Err(error) = &history {
        printer.notice(&format!("the history is not known: {}", error.chain()));
    }
    let mut history: Vec<HistoryEntry> =
        history.unwrap_or_default().into_iter().map(HistoryEntry::from).collect();
    if let Some(scope) = &settings.scope {
        history.retain(|entry| {
            rows.iter().any(|row| row.scope_text() == entry.scope)
                || store.scope_text(scope).is_none_or(|only| only == entry.scope)
        });
    }

    let now = match (rows.first(), history.last()) {
        (Some(row), _) => row.read_at,
        (None, Some(_)) => store.now().await?,
        // Nothing has an age.
        (None, None) => Timestamp::OLDEST_PLAUSIBLE,
    };
    let mut keys = Vec::with_capacity(rows.len());
    for row in &rows {
        let mut report = KeyReport::new(row, settings.stuck, &settings.masked_headers);
        if settings.body {
            // Read anew with its body, so that both are of one moment.
            if let Some((row, answer)) = store.with_answer(row).await? {
                report =
                    KeyReport::new(&row, settings.stuck, &settings.masked_headers).with_body(answer.as_ref());
            }
        }
        report = report.seen_as(&visibility);
        if let Some(request) = &request {
            report = report.with_request(request);
        }
        let (own, others) = history.into_iter().partition(|entry| entry.scope == report.scope);
        history = others;
        report.history = is_known.then_some(own);
        keys.push(report);
    }
    let found = !keys.is_empty();
    let had_history = !history.is_empty();
    printer.report(&InspectReport { keys, history_of_gone: history, now })?;
    if found {
        return Ok(Exit::Done);
    }
    let key = visible(&settings.key.join(", "));
    let scope = settings.scope.as_ref().map(|scope| store.scope_text(scope).unwrap_or_default());
    if let Some(why) = visibility.why_unseen() {
        // Exit 3 tells a script that the request was not executed, and nobody knows that here.
        printer.notice(&format!("the key {key} is not seen, and its verdict is unknown: {why}"));
        return Ok(Exit::Partial);
    }
    printer.notice(&match (scope, had_history) {
        (_, true) => format!("the key {key} is gone: a retry would execute"),
        (Some(scope), false) => format!("no key {key} in scope '{}': a retry would execute", visible(&scope)),
        (None, false) => format!("no key {key}: a retry would execute"),
    });
    Ok(Exit::NoSuchKey)
}
