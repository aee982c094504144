//! `[[table]]`: a table that a team already has, described column by column, and what differs for it
//! from `[purge]` and `[reap]`.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use chrono_tz::Tz;
use figment::Figment;
use figment::providers::{Format as _, Toml};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::config::{DurationSetting, RetryChoice, StuckAge, is_batch_target, is_share};
use super::{Settings, usage};
use crate::exit::Failure;
use crate::janitor::{PaceOptions, PurgeOptions, ReapOptions, RetryPolicy};
use crate::protocol::Status;
use crate::table::{
    ClaimRules, Clock, Clocks, Encoding, ExpiredRule, FailedRule, Ident, Literal, Mapping, Mark, Meaning,
    Shown, Snapshot, Spelling, StateMapping, StateShape, TableName, Unit, WriteRule,
};

/// One `[[table]]`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TableConfig {
    /// The table, quoted exactly as written; a schema before a dot.
    pub name: String,
    /// The columns that make up the key.
    pub key: NameList,
    /// The columns that make up the scope.
    #[serde(default)]
    pub scope: NameList,
    /// Columns that name a single row.
    #[serde(default)]
    pub locator: NameList,
    /// Columns that hold a fixed value in every row that is ours.
    #[serde(default)]
    pub guard: BTreeMap<String, Scalar>,
    /// How the states are written.
    #[serde(default)]
    pub state: StateConfig,
    /// Which columns are clocks.
    #[serde(default)]
    pub clock: ClockConfig,
    /// Whether the application claims rows again in place.
    #[serde(default)]
    pub reopens: Option<bool>,
    /// What a row becomes whose claim is taken away.
    #[serde(default)]
    pub fail: Option<RuleConfig>,
    /// What a row becomes whose retry is allowed.
    #[serde(default)]
    pub release: Option<RuleConfig>,
    /// How the application's own claim behaves.
    #[serde(default)]
    pub claim: ClaimConfig,
    /// Columns that are shown.
    #[serde(default)]
    pub show: ShowConfig,
    /// What differs from `[purge]`.
    #[serde(default)]
    pub purge: TablePurgeConfig,
    /// What differs from `[reap]`.
    #[serde(default)]
    pub reap: TableReapConfig,
}

/// One name, or a list of names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct NameList(pub Vec<String>);

impl<'de> Deserialize<'de> for NameList {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        impl<'de> de::Visitor<'de> for Written {
            type Value = NameList;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a column, or a list of names")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<NameList, E> {
                Ok(NameList(vec![text.to_owned()]))
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<NameList, A::Error> {
                let mut names = Vec::new();
                while let Some(name) = seq.next_element()? {
                    names.push(name);
                }
                Ok(NameList(names))
            }
        }
        deserializer.deserialize_any(Written)
    }
}

/// A value of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scalar(pub Literal);

impl Serialize for Scalar {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Literal::Text(text) => serializer.serialize_str(text),
            Literal::Int(number) => serializer.serialize_i64(*number),
            Literal::Bool(flag) => serializer.serialize_bool(*flag),
        }
    }
}

impl<'de> Deserialize<'de> for Scalar {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        impl de::Visitor<'_> for Written {
            type Value = Scalar;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a text, a whole number, true or false")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Scalar, E> {
                Ok(Scalar(Literal::Text(text.to_owned())))
            }
            fn visit_i64<E: de::Error>(self, number: i64) -> Result<Scalar, E> {
                Ok(Scalar(Literal::Int(number)))
            }
            fn visit_u64<E: de::Error>(self, number: u64) -> Result<Scalar, E> {
                i64::try_from(number)
                    .map(|number| Scalar(Literal::Int(number)))
                    .map_err(|_| E::invalid_value(de::Unexpected::Unsigned(number), &self))
            }
            fn visit_bool<E: de::Error>(self, flag: bool) -> Result<Scalar, E> {
                Ok(Scalar(Literal::Bool(flag)))
            }
        }
        deserializer.deserialize_any(Written)
    }
}

/// `[table.state]`: at most one of `column`, `null_means_in_progress` and `always`, and `set_means_in_progress`
/// beside it or alone.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct StateConfig {
    /// The column whose values are states.
    pub column: Option<String>,
    /// Its values that mean in progress.
    pub in_progress: Vec<Scalar>,
    /// Its values that mean completed.
    pub completed: Vec<Scalar>,
    /// Its values that mean failed.
    pub failed: Vec<Scalar>,
    /// Its values of rows that stay on purpose.
    pub keep: Vec<Scalar>,
    /// What NULL in it means.
    pub null: Option<NullName>,
    /// NULL in all of these columns means in progress.
    pub null_means_in_progress: NameList,
    /// While one of these columns is set, a row is in progress whatever else it says.
    pub set_means_in_progress: Marks,
    /// Every row is in this state.
    pub always: Option<StateName>,
}

/// One column that marks a row as in progress, or a list of them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Marks(pub Vec<MarkColumn>);

/// A column that marks a row as in progress while it is set: its name, or `{ column = NAME, unset = [VALUE] }`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum MarkColumn {
    /// NULL means that it is not set, and false that a flag is not.
    Plain(String),
    /// So do these values.
    Unset {
        /// The column.
        column: String,
        /// The values.
        unset: Vec<Scalar>,
    },
}

impl MarkColumn {
    fn read<'de, A: de::MapAccess<'de>>(mut map: A) -> Result<Self, A::Error> {
        const FIELDS: [&str; 2] = ["column", "unset"];
        let (mut column, mut unset) = (None, None);
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "column" => column = Some(map.next_value::<String>()?),
                "unset" => unset = Some(map.next_value::<Vec<Scalar>>()?),
                _ => return Err(de::Error::unknown_field(&key, &FIELDS)),
            }
        }
        let column = column.ok_or_else(|| de::Error::missing_field("column"))?;
        let unset = unset.ok_or_else(|| de::Error::missing_field("unset"))?;
        Ok(Self::Unset { column, unset })
    }
}

const MARK_COLUMN: &str = "the name of a column, or { column = NAME, unset = [VALUE] }";

impl<'de> Deserialize<'de> for MarkColumn {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        impl<'de> de::Visitor<'de> for Written {
            type Value = MarkColumn;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(MARK_COLUMN)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<MarkColumn, E> {
                Ok(MarkColumn::Plain(text.to_owned()))
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<MarkColumn, A::Error> {
                MarkColumn::read(map)
            }
        }
        deserializer.deserialize_any(Written)
    }
}

impl<'de> Deserialize<'de> for Marks {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        impl<'de> de::Visitor<'de> for Written {
            type Value = Marks;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{MARK_COLUMN}, or a list of these")
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Marks, E> {
                Ok(Marks(vec![MarkColumn::Plain(text.to_owned())]))
            }
            fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Marks, A::Error> {
                Ok(Marks(vec![MarkColumn::read(map)?]))
            }
            fn visit_seq<A: de::SeqAccess<'de>>(self, mut seq: A) -> Result<Marks, A::Error> {
                let mut marks = Vec::new();
                while let Some(mark) = seq.next_element()? {
                    marks.push(mark);
                }
                Ok(Marks(marks))
            }
        }
        deserializer.deserialize_any(Written)
    }
}

/// What NULL in a state's column means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NullName {
    /// In progress.
    InProgress,
    /// Completed.
    Completed,
    /// Failed.
    Failed,
    /// The row stays on purpose.
    Keep,
}

impl From<NullName> for Meaning {
    fn from(name: NullName) -> Self {
        match name {
            NullName::InProgress => Self::Status(Status::InProgress),
            NullName::Completed => Self::Status(Status::Completed),
            NullName::Failed => Self::Status(Status::Failed),
            NullName::Keep => Self::Kept,
        }
    }
}

/// A state by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StateName {
    /// In progress.
    InProgress,
    /// Completed.
    Completed,
    /// Failed.
    Failed,
}

impl From<StateName> for Status {
    fn from(name: StateName) -> Self {
        match name {
            StateName::InProgress => Self::InProgress,
            StateName::Completed => Self::Completed,
            StateName::Failed => Self::Failed,
        }
    }
}

/// `[table.clock]`
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClockConfig {
    /// When the row was made.
    pub created: Option<ClockColumn>,
    /// When the key was acquired last.
    pub claimed: Option<ClockColumn>,
    /// The last heartbeat.
    pub alive: Option<ClockColumn>,
    /// The lease's end.
    pub lease: Option<ClockColumn>,
    /// When the key was settled.
    pub finished: Option<ClockColumn>,
    /// The expiry.
    pub expires: Option<ClockColumn>,
    /// How long after its creation a row expires.
    pub ttl: Option<DurationSetting>,
    /// What NULL in the expiry means.
    pub null_expires: Option<NullExpires>,
    /// The same as beside the name: it is easily written below a heading.
    pub reopens: Option<bool>,
}

/// What NULL in the expiry means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NullExpires {
    /// The row never expires.
    Never,
    /// It expires `ttl` after its creation.
    Ttl,
}

/// A column that holds points in time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockColumn {
    /// The column.
    pub column: String,
    /// How it is written.
    #[serde(rename = "as")]
    pub encoding: As,
}

/// How a clock is written: a name, `{ naive = ZONE }` or `{ text = SPELLING, zone = ZONE }`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct As(pub Encoding);

impl Serialize for As {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for As {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Written;
        const NAMES: &str =
            "timestamptz, epoch_s, epoch_ms, epoch_us, { naive = \"UTC\" } or { text = \"iso8601\" }";
        impl<'de> de::Visitor<'de> for Written {
            type Value = As;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(NAMES)
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<As, E> {
                Ok(As(match text {
                    "timestamptz" => Encoding::Timestamptz,
                    "epoch_s" => Encoding::Epoch(Unit::Seconds),
                    "epoch_ms" => Encoding::Epoch(Unit::Millis),
                    "epoch_us" => Encoding::Epoch(Unit::Micros),
                    _ => return Err(E::invalid_value(de::Unexpected::Str(text), &self)),
                }))
            }
            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<As, A::Error> {
                let (mut naive, mut text, mut zone) = (None, None, None);
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "naive" => naive = Some(map.next_value::<String>()?),
                        "text" => text = Some(map.next_value::<String>()?),
                        "zone" => zone = Some(map.next_value::<String>()?),
                        _ => return Err(de::Error::unknown_field(&key, &["naive", "text", "zone"])),
                    }
                }
                let parse = |name: &str| {
                    name.parse::<Tz>().map_err(|_| {
                        de::Error::custom(format!(
                            "there is no time zone {name:?}; name one like Europe/Berlin"
                        ))
                    })
                };
                match (naive, text, zone) {
                    (Some(zone), None, None) => Ok(As(Encoding::Naive(parse(&zone)?))),
                    (None, Some(text), zone) => {
                        let zone = zone.as_deref().map(parse).transpose()?.unwrap_or(Tz::UTC);
                        let spelling = Spelling::parse(&text, zone).map_err(de::Error::custom)?;
                        Ok(As(Encoding::Text(spelling)))
                    }
                    _ => Err(de::Error::custom(format!("write one of {NAMES}"))),
                }
            }
        }
        deserializer.deserialize_any(Written)
    }
}

/// `[table.fail]`, `[table.release]`
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RuleConfig {
    /// Columns and the values that they get.
    pub set: BTreeMap<String, Scalar>,
    /// Columns that become NULL.
    pub set_null: NameList,
    /// Columns that get the moment of the change.
    pub set_now: NameList,
    /// The row is deleted.
    pub delete: bool,
}

/// `[table.claim]`
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ClaimConfig {
    /// How the application treats an expired row.
    pub expired: Option<ExpiredConfig>,
    /// How it treats a failed one.
    pub failed: Option<FailedConfig>,
}

/// How the application treats an expired row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ExpiredConfig {
    /// As if it were not expired.
    Blocks,
    /// As if it were not there.
    Absent,
}

/// How the application treats a failed row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FailedConfig {
    /// A retry executes.
    Retry,
    /// A retry gets the failure.
    Final,
}

/// `[table.show]`
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ShowConfig {
    /// The request's fingerprint.
    pub request_hash: Option<String>,
    /// The answer's status.
    pub response_status: Option<String>,
    /// The answer's headers.
    pub response_headers: Option<String>,
    /// The answer's body.
    pub response_body: Option<String>,
    /// The whole answer as one JSON document.
    pub response: Option<SnapshotConfig>,
    /// A reference to what was created.
    pub response_ref: Option<String>,
    /// Which try it is.
    pub attempt: Option<String>,
    /// The worker.
    pub owner: Option<String>,
    /// Why it failed.
    pub failure: Option<String>,
}

/// An answer stored as one JSON document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SnapshotConfig {
    /// The column.
    pub column: String,
    /// The member that holds the status.
    #[serde(default)]
    pub status: Option<String>,
    /// The member that holds the body.
    #[serde(default)]
    pub body: Option<String>,
}

/// `[table.purge]`: what is not set is as in `[purge]`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TablePurgeConfig {
    /// When the daemon purges.
    pub schedule: Option<String>,
    /// How long past its expiry a row stays.
    pub grace: Option<DurationSetting>,
    /// The smallest batch.
    pub min_batch: Option<u32>,
    /// The largest batch.
    pub max_batch: Option<u32>,
    /// How long a batch should take.
    pub batch_target: Option<DurationSetting>,
    /// The share of the time that is work.
    pub duty: Option<f64>,
    /// Never faster than this.
    pub max_rows_per_second: Option<u32>,
    /// For at most this long.
    pub max_duration: Option<DurationSetting>,
    /// Not while a standby lags further behind.
    pub max_lag: Option<DurationSetting>,
    /// Even where foreign keys cascade.
    pub allow_cascade: Option<bool>,
}

/// `[table.reap]`: what is not set is as in `[reap]`, but for `older_than`, which is then off.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TableReapConfig {
    /// When the daemon reaps.
    pub schedule: Option<String>,
    /// No heartbeat for at least this long; `off` is never.
    pub older_than: Option<StuckAge>,
    /// Whether the keys may be tried again.
    pub retry: Option<RetryChoice>,
}

/// A table to work on, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct TableSettings {
    /// Its name, as the configuration has it.
    pub name: String,
    /// Which column plays which role.
    pub mapping: Mapping,
    /// How it is purged.
    pub purge: PurgeOptions,
    /// When the daemon purges it; `None` is as `[purge]` says.
    pub purge_schedule: Option<String>,
    /// How far a standby may lag; `None` is as `[purge]` says.
    pub purge_max_lag: Option<Duration>,
    /// After how long without a heartbeat a row in progress is stuck; `None` is never, until it is set.
    pub reap_older_than: Option<Duration>,
    /// Whether a reaped key may be tried again.
    pub reap_retry: RetryPolicy,
    /// When the daemon reaps it; `None` is as `[reap]` says.
    pub reap_schedule: Option<String>,
}

impl TableSettings {
    /// The reap pass that the configuration asks for; `None` while no age is set.
    pub fn reap(&self) -> Option<ReapOptions> {
        Some(ReapOptions {
            older_than: self.reap_older_than?,
            retry: self.reap_retry.clone(),
            scope: None,
            max_rows: None,
            allow_cascade: self.purge.allow_cascade,
        })
    }
}

impl Settings {
    /// Every configured table; the one that `idemctl migrate` creates where none is.
    ///
    /// # Errors
    /// A mapping that contradicts itself, or two of one table.
    pub fn tables(&self) -> Result<Vec<TableSettings>, Failure> {
        let config = self.config();
        let global = PurgeOptions {
            grace: config.purge.grace.0,
            pace: PaceOptions {
                min_batch: config.purge.min_batch,
                max_batch: config.purge.max_batch,
                target: config.purge.batch_target.map(|span| span.0),
                duty: config.purge.duty,
                max_rows_per_second: config.purge.max_rows_per_second,
            },
            max_rows: None,
            max_duration: config.purge.max_duration.map(|span| span.0),
            allow_cascade: config.purge.allow_cascade,
        };
        if config.table.is_empty() {
            let mapping = Mapping::owned();
            return Ok(vec![TableSettings {
                name: mapping.name.to_string(),
                mapping,
                purge: global,
                purge_schedule: None,
                purge_max_lag: None,
                reap_older_than: config.reap.older_than.0,
                reap_retry: config.reap.retry_policy()?,
                reap_schedule: None,
            }]);
        }
        // The default is for our own table, whose workers renew their leases.
        let older_than = self.effective.is_set("reap.older_than").then_some(config.reap.older_than);
        let mut tables: Vec<TableSettings> = Vec::with_capacity(config.table.len());
        for table in &config.table {
            let mapping = table.mapping().map_err(|what| {
                usage(format!("the mapping of {:?} can't be this: {what}", table.name))
                    .hint("see idemctl.toml(5) for what `[[table]]` may hold")
            })?;
            if tables.iter().any(|other| other.mapping.name == mapping.name) {
                return Err(usage(format!("there are two tables {:?} in the configuration", table.name)));
            }
            let purge = &table.purge;
            let options = PurgeOptions {
                grace: purge.grace.map_or(global.grace, |span| span.0),
                pace: PaceOptions {
                    min_batch: purge.min_batch.unwrap_or(global.pace.min_batch),
                    max_batch: purge.max_batch.unwrap_or(global.pace.max_batch),
                    target: purge.batch_target.map(|span| span.0).or(global.pace.target),
                    duty: purge.duty.or(global.pace.duty),
                    max_rows_per_second: purge.max_rows_per_second.or(global.pace.max_rows_per_second),
                },
                max_rows: None,
                max_duration: purge.max_duration.map(|span| span.0).or(global.max_duration),
                allow_cascade: purge.allow_cascade.unwrap_or(global.allow_cascade),
            };
            let pace = &options.pace;
            if pace.duty.is_some_and(|duty| !is_share(duty))
                || purge.batch_target.is_some_and(|target| !is_batch_target(target))
                || pace.min_batch == 0
                || pace.min_batch > pace.max_batch
                || pace.max_rows_per_second == Some(0)
                || purge.max_duration.is_some_and(|span| span.0.is_zero())
            {
                return Err(usage(format!(
                    "table.purge of {:?}: 0 < duty ≤ 1, 100us ≤ batch_target ≤ 1m, \
                     1 ≤ min_batch ≤ max_batch, max_rows_per_second ≥ 1 and max_duration above 0 must hold",
                    table.name
                )));
            }
            tables.push(TableSettings {
                name: table.name.clone(),
                mapping,
                purge: options,
                purge_schedule: purge.schedule.clone(),
                purge_max_lag: purge.max_lag.map(|span| span.0),
                reap_older_than: table.reap.older_than.or(older_than).and_then(|age| age.0),
                reap_retry: match table.reap.retry {
                    Some(own) => RetryPolicy { default: own.into(), ..config.reap.retry_policy()? },
                    None => config.reap.retry_policy()?,
                },
                reap_schedule: table.reap.schedule.clone(),
            });
        }
        Ok(tables)
    }

    /// The table of a command: the only one, or the one that `--table` names.
    ///
    /// # Errors
    /// As [`Settings::tables`]; where it is not clear which table is meant.
    pub fn table(&self) -> Result<TableSettings, Failure> {
        let mut tables = self.tables()?;
        let names = |tables: &[TableSettings]| {
            tables.iter().map(|table| table.name.clone()).collect::<Vec<_>>().join(", ")
        };
        match &self.table {
            Some(name) => match tables.iter().position(|table| table.name == *name) {
                Some(index) => Ok(tables.swap_remove(index)),
                None => Err(usage(format!("no table {name:?} is configured"))
                    .hint(format!("configured: {}", names(&tables)))),
            },
            None if tables.len() == 1 => Ok(tables.remove(0)),
            None => Err(usage("several tables are configured")
                .hint(format!("name one with --table: {}", names(&tables)))),
        }
    }

    /// Whether the configuration describes tables that a team already has.
    pub fn adopts(&self) -> bool {
        !self.config().table.is_empty()
    }
}

/// The mapping that a text describes, if it were a configuration of its own with one `[[table]]`.
pub(crate) fn mapping_of(text: &str) -> Result<Mapping, Failure> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct File {
        table: [TableConfig; 1],
    }
    let file: File = Figment::from(Toml::string(text))
        .extract()
        .map_err(|error| usage("the mapping is no configuration").because(error))?;
    let [table] = file.table;
    table
        .mapping()
        .map_err(|wrong| usage(format!("the mapping of {} contradicts itself: {wrong}", table.name)))
}

/// A table's name as `--table` and the configuration write it.
pub(crate) fn named_table(text: &str) -> Result<TableName, Failure> {
    table_name(text).map_err(|wrong| usage(format!("{text:?} is no table's name: {wrong}")))
}

/// What is wrong with a mapping, beginning with the setting.
type Wrong = String;

fn ident(setting: &str, name: &str) -> Result<Ident, Wrong> {
    Ident::new(name).map_err(|error| format!("`{setting}`: {error}"))
}

fn idents(setting: &str, names: &NameList) -> Result<Vec<Ident>, Wrong> {
    let found: Vec<Ident> = names.0.iter().map(|name| ident(setting, name)).collect::<Result<_, _>>()?;
    for (index, name) in found.iter().enumerate() {
        if found[..index].contains(name) {
            return Err(format!("`{setting}` has the column {:?} twice", name.as_str()));
        }
    }
    Ok(found)
}

fn maybe_ident(setting: &str, name: Option<&String>) -> Result<Option<Ident>, Wrong> {
    name.map(|name| ident(setting, name)).transpose()
}

/// A schema and a table, with a dot between them; a part that holds a dot itself stands in double
/// quotes, in which a quote is written twice.
fn table_name(text: &str) -> Result<TableName, Wrong> {
    let mut parts: Vec<String> = Vec::new();
    let mut rest = text;
    loop {
        let (part, after) = match rest.strip_prefix('"') {
            Some(mut quoted) => {
                let mut part = String::new();
                loop {
                    let (text, after) = quoted.split_once('"').ok_or("`name`: a quote is not closed")?;
                    part.push_str(text);
                    match after.strip_prefix('"') {
                        Some(after) => {
                            part.push('"');
                            quoted = after;
                        }
                        None => break (part, after),
                    }
                }
            }
            None => {
                let (part, after) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
                (part.to_owned(), after)
            }
        };
        parts.push(part);
        match after.strip_prefix('.') {
            Some(after) => rest = after,
            None if after.is_empty() => break,
            None => return Err("`name`: something follows a closing quote".to_owned()),
        }
    }
    match parts.as_slice() {
        [name] => Ok(TableName { schema: None, name: ident("name", name)? }),
        [schema, name] => Ok(TableName { schema: Some(ident("name", schema)?), name: ident("name", name)? }),
        _ => {
            Err("`name` has more than a schema and a table; a name with a dot in it stands in double quotes"
                .to_owned())
        }
    }
}

impl TableConfig {
    /// The mapping that it describes.
    fn mapping(&self) -> Result<Mapping, Wrong> {
        let key = idents("key", &self.key)?;
        if key.is_empty() {
            return Err("`key` has no column".to_owned());
        }
        let scope = idents("scope", &self.scope)?;
        if let Some(both) = scope.iter().find(|column| key.contains(column)) {
            return Err(format!("the column {:?} is in `key` and in `scope`", both.as_str()));
        }
        let show = &self.show;
        Ok(Mapping {
            name: table_name(&self.name)?,
            key,
            scope,
            locator: idents("locator", &self.locator)?,
            guard: literals("guard", &self.guard)?,
            state: self.state.mapping()?,
            clocks: self.clock.clocks()?,
            shown: Shown {
                request_hash: maybe_ident("table.show.request_hash", show.request_hash.as_ref())?,
                response_status: maybe_ident("table.show.response_status", show.response_status.as_ref())?,
                response_headers: maybe_ident("table.show.response_headers", show.response_headers.as_ref())?,
                response_body: maybe_ident("table.show.response_body", show.response_body.as_ref())?,
                response_bytes: None,
                snapshot: match &show.response {
                    None => None,
                    Some(_) if show.response_body.is_some() => {
                        return Err("`table.show` has both `response` and `response_body`".to_owned());
                    }
                    Some(response) => Some(Snapshot {
                        column: ident("table.show.response", &response.column)?,
                        status: response.status.clone(),
                        body: response.body.clone(),
                    }),
                },
                response_ref: maybe_ident("table.show.response_ref", show.response_ref.as_ref())?,
                token: None,
                attempt: maybe_ident("table.show.attempt", show.attempt.as_ref())?,
                owner: maybe_ident("table.show.owner", show.owner.as_ref())?,
                retry_allowed: None,
                failure: maybe_ident("table.show.failure", show.failure.as_ref())?,
            },
            fail: self.fail.as_ref().map(|rule| rule.mapping("table.fail")).transpose()?,
            release: self.release.as_ref().map(|rule| rule.mapping("table.release")).transpose()?,
            claim: ClaimRules {
                expired: self.claim.expired.map(|rule| match rule {
                    ExpiredConfig::Blocks => ExpiredRule::Blocks,
                    ExpiredConfig::Absent => ExpiredRule::Absent,
                }),
                failed: self.claim.failed.map(|rule| match rule {
                    FailedConfig::Retry => FailedRule::Retry,
                    FailedConfig::Final => FailedRule::Final,
                }),
                reopens: match (self.reopens, self.clock.reopens) {
                    (Some(one), Some(other)) if one != other => {
                        return Err("`reopens` is said twice, and differently".to_owned());
                    }
                    (one, other) => one.or(other).unwrap_or(false),
                },
            },
        })
    }
}

fn literals(setting: &str, values: &BTreeMap<String, Scalar>) -> Result<Vec<(Ident, Literal)>, Wrong> {
    values
        .iter()
        .map(|(column, value)| {
            if matches!(&value.0, Literal::Text(text) if text.contains('\0')) {
                return Err(format!("`{setting}`: the value of {column:?} contains a NUL"));
            }
            Ok((ident(setting, column)?, value.0.clone()))
        })
        .collect()
}

impl StateConfig {
    fn mapping(&self) -> Result<StateMapping, Wrong> {
        let nulls = idents("table.state.null_means_in_progress", &self.null_means_in_progress)?;
        let marks = self.marks()?;
        let lists = [&self.in_progress, &self.completed, &self.failed, &self.keep];
        let has_values = lists.iter().any(|list| !list.is_empty()) || self.null.is_some();
        let shape = match (&self.column, nulls.is_empty(), self.always) {
            (Some(column), true, None) => {
                let all: Vec<&Literal> = lists.into_iter().flatten().map(|value| &value.0).collect();
                for (index, value) in all.iter().enumerate() {
                    if all[..index].contains(value) {
                        return Err(format!("`table.state` has the value {value} twice"));
                    }
                    if matches!(value, Literal::Text(text) if text.contains('\0')) {
                        return Err("`table.state` has a value with a NUL".to_owned());
                    }
                }
                if !has_values {
                    return Err("`table.state` lists no value: in_progress, completed, failed".to_owned());
                }
                let list = |values: &[Scalar]| values.iter().map(|value| value.0.clone()).collect();
                StateShape::Column {
                    column: ident("table.state.column", column)?,
                    in_progress: list(&self.in_progress),
                    completed: list(&self.completed),
                    failed: list(&self.failed),
                    keep: list(&self.keep),
                    null: self.null.map(Meaning::from),
                }
            }
            (None, false, None) => StateShape::NullMeansInProgress(nulls),
            (None, true, Some(StateName::InProgress)) if !marks.is_empty() => {
                return Err(
                    "`table.state` has `set_means_in_progress`, and `always` says that every row is in \
                            progress"
                        .to_owned(),
                );
            }
            (None, true, Some(always)) => StateShape::Always(always.into()),
            // What is not at work is done.
            (None, true, None) if !marks.is_empty() => StateShape::Always(Status::Completed),
            _ => {
                return Err(
                    "`table.state` needs exactly one of column, null_means_in_progress and always, or \
                            set_means_in_progress: how does a row say that its work is done?"
                        .to_owned(),
                );
            }
        };
        if has_values && !matches!(shape, StateShape::Column { .. }) {
            return Err("`table.state` lists values, and no column that they are in".to_owned());
        }
        let mapping = StateMapping { shape, marks };
        let columns: Vec<&Ident> = mapping.columns().collect();
        match columns.iter().enumerate().find(|(index, column)| columns[..*index].contains(column)) {
            Some((_, twice)) => {
                Err(format!("`table.state` has the column {:?} twice: it says one thing", twice.as_str()))
            }
            None => Ok(mapping),
        }
    }

    fn marks(&self) -> Result<Vec<Mark>, Wrong> {
        const SETTING: &str = "table.state.set_means_in_progress";
        let mark = |mark: &MarkColumn| match mark {
            MarkColumn::Plain(column) => Ok(Mark { column: ident(SETTING, column)?, unset: Vec::new() }),
            MarkColumn::Unset { column, unset } => {
                if unset.is_empty() {
                    return Err(format!("`{SETTING}`: `unset` of the column {column:?} lists no value"));
                }
                if unset.iter().any(|value| matches!(&value.0, Literal::Text(text) if text.contains('\0'))) {
                    return Err(format!(
                        "`{SETTING}`: `unset` of the column {column:?} has a value with a NUL"
                    ));
                }
                let unset = unset.iter().map(|value| value.0.clone()).collect();
                Ok(Mark { column: ident(SETTING, column)?, unset })
            }
        };
        self.set_means_in_progress.0.iter().map(mark).collect()
    }
}

impl ClockConfig {
    fn clocks(&self) -> Result<Clocks, Wrong> {
        let clock = |setting: &str, clock: &Option<ClockColumn>| {
            clock
                .as_ref()
                .map(|clock| {
                    let column = ident(&format!("table.clock.{setting}"), &clock.column)?;
                    Ok::<_, Wrong>(Clock::new(column, clock.encoding.0))
                })
                .transpose()
        };
        let ttl = match (self.ttl, &self.expires, self.null_expires) {
            (None, _, Some(NullExpires::Ttl)) => {
                return Err(
                    "`table.clock.null_expires` is \"ttl\", and there is no `table.clock.ttl`".to_owned()
                );
            }
            (_, None, Some(_)) => {
                return Err(
                    "`table.clock.null_expires` says what NULL means in `table.clock.expires`, which is \
                            missing"
                        .to_owned(),
                );
            }
            (Some(_), Some(_), None | Some(NullExpires::Never)) if self.created.is_some() => {
                return Err(
                    "`table.clock` has `expires`, `created` and `ttl`: with null_expires = \"ttl\" the last counts \
                            where the first is NULL, else leave one out"
                        .to_owned(),
                );
            }
            (ttl, ..) => ttl.map(|span| span.0),
        };
        // An expiry that was counted with one ttl tells the age.
        let tells_age = self.created.is_none() && self.null_expires != Some(NullExpires::Ttl);
        let expires = clock("expires", &self.expires)?;
        let aged = expires.clone().zip(ttl).filter(|_| tells_age);
        let is_lease =
            |expires: &ClockColumn| self.lease.as_ref().is_some_and(|lease| lease.column == expires.column);
        if aged.is_some() && self.expires.as_ref().is_some_and(is_lease) {
            return Err("`table.clock` has `expires` and `ttl`, and no `created`: no age can be counted from a column \
                        that is the `lease` as well"
                .to_owned());
        }
        if ttl.is_some() && self.created.is_none() && aged.is_none() {
            return Err(
                "`table.clock.ttl` is counted from `table.clock.created`, which is missing; without it a \
                        row's age is `table.clock.expires` minus the ttl"
                    .to_owned(),
            );
        }
        if ttl.is_some_and(|ttl| ttl < crate::protocol::Span::MIN || ttl > crate::protocol::Span::MAX) {
            return Err("`table.clock.ttl` must be from one second to one hundred years".to_owned());
        }
        Ok(Clocks {
            created: clock("created", &self.created)?,
            claimed: clock("claimed", &self.claimed)?,
            renewed: clock("alive", &self.alive)?,
            lease: clock("lease", &self.lease)?,
            finished: clock("finished", &self.finished)?,
            ttl: ttl.filter(|_| aged.is_none()),
            aged: aged.map(|(clock, ttl)| Clock { minus: ttl, ..clock }),
            expires,
        })
    }
}

impl RuleConfig {
    fn mapping(&self, setting: &str) -> Result<WriteRule, Wrong> {
        let values = literals(&format!("{setting}.set"), &self.set)?;
        let null = idents(&format!("{setting}.set_null"), &self.set_null)?;
        let now = idents(&format!("{setting}.set_now"), &self.set_now)?;
        let all: Vec<&Ident> = values.iter().map(|(column, _)| column).chain(&null).chain(&now).collect();
        if let Some((_, twice)) =
            all.iter().enumerate().find(|(index, column)| all[..*index].contains(column))
        {
            return Err(format!("`{setting}` sets the column {:?} twice", twice.as_str()));
        }
        match (self.delete, all.is_empty()) {
            (true, true) => Ok(WriteRule::Delete),
            (false, false) => Ok(WriteRule::Set { values, null, now }),
            (true, false) => Err(format!("`{setting}` both sets columns and deletes the row")),
            (false, true) => {
                Err(format!("`{setting}` is empty: what does a row become? `set`, or `delete = true`"))
            }
        }
    }
}

#[cfg(test)]
mod tests;
