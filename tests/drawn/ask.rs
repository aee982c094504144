//! Asks the tool about a drawn table, and lets it work on the rows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;
use std::time::Duration;

use chrono::{DateTime, Utc};
use idemctl::commands::{adopt_in_process, mapping_in_process};
use idemctl::janitor::{PurgeOptions, ReapOptions, purge, reap};
use idemctl::protocol::{Retry, Status};
use idemctl::store::{
    Actor, Confirmed, KeyRow, RowChange, RowFilter, RowOrder, RowState, Store, StoreOptions,
};
use idemctl::table::Mapping;
use serde_json::Value;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _, SqliteConnection};
use tempfile::TempDir;
use tokio_util::sync::CancellationToken;

use crate::model::{Expiry, Failing, Life, Meaning, Role, Row, Says, Table};
use crate::oracle::Oracle;
use crate::support::Dialect;
use crate::support::database::Raw;
use crate::support::server::shared;

/// So long a row in progress must have been silent to be stuck.
const STUCK_AFTER: Duration = Duration::from_secs(15 * 60);

/// So many tables are made in one database: what was dropped slows its catalogue down.
const TABLES_PER_DATABASE: u32 = 300;

/// A database in which table after table is made.
pub struct World {
    dialect: Dialect,
    store: Store,
    raw: Raw,
    _folder: Option<TempDir>,
    tables: u32,
}

/// A row that was deleted or changed and must not have been.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    pub by: &'static str,
    pub row: String,
    pub why: &'static str,
}

impl Touched {
    /// Without the row's name.
    pub fn words(&self) -> String {
        format!("{} {}", self.by, self.why)
    }
}

impl fmt::Display for Touched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} touched {}, which {}", self.by, self.row, self.why)
    }
}

/// What was seen of one table.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// The configuration as printed, and what it touched.
    pub printed: String,
    pub touched: Vec<Touched>,
    /// Questions that were asked until none was left, by their ids.
    pub questions: Vec<String>,
    /// The columns that each was about.
    pub about: Vec<String>,
    /// What is said of each column before and after the answers.
    pub lists: [String; 2],
    /// What was touched when only a part of them was answered, and that part.
    pub touched_partly: Vec<Touched>,
    pub part: String,
    /// The same after all answers.
    pub answers: String,
    pub answered: Option<String>,
    pub touched_after: Vec<Touched>,
    /// Where list, stuck, purge or reap-stuck are not exact.
    pub inexact: Vec<String>,
    /// What purge and reap-stuck said and did, as printed and after the answers.
    pub said: Vec<String>,
    /// What should never happen.
    pub broken: Vec<String>,
}

impl World {
    pub async fn new(dialect: Dialect) -> Self {
        match dialect {
            Dialect::Postgres => {
                let server = shared().await;
                let url = server.url(&server.empty_database().await);
                let options = StoreOptions {
                    max_connections: 2,
                    prepared_statements: false,
                    ..StoreOptions::default()
                };
                let store = Store::connect(&url, options).await.unwrap();
                let raw = Raw::Postgres(PgConnection::connect(&url).await.unwrap());
                Self { dialect, store, raw, _folder: None, tables: 0 }
            }
            _ => {
                let memory = Path::new("/dev/shm");
                let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() }.unwrap();
                let path = folder.path().join("drawn.db");
                let options = StoreOptions { create: true, max_connections: 2, ..StoreOptions::default() };
                let store = Store::connect(&format!("sqlite:{}", path.display()), options).await.unwrap();
                store.now().await.unwrap();
                let options = SqliteConnectOptions::new().filename(path);
                let raw = Raw::Sqlite(SqliteConnection::connect_with(&options).await.unwrap());
                Self { dialect, store, raw, _folder: Some(folder), tables: 0 }
            }
        }
    }

    /// The same or a fresh one.
    pub async fn next(mut self) -> Self {
        self.tables += 1;
        if self.tables < TABLES_PER_DATABASE {
            return self;
        }
        let dialect = self.dialect;
        self.close().await;
        Self::new(dialect).await
    }

    pub async fn close(self) {
        self.store.close().await;
        self.raw.close().await;
    }

    /// Everything about one table.
    pub async fn look_at(&mut self, table: &Table) -> Seen {
        let mut seen = Seen::default();
        self.raw.run(&table.create()).await;
        if let Err(broken) = self.look(table, &mut seen).await {
            seen.broken.push(broken);
        }
        self.raw.run(&table.drop()).await;
        seen
    }

    async fn look(&mut self, table: &Table, seen: &mut Seen) -> Result<(), String> {
        let now = Utc::now();
        self.fill(table, now, |row| row.seen).await;
        let report = self.adopt(table, "").await?;
        seen.printed = configuration(&report);
        seen.lists[0] = lists(&report);
        let mut oracle = Oracle::new(table);
        let answered = self.answer(table, &mut oracle, &report, seen).await?;
        let mut parts = Vec::new();
        for part in oracle.parts(table.salt) {
            let configuration = configuration(&self.adopt(table, &part).await?);
            let is_known = |(_, known): &(String, String)| *known == configuration;
            if configuration != seen.printed && !parts.iter().any(is_known) {
                parts.push((part, configuration));
            }
        }

        // The application goes on after somebody looked.
        self.fill(table, now, |row| !row.seen).await;
        let printed = mapping_in_process(&seen.printed)?;
        let (purged, reaped) = self.clean(table, &printed, &seen.printed).await?;
        seen.touched = [purged.touched(table), reaped.touched(table)].concat();
        seen.said.extend([format!("as printed, {purged}"), format!("as printed, {reaped}")]);

        let Some(configuration) = answered else { return Ok(()) };
        let mut is_used = purged.did_something() || reaped.did_something();
        for (part, configuration) in parts {
            if seen.touched_partly.is_empty() {
                self.refill(table, now, is_used).await;
                let (purged, reaped) =
                    self.clean(table, &mapping_in_process(&configuration)?, &configuration).await?;
                is_used = purged.did_something() || reaped.did_something();
                seen.touched_partly = [purged.touched(table), reaped.touched(table)].concat();
                seen.part = part;
            }
        }
        self.refill(table, now, is_used).await;
        let mapping = mapping_in_process(&configuration)?;
        self.compare_lists(table, &mapping, seen).await?;
        let (purged, reaped) = self.clean(table, &mapping, &configuration).await?;
        seen.answered = Some(configuration);
        seen.touched_after = [purged.touched(table), reaped.touched(table)].concat();
        seen.said.extend([format!("answered, {purged}"), format!("answered, {reaped}")]);
        seen.inexact.extend(purged.inexact(table));
        seen.inexact.extend(reaped.inexact(table));
        Ok(())
    }

    async fn refill(&mut self, table: &Table, now: DateTime<Utc>, is_used: bool) {
        if is_used {
            self.raw.run(&table.empty()).await;
            self.fill(table, now, |_| true).await;
        }
    }

    async fn fill(&mut self, table: &Table, now: DateTime<Utc>, chosen: impl Fn(&Row) -> bool) {
        let insert = table.insert(now, chosen);
        if !insert.is_empty() {
            self.raw.run(&insert).await;
        }
    }

    async fn adopt(&self, table: &Table, answers: &str) -> Result<Value, String> {
        adopt_in_process(&self.store, &in_configuration(&table.name), answers)
            .await
            .map_err(|said| format!("adopt: {said}\n{answers}"))
    }

    /// Answers until nothing is asked that was not answered, and gives the configuration.
    async fn answer(
        &self,
        table: &Table,
        oracle: &mut Oracle<'_>,
        report: &Value,
        seen: &mut Seen,
    ) -> Result<Option<String>, String> {
        let mut report = report.clone();
        for _ in 0..6 {
            let fresh = oracle.hear(&report)?;
            for question in report["questions"].as_array().into_iter().flatten() {
                let about = format!("{} of {}: {}", question["id"], question["columns"], question["options"]);
                if !seen.about.contains(&about) {
                    seen.about.push(about);
                }
            }
            seen.lists[1] = lists(&report);
            seen.questions.extend(fresh.iter().cloned());
            seen.answers = oracle.answers();
            if fresh.is_empty() {
                return Ok(Some(configuration(&report)));
            }
            report = self.adopt(table, &oracle.answers()).await?;
        }
        Err(format!("it asks on and on: {:?}", seen.questions))
    }

    async fn contents(&mut self, table: &Table) -> BTreeMap<String, String> {
        let query = AssertSqlSafe(table.contents());
        let rows: Vec<String> = match &mut self.raw {
            Raw::Postgres(connection) => {
                let rows = sqlx::raw_sql(query).fetch_all(connection).await.unwrap();
                rows.iter().map(|row| row.get(0)).collect()
            }
            Raw::Sqlite(connection) => {
                let rows = sqlx::raw_sql(query).fetch_all(connection).await.unwrap();
                rows.iter().map(|row| row.get(0)).collect()
            }
        };
        let split = |row: String| row.split_once('§').map(|(name, all)| (name.to_owned(), all.to_owned()));
        rows.into_iter().filter_map(split).collect()
    }

    /// Runs purge, then reap-stuck.
    async fn clean(
        &mut self,
        table: &Table,
        mapping: &Mapping,
        configuration: &str,
    ) -> Result<(Pass, Pass), String> {
        let allow_cascade = configuration.lines().any(|line| line.trim() == "allow_cascade = true");
        let before = self.contents(table).await;
        let refused = self.purge(mapping, allow_cascade).await.err();
        let between = self.contents(table).await;
        let purged = Pass::new("purge", &before, &between, refused, allow_cascade);
        let refused = self.reap(mapping, allow_cascade).await.err();
        let after = self.contents(table).await;
        let reaped = Pass::new("reap-stuck", &between, &after, refused, allow_cascade);
        Ok((purged, reaped))
    }

    /// As `idemctl purge`.
    async fn purge(&self, mapping: &Mapping, allow_cascade: bool) -> Result<(), String> {
        let store = self.store.with_mapping_for(mapping.clone(), &[RowChange::Purge]).await.map_err(said)?;
        let (confirmed, hold) = (Confirmed::given(), CancellationToken::new());
        let options = PurgeOptions { allow_cascade, ..PurgeOptions::default() };
        let outcome = purge(&store, &options, &confirmed, &hold, &mut |_| ()).await.map_err(said)?;
        outcome.error.map_or(Ok(()), |error| Err(said(error)))
    }

    /// As `idemctl reap-stuck`.
    async fn reap(&self, mapping: &Mapping, allow_cascade: bool) -> Result<(), String> {
        let options = ReapOptions {
            older_than: STUCK_AFTER,
            retry: Retry::Allow.into(),
            scope: None,
            max_rows: None,
            allow_cascade,
        };
        let store = self.store.with_mapping_for(mapping.clone(), &[RowChange::Reap]).await.map_err(said)?;
        store.check_reap(Retry::Allow).map_err(said)?;
        let (confirmed, hold) = (Confirmed::given(), CancellationToken::new());
        let actor = Actor { command: "reap-stuck".into(), user: None, host: None, reason: None };
        let outcome =
            reap(&store, &options, &actor, Some(&confirmed), &hold, &mut |_| ()).await.map_err(said)?;
        outcome.error.map_or(Ok(()), |error| Err(said(error)))
    }

    /// As `idemctl list`, and `idemctl list --stuck`.
    async fn compare_lists(&self, table: &Table, mapping: &Mapping, seen: &mut Seen) -> Result<(), String> {
        let store = self.store.looking_at(mapping.clone()).await.map_err(said)?;
        let names = |idents: &[idemctl::table::Ident]| -> Vec<String> {
            idents.iter().map(|ident| ident.as_str().to_owned()).collect()
        };
        let named = [names(&mapping.key), names(&mapping.scope)].concat();
        let truly: BTreeSet<&str> = table.identity().into_iter().map(|column| column.name.as_str()).collect();
        if named.iter().map(String::as_str).collect::<BTreeSet<_>>() != truly {
            seen.inexact.push(format!("key and scope are {truly:?}, not {named:?}"));
        }
        let shown = |row: &Row| -> Vec<Option<String>> {
            named.iter().map(|column| table.shown(row, column)).collect()
        };
        let listed = |row: &KeyRow| -> Vec<Option<String>> {
            row.key.iter().cloned().map(Some).chain(row.scope.iter().cloned()).collect()
        };
        let order = RowOrder::Key;
        let rows = store.list(&RowFilter::default(), order, None, 1_000).await.map_err(said)?.rows;
        let states: BTreeMap<_, _> = rows.iter().map(|row| (listed(row), &row.state)).collect();
        let mut wrong = Vec::new();
        for row in &table.rows {
            let state = states.get(&shown(row)).copied();
            if !is_right(table, row, state) {
                wrong.push(format!("{} ({:?}) is listed as {state:?}", table.label(row), row.life));
            }
        }
        if rows.len() != table.rows.len() {
            wrong.push(format!("{} rows are listed of {}", rows.len(), table.rows.len()));
        }
        seen.inexact.extend(wrong.into_iter().take(2).map(|wrong| format!("list: {wrong}")));

        let now = store.now().await.map_err(said)?;
        let filter = RowFilter {
            statuses: vec![Status::InProgress],
            no_heartbeat_since: Some(now.minus(STUCK_AFTER)),
            unleased_at: Some(now),
            ..RowFilter::default()
        };
        match store.list(&filter, order, None, 1_000).await {
            Err(refused) if may_refuse_stuck(table) => drop(refused),
            Err(refused) => seen.inexact.push(format!("list --stuck is refused: {}", said(refused))),
            // Nobody can say which row is stuck where nobody can say which is done.
            Ok(_) if !table.is_sayable() => {}
            Ok(page) => {
                let found: BTreeSet<_> = page.rows.iter().map(listed).collect();
                for row in &table.rows {
                    if found.contains(&shown(row)) != (row.life == Life::Stuck) {
                        seen.inexact.push(format!("list --stuck: {} is {:?}", table.label(row), row.life));
                        break;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Whether nobody can say of this table which row is stuck.
fn may_refuse_stuck(table: &Table) -> bool {
    let has_clock = [Role::Created, Role::Claimed, Role::Alive].into_iter().any(|role| table.has(role));
    !table.is_sayable() || !has_clock || table.truth.reclaims && !table.shows_work()
}

fn is_right(table: &Table, row: &Row, state: Option<&RowState>) -> bool {
    let Some(state) = state else { return false };
    if !table.is_sayable() {
        return true;
    }
    let tells_failures = table.columns.iter().any(|column| match &column.says {
        Says::Values(values) => values.iter().any(|(_, meaning)| *meaning == Meaning::Failed),
        _ => false,
    });
    let wanted = match row.life {
        Life::AtWork | Life::Stuck => Status::InProgress,
        Life::Failed if tells_failures => Status::Failed,
        Life::Done | Life::Failed => Status::Completed,
        Life::Kept => return !matches!(state, RowState::Known(Status::InProgress)),
    };
    *state == RowState::Known(wanted)
}

/// What a pass did.
struct Pass {
    by: &'static str,
    /// The rows that it deleted or changed.
    taken: BTreeSet<String>,
    deleted: BTreeSet<String>,
    /// It may delete rows that others point at.
    spreads: bool,
    refused: Option<String>,
}

impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.refused {
            Some(refused) => write!(f, "{} is refused: {refused}", self.by),
            None => write!(f, "{} takes {} rows", self.by, self.taken.len()),
        }
    }
}

impl Pass {
    fn new(
        by: &'static str,
        before: &BTreeMap<String, String>,
        after: &BTreeMap<String, String>,
        refused: Option<String>,
        spreads: bool,
    ) -> Self {
        let is_taken = |(name, content): &(&String, &String)| after.get(*name) != Some(*content);
        let taken = before.iter().filter(is_taken).map(|(name, _)| name.clone()).collect();
        let deleted = before.keys().filter(|name| !after.contains_key(*name)).cloned().collect();
        Self { by, taken, deleted, spreads, refused }
    }

    fn did_something(&self) -> bool {
        !self.taken.is_empty()
    }

    fn is_purge(&self) -> bool {
        self.by == "purge"
    }

    /// Rows that must not have been taken, whatever the mapping.
    fn touched(&self, table: &Table) -> Vec<Touched> {
        let mut touched = Vec::new();
        for row in table.rows.iter().filter(|row| self.taken.contains(&table.label(row))) {
            let why = match (row.life, self.is_purge()) {
                _ if table.is_pointed_at(row)
                    && !self.spreads
                    && self.deleted.contains(&table.label(row)) =>
                {
                    "has a row of another table that points at it"
                }
                (Life::AtWork, _) => "is at work",
                (Life::Kept, _) => "is kept on purpose",
                (Life::Stuck, true) => "is in progress",
                (Life::Stuck, false) => continue,
                (Life::Done | Life::Failed, true) if row.expired => continue,
                (Life::Done | Life::Failed, true) => "has not expired",
                (Life::Done | Life::Failed, false) => "is settled",
            };
            touched.push(Touched { by: self.by, row: table.label(row), why });
        }
        touched
    }

    /// Rows that should have been taken, where they can be known.
    fn inexact(&self, table: &Table) -> Option<String> {
        let truth = &table.truth;
        let may_be_nothing = if self.is_purge() {
            !table.is_sayable() || truth.expiry == Expiry::Never
        } else {
            may_refuse_stuck(table) || truth.failing == Failing::Unknown
        };
        let keeps_others = table.child.as_ref().is_some_and(|child| !child.may_go);
        if (may_be_nothing || keeps_others) && self.taken.is_empty() {
            return None;
        }
        let is_due = |row: &Row| match row.life {
            _ if keeps_others && table.is_pointed_at(row) => false,
            Life::Done | Life::Failed => self.is_purge() && row.expired,
            Life::Stuck => !self.is_purge(),
            Life::AtWork | Life::Kept => false,
        };
        let missed = table.rows.iter().find(|row| is_due(row) && !self.taken.contains(&table.label(row)))?;
        let why = self.refused.as_deref().unwrap_or("it was not refused");
        Some(format!("{} left {} ({:?}): {why}", self.by, table.label(missed), missed.life))
    }
}

/// As a configuration names a table.
fn in_configuration(name: &str) -> String {
    if name.contains('.') { format!("\"{name}\"") } else { name.to_owned() }
}

fn configuration(report: &Value) -> String {
    report["configuration"].as_str().unwrap_or_default().to_owned()
}

/// The columns in their three lists.
fn lists(report: &Value) -> String {
    let columns = report["columns"].as_array().into_iter().flatten();
    let said = columns.map(|column| format!("--   {column}\n"));
    said.collect()
}

fn said(error: impl std::error::Error) -> String {
    let mut words = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        words.push_str(&format!(": {error}"));
        source = error.source();
    }
    words
}
