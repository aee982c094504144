//! An independent witness: triggers that log every committed change of a row, and the judge of what they
//! logged. A change and its log entry are one transaction, so the log is what really happened.

use serde::Deserialize;

use crate::support::{Dialect, Raw};

/// Which table is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Table {
    /// The one that `idemctl migrate` makes.
    Own,
    /// One of a team: other names, other states, other clocks, no token.
    Adopted,
}

impl Table {
    pub fn name(self) -> &'static str {
        match self {
            Self::Own => "idempotency_keys",
            Self::Adopted => "pay_keys",
        }
    }

    /// A version of a row as JSON, in SQL; `r` is OLD or NEW.
    fn version(self, dialect: Dialect, r: &str) -> String {
        let postgres = matches!(dialect, Dialect::Postgres);
        let clock = |column: &str| match (postgres, self) {
            (true, _) => format!("(extract(epoch FROM {r}.{column}) * 1000000)::bigint"),
            (false, Self::Own) => format!("{r}.{column}"),
            (false, Self::Adopted) => format!("{r}.{column} * 1000"),
        };
        let (key, scope, status, token, retry, attempt, clocks) = match self {
            Self::Own => (
                "idempotency_key",
                "scope",
                format!("{r}.status"),
                format!("{r}.claim_token"),
                format!("CAST({r}.retry_allowed AS integer)"),
                format!("{r}.attempt"),
                ["renewed_at", "lease_expires_at", "expires_at"],
            ),
            Self::Adopted => (
                "k",
                "tenant",
                format!(
                    "CASE {r}.st WHEN 'busy' THEN 'in_progress' WHEN 'done' THEN 'completed' ELSE {r}.st END"
                ),
                "NULL".into(),
                "NULL".into(),
                "NULL".into(),
                ["beat", "lease", "gone"],
            ),
        };
        let [beat, lease, expires] = clocks.map(clock);
        let object = if postgres { "json_build_object" } else { "json_object" };
        let json = format!(
            "{object}('key', {r}.{key}, 'scope', {r}.{scope}, 'status', {status}, 'token', {token}, \
             'retry', {retry}, 'attempt', {attempt}, 'beat', {beat}, 'lease', {lease}, 'expires', {expires})"
        );
        if postgres { format!("{json}::text") } else { json }
    }
}

/// The statements that set the witness up.
pub fn schema(dialect: Dialect, table: Table) -> String {
    let name = table.name();
    let (old, new) = (table.version(dialect, "OLD"), table.version(dialect, "NEW"));
    if matches!(dialect, Dialect::Postgres) {
        return format!(
            "CREATE TABLE witness (seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at bigint NOT NULL,
                 before text, after text);
             CREATE FUNCTION witnessed() RETURNS trigger LANGUAGE plpgsql AS $$
             BEGIN
                 INSERT INTO witness (at, before, after) VALUES (
                     (extract(epoch FROM clock_timestamp()) * 1000000)::bigint,
                     CASE WHEN TG_OP <> 'INSERT' THEN {old} END,
                     CASE WHEN TG_OP <> 'DELETE' THEN {new} END);
                 RETURN NULL;
             END $$;
             CREATE TRIGGER witnessed AFTER INSERT OR UPDATE OR DELETE ON {name}
                 FOR EACH ROW EXECUTE FUNCTION witnessed();"
        );
    }
    let mut script = "CREATE TABLE witness (seq INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, \
                      before TEXT, after TEXT);"
        .to_owned();
    for (event, before, after) in [
        ("INSERT", "NULL", new.as_str()),
        ("UPDATE", old.as_str(), new.as_str()),
        ("DELETE", old.as_str(), "NULL"),
    ] {
        script.push_str(&format!(
            "CREATE TRIGGER witnessed_{event} AFTER {event} ON {name} BEGIN
                 INSERT INTO witness (at, before, after) VALUES (
                     CAST(unixepoch('subsec') * 1000000 AS INTEGER), {before}, {after});
             END;"
        ));
    }
    script
}

/// A row as it was at one moment.
#[derive(Debug, Clone, Deserialize)]
pub struct Version {
    pub key: String,
    pub status: String,
    pub token: Option<String>,
    pub retry: Option<i64>,
    pub attempt: Option<i64>,
    pub beat: i64,
    pub lease: Option<i64>,
    pub expires: i64,
}

/// One committed change of one row.
#[derive(Debug, Clone, Deserialize)]
pub struct Change {
    at: i64,
    pub before: Option<Version>,
    pub after: Option<Version>,
}

/// Every change after `seq`, in the order of their commits as far as one row goes.
pub async fn changes(raw: &mut Raw, seq: i64) -> Vec<Change> {
    let query = format!(
        "SELECT '{{\"at\":' || at || ',\"before\":' || coalesce(before, 'null') || \
         ',\"after\":' || coalesce(after, 'null') || '}}' FROM witness WHERE seq > {seq} ORDER BY seq"
    );
    let lines = raw.texts(&query).await;
    lines.iter().map(|line| serde_json::from_str(line).expect("the witness writes JSON")).collect()
}

/// What a command may do beyond the protocol: an operator decides it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rights {
    /// Take claims away without waiting for their age.
    pub fail: bool,
    /// Allow the retry of what failed.
    pub release: bool,
    /// Delete rows that are not expired.
    pub forget: bool,
}

/// After how long without a heartbeat the reaper may take a claim.
pub const OLDER_THAN_MICROS: i64 = 1_000_000;

/// SQLite's clock has milliseconds only.
const TICK: i64 = 1_000;

impl Change {
    pub fn key(&self) -> &str {
        self.before.as_ref().or(self.after.as_ref()).map_or("", |version| version.key.as_str())
    }

    /// Somebody may execute now, under a new token.
    pub fn is_acquisition(&self) -> bool {
        let token = |version: &Option<Version>| version.as_ref().and_then(|version| version.token.clone());
        self.after.as_ref().is_some_and(|after| after.status == "in_progress")
            && token(&self.after) != token(&self.before)
    }

    /// The worker itself failed, and its token stays.
    pub fn is_failed_by_worker(&self) -> bool {
        self.after.as_ref().is_some_and(|after| after.status == "failed" && after.token.is_some())
            && self.before.as_ref().is_some_and(|before| before.status == "in_progress")
    }

    /// What the protocol forbids about it, if anything.
    pub fn wrong(&self, table: Table, rights: Rights) -> Option<String> {
        let legal = match (&self.before, &self.after) {
            (None, Some(after)) => after.status == "in_progress" && after.attempt.is_none_or(|n| n == 1),
            (Some(before), None) => match before.status.as_str() {
                "in_progress" => rights.forget,
                "failed" => {
                    self.is_expired(before) || rights.forget || (rights.release && table == Table::Adopted)
                }
                _ => self.is_expired(before) || rights.forget,
            },
            (Some(before), Some(after)) => self.is_legal_step(before, after, rights),
            (None, None) => false,
        };
        (!legal).then(|| format!("{self:?}"))
    }

    fn is_expired(&self, version: &Version) -> bool {
        version.expires <= self.at + TICK
    }

    fn is_legal_step(&self, before: &Version, after: &Version, rights: Rights) -> bool {
        let lease_is_over = before.lease.is_none_or(|until| until <= self.at + TICK);
        let is_silent = before.beat + OLDER_THAN_MICROS <= self.at + TICK;
        let is_same_claim = before.token == after.token;
        match (before.status.as_str(), after.status.as_str()) {
            // Renewed, or its stamp repeated.
            ("in_progress", "in_progress") => is_same_claim && before.attempt == after.attempt,
            ("in_progress", "completed") => is_same_claim && after.token.is_some(),
            ("in_progress", "failed") => {
                let by_worker = is_same_claim && after.token.is_some();
                by_worker || ((rights.fail || is_silent) && lease_is_over)
            }
            ("completed", "in_progress") => self.is_expired(before) && !is_same_claim,
            ("failed", "in_progress") => {
                let again = after.attempt == before.attempt.map(|attempt| attempt + 1);
                !is_same_claim && (self.is_expired(before) || (before.retry == Some(1) && again))
            }
            ("failed", "failed") => rights.release,
            _ => false,
        }
    }
}
