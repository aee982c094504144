//! The examination behind `idemctl doctor`: it reads, changes nothing, and says of everything that decides
//! whether a table can be kept, what was found, what that means for whoever has to answer for it, and what
//! fixes it.
//!
//! A check asks the store for facts and judges them. Each is small, bounded on a table of any size, and by
//! itself: one that can't be made is reported as such, never as fine, and the others go on.

mod clocks;
mod file;
mod indexes;
mod key;
mod neighbours;
mod purge;
mod rights;
mod runtimes;
mod schema;
mod server;
mod states;
mod unreaped;
mod vacuum;

pub(crate) use file::closed_to_writes;

use std::time::Duration;

use crate::protocol::Timestamp;
use crate::store::{
    ColumnFacts, Dialect, ErrorKind, IndexFacts, RoleLimits, RowSample, ServerFacts, Store, StoreError,
    TableFacts, TableSize, VacuumFacts,
};
use crate::table::{Ident, Mapping};

/// From this many rows on a statement without an index is felt.
const MANY_ROWS: u64 = 50_000;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// As it should be.
    Ok,
    /// Good to know; nothing needs fixing.
    Info,
    /// It works, and will hurt some day; or it could not be found out.
    Warning,
    /// Something does not do its work, or does harm.
    Error,
}

impl Severity {
    /// Its name in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// What a check found.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// The table; `None` where it is about the whole database.
    pub table: Option<String>,
    /// The check that found it.
    pub check: &'static str,
    /// What it is, by a name that stays. A check that found nothing to fix has its own name here.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// What was found.
    pub found: String,
    /// What that means.
    pub means: Option<&'static str>,
    /// The commands or statements that fix it, in order.
    pub fix: Vec<String>,
}

/// What is expected of one table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Expected {
    /// How long past its expiry a row stays.
    pub grace: Duration,
    /// After how long without a heartbeat a row in progress is stuck; `None` where nobody reaps.
    pub reap_after: Option<Duration>,
    /// Deletes may carry on to other tables.
    pub allow_cascade: bool,
    /// The purge waits for standbys.
    pub max_lag: bool,
    /// How long a claim holds where the table itself does not say.
    pub lease: Duration,
    /// A transaction that is older than this is too old.
    pub long_transaction: Duration,
    /// Nobody purges if a row has been due for longer than this.
    pub overdue: Duration,
}

impl Default for Expected {
    fn default() -> Self {
        Self {
            grace: Duration::from_secs(60 * 60),
            reap_after: None,
            allow_cascade: false,
            max_lag: false,
            lease: Duration::from_secs(60),
            long_transaction: Duration::from_secs(5 * 60),
            overdue: Duration::from_secs(2 * 60 * 60),
        }
    }
}

/// The findings about one table, in the order in which they were made.
struct Findings {
    table: Option<String>,
    made: Vec<Finding>,
}

impl Findings {
    fn add(
        &mut self,
        severity: Severity,
        (check, code): (&'static str, &'static str),
        found: impl Into<String>,
        means: &'static str,
        fix: Vec<String>,
    ) {
        self.made.push(Finding {
            table: self.table.clone(),
            check,
            code,
            severity,
            found: found.into(),
            means: (!means.is_empty()).then_some(means),
            fix,
        });
    }

    fn ok(&mut self, check: &'static str, found: impl Into<String>) {
        self.add(Severity::Ok, (check, check), found, "", Vec::new());
    }

    /// Whether a check has found anything yet.
    fn is_silent_on(&self, check: &str) -> bool {
        !self.made.iter().any(|finding| finding.check == check)
    }

    /// What a check said that could not be made.
    fn settle(&mut self, check: &'static str, outcome: Result<(), StoreError>) {
        if let Err(error) = outcome {
            self.unknown(check, &error);
        }
    }

    /// Says of a check that what it needs could not be read. Where the database can't be reached any more, that
    /// is an error: nobody looked.
    fn unknown(&mut self, check: &'static str, error: &StoreError) {
        let lacks_right = error.kind() == ErrorKind::Right;
        let lost = matches!(error.kind(), ErrorKind::Unreachable | ErrorKind::Refused);
        self.add(
            if lost { Severity::Error } else { Severity::Warning },
            (check, "check_failed"),
            format!("could not be examined: {}", error.chain()),
            if lacks_right {
                "The role may not look at what this check reads. It may be fine or not; nobody knows."
            } else {
                "It may be fine or not; nobody knows."
            },
            Vec::new(),
        );
    }

    /// The findings. Where nothing could be examined, that is no success: nobody looked.
    fn settled(mut self) -> Vec<Finding> {
        if self.made.iter().all(|finding| finding.code == "check_failed") {
            self.made.iter_mut().for_each(|finding| finding.severity = Severity::Error);
        }
        self.made
    }
}

/// A table under examination.
struct Examination<'a> {
    store: &'a Store,
    expected: &'a Expected,
    server: Option<&'a ServerFacts>,
    limits: Option<&'a RoleLimits>,
    facts: TableFacts,
    /// What may not be readable: each is asked for by the checks that need it, and takes only those away.
    size: Result<TableSize, StoreError>,
    vacuum: Result<VacuumFacts, StoreError>,
    columns: Result<Vec<ColumnFacts>, StoreError>,
    indexes: Result<Vec<IndexFacts>, StoreError>,
    building: Result<Vec<String>, StoreError>,
    sample: RowSample,
    now: Timestamp,
}

impl Examination<'_> {
    fn mapping(&self) -> &Mapping {
        self.store.mapping()
    }

    fn dialect(&self) -> Dialect {
        self.store.dialect()
    }

    /// About how many rows the table has, as far as anything says.
    fn rows(&self) -> Option<u64> {
        let size = self.size.as_ref().ok().map(|size| size.rows);
        let live = self.vacuum.as_ref().ok().map(|vacuum| vacuum.live);
        size.max(live)
    }

    fn column<'c>(&self, columns: &'c [ColumnFacts], name: &Ident) -> Option<&'c ColumnFacts> {
        columns.iter().find(|column| match self.store.dialect() {
            Dialect::Postgres => column.name == name.as_str(),
            Dialect::Sqlite => column.name.eq_ignore_ascii_case(name.as_str()),
        })
    }

    /// The role, as SQL has it.
    fn role(&self) -> String {
        let role = self.server.map_or("the role", |server| server.role.as_str());
        Ident::new(role).map_or_else(|_| role.to_owned(), |role| role.quoted(Dialect::Postgres))
    }

    /// The statements that build an index on these columns without keeping writers out.
    fn build_index(&self, unique: bool, purpose: &str, columns: &str, filter: &str) -> Vec<String> {
        let table = self.store.table_sql();
        let kind = if unique { "UNIQUE INDEX" } else { "INDEX" };
        if !self.dialect().builds_indexes_online() {
            let name = format!("{}_{purpose}", self.mapping().name.name);
            let name = Ident::new(name)
                .map_or_else(|_| format!("`idemctl_{purpose}`"), |name| name.quoted(self.dialect()));
            return vec![format!("CREATE {kind} {name} ON {table} ({columns}){filter};")];
        }
        if self.facts.partitioned {
            // What is built on each partition before is taken over by the last one, and keeps nobody out.
            return vec![
                format!(
                    "-- on each partition first: CREATE {kind} CONCURRENTLY ON <partition> ({columns}){filter};"
                ),
                format!("CREATE {kind} ON {table} ({columns}){filter};"),
            ];
        }
        let mut statements = self.without_limit();
        statements.push(format!("CREATE {kind} CONCURRENTLY ON {table} ({columns}){filter};"));
        statements
    }

    /// What precedes a statement that takes long.
    fn without_limit(&self) -> Vec<String> {
        match self.limits {
            Some(limits) if limits.statement_timeout > 0 => vec!["SET statement_timeout = 0;".to_owned()],
            _ => Vec::new(),
        }
    }

    /// How many rows were looked at, for people.
    fn of_sample(&self, part: u64, rows: u64) -> String {
        match self.sample.is_whole(rows) {
            true => format!("{part} of {rows} rows"),
            false => format!("{part} of {rows} rows of a sample"),
        }
    }
}

/// Examines a database and these tables in it.
pub async fn examine(base: &Store, tables: &[(Mapping, Expected)]) -> Vec<Finding> {
    let mut findings = Findings { table: None, made: Vec::new() };
    let (server, limits) = match base.dialect() {
        Dialect::Postgres => server::check(base, &mut findings).await,
        Dialect::Sqlite => {
            file::check(base, &mut findings).await;
            (None, None)
        }
    };
    let strictest = tables.iter().map(|(_, expected)| expected.long_transaction).min();
    let long = strictest.unwrap_or(Expected::default().long_transaction);
    if let Some(server) = &server {
        vacuum::holders(base, server, long, &mut findings).await;
        let max_lag = tables.iter().any(|(_, expected)| expected.max_lag);
        let outcome = server::standbys(base, server, max_lag, &mut findings).await;
        findings.settle("replication", outcome);
    }
    let outcome = schema::auxiliary(base, tables, server.as_ref(), &mut findings).await;
    findings.settle("auxiliary_tables", outcome);
    let mut all = findings.settled();
    for (mapping, expected) in tables {
        let of_table = examine_table(base, mapping, expected, server.as_ref(), limits.as_ref()).await;
        all.extend(of_table.settled());
    }
    all
}

async fn examine_table(
    base: &Store,
    mapping: &Mapping,
    expected: &Expected,
    server: Option<&ServerFacts>,
    limits: Option<&RoleLimits>,
) -> Findings {
    let mut findings = Findings { table: Some(mapping.name.to_string()), made: Vec::new() };
    let Some((store, fits)) = schema::open(base, mapping, &mut findings).await else { return findings };
    let facts = match store.table_facts().await {
        Ok(Some(facts)) => facts,
        Ok(None) => {
            schema::missing(&store, &mut findings);
            return findings;
        }
        Err(error) => {
            rights::unreachable_table(&store, error, &mut findings);
            return findings;
        }
    };
    let size = store.table_size().await;
    let vacuum = store.vacuum_facts().await;
    let columns = store.column_facts().await;
    let indexes = store.index_facts().await;
    let building = store.indexes_being_built().await;
    let now = match store.now().await {
        Ok(now) => now,
        Err(error) => {
            findings.settle("table", Err(error));
            return findings;
        }
    };
    let mut examination = Examination {
        sample: store.row_sample(None),
        store: &store,
        expected,
        server,
        limits,
        facts,
        size,
        vacuum,
        columns,
        indexes,
        building,
        now,
    };
    examination.sample = store.row_sample(examination.rows());
    schema::kind(&examination, &mut findings);
    if examination.dialect().has_roles() {
        rights::table(&examination, &mut findings);
        let outcome = rights::row_security(&examination, &mut findings).await;
        findings.settle("row_security", outcome);
    }
    let fits = fits && examination.facts.select && schema::statements(&examination, &mut findings).await;
    key::unique(&examination, &mut findings);
    key::texts(&examination, &mut findings);
    indexes::invalid(&examination, &mut findings);
    if examination.facts.kind.is_none() {
        let outcome = neighbours::children(&examination, &mut findings).await;
        findings.settle("foreign_keys", outcome);
        let outcome = neighbours::triggers(&examination, &mut findings).await;
        findings.settle("triggers", outcome);
    }
    if fits {
        let outcome = indexes::purge(&examination, &mut findings).await;
        findings.settle("purge_index", outcome);
        let outcome = indexes::reap(&examination, &mut findings).await;
        findings.settle("reap_index", outcome);
        clocks::check(&examination, &mut findings).await;
        let outcome = states::check(&examination, &mut findings).await;
        findings.settle("states", outcome);
        let outcome = unreaped::check(&examination, &mut findings).await;
        findings.settle("unreaped", outcome);
        let outcome = runtimes::check(&examination, &mut findings).await;
        findings.settle("runtimes", outcome);
        let outcome = purge::backlog(&examination, &mut findings).await;
        findings.settle("backlog", outcome);
    }
    if examination.dialect().has_vacuum() && examination.facts.kind.is_none() {
        vacuum::dead_rows(&examination, &mut findings);
    }
    findings
}
