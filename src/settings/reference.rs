//! Every setting with its type, its default, its variable and its meaning: what the manual page
//! idemctl.toml(5) is made of.

use serde_json::Value;

use super::config::Config;
use super::layers::{known_keys, variable};

/// One setting of the configuration file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingReference {
    /// Its key in the file: `purge.grace`.
    pub key: String,
    /// What its value may be.
    pub kind: &'static str,
    /// Its value where nobody sets it; `None` where it is then unset.
    pub default: Option<String>,
    /// The variable of the environment that sets it; `None` where there is none.
    pub variable: Option<String>,
    /// What it is for.
    pub meaning: &'static str,
}

const DURATION: &str = "duration";
const SCHEDULE: &str = "string, a crontab expression";
const ROWS: &str = "integer, rows";

/// Key, type and meaning. The test below fails when a key is missing here, or is here alone.
const MEANINGS: &[(&str, &str, &str)] = &[
    (
        "database.url",
        "string, a database URL",
        "The database: postgres://USER@HOST/DATABASE, host=HOST dbname=DATABASE or sqlite:PATH. Several \
         PostgreSQL hosts may be listed (HOST1:PORT,HOST2:PORT): the first one that accepts writes is used. What \
         is left out comes from the PG... variables and the service file, as with psql.",
    ),
    (
        "database.url_file",
        "string, a path",
        "A file whose first line is the database URL. It counts only while database.url is unset.",
    ),
    (
        "database.local",
        "boolean",
        "Whether the SQLite file in the user's data folder is used where nothing else names a database. Only with \
         it, or with --local, does idemctl run use that file.",
    ),
    (
        "database.connect_timeout",
        "duration, 1ms to 1day",
        "How long to wait for a connection. A database that does not answer in that time is unreachable (exit 7).",
    ),
    (
        "database.lock_timeout",
        "duration, 1ms to 1day",
        "How long a statement waits for a lock that somebody else holds. PostgreSQL only: on SQLite every \
         writer waits up to 20s for the file. The batches of purge always give up after 20ms, and leave what \
         is locked to the next pass.",
    ),
    (
        "database.statement_timeout",
        "duration, 1ms to 1day",
        "How long one statement may run. PostgreSQL only. Migrations have no such limit.",
    ),
    (
        "display.output",
        "table, json, jsonl or csv",
        "The format of reports. Only list can print csv. The flag is --output.",
    ),
    (
        "display.time_zone",
        "string, local or a name of the IANA database",
        "The time zone of the times in tables, for example Europe/Berlin. Times in JSON are always UTC. The \
         flag is --time-zone.",
    ),
    (
        "display.masked_headers",
        "list of strings",
        "Names of headers whose values are shown nowhere but in replay. Upper and lower case are the same.",
    ),
    ("display.bodies", "true or false", "Whether inspect --body may show stored bodies."),
    (
        "run.ttl",
        "duration, 1s to 100 years",
        "How long a key of idemctl run is remembered: counted from the claim, and again from the end of the \
         command. The flag is --ttl.",
    ),
    (
        "run.lease",
        "duration, 1s to 100 years",
        "How long the claim of idemctl run holds without a renewal. It is renewed every third of it. The flag \
         is --lease.",
    ),
    (
        "reap.older_than",
        "duration of at least 1s, or off",
        "A key in progress without a running lease is stuck when its worker had no heartbeat for at least \
         this long; with off the janitor never reaps. reap-stuck, list --stuck and the stuck mark of inspect use it. The flag is --older-than.",
    ),
    (
        "reap.retry",
        "allow or block",
        "Whether a key may be tried again after it was reaped. A row that was claimed with \"block if lost\" \
         stays blocked whatever is said here. The flag is --retry.",
    ),
    (
        "purge.grace",
        DURATION,
        "How long past its expiry a row stays before purge deletes it. Until then it counts as absent for \
         claims, but inspect still shows it. The flag is --grace.",
    ),
    ("purge.min_batch", ROWS, "The smallest batch of purge, at least 1 and at most purge.max_batch."),
    (
        "purge.max_batch",
        ROWS,
        "The largest batch of purge. The flag --batch-size sets purge.min_batch and purge.max_batch.",
    ),
    (
        "purge.batch_target",
        "duration, 100us to 1m",
        "How long a batch should take. Batches grow while they take less and shrink when they take more. Unset \
         is 500us, and 2ms on SQLite.",
    ),
    (
        "purge.duty",
        "number above 0 and up to 1",
        "The share of the time that purge works; it rests between batches for the other part. Unset is 0.05, \
         and 0.25 on SQLite. The flag is --duty.",
    ),
    (
        "purge.max_rows_per_second",
        "integer, rows, at least 1",
        "Purge is never faster than this. Unset is no limit. The flag is --max-rows-per-second.",
    ),
    (
        "purge.max_duration",
        DURATION,
        "One pass of purge ends after this long and leaves the rest to the next one (exit 6). Unset is no \
         limit for the command purge, and 4m for the janitor. The flag is --max-duration.",
    ),
    (
        "purge.allow_cascade",
        "boolean",
        "Whether purge, and whatever else deletes keys, may delete those that foreign keys with ON DELETE CASCADE, SET NULL or SET DEFAULT point \
         at (on SQLite: any foreign key). The rows of the other tables are then deleted, changed or orphaned.",
    ),
    ("purge.schedule", SCHEDULE, "When the janitor purges. The command purge runs when it is called."),
    (
        "purge.max_lag",
        DURATION,
        "The janitor's purge waits while a standby has yet to replay what is older than this. PostgreSQL only, \
         and the role must be allowed to look (pg_read_all_stats, or pg_monitor); a janitor whose role is not \
         refuses to start. Lag that can't be read any more holds the purge up, too. Unset asks nobody.",
    ),
    (
        "reap.policy",
        "list of tables",
        "Scopes with a policy of their own, as [[reap.policy]] with scope = \"PATTERN\" and retry = \"allow\" or \
         \"block\". In a pattern * stands for any text and ? for one character. The first one that matches a \
         key's scope counts, else reap.retry. The flag --retry overrides them all.",
    ),
    ("reap.schedule", SCHEDULE, "When the janitor reaps. The command reap-stuck runs when it is called."),
    (
        "janitor.listen",
        "string, ADDRESS:PORT",
        "Where the janitor answers /metrics, /livez, /readyz and /status by HTTP; nowhere unless set. Anybody who \
         can connect can read them: 127.0.0.1:9750 is for this host alone. The flag is --listen.",
    ),
    (
        "janitor.time_zone",
        "string, a name of the IANA database",
        "The time zone of the schedules, for example Europe/Berlin.",
    ),
    (
        "janitor.lease",
        "duration, 1s to 1h",
        "How long the janitor that leads may be without a heartbeat before another one takes over. It is renewed every third \
         of it.",
    ),
    (
        "janitor.shutdown_timeout",
        "duration, 1ms to 1day",
        "How long the batch at hand may take once the janitor was told to end. What takes longer is rolled back.",
    ),
    (
        "janitor.reconnect_min",
        "duration, 1ms to 1day",
        "How long the janitor waits before it tries a database again that can't be reached or takes no writes. \
         Each wait is twice as long as the one before, more or less by chance.",
    ),
    ("janitor.reconnect_max", "duration, 1ms to 1day", "The longest of these waits."),
    (
        "audit.retention",
        DURATION,
        "How long an entry of the audit is kept. The janitor deletes older ones after each purge.",
    ),
    ("migrate.wait", DURATION, "How long migrate waits while another process migrates the same database."),
];

/// Every setting, in the file's order.
pub fn settings_reference() -> Vec<SettingReference> {
    let defaults = serde_json::to_value(Config::default()).unwrap_or_default();
    known_keys().into_iter().filter_map(|key| describe(key, &defaults)).collect()
}

fn describe(key: String, defaults: &Value) -> Option<SettingReference> {
    let (_, kind, meaning) = MEANINGS.iter().find(|(known, ..)| *known == key)?;
    let value = defaults.pointer(&format!("/{}", key.replace('.', "/")));
    let default = match value {
        None | Some(Value::Null) => None,
        Some(Value::String(text)) => Some(format!("\"{text}\"")),
        Some(other) => Some(other.to_string()),
    };
    // The file that holds the URL is named by a flag or in the file, by no variable; and a variable
    // holds no list.
    let has_variable = key != "database.url_file" && !matches!(value, Some(Value::Array(_)));
    let variable = has_variable.then(|| variable(&key));
    Some(SettingReference { kind, default, variable, meaning, key })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_meaning() {
        let mut described: Vec<&str> = MEANINGS.iter().map(|(key, ..)| *key).collect();
        let mut known = known_keys();
        described.sort_unstable();
        known.sort_unstable();
        assert_eq!(described, known, "the meanings in this file and the keys of the configuration differ");
        assert_eq!(settings_reference().len(), known.len());
    }
}
