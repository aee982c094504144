//! The configuration file's shape, its defaults, and the layers above it: defaults, file,
//! environment, flags. figment keeps where each value came from.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use etcetera::BaseStrategy as _;
use figment::error::Kind;
use figment::providers::{Format as _, Serialized, Toml};
use figment::value::{Dict, Map, Value};
use figment::{Figment, Metadata, Profile, Provider};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::table::TableConfig;
use super::usage;
use crate::cli::GlobalArgs;
use crate::exit::Failure;
use crate::janitor::{PaceOptions, PurgeOptions, RetryPolicy, ScopePattern};
use crate::protocol::{Claim, Retry};
use crate::store::Timeouts;

/// A duration as people write it: `5m`, `1h 30m`, `7days`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span(pub Duration);

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        humantime::format_duration(self.0).fmt(f)
    }
}

impl Serialize for Span {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        impl de::Visitor<'_> for Written {
            type Value = Span;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration such as \"5m\", \"1h 30m\" or \"7days\"")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Span, E> {
                humantime::parse_duration(text)
                    .map(Span)
                    .map_err(|_| E::invalid_value(de::Unexpected::Str(text), &self))
            }
        }
        deserializer.deserialize_any(Written)
    }
}

/// The configuration file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// `[database]`
    pub database: DatabaseConfig,
    /// `[display]`
    pub display: DisplayConfig,
    /// `[run]`
    pub run: RunConfig,
    /// `[reap]`
    pub reap: ReapConfig,
    /// `[purge]`
    pub purge: PurgeConfig,
    /// `[janitor]`
    pub janitor: JanitorConfig,
    /// `[audit]`
    pub audit: AuditConfig,
    /// `[migrate]`
    pub migrate: MigrateConfig,
    /// `[[table]]`: tables that a team already has.
    pub table: Vec<TableConfig>,
}

/// `[database]`: where it is and how long to wait for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DatabaseConfig {
    /// The URL.
    pub url: Option<String>,
    /// A file whose first line is the URL.
    pub url_file: Option<PathBuf>,
    /// For a connection.
    pub connect_timeout: Span,
    /// For a lock.
    pub lock_timeout: Span,
    /// For one statement.
    pub statement_timeout: Span,
}

impl Default for DatabaseConfig {
    fn default() -> Self {
        let timeouts = Timeouts::default();
        Self {
            url: None,
            url_file: None,
            connect_timeout: Span(timeouts.connect),
            lock_timeout: Span(timeouts.lock),
            statement_timeout: Span(timeouts.statement),
        }
    }
}

/// `[display]`: how reports look.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DisplayConfig {
    /// `table`, `json` or `jsonl`.
    pub output: String,
    /// The time zone of the times in tables; `local` or a name.
    pub time_zone: String,
    /// Headers whose values are shown nowhere but in `replay`; upper and lower case are the same.
    pub masked_headers: Vec<String>,
    /// Whether `inspect --body` may show stored bodies.
    pub bodies: bool,
}

impl Default for DisplayConfig {
    fn default() -> Self {
        let masked = ["authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key"];
        Self {
            output: "table".to_owned(),
            time_zone: "local".to_owned(),
            masked_headers: masked.map(str::to_owned).to_vec(),
            bodies: true,
        }
    }
}

/// `[run]`: claims made by `idemctl run`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RunConfig {
    /// How long a key is remembered.
    pub ttl: Span,
    /// How long a claim holds without a renewal.
    pub lease: Span,
}

impl Default for RunConfig {
    fn default() -> Self {
        Self { ttl: Span(Claim::DEFAULT_TTL), lease: Span(Claim::DEFAULT_LEASE) }
    }
}

/// A retry policy in the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RetryChoice {
    /// The next claim may execute again.
    Allow,
    /// Nobody executes again until the key is released or expires.
    Block,
}

impl From<RetryChoice> for Retry {
    fn from(policy: RetryChoice) -> Self {
        match policy {
            RetryChoice::Allow => Self::Allow,
            RetryChoice::Block => Self::Block,
        }
    }
}

/// `[reap]`: when a key in progress is stuck, and what becomes of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReapConfig {
    /// No sign of life for at least this long. Side effects of a lost worker may still be on their
    /// way.
    pub older_than: Span,
    /// Whether the keys may be tried again.
    pub retry: RetryChoice,
    /// Scopes with a policy of their own.
    pub policy: Vec<PolicyConfig>,
    /// When the janitor reaps.
    pub schedule: String,
}

/// `[[reap.policy]]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PolicyConfig {
    /// Which scopes.
    pub scope: String,
    /// Whether their keys may be tried again.
    pub retry: RetryChoice,
}

impl Default for ReapConfig {
    fn default() -> Self {
        Self {
            older_than: Span(Duration::from_secs(15 * 60)),
            retry: RetryChoice::Allow,
            policy: Vec::new(),
            schedule: "* * * * *".to_owned(),
        }
    }
}

impl ReapConfig {
    /// Whether reaped keys may be tried again, by scope.
    pub(super) fn retry_policy(&self) -> Result<RetryPolicy, Failure> {
        let mut by_scope = Vec::new();
        for PolicyConfig { scope, retry } in &self.policy {
            let pattern = ScopePattern::new(scope).map_err(|error| {
                usage(format!("reap.policy has the scope {scope:?}, which is no pattern")).because(error)
            })?;
            by_scope.push((pattern, (*retry).into()));
        }
        Ok(RetryPolicy { default: self.retry.into(), by_scope })
    }
}

/// `[purge]`: which expired keys go, and how fast.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PurgeConfig {
    /// How long past its expiry a row stays.
    pub grace: Span,
    /// The smallest batch, in rows.
    pub min_batch: u32,
    /// The largest batch, in rows.
    pub max_batch: u32,
    /// How long a batch should take; unset is what suits the database.
    pub batch_target: Option<Span>,
    /// The share of the time that is work; unset is what suits the database.
    pub duty: Option<f64>,
    /// Never faster than this.
    pub max_rows_per_second: Option<u32>,
    /// For at most this long.
    pub max_duration: Option<Span>,
    /// Delete even where foreign keys that cascade point at the table.
    pub allow_cascade: bool,
    /// When the janitor purges.
    pub schedule: String,
    /// The janitor's purge waits while a standby is further behind than this.
    pub max_lag: Option<Span>,
}

impl Default for PurgeConfig {
    fn default() -> Self {
        let options = PurgeOptions::default();
        let pace = PaceOptions::default();
        Self {
            grace: Span(options.grace),
            min_batch: pace.min_batch,
            max_batch: pace.max_batch,
            batch_target: pace.target.map(Span),
            duty: pace.duty,
            max_rows_per_second: pace.max_rows_per_second,
            max_duration: None,
            allow_cascade: false,
            schedule: "*/5 * * * *".to_owned(),
            max_lag: None,
        }
    }
}

/// `[janitor]`: the daemon.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct JanitorConfig {
    /// Where it answers `/metrics` and its kin; nowhere unless set.
    pub listen: Option<String>,
    /// The time zone of the schedules.
    pub time_zone: String,
    /// How long a leader may be silent before another one takes over.
    pub lease: Span,
    /// How long the batch at hand may take when the daemon is told to end.
    pub shutdown_timeout: Span,
    /// The first wait before the database is tried again.
    pub reconnect_min: Span,
    /// The longest.
    pub reconnect_max: Span,
}

impl Default for JanitorConfig {
    fn default() -> Self {
        Self {
            listen: None,
            time_zone: "UTC".to_owned(),
            lease: Span(Duration::from_secs(30)),
            shutdown_timeout: Span(Duration::from_secs(20)),
            reconnect_min: Span(Duration::from_secs(1)),
            reconnect_max: Span(Duration::from_secs(60)),
        }
    }
}

/// `[audit]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AuditConfig {
    /// How long the janitor keeps an entry.
    pub retention: Span,
}

impl Default for AuditConfig {
    fn default() -> Self {
        Self { retention: Span(Duration::from_secs(90 * 24 * 60 * 60)) }
    }
}

/// `[migrate]`
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MigrateConfig {
    /// How long to wait for another process that migrates.
    pub wait: Span,
}

impl Default for MigrateConfig {
    fn default() -> Self {
        Self { wait: Span(Duration::from_secs(60)) }
    }
}

/// One setting as `config show` prints it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Setting {
    /// Its key in the file: `purge.grace`.
    pub key: String,
    /// Its value, secrets left out.
    pub value: String,
    /// Where it came from.
    pub source: String,
}

/// The layered configuration with the origin of every value.
#[derive(Debug)]
pub struct Effective {
    /// The values.
    pub config: Config,
    /// The file that was read.
    pub file: Option<PathBuf>,
    figment: Figment,
}

/// One value from the environment or a flag.
struct Layer {
    key: String,
    value: Value,
    name: String,
}

impl Provider for Layer {
    fn metadata(&self) -> Metadata {
        Metadata::named(self.name.clone())
    }

    fn data(&self) -> Result<Map<Profile, Dict>, figment::Error> {
        let nested = figment::util::nest(&self.key, self.value.clone());
        Ok(Profile::Default.collect(nested.into_dict().unwrap_or_default()))
    }
}

const DEFAULTS: &str = "default";

/// Lists of tables, which no variable can hold.
pub(super) const LISTS: [&str; 1] = ["reap.policy"];

impl Effective {
    pub(super) fn load(global: &GlobalArgs) -> Result<Self, Failure> {
        let file = configuration_file(global.config.as_deref())?;
        let mut figment = Figment::from(Layer {
            key: String::new(),
            value: Value::from(Dict::new()),
            name: DEFAULTS.to_owned(),
        })
        .merge(Serialized::defaults(Config::default()));
        if let Some(file) = &file {
            // Read first: figment takes a file that can't be read for an empty one.
            let text = std::fs::read_to_string(file)
                .map_err(|error| usage(format!("can't read {}", file.display())).because(error))?;
            figment = figment.merge(Toml::string(&text));
            let problem = Figment::from(Serialized::defaults(Config::default()))
                .merge(Toml::string(&text))
                .extract::<Config>();
            if let Err(error) = problem {
                return Err(explain(&error, &file.display().to_string()));
            }
        }
        for key in known_keys() {
            let name = variable(&key);
            // The URL has an order of its own, see `database`.
            if key == "database.url" || key == "database.url_file" || LISTS.contains(&key.as_str()) {
                continue;
            }
            if let Some(text) = env::var_os(&name) {
                let text = text.into_string().map_err(|_| usage(format!("${name} is not valid UTF-8")))?;
                let value = scalar(&text);
                figment = figment.merge(Layer { key, value, name: format!("${name}") });
            }
        }
        for (key, value, flag) in [
            ("display.output", global.output.map(|output| format!("{output:?}").to_lowercase()), "--output"),
            ("display.time_zone", global.time_zone.clone(), "--time-zone"),
        ] {
            if let Some(value) = value {
                figment =
                    figment.merge(Layer { key: key.to_owned(), value: value.into(), name: flag.to_owned() });
            }
        }
        let config: Config = figment.extract().map_err(|error| {
            let place =
                error.metadata.as_ref().map_or("the configuration".to_owned(), |meta| meta.name.to_string());
            explain(&error, &place)
        })?;
        config.check()?;
        Ok(Self { config, file, figment })
    }

    /// Whether something but the defaults sets a key.
    pub fn is_set(&self, key: &str) -> bool {
        self.source(key) != DEFAULTS
    }

    /// Every setting, its value and where it came from.
    pub fn settings(&self) -> Vec<Setting> {
        let tables =
            self.figment.find_value("table").ok().into_iter().flat_map(|tables| leaves("table", &tables));
        let tables: Vec<Setting> =
            tables.map(|(key, value)| Setting { key, value, source: self.source("table") }).collect();
        known_keys()
            .into_iter()
            .map(|key| {
                let value = self.figment.find_value(&key).ok();
                Setting {
                    value: value.as_ref().map_or("unset".to_owned(), shown),
                    source: self.source(&key),
                    key,
                }
            })
            .chain(tables)
            .collect()
    }

    fn source(&self, key: &str) -> String {
        let Some(metadata) = self.figment.find_metadata(key) else { return DEFAULTS.to_owned() };
        if metadata.name.contains("TOML") {
            return self.file.as_ref().map_or_else(String::new, |file| file.display().to_string());
        }
        if metadata.name.starts_with(['$', '-']) {
            return metadata.name.to_string();
        }
        DEFAULTS.to_owned()
    }
}

impl Config {
    /// What no type can say.
    fn check(&self) -> Result<(), Failure> {
        let purge = &self.purge;
        if let Some(duty) = purge.duty.filter(|duty| !is_share(*duty)) {
            return Err(usage(format!("purge.duty is {duty}; it must be above 0 and at most 1")));
        }
        if let Some(target) = purge.batch_target.filter(|target| !is_batch_target(*target)) {
            return Err(usage(format!("purge.batch_target is {target}; it must be from 100us to 1m")));
        }
        if purge.min_batch == 0 || purge.min_batch > purge.max_batch {
            return Err(usage(format!(
                "purge.min_batch is {} and purge.max_batch {}; 1 ≤ min_batch ≤ max_batch must hold",
                purge.min_batch, purge.max_batch
            )));
        }
        if purge.max_rows_per_second == Some(0) {
            return Err(usage("purge.max_rows_per_second is 0; leave it unset for no limit"));
        }
        for (key, span) in [
            ("database.connect_timeout", self.database.connect_timeout),
            ("database.lock_timeout", self.database.lock_timeout),
            ("database.statement_timeout", self.database.statement_timeout),
            ("janitor.shutdown_timeout", self.janitor.shutdown_timeout),
            ("janitor.reconnect_min", self.janitor.reconnect_min),
            ("janitor.reconnect_max", self.janitor.reconnect_max),
        ] {
            if span.0 < Duration::from_millis(1) || span.0 > Duration::from_secs(24 * 60 * 60) {
                return Err(usage(format!("{key} is {span}; it must be from 1ms to 1day")));
            }
        }
        if self.janitor.lease.0 < Duration::from_secs(1) || self.janitor.lease.0 > Duration::from_secs(3_600)
        {
            return Err(usage(format!("janitor.lease is {}; it must be from 1s to 1h", self.janitor.lease)));
        }
        if self.janitor.reconnect_min.0 > self.janitor.reconnect_max.0 {
            return Err(usage(format!(
                "janitor.reconnect_min is {} and janitor.reconnect_max {}; the first must not be longer",
                self.janitor.reconnect_min, self.janitor.reconnect_max
            )));
        }
        Ok(())
    }
}

/// Whether it is a share of the time that can be worked.
pub(super) fn is_share(duty: f64) -> bool {
    duty > 0.0 && duty <= 1.0
}

/// Whether a batch can aim at it.
pub(super) fn is_batch_target(span: Span) -> bool {
    (Duration::from_micros(100)..=Duration::from_secs(60)).contains(&span.0)
}

/// A value for people; URLs lose their passwords.
fn shown(value: &Value) -> String {
    match value {
        Value::String(_, text) => match text.parse::<crate::store::DatabaseUrl>() {
            Ok(url) => url.to_string(),
            Err(_) if text.contains("://") => "(not shown: not a database URL)".to_owned(),
            Err(_) => text.clone(),
        },
        Value::Num(_, number) => number
            .to_u128()
            .map(|number| number.to_string())
            .or_else(|| number.to_i128().map(|number| number.to_string()))
            .or_else(|| number.to_f64().map(|number| number.to_string()))
            .unwrap_or_default(),
        Value::Bool(_, flag) => flag.to_string(),
        Value::Empty(..) => "unset".to_owned(),
        Value::Array(_, items) => items.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => format!("{other:?}"),
    }
}

/// The values inside of a value, each with its path: `table.0.key`.
fn leaves(path: &str, value: &Value) -> Vec<(String, String)> {
    match value {
        Value::Dict(_, members) => {
            members.iter().flat_map(|(name, member)| leaves(&format!("{path}.{name}"), member)).collect()
        }
        Value::Array(_, items) if items.iter().any(|item| matches!(item, Value::Dict(..))) => items
            .iter()
            .enumerate()
            .flat_map(|(index, item)| leaves(&format!("{path}.{index}"), item))
            .collect(),
        Value::Array(_, items) if path == "table" && items.is_empty() => Vec::new(),
        other => vec![(path.to_owned(), shown(other))],
    }
}

/// A variable's text as the scalar that the same text is in a TOML file.
fn scalar(text: &str) -> Value {
    if let Ok(flag) = text.parse::<bool>() {
        return flag.into();
    }
    if let Ok(number) = text.parse::<u64>() {
        return number.into();
    }
    match text.parse::<f64>() {
        Ok(number) => number.into(),
        Err(_) => text.into(),
    }
}

/// The keys of every setting, in the file's order.
pub fn known_keys() -> Vec<String> {
    let Ok(serde_json::Value::Object(sections)) = serde_json::to_value(Config::default()) else {
        return Vec::new();
    };
    sections
        .iter()
        .flat_map(|(section, keys)| {
            let keys = keys.as_object().map(|keys| keys.keys().cloned().collect()).unwrap_or_else(Vec::new);
            keys.into_iter().map(move |key| format!("{section}.{key}"))
        })
        .collect()
}

/// `purge.grace` is `$IDEMCTL_PURGE_GRACE`.
pub(super) fn variable(key: &str) -> String {
    format!("IDEMCTL_{}", key.replace('.', "_").to_uppercase())
}

/// The file to read: the one that is named, or the first that is there.
fn configuration_file(named: Option<&Path>) -> Result<Option<PathBuf>, Failure> {
    if let Some(named) = named {
        return Ok(Some(named.to_owned()));
    }
    let user = etcetera::choose_base_strategy()
        .ok()
        .map(|folders| folders.config_dir().join("idemctl").join("idemctl.toml"));
    let system = PathBuf::from("/etc/idemctl/idemctl.toml");
    Ok(user.into_iter().chain([system]).find(|path| path.exists()))
}

/// figment's error in our words: the key, the place, and the nearest key that exists.
fn explain(error: &figment::Error, place: &str) -> Failure {
    let path = error.path.join(".");
    match &error.kind {
        Kind::UnknownField(field, expected) => {
            let parent = if path.is_empty() { String::new() } else { format!("{path}.") };
            // figment's path may end in the unknown field itself.
            let parent = parent.strip_suffix(&format!("{field}.")).unwrap_or(&parent).to_owned();
            let failure = usage(format!("{place}: there is no setting {parent}{field}"));
            match nearest(field, expected) {
                Some(known) => failure.hint(format!("did you mean {parent}{known}?")),
                None => failure.hint(format!("known here: {}", expected.join(", "))),
            }
        }
        kind if path.is_empty() => usage(format!("{place}: {}", kind.to_string().trim().replace('\n', " "))),
        kind => usage(format!("{place}: {path}: {kind}")),
    }
}

fn nearest<'k>(written: &str, known: &[&'k str]) -> Option<&'k str> {
    known
        .iter()
        .map(|known| (strsim::jaro_winkler(written, known), *known))
        .filter(|(similarity, _)| *similarity > 0.75)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_has_a_variable_of_its_own() {
        let keys = known_keys();
        assert!(keys.contains(&"purge.max_rows_per_second".to_owned()), "{keys:?}");
        let mut variables: Vec<String> = keys.iter().map(|key| variable(key)).collect();
        variables.sort();
        variables.dedup();
        assert_eq!(variables.len(), keys.len());
    }

    #[test]
    fn values_never_show_a_password() {
        let url = Value::from("postgres://me:s3cret@host/db");
        assert_eq!(shown(&url), "postgres://me@host/db");
        assert!(!shown(&Value::from("pg://me:s3cret@host/db")).contains("s3cret"));
        assert_eq!(shown(&Value::from(100u32)), "100");
        assert_eq!(shown(&Value::from(0.25)), "0.25");
    }
}
