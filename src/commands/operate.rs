//! `idemctl release`, `idemctl fail`, `idemctl forget`: one operation on single keys, each a
//! compare-and-set on the row as it was shown.

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::{actor, confirm, input_lines, unless_stopped};
use crate::exit::{Exit, Failure};
use crate::output::{KEPT, KeyReport, OperateReport, OperatedKey, Printer, visible};
use crate::protocol::{Refusal, Verdict, rules};
use crate::settings::OperateSettings;
use crate::store::{
    Confirmed, ErrorKind, KeyRow, Operated, Operation, RowState, ScopeFilter, Store, StoreError,
};
use crate::words::number_of;

/// What is said where a signal came before the first change.
pub(super) fn nothing_changed(failure: Failure) -> Failure {
    if failure.exit == Exit::Interrupted { failure.hint("nothing was changed") } else { failure }
}

/// Selects the rows, shows them, asks, and changes them one by one.
pub(super) async fn operate(
    store: &Store,
    settings: &OperateSettings,
    printer: &Printer,
    stop: &CancellationToken,
) -> Result<Exit, Failure> {
    store.check_operation(settings.operation)?;
    let mut outcomes = Vec::new();
    let mut selected = Vec::new();
    for candidate in unless_stopped(stop, candidates(store, settings)).await.map_err(nothing_changed)? {
        match candidate {
            Candidate::Row(row) => match refusal(&row, settings) {
                Ruling::Go => match store.unwritable(&row, settings.operation) {
                    None => selected.push(*row),
                    Some(why) => outcomes.push(outcome_of(&row, "refused", Some(why))),
                },
                Ruling::Unchanged(why) => outcomes.push(outcome_of(&row, "unchanged", Some(why))),
                Ruling::Refused(why) => outcomes.push(outcome_of(&row, "refused", Some(why))),
            },
            Candidate::Missing { key, scope, why } => {
                outcomes.push(OperatedKey { key, scope, outcome: "missing", why });
            }
            Candidate::Moved { key, scope } => outcomes.push(OperatedKey {
                key,
                scope: Some(scope),
                outcome: "moved",
                why: Some("the row is not as it was listed; look at it again".to_owned()),
            }),
        }
    }
    if settings.dry_run {
        outcomes.extend(selected.iter().map(|row| outcome_of(row, "would_change", None)));
        printer.report(&OperateReport::new(outcomes, true))?;
        return Ok(Exit::Done);
    }
    if !selected.is_empty() {
        store.check_references_of(settings.operation, settings.allow_cascade).await?;
        let confirmed =
            unless_stopped(stop, consent(&selected, settings, printer)).await.map_err(nothing_changed)?;
        let actor = actor(command(settings.operation), settings.reason.as_deref());
        let audit = store.has_audit().await?;
        if !audit {
            printer.notice("there is no audit table here: this change leaves no trace");
        }
        for (row, number) in selected.iter().zip(0..) {
            // The row at hand is ended; what comes after it is left as it is.
            if stop.is_cancelled() {
                printer.report(&OperateReport::new(outcomes, false))?;
                let left = selected.len().saturating_sub(number);
                printer.notice(&format!(
                    "interrupted: {left} of {} left as they are",
                    number_of(selected.len() as u64, "key")
                ));
                return Ok(Exit::Interrupted);
            }
            match store.operate(row, settings.operation, &actor, audit, &confirmed).await {
                Ok(Operated::Done) => outcomes.push(outcome_of(row, settings.operation.done(), None)),
                Ok(Operated::Changed) => {
                    let why = "the row changed between the look and the change; look at it again".to_owned();
                    outcomes.push(outcome_of(row, "moved", Some(why)));
                }
                Ok(Operated::Kept) => {
                    let why = store.kept_words(settings.operation).await;
                    outcomes.push(outcome_of(row, "refused", Some(why)));
                }
                Ok(Operated::Unknown) => outcomes.push(outcome_of(row, "unknown", Some(unknown_why()))),
                Err(error) => {
                    // The row's own fault: the others are done.
                    let error = if error.is_of_a_row() {
                        outcomes.push(outcome_of(row, "refused", Some(refused_why(&error))));
                        continue;
                    } else if selected.len() > 1 && error.may_be_of_a_row() {
                        let nothing = store.operate_on_nothing(row, settings.operation, audit, &confirmed);
                        match nothing.await {
                            Ok(()) => {
                                outcomes.push(outcome_of(row, "refused", Some(refused_why(&error))));
                                continue;
                            }
                            Err(error) => error,
                        }
                    } else {
                        error
                    };
                    if error.is_outcome_unknown() {
                        outcomes.push(outcome_of(row, "unknown", Some(unknown_why())));
                    }
                    // What was done before must be known.
                    printer.report(&OperateReport::new(outcomes, false))?;
                    return Err(error.into());
                }
            }
        }
    }
    let report = OperateReport::new(outcomes, false);
    printer.report(&report)?;
    Ok(exit(&report))
}

fn refused_why(error: &StoreError) -> String {
    match error.is_a_lock() {
        true => format!("somebody holds a lock on it; try again when it is gone: {}", error.said()),
        false => format!("the database refused it: {}", error.said()),
    }
}

fn unknown_why() -> String {
    "the connection broke before the database answered: look with `idemctl inspect` and `idemctl audit` whether it \
     was done"
        .to_owned()
}

fn exit(report: &OperateReport) -> Exit {
    if report.unknown > 0 {
        return if report.unknown == report.matched { Exit::Failed } else { Exit::Partial };
    }
    let not_done = report.refused + report.moved + report.missing;
    let done = report.changed + report.unchanged;
    match (not_done, done) {
        (0, _) => Exit::Done,
        (_, 0) if report.missing == not_done => Exit::NoSuchKey,
        (_, 0) => Exit::Refused,
        _ => Exit::Partial,
    }
}

fn command(operation: Operation) -> &'static str {
    match operation {
        Operation::Fail { .. } => "fail",
        Operation::Release => "release",
        Operation::Forget => "forget",
    }
}

fn outcome_of(row: &KeyRow, outcome: &'static str, why: Option<String>) -> OperatedKey {
    OperatedKey { key: row.key_text(), scope: Some(row.scope_text()), outcome, why }
}

enum Candidate {
    Row(Box<KeyRow>),
    Missing { key: String, scope: Option<String>, why: Option<String> },
    Moved { key: String, scope: String },
}

async fn candidates(store: &Store, settings: &OperateSettings) -> Result<Vec<Candidate>, Failure> {
    if settings.from_stdin {
        return listed(store).await;
    }
    let mut found = Vec::with_capacity(settings.keys.len());
    for key in &settings.keys {
        let rows = store.inspect_parts(key, settings.scope.as_ref()).await;
        let (rows, why) = if settings.keys.len() > 1 { without_others(rows)? } else { (rows?, None) };
        found.push(match one_row(store, key, rows)? {
            Some(row) => Candidate::Row(Box::new(row)),
            None => Candidate::Missing {
                key: key.join(","),
                scope: settings.scope.as_ref().and_then(|scope| store.scope_text(scope)),
                why,
            },
        });
    }
    Ok(found)
}

/// The rows of one key of several. What no value of the column can be is in no row, and stops no other key.
fn without_others(
    rows: Result<Vec<KeyRow>, StoreError>,
) -> Result<(Vec<KeyRow>, Option<String>), StoreError> {
    match rows {
        Err(error) if error.kind() == ErrorKind::Input && error.sqlstate().is_some() => {
            Ok((Vec::new(), Some(format!("no such key can be there: {}", error.said()))))
        }
        rows => Ok((rows?, None)),
    }
}

/// The row of a key, which must be one.
pub(super) async fn only_row(
    store: &Store,
    key: &[String],
    scope: Option<&ScopeFilter>,
) -> Result<Option<KeyRow>, Failure> {
    one_row(store, key, store.inspect_parts(key, scope).await?)
}

fn one_row(store: &Store, key: &[String], mut rows: Vec<KeyRow>) -> Result<Option<KeyRow>, Failure> {
    if rows.len() > 1 {
        let mut scopes: Vec<String> =
            rows.iter().map(|row| format!("'{}'", visible(&row.scope_text()))).collect();
        scopes.dedup();
        let key = visible(&key.join(", "));
        if scopes.len() < rows.len() {
            return Err(Failure::new(
                Exit::NotReady,
                format!("the key {key} has {} rows, and no scope tells them apart", rows.len()),
            )
            .hint("name the columns that make a row unique as `key` and `scope` of the table"));
        }
        return Err(Failure::new(
            Exit::Usage,
            format!("the key {key} exists in {} scopes: {}", rows.len(), scopes.join(", ")),
        )
        .hint(match store.mapping().scope.len() {
            0 | 1 => "name one with --scope; '' is the empty one, --scope-null COLUMN is NULL".to_owned(),
            _ => {
                "name one with --scope COLUMN=VALUE for each column, --scope-null COLUMN for NULL".to_owned()
            }
        }));
    }
    Ok(rows.pop())
}

/// Lines of `list -o jsonl`, each compared with the row as it is now.
async fn listed(store: &Store) -> Result<Vec<Candidate>, Failure> {
    let mut found = Vec::new();
    let mut lines = input_lines();
    let mut number = 0;
    while let Some(line) = lines.recv().await {
        number += 1;
        let wrong = |what: &str| {
            Failure::new(Exit::Usage, format!("line {number} of the standard input {what}"))
                .hint("give it lines of `idemctl list -o jsonl`; nothing was changed")
        };
        let line = line.map_err(|error| wrong("can't be read").because(error))?;
        if line.trim().is_empty() {
            continue;
        }
        let shown: Value = serde_json::from_str(&line).map_err(|error| wrong("is no JSON").because(error))?;
        let text = |field: &str| shown.get(field).and_then(Value::as_str).map(str::to_owned);
        let (Some(key), Some(scope)) = (text("key"), text("scope")) else {
            return Err(wrong("has no key and scope"));
        };
        let parts = |field: &str| {
            let parts = shown.get(field)?.as_array()?;
            Some(parts.iter().map(|part| part.as_str().map(str::to_owned)).collect::<Vec<_>>())
        };
        let key_parts: Vec<String> = match parts("key_parts") {
            Some(parts) => parts.into_iter().flatten().collect(),
            None => vec![key.clone()],
        };
        let columns = store.mapping().scope.clone();
        let scope_parts = parts("scope_parts")
            .unwrap_or_else(|| columns.iter().take(1).map(|_| Some(scope.clone())).collect());
        let filter = ScopeFilter::Columns(columns.into_iter().zip(scope_parts).collect());
        let (rows, why) = without_others(store.inspect_parts(&key_parts, Some(&filter)).await)?;
        found.push(match one_row(store, &key_parts, rows)? {
            None => Candidate::Missing { key, scope: Some(scope), why },
            Some(row) if is_as_shown(&row, &shown) => Candidate::Row(Box::new(row)),
            Some(_) => Candidate::Moved { key, scope },
        });
    }
    Ok(found)
}

/// Whether everything that can change is as the list had it. The token is in no list; the moment of the
/// claim, to the microsecond, and the attempt stand for it.
fn is_as_shown(row: &KeyRow, shown: &Value) -> bool {
    let now = serde_json::json!({
        "status": match &row.state {
            RowState::Known(status) => Some(status.as_str()),
            RowState::Kept(_) => Some(KEPT),
            RowState::Unknown(stored) => stored.as_deref(),
        },
        "attempt": row.attempt,
        "retry_allowed": row.retry_allowed,
        "claimed_at": row.claimed_at,
        "last_heartbeat": row.renewed_at,
        "lease_expires_at": row.lease_expires_at,
        "finished_at": row.finished_at,
        "expires_at": row.expires_at,
    });
    let Value::Object(now) = now else { return false };
    now.iter().all(|(field, value)| shown.get(field) == Some(value))
}

enum Ruling {
    Go,
    Unchanged(String),
    Refused(String),
}

/// What the rules say, and what to do instead.
fn refusal(row: &KeyRow, settings: &OperateSettings) -> Ruling {
    let (operation, force) = (settings.operation, settings.force);
    let Some(standing) = row.standing() else {
        return match (&row.state, operation) {
            (_, Operation::Forget) if force => Ruling::Go,
            (RowState::Kept(_), Operation::Forget) => {
                Ruling::Refused("it is kept on purpose; --force deletes it all the same".to_owned())
            }
            (RowState::Kept(_), _) => Ruling::Refused("it is kept on purpose".to_owned()),
            _ => Ruling::Refused("its state is none that the mapping lists".to_owned()),
        };
    };
    let ruling = match operation {
        Operation::Release => rules::may_release(standing),
        Operation::Fail { .. } => rules::may_fail(standing, force),
        Operation::Forget => rules::may_forget(standing, row.is_held(), force),
    };
    let refused = match (operation, ruling) {
        (Operation::Release, Ok(())) if row.is_expired() && row.verdict() == Verdict::Execute => {
            return Ruling::Unchanged("it has expired: a retry executes already".to_owned());
        }
        (Operation::Release, Ok(())) if standing.retry_allowed => {
            return Ruling::Unchanged("a retry is allowed already".to_owned());
        }
        (_, Ok(())) => return Ruling::Go,
        (Operation::Release, Err(Refusal::Completed)) => {
            "it is completed, its answer stands: `forget` deletes it, and a retry executes again"
        }
        (Operation::Release, Err(_)) => {
            "it is in progress: `fail` it first, or let `reap-stuck` do it once its lease is over"
        }
        (Operation::Fail { .. }, Err(Refusal::Failed)) => "it has failed already: `release` allows its retry",
        (Operation::Fail { .. }, Err(Refusal::Completed)) => "it is completed: `forget` deletes it",
        (Operation::Fail { .. }, Err(_)) => {
            "its lease runs: its worker may be alive; --force takes it away all the same"
        }
        (Operation::Forget, Err(Refusal::InProgress)) => {
            "it is in progress: `fail` it first, or --force deletes it under its worker's hands"
        }
        (Operation::Forget, Err(_)) => {
            "its lease runs: a worker may be at it; --force deletes it all the same"
        }
    };
    Ruling::Refused(refused.to_owned())
}

/// Asks, unless `--yes` stands for the answer.
async fn consent(
    selected: &[KeyRow],
    settings: &OperateSettings,
    printer: &Printer,
) -> Result<Confirmed, Failure> {
    if settings.yes {
        return Ok(confirm::by_command());
    }
    let report = |row: &KeyRow| KeyReport::new(row, settings.stuck, &[]);
    confirm::ask(command(settings.operation), selected, report, printer).await
}
