//! A database with a witness, rows in every state, and the binary on it.

use std::fs;

use idemctl::store::{Dialect, Store, StoreOptions};

use crate::binary::{Binary, Ran};
use crate::support::proxy::Proxy;
use crate::support::server::Server;
use crate::support::{Raw, TestDb};
use crate::witness::{self, Table};

/// The keys that no command may touch.
pub const LIVE: &str = "live-";

/// How the adopted table is described.
const MAPPING: &str = r#"
[[table]]
name = "pay_keys"
key = ["k"]
scope = ["tenant"]
[table.state]
column = "st"
in_progress = ["busy"]
completed = ["done"]
failed = ["failed"]
[table.clock]
created = { column = "made", as = "CLOCK" }
alive = { column = "beat", as = "CLOCK" }
lease = { column = "lease", as = "CLOCK" }
expires = { column = "gone", as = "CLOCK" }
[table.fail]
set = { st = "failed" }
[table.release]
delete = true
[table.claim]
expired = "absent"
failed = "final"
"#;

pub struct World {
    pub dialect: Dialect,
    pub table: Table,
    pub binary: Binary,
    pub server: Option<Server>,
    pub proxy: Option<Proxy>,
    pub db: TestDb,
    /// The way on which connections are cut.
    pub faulty_url: String,
    raw: Option<Raw>,
    configured: Vec<String>,
}

/// Rows to be set up; moments in seconds from now.
#[derive(Debug, Clone, Copy)]
pub struct Rows {
    pub status: &'static str,
    pub beat: i64,
    pub lease: Option<i64>,
    pub expires: i64,
    pub retry: bool,
}

impl Rows {
    pub const STUCK: Self =
        Self { status: "in_progress", beat: -7200, lease: Some(-7000), expires: 86_400, retry: true };
    pub const EXPIRED: Self =
        Self { status: "completed", beat: -90_000, lease: None, expires: -7200, retry: true };
    pub const FAILED: Self =
        Self { status: "failed", beat: -600, lease: None, expires: 86_400, retry: false };
    pub const MAY_RETRY: Self = Self { retry: true, ..Self::FAILED };
    pub const COMPLETED: Self =
        Self { status: "completed", beat: -600, lease: None, expires: 86_400, retry: true };
}

impl World {
    pub async fn new(dialect: Dialect, table: Table) -> Self {
        let (server, proxy, db) = if matches!(dialect, Dialect::Postgres) {
            let server = Server::start().await;
            let name = match table {
                Table::Own => server.database().await,
                Table::Adopted => server.empty_database().await,
            };
            let url = server.url(&name);
            let store = Store::connect(&url, StoreOptions::default()).await.unwrap();
            let proxy = Proxy::start(server.port).await;
            (Some(server), Some(proxy), TestDb { store, url, folder: None })
        } else {
            let db = match table {
                Table::Own => TestDb::new(dialect).await,
                Table::Adopted => TestDb::empty(dialect).await,
            };
            (None, None, db)
        };
        let faulty_url = match &proxy {
            Some(proxy) => proxy.url(db.url.rsplit('/').next().unwrap()),
            None => db.url.clone(),
        };
        let binary = Binary::on(&db);
        let mut world =
            Self { dialect, table, binary, server, proxy, db, faulty_url, raw: None, configured: Vec::new() };
        if table == Table::Adopted {
            world.adopt().await;
        }
        let script = witness::schema(dialect, table);
        world.raw().await.run(&script).await;
        let live = [
            Rows { beat: -1, lease: Some(86_400), ..Rows::STUCK },
            // Silent for long, and its lease runs.
            Rows { lease: Some(86_400), ..Rows::STUCK },
            // Expired while its worker is still at work.
            Rows { lease: Some(86_400), expires: -7200, ..Rows::STUCK },
            Rows { expires: 3600, ..Rows::COMPLETED },
            Rows { expires: 3600, ..Rows::FAILED },
        ];
        for (number, rows) in live.into_iter().enumerate() {
            world.insert(&format!("{LIVE}{number}-"), 3, rows).await;
        }
        world
    }

    async fn adopt(&mut self) {
        let (clock, r#as) = match self.dialect {
            Dialect::Postgres => ("timestamptz", "timestamptz"),
            _ => ("INTEGER", "epoch_ms"),
        };
        let schema = format!(
            "CREATE TABLE pay_keys (k text NOT NULL, tenant text NOT NULL, st text NOT NULL, made {clock} NOT NULL,
                 beat {clock} NOT NULL, lease {clock}, gone {clock} NOT NULL, PRIMARY KEY (k, tenant));
             CREATE INDEX pay_keys_gone ON pay_keys (gone);"
        );
        self.raw().await.run(&schema).await;
        let path = self.binary.home.path().join("idemctl.toml");
        fs::write(&path, MAPPING.replace("CLOCK", r#as)).unwrap();
        self.configured = vec!["--config".into(), path.display().to_string()];
        let ran = self.run(&["migrate"]);
        assert_eq!(ran.code, 0, "{ran:?}");
    }

    /// A command on a database of this URL.
    pub fn command(&self, url: &str, arguments: &[&str]) -> std::process::Command {
        let mut all: Vec<&str> = self.configured.iter().map(String::as_str).collect();
        all.extend_from_slice(arguments);
        let mut command = self.binary.command(&all);
        command.env("IDEMCTL_DATABASE_URL", url).env("IDEMCTL_DATABASE_CONNECT_TIMEOUT", "3s");
        if arguments.first() == Some(&"janitor") {
            // What is not set on an adopted table is off.
            command.env("IDEMCTL_REAP_OLDER_THAN", "15m");
        }
        command
    }

    /// Runs a command that nothing happens to.
    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::from(self.command(&self.db.url, arguments).output().unwrap())
    }

    /// A connection of our own, past the proxy.
    pub async fn raw(&mut self) -> &mut Raw {
        if self.raw.is_none() {
            self.raw = Some(self.db.raw().await);
        }
        self.raw.as_mut().unwrap()
    }

    /// The server was killed, and our connection with it.
    pub fn reconnect(&mut self) {
        self.raw = None;
    }

    /// Inserts `{prefix}{n}` for n from 0.
    pub async fn insert(&mut self, prefix: &str, count: u32, rows: Rows) {
        let (dialect, table) = (self.dialect, self.table);
        let time = |seconds: i64| match (dialect, table) {
            (Dialect::Postgres, _) => format!("now() + interval '{seconds} s'"),
            (_, Table::Own) => format!("(unixepoch() + {seconds}) * 1000000"),
            (_, Table::Adopted) => format!("(unixepoch() + {seconds}) * 1000"),
        };
        let lease = rows.lease.map_or("NULL".to_owned(), time);
        let (beat, expires) = (time(rows.beat), time(rows.expires));
        let values: Vec<String> = (0..count)
            .map(|number| match table {
                Table::Own => format!(
                    "('{prefix}{number}', '{}', '{}', {}, {beat}, {beat}, {beat}, {lease}, {expires})",
                    rows.status,
                    uuid::Uuid::new_v4(),
                    if matches!(dialect, Dialect::Postgres) {
                        rows.retry.to_string()
                    } else {
                        i32::from(rows.retry).to_string()
                    },
                ),
                Table::Adopted => {
                    let status = match rows.status {
                        "in_progress" => "busy",
                        "completed" => "done",
                        other => other,
                    };
                    format!("('{prefix}{number}', 't', '{status}', {beat}, {beat}, {lease}, {expires})")
                }
            })
            .collect();
        let columns = match table {
            Table::Own => {
                "idempotency_key, status, claim_token, retry_allowed, created_at, claimed_at, renewed_at, \
                 lease_expires_at, expires_at"
            }
            Table::Adopted => "k, tenant, st, made, beat, lease, gone",
        };
        let insert = format!("INSERT INTO {} ({columns}) VALUES {}", table.name(), values.join(", "));
        self.raw().await.run(&insert).await;
    }

    /// How many rows of a prefix are in a state.
    pub async fn count(&mut self, prefix: &str, status: &str) -> i64 {
        let (key, column) = match self.table {
            Table::Own => ("idempotency_key", "status"),
            Table::Adopted => ("k", "st"),
        };
        let name = self.table.name();
        let query =
            format!("SELECT count(*) FROM {name} WHERE {key} LIKE '{prefix}%' AND {column} LIKE '{status}'");
        self.raw().await.number(&query).await
    }

    /// The last entry of the witness.
    pub async fn seq(&mut self) -> i64 {
        self.raw().await.number("SELECT coalesce(max(seq), 0) FROM witness").await
    }

    /// A killed janitor keeps the lead until its lease is over, which is not what is tried here.
    pub async fn depose(&mut self) {
        let now = if matches!(self.dialect, Dialect::Postgres) { "now()" } else { "unixepoch() * 1000000" };
        self.raw().await.run(&format!("UPDATE idemctl_lease SET until = {now}")).await;
    }
}
