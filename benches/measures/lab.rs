//! The server that the measures run on, its filled tables, and the programs they start.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use idemctl::store::{Confirmed, MigrateOptions, Store, StoreOptions};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::process::{Child, Command};

use crate::server::Server;

/// The binary under test.
pub const BINARY: &str = env!("CARGO_BIN_EXE_idemctl");

/// A server with the settings of a small production machine.
pub struct Lab {
    pub server: Server,
    filled: Vec<(u64, bool)>,
    copies: u32,
    version: i32,
}

impl Lab {
    pub async fn start(fsync: bool) -> Self {
        let mut server = Server::start().await;
        let on = if fsync { "on" } else { "off" };
        for setting in [
            format!("fsync = {on}"),
            format!("full_page_writes = {on}"),
            "shared_buffers = '512MB'".into(),
            "max_wal_size = '4GB'".into(),
        ] {
            server.admin(&format!("ALTER SYSTEM SET {setting}")).await;
        }
        server.kill().await;
        server.restart().await;
        let mut lab = Self { server, filled: Vec::new(), copies: 0, version: 0 };
        let mut connection = lab.connect("postgres").await;
        let (version, number): (String, i32) = sqlx::query_as(
            "SELECT current_setting('server_version'), CAST(current_setting('server_version_num') AS integer)",
        )
        .fetch_one(&mut connection)
        .await
        .expect("it has a version");
        lab.version = number;
        println!("PostgreSQL {version}, fsync {on}");
        lab
    }

    pub async fn connect(&self, database: &str) -> PgConnection {
        PgConnection::connect(&self.server.url(database)).await.expect("connects")
    }

    pub async fn run(&self, database: &str, sql: &str) {
        let mut connection = self.connect(database).await;
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.expect(sql);
        let _ = connection.close().await;
    }

    pub async fn number(&self, database: &str, sql: &str) -> i64 {
        let mut connection = self.connect(database).await;
        let number = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(&mut connection).await.expect(sql);
        let _ = connection.close().await;
        number
    }

    /// A database of expired keys that nobody may change: it is there to be copied. `tied`: all of them
    /// expire at the same moment.
    pub async fn filled(&mut self, rows: u64, tied: bool) -> String {
        let name = format!("filled_{rows}_{}", if tied { "tied" } else { "spread" });
        if self.filled.contains(&(rows, tied)) {
            return name;
        }
        self.server.admin(&format!("CREATE DATABASE {name}")).await;
        let store = Store::connect(&self.server.url(&name), StoreOptions::default()).await.expect("connects");
        let options = MigrateOptions { patience: Duration::from_secs(60), holder: "bench".into() };
        store.migrate(&options, &Confirmed::given()).await.expect("migrates");
        store.close().await;
        let began = Instant::now();
        // Keys in random order, as UUIDs are; expiries in the order in which the rows were written.
        let expires = if tied { "0" } else { "n" };
        self.run(
            &name,
            &format!(
                "SET synchronous_commit = off; SET maintenance_work_mem = '512MB';
                 INSERT INTO idempotency_keys (idempotency_key, scope, status, request_hash,
                     response_status, response_headers, response_body, response_bytes, claim_token,
                     created_at, claimed_at, renewed_at, finished_at, expires_at)
                 SELECT CAST(CAST(md5(CAST(n AS text)) AS uuid) AS text), 'tenant-' || n % 100, 'completed',
                     repeat(md5(CAST(-n AS text)), 2), 201, '[[\"Content-Type\",\"application/json\"]]',
                     decode(repeat('7b7d', 16), 'hex'), 32, CAST(md5('t' || n) AS uuid), t.at, t.at, t.at, t.at,
                     t.at + interval '1 day'
                 FROM generate_series(CAST(1 AS bigint), {rows}) AS n,
                     LATERAL (SELECT now() - interval '9 days' + {expires} * interval '10 milliseconds' AS at) AS t"
            ),
        )
        .await;
        self.run(&name, "VACUUM ANALYZE idempotency_keys").await;
        self.run(&name, "CHECKPOINT").await;
        let size = self.number(&name, "SELECT pg_table_size('idempotency_keys')").await;
        println!(
            "filled {name} in {:.0?}: {} bytes a row",
            began.elapsed(),
            u64::try_from(size).unwrap_or(0) / rows.max(1)
        );
        self.filled.push((rows, tied));
        name
    }

    /// A copy of a filled database.
    pub async fn copy_of(&mut self, filled: &str) -> String {
        self.copies += 1;
        let name = format!("copy_{}", self.copies);
        let strategy = if self.version >= 150_000 { "STRATEGY file_copy" } else { "" };
        self.server.admin(&format!("CREATE DATABASE {name} TEMPLATE {filled} {strategy}")).await;
        self.server.admin("CHECKPOINT").await;
        name
    }

    pub async fn drop_database(&self, name: &str) {
        self.server.admin(&format!("DROP DATABASE {name} WITH (FORCE)")).await;
    }

    /// How long one DELETE of all expired rows takes.
    pub async fn single_delete(&self, database: &str) -> Duration {
        let mut connection = self.connect(database).await;
        let began = Instant::now();
        sqlx::raw_sql(DELETE_ALL).execute(&mut connection).await.expect("deletes");
        let took = began.elapsed();
        let _ = connection.close().await;
        took
    }

    /// The binary on a database of this server.
    pub fn idemctl(&self, database: &str, arguments: &[&str]) -> Command {
        idemctl(&self.server.url(database), arguments)
    }

    /// pgbench on a database of this server.
    pub fn pgbench(&self, database: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program("pgbench"));
        command
            .args(["-h", "127.0.0.1", "-p", &self.server.port.to_string(), "-U", "postgres", "-n"])
            .args(["-M", "prepared"])
            .args(arguments)
            .arg(database)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }
}

/// What one would write who knows the index.
pub const DELETE_ALL: &str = "DELETE FROM idempotency_keys
    WHERE expires_at < now() - interval '1 hour' AND status IN ('completed', 'failed')";

/// The binary, as a user starts it.
pub fn idemctl(url: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(BINARY);
    command
        .args(arguments)
        .env_clear()
        .env("IDEMCTL_DATABASE_URL", url)
        .env("HOME", "/nonexistent")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// Runs the binary to its end and gives its time and its JSON.
pub async fn timed(mut command: Command) -> (Duration, serde_json::Value) {
    let began = Instant::now();
    let output = command.output().await.expect("starts");
    let took = began.elapsed();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    (took, serde_json::from_slice(&output.stdout).unwrap_or_default())
}

/// Sends SIGTERM (a shell in the background has its children ignore SIGINT), waits, and gives the JSON.
pub async fn stop(child: Child) -> serde_json::Value {
    let pid = child.id().map(|pid| pid.to_string());
    if let Some(pid) = pid {
        let _ = Command::new("kill").args(["-TERM", &pid]).status().await;
    }
    let output = child.wait_with_output().await.expect("it ends");
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

/// One of the server's own programs: the real one, not the wrapper of a distribution.
pub fn program(name: &str) -> PathBuf {
    let mut versions: Vec<(u32, PathBuf)> = std::fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin").join(name)))
        })
        .filter(|(_, path)| path.is_file())
        .collect();
    versions.sort();
    versions.pop().map_or_else(|| PathBuf::from(name), |(_, path)| path)
}

/// The protocol's claim and complete as a pgbench script: the statements that the library runs.
pub fn claim_and_complete() -> String {
    let statements =
        idemctl::store::protocol_statements(idemctl::store::Dialect::Postgres).expect("rendered");
    let statement = |wanted: &str| {
        let (_, sql) = statements.iter().find(|(name, _)| *name == wanted).expect("it is one of them");
        sql.lines().collect::<Vec<_>>().join(" ")
    };
    let fill = |mut sql: String, values: &[&str]| {
        for (index, value) in values.iter().enumerate().rev() {
            sql = sql.replace(&format!("${}", index + 1), value);
        }
        sql
    };
    let key = "CAST(:id AS text)";
    let token = "CAST(md5(CAST(:id AS text)) AS uuid)";
    let claim = fill(
        statement("claim_insert"),
        &[
            key,
            "'bench'",
            "NULL",
            token,
            "NULL",
            "true",
            "CAST(300000000 AS bigint)",
            "CAST(86400000000 AS bigint)",
        ],
    );
    let complete = fill(
        statement("complete"),
        &[
            key,
            "'bench'",
            token,
            "201",
            "'[[\"Content-Type\",\"application/json\"]]'",
            "CAST('{}' AS bytea)",
            "2",
        ],
    );
    format!("\\set id random(1, 1000000000000000)\n{claim};\n{complete};\n")
}

/// A figure of a process in KiB, from /proc.
pub fn memory(pid: u32, field: &str) -> Option<u64> {
    let status = std::fs::read_to_string(Path::new("/proc").join(pid.to_string()).join("status")).ok()?;
    let line = status.lines().find(|line| line.starts_with(field))?;
    line.split_whitespace().nth(1)?.parse().ok()
}
