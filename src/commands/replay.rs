//! `idemctl replay`

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use tokio::time::sleep;

use super::operate::only_row;
use crate::exit::{Exit, Failure};
use crate::output::{Printer, visible};
use crate::protocol::{Answer, Body, Status, Verdict};
use crate::settings::ReplaySettings;
use crate::store::{KeyRow, RowState, Store};

/// Writes the stored answer, byte for byte.
pub(super) async fn replay(
    store: &Store,
    settings: &ReplaySettings,
    printer: &Printer,
) -> Result<Exit, Failure> {
    store.check_settings(&super::inspect::ANSWER)?;
    let shown = &store.mapping().shown;
    if shown.response_body.is_none() && shown.snapshot.is_none() && shown.response_ref.is_none() {
        return Err(Failure::new(
            Exit::Usage,
            format!(
                "the mapping of {} lacks `table.show.response_body`: where the answer is stored",
                store.mapping().name
            ),
        )
        .hint("name the column, or `response` for an answer in one JSON document; see idemctl.toml(5)"));
    }
    let key = visible(&settings.key.join(", "));
    let found = match settled(store, settings).await? {
        Some(row) => store.with_answer(&row).await?,
        None => None,
    };
    let Some((row, answer)) = found else {
        if let Some(why) = store.seen().why_unseen() {
            // Exit 3 tells a script that the request was not executed, and nobody knows that here.
            return Err(Failure::new(
                Exit::Partial,
                format!("the key {key} is not seen, and what a retry would get is unknown: {why}"),
            ));
        }
        return Err(Failure::new(Exit::NoSuchKey, format!("no key {key}: a retry would execute")));
    };
    let status = match row.state {
        RowState::Known(status) => status,
        RowState::Kept(_) => {
            return Err(Failure::new(
                Exit::Refused,
                format!(
                    "the row of the key {key} is kept on purpose (state.keep): it has no answer for a retry"
                ),
            ));
        }
        RowState::Unknown(_) => {
            return Err(Failure::new(
                Exit::Refused,
                format!("the key {key} is in a state that the mapping does not list"),
            ));
        }
    };
    if let Some(place) = store.seen().later_place().filter(|_| row.verdict() == Verdict::Execute) {
        return Err(Failure::new(
            Exit::Partial,
            format!(
                "what a retry of the key {key} would get is unknown: it is free here, but a later claim may be {place}"
            ),
        ));
    }
    if let Some(setting) = row.mismatched {
        store.check_settings(&[setting])?;
    }
    match status {
        Status::InProgress => Err(Failure::new(
            Exit::InProgress,
            format!("the key {key} is in progress: there is no answer yet"),
        )
        .hint("wait for it with --wait 30s, or look at it with `idemctl inspect`")),
        _ if row.is_expired() && row.verdict() == Verdict::Execute => Err(Failure::new(
            Exit::NoSuchKey,
            format!("the key {key} has expired and counts as new: a retry would execute"),
        )),
        Status::Failed if row.verdict() == Verdict::Execute => Err(Failure::new(
            Exit::Refused,
            format!("the key {key} failed and may be tried again: a retry would execute"),
        )),
        Status::Completed | Status::Failed => match (answer, status) {
            (Some(answer), Status::Completed) if is_stored(&answer, store) => {
                say_what_was_lost(&row, store, printer);
                write_answer(&answer, settings).map(|()| Exit::Done)
            }
            (_, Status::Completed) if row.response_ref.is_some() => Err(Failure::new(
                Exit::Refused,
                format!(
                    "the key {key} is completed; no answer is stored, only a reference to what was created: {}",
                    visible(row.response_ref.as_deref().unwrap_or_default())
                ),
            )),
            (Some(_), Status::Completed) if !store.mapping().is_owned() => Err(Failure::new(
                Exit::Refused,
                format!("the key {key} is completed, but the body of its answer is NULL"),
            )),
            (Some(answer), Status::Completed) => write_answer(&answer, settings).map(|()| Exit::Done),
            (Some(answer), _) => {
                write_answer(&answer, settings)?;
                Ok(Exit::Refused)
            }
            (None, Status::Completed) => Err(Failure::new(
                Exit::Refused,
                format!("the key {key} is completed, but no answer was stored"),
            )),
            (None, _) => Err(Failure::new(
                Exit::Refused,
                format!(
                    "the key {key} failed for good: {}",
                    visible(row.failure.as_deref().unwrap_or("no reason was stored"))
                ),
            )),
        },
    }
}

/// The row, once it is not in progress any more or the wait is over.
async fn settled(store: &Store, settings: &ReplaySettings) -> Result<Option<KeyRow>, Failure> {
    let deadline = Instant::now() + settings.wait;
    let mut pause = Duration::from_millis(50);
    loop {
        let row = only_row(store, &settings.key, settings.scope.as_ref()).await?;
        let waits = row.as_ref().is_some_and(|row| row.state == RowState::Known(Status::InProgress));
        let left = deadline.saturating_duration_since(Instant::now());
        if !waits || left.is_zero() {
            return Ok(row);
        }
        sleep(pause.min(left)).await;
        pause = (pause * 2).min(Duration::from_secs(1));
    }
}

/// Whether there is a body to write.
fn is_stored(answer: &Answer, store: &Store) -> bool {
    store.mapping().is_owned() || matches!(answer.body, Body::Kept(_))
}

/// What the table could not keep, or what its mapping does not say.
fn say_what_was_lost(row: &KeyRow, store: &Store, printer: &Printer) {
    if store.rewrites_bodies() {
        printer.notice(
            "the body is stored as JSON that the database wrote anew: the order of its members and its white \
             space are not those of the first answer",
        );
    }
    if row.is_expired() && row.verdict() == Verdict::Unknown {
        printer.notice(
            "the key has expired, and the mapping does not say (`table.claim.expired`) whether a retry still \
             gets this answer",
        );
    }
}

fn write_answer(answer: &Answer, settings: &ReplaySettings) -> Result<(), Failure> {
    let body = match &answer.body {
        Body::Kept(body) => body,
        Body::Omitted { bytes } => {
            return Err(Failure::new(
                Exit::Refused,
                format!("the answer's body ({bytes} bytes) was too large and was not kept"),
            ));
        }
    };
    let mut out = Vec::new();
    if settings.include {
        out.extend_from_slice(status_line(answer.status).as_bytes());
        for header in &answer.headers {
            out.extend_from_slice(header.name.as_bytes());
            out.extend_from_slice(b": ");
            out.extend_from_slice(&header.value);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(b"\r\n");
    }
    out.extend_from_slice(body);
    if io::stdout().is_terminal() && !settings.force && !is_text(&out) {
        return Err(Failure::new(Exit::Usage, "the answer is binary and would go to a terminal")
            .hint("write it to a file (> FILE), or say --force"));
    }
    let mut stdout = io::stdout().lock();
    match stdout.write_all(&out).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(Exit::Failed, "can't write the answer").because(error))
        }
        _ => Ok(()),
    }
}

/// As curl prints it; the exit code of a `run` is no HTTP status.
fn status_line(status: Option<i32>) -> String {
    match status {
        Some(status @ 100..=599) => format!("HTTP/1.1 {status}\r\n"),
        Some(code) => format!("Exit-Status: {code}\r\n"),
        None => String::new(),
    }
}

/// Text that a terminal shows and does not obey.
fn is_text(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes)
        .is_ok_and(|text| text.split(['\n', '\t', '\r']).all(|part| visible(part) == part))
}
