//! One key, and `inspect`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde::Serialize;
use serde_json::Value;

use super::printer::{Report, View, render};
use super::text::{age, span, visible};
use crate::protocol::{
    Answer, Body, Fingerprint, Status, StuckRule, Timestamp, Verdict, fingerprint_matches, fingerprint_rule,
};
use crate::store::{AuditEntry, KeyRow, RowState, Visibility};

const MASKED: &str = "(masked)";

/// One row, as JSON has it.
#[derive(Debug, Clone, Serialize)]
pub struct KeyReport {
    /// The key.
    pub key: String,
    /// The scope.
    pub scope: String,
    /// `in_progress`, `completed`, `failed`, or the stored value where the mapping does not know it.
    pub status: String,
    /// The key's columns, where it is of several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_parts: Option<Vec<String>>,
    /// The scope's columns, where it is of several or holds NULL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope_parts: Option<Vec<Option<String>>>,
    /// Clocks that are not written as the mapping says: the column and what is in it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unreadable: Vec<(String, String)>,
    /// Past its expiry.
    pub expired: bool,
    /// In progress, no running lease, no heartbeat for `reap.older_than`.
    pub stuck: bool,
    /// In progress, and its lease is over: whoever asks may take its claim away, as `run` does by itself.
    pub takeable: bool,
    /// What a retry of the same request would get now.
    pub verdict: &'static str,
    /// Why, in a sentence.
    pub why: String,
    /// Which try it is.
    pub attempt: Option<i64>,
    /// What the worker calls itself.
    pub owner: Option<String>,
    /// The request's fingerprint.
    pub request_hash: Option<String>,
    /// Whether a retry is allowed; in progress: whether it will be, should the worker be lost.
    pub retry_allowed: Option<bool>,
    /// Why it failed.
    pub failure: Option<String>,
    /// When the key was first seen.
    pub created_at: Option<Timestamp>,
    /// When it was acquired last.
    pub claimed_at: Option<Timestamp>,
    /// The last heartbeat.
    pub last_heartbeat: Option<Timestamp>,
    /// Until when the lease runs.
    pub lease_expires_at: Option<Timestamp>,
    /// When it was settled.
    pub finished_at: Option<Timestamp>,
    /// From when on the key counts as new.
    pub expires_at: Option<Timestamp>,
    /// Whether the given request has the stored fingerprint. Absent where none was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<FingerprintReport>,
    /// The stored answer; null when there is none.
    pub response: Option<ResponseReport>,
    /// What operators and the reaper did to it, the oldest first. Absent in lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history: Option<Vec<HistoryEntry>>,
    /// The database's clock when the row was read.
    #[serde(skip)]
    pub read_at: Timestamp,
}

/// A stored answer.
#[derive(Debug, Clone, Serialize)]
pub struct ResponseReport {
    /// HTTP status or exit code.
    pub status: Option<i64>,
    /// The headers in order, secrets masked.
    pub headers: Vec<(String, String)>,
    /// The body's true size.
    pub body_bytes: Option<i64>,
    /// A reference to what the request created, where that is what is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reference: Option<String>,
    /// The body was too large to be kept; only known with `--body`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_omitted: Option<bool>,
    /// The body, where it was asked for and is text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The body, where it was asked for and is not text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body_base64: Option<String>,
}

/// A request compared with the stored fingerprint.
#[derive(Debug, Clone, Serialize)]
pub struct FingerprintReport {
    /// Whether a retry with this request is taken for the same one.
    pub matches: bool,
    /// The rule by which the stored one was made; null where none was stored or it is unknown.
    pub rule: Option<&'static str>,
    /// What this request's fingerprint is, by the raw rule.
    pub of_request: String,
}

/// What was done to a key.
#[derive(Debug, Clone, Serialize)]
pub struct HistoryEntry {
    /// When.
    pub at: Timestamp,
    /// The key.
    pub key: String,
    /// The scope.
    pub scope: String,
    /// By which command.
    pub command: String,
    /// What: `reaped`.
    pub action: String,
    /// By whom.
    pub actor: Option<String>,
    /// On which host.
    pub host: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// The row before, without its body.
    pub row_before: Option<Value>,
}

impl HistoryEntry {
    /// User and host.
    pub fn who(&self) -> String {
        [self.actor.as_deref(), self.host.as_deref()].into_iter().flatten().collect::<Vec<_>>().join("@")
    }
}

impl From<AuditEntry> for HistoryEntry {
    fn from(entry: AuditEntry) -> Self {
        Self {
            at: entry.at,
            key: entry.key,
            scope: entry.scope,
            command: entry.command,
            action: entry.action,
            actor: entry.actor,
            host: entry.host,
            reason: entry.reason,
            row_before: entry.row_before.and_then(|json| serde_json::from_str(&json).ok()),
        }
    }
}

impl KeyReport {
    /// The report on a row.
    pub fn new(row: &KeyRow, rule: StuckRule, masked: &[String]) -> Self {
        let (verdict, why) = verdict(row, rule);
        let has_answer = row.response_status.is_some()
            || row.response_headers.is_some()
            || row.response_bytes.is_some()
            || row.response_ref.is_some();
        Self {
            key: row.key_text(),
            scope: row.scope_text(),
            status: match &row.state {
                RowState::Known(status) => status.as_str().to_owned(),
                RowState::Kept(_) => KEPT.to_owned(),
                RowState::Unknown(stored) => stored.clone().unwrap_or_default(),
            },
            key_parts: (row.key.len() > 1).then(|| row.key.clone()),
            scope_parts: (row.scope.len() > 1 || row.scope.contains(&None)).then(|| row.scope.clone()),
            unreadable: row.unreadable.clone(),
            expired: row.is_expired(),
            stuck: row.is_stuck(rule),
            takeable: row.is_takeable(),
            verdict: verdict.as_str(),
            why,
            attempt: row.attempt,
            owner: row.owner.clone(),
            request_hash: row.request_hash.clone(),
            retry_allowed: row.retry_allowed,
            failure: row.failure.clone(),
            created_at: row.created_at,
            claimed_at: row.claimed_at,
            last_heartbeat: row.renewed_at,
            lease_expires_at: row.lease_expires_at,
            finished_at: row.finished_at,
            expires_at: row.expires_at,
            fingerprint: None,
            response: has_answer.then(|| ResponseReport {
                status: row.response_status,
                headers: masked_headers(row.response_headers.as_deref(), masked),
                body_bytes: row.response_bytes,
                reference: row.response_ref.clone(),
                body_omitted: None,
                body: None,
                body_base64: None,
            }),
            history: None,
            read_at: row.read_at,
        }
    }

    /// What a standby has of a row is the past, and so is a file without its log: the key may have been given to a
    /// retry since.
    #[must_use]
    pub fn seen_as(mut self, visibility: &Visibility) -> Self {
        let place = match (&visibility.standby, visibility.unread_changes.first()) {
            (Some(_), _) => "on the primary".to_owned(),
            (None, Some(beside)) => {
                format!("in {}, which is not read", visible(&beside.display().to_string()))
            }
            (None, None) => return self,
        };
        if self.verdict == Verdict::Execute.as_str() {
            self.verdict = Verdict::Unknown.as_str();
            self.why = format!("nobody can say here, a later claim may be {place}; else {}", self.why);
        }
        self
    }

    /// Adds the body.
    #[must_use]
    pub fn with_body(mut self, answer: Option<&Answer>) -> Self {
        let Some((response, answer)) = self.response.as_mut().zip(answer) else { return self };
        match &answer.body {
            Body::Omitted { .. } => response.body_omitted = Some(true),
            Body::Kept(bytes) => {
                response.body_omitted = Some(false);
                match String::from_utf8(bytes.clone()) {
                    Ok(text) => response.body = Some(text),
                    Err(_) => response.body_base64 = Some(BASE64.encode(bytes)),
                }
            }
        }
        self
    }

    /// Compares the stored fingerprint with a request's.
    #[must_use]
    pub fn with_request(mut self, request: &Fingerprint) -> Self {
        let stored = self.request_hash.as_deref();
        self.fingerprint = Some(FingerprintReport {
            matches: fingerprint_matches(stored, Some(request)),
            rule: stored.and_then(fingerprint_rule),
            of_request: request.to_string(),
        });
        self
    }

    /// Its state in words.
    pub fn state_words(&self) -> String {
        let mut words = vec![visible(&self.status).replace('_', " ")];
        if self.stuck {
            words.push("stuck".to_owned());
        }
        if self.expired {
            words.push("expired".to_owned());
        }
        words.join(", ")
    }
}

/// The state of rows that stay on purpose.
pub const KEPT: &str = "kept";

/// The verdict and its reason. The reason names what the person on call needs next.
fn verdict(row: &KeyRow, rule: StuckRule) -> (Verdict, String) {
    let now = row.read_at;
    let verdict = row.verdict();
    let status = match &row.state {
        RowState::Known(status) => *status,
        RowState::Kept(stored) => {
            let stored = visible(stored.as_deref().unwrap_or("NULL"));
            return (verdict, format!("the row has {stored} and is kept on purpose: no pass touches it"));
        }
        RowState::Unknown(stored) => {
            let stored = visible(stored.as_deref().unwrap_or("NULL"));
            return (verdict, format!("the row has {stored}, which the mapping does not list"));
        }
    };
    let expiry = match row.expires_at {
        Some(at) => format!("expires {}", age(at, now)),
        None => "is forgotten".to_owned(),
    };
    let expired = row.expires_at.filter(|_| row.is_expired()).map(|at| age(at, now));
    let why = match (verdict, status) {
        (Verdict::Unknown, _) if row.mismatched.is_some() => {
            format!("nobody can say: `{}` does not fit the table", row.mismatched.unwrap_or_default())
        }
        (Verdict::Unknown, _) if !row.unreadable.is_empty() => {
            let (column, value) = &row.unreadable[0];
            format!(
                "nobody can say when it expires: {} holds {}, which is not written as the mapping says",
                visible(column),
                visible(value)
            )
        }
        (Verdict::Unknown, _) if expired.is_some() => format!(
            "it expired {}, and the mapping does not say (claim.expired) what a retry gets then",
            expired.unwrap_or_default()
        ),
        (Verdict::Unknown, Status::InProgress) => {
            "the application claims such rows again in place (reopens), and the mapping can't say when"
                .to_owned()
        }
        (Verdict::Unknown, _) => {
            "failed, and the mapping does not say (claim.failed) what a retry gets".to_owned()
        }
        (Verdict::Wait, _) => {
            let state = if row.is_stuck(rule) { "stuck" } else { "in progress" };
            let silent = match row.renewed_at {
                Some(at) => format!("no heartbeat for {}", span(now.since(at))),
                None => "nothing says since when".to_owned(),
            };
            let lease = match row.lease_expires_at {
                Some(until) if until > now => {
                    format!("its lease runs {}", age(until, now).replace("in ", "for another "))
                }
                Some(until) => {
                    let over = format!("its lease ran out {}", age(until, now));
                    let then =
                        if row.retry_allowed == Some(true) { "runs the command" } else { "closes the key" };
                    match row.is_takeable() {
                        true => format!(
                            "{over}: `idemctl fail` and `idemctl reap-stuck` take its claim away, and so does the next \
                             `idemctl run` of it, which {then}"
                        ),
                        false => over,
                    }
                }
                None if row.is_leased(now) => "its lease can't be read".to_owned(),
                None => "it has no lease".to_owned(),
            };
            format!("a retry is told to wait: {state}, {silent}, {lease}")
        }
        (Verdict::Execute, Status::Failed) if expired.is_none() => {
            "a retry executes: failed, and it may be tried again".to_owned()
        }
        (Verdict::Execute, _) => {
            format!("a retry executes: the key expired {} and counts as new", expired.unwrap_or_default())
        }
        (Verdict::Replay, _) => "a retry gets the stored answer: completed".to_owned(),
        (Verdict::FinalFailure, _) => {
            format!("a retry gets the stored failure: failed for good, until it is released or {expiry}")
        }
    };
    (verdict, why)
}

fn masked_headers(stored: Option<&str>, masked: &[String]) -> Vec<(String, String)> {
    let headers = Answer::headers_from_json(stored).unwrap_or_default();
    headers
        .into_iter()
        .map(|header| {
            let secret = masked.iter().any(|name| name.eq_ignore_ascii_case(&header.name));
            let value =
                if secret { MASKED.to_owned() } else { String::from_utf8_lossy(&header.value).into_owned() };
            (header.name, value)
        })
        .collect()
}

/// What `inspect` found: one entry for each scope that has the key.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub struct InspectReport {
    /// The rows.
    pub keys: Vec<KeyReport>,
    /// What was done to the key in scopes that have no row any more.
    #[serde(skip)]
    pub history_of_gone: Vec<HistoryEntry>,
    /// The database's clock, for ages.
    #[serde(skip)]
    pub now: Timestamp,
}

impl Report for InspectReport {
    fn table(&self, view: &View) -> String {
        let mut out = String::new();
        for (index, key) in self.keys.iter().enumerate() {
            if index > 0 {
                out.push('\n');
            }
            out.push_str(&key_details(key, view));
        }
        if !self.history_of_gone.is_empty() {
            out.push_str("history of the key that is gone\n");
            out.push_str(&history_table(&self.history_of_gone, self.now, view));
        }
        out
    }

    fn lines(&self) -> Result<Vec<String>, serde_json::Error> {
        self.keys.iter().map(serde_json::to_string).collect()
    }
}

fn key_details(key: &KeyReport, view: &View) -> String {
    let now = key.read_at;
    let mut table = view.table(&[]);
    let mut row = |name: &str, value: String| {
        table.add_row([name.to_owned(), value]);
    };
    row("key", visible(&key.key));
    row("scope", if key.scope.is_empty() { "''".to_owned() } else { visible(&key.scope) });
    row("verdict", view.strong(key.verdict));
    row("why", key.why.clone());
    row("state", key.state_words());
    if let Some(attempt) = key.attempt {
        row("attempt", attempt.to_string());
    }
    if let Some(owner) = &key.owner {
        row("owner", visible(owner));
    }
    // Of a completed row it says nothing that anybody could use.
    if let Some(allowed) = key.retry_allowed.filter(|_| key.status != "completed") {
        let name = if key.status == "in_progress" { "retry if lost" } else { "retry" };
        row(name, if allowed { "allowed" } else { "blocked" }.to_owned());
    }
    if let Some(failure) = &key.failure {
        row("failure", visible(failure));
    }
    for (name, at) in [
        ("created", key.created_at),
        ("claimed", key.claimed_at.filter(|at| Some(*at) != key.created_at)),
        ("last heartbeat", key.last_heartbeat.filter(|at| Some(*at) != key.claimed_at)),
        ("lease until", key.lease_expires_at),
        ("finished", key.finished_at),
        ("expires", key.expires_at),
    ] {
        if let Some(at) = at {
            row(name, view.time(at, now));
        }
    }
    if let Some(hash) = &key.request_hash {
        row("fingerprint", visible(hash));
    }
    if let Some(fingerprint) = &key.fingerprint {
        let rule = match (&key.request_hash, fingerprint.rule) {
            (None, _) => "none is stored, every request matches",
            (_, Some("sha256")) => "by the raw bytes",
            (_, Some(_)) => "as canonical JSON",
            (_, None) => "by a rule that is unknown here",
        };
        row(
            "given request",
            match fingerprint.matches {
                true => format!("matches, {rule}"),
                false => format!(
                    "differs, compared {rule}: a retry with it is a mismatch ({})",
                    fingerprint.of_request
                ),
            },
        );
    }
    if let Some(response) = &key.response {
        let status = response.status.map_or("no status".to_owned(), |status| status.to_string());
        let size = match (response.body_bytes, response.body_omitted) {
            (Some(bytes), Some(true)) => format!("{bytes} bytes, too large to be kept"),
            (Some(bytes), _) => format!("{bytes} bytes"),
            (None, _) => "size unknown".to_owned(),
        };
        row("answer", format!("{status}, {size}"));
        if let Some(reference) = &response.reference {
            row("created", visible(reference));
        }
        for (name, value) in &response.headers {
            row("", format!("{}: {}", visible(name), visible(value)));
        }
        if let Some(body) = &response.body {
            row("body", visible(body));
        }
        if let Some(body) = &response.body_base64 {
            row("body, base64", body.clone());
        }
    }
    let mut out = render(&table);
    if let Some(history) = key.history.as_ref().filter(|history| !history.is_empty()) {
        out.push_str("history\n");
        out.push_str(&history_table(history, now, view));
    }
    out
}

fn history_table(history: &[HistoryEntry], now: Timestamp, view: &View) -> String {
    let mut table = view.table(&["when", "scope", "action", "command", "who", "reason"]);
    for entry in history {
        table.add_row([
            view.time(entry.at, now),
            visible(&entry.scope),
            visible(&entry.action),
            visible(&entry.command),
            visible(&entry.who()),
            entry.reason.as_deref().map(visible).unwrap_or_default(),
        ]);
    }
    render(&table)
}
