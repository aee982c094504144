//! A real PostgreSQL server in a temporary folder on a free port, and databases in it.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use idemctl::store::{Confirmed, MigrateOptions, Store, StoreOptions};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::sync::OnceCell;
use tokio::time::sleep;

/// How long a server may take to start or to die.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server of its own. It is gone with its folder when this value is dropped, and when the process
/// ends in any way.
pub struct Server {
    /// Its TCP port on 127.0.0.1.
    pub port: u16,
    /// Holds the data, the log and the Unix socket.
    pub folder: PathBuf,
    supervisor: Child,
    orders: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    template: OnceCell<()>,
    databases: AtomicU32,
}

/// The server that all tests of this process share.
pub async fn shared() -> &'static Server {
    static SHARED: OnceCell<Server> = OnceCell::const_new();
    SHARED.get_or_init(Server::start).await
}

impl Server {
    /// Starts one and waits until it answers.
    pub async fn start() -> Self {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let number = STARTED.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("idemctl-pg-{}-{number}", std::process::id()));
        let port = free_port();
        let mut supervisor = Command::new("sh")
            .arg("-c")
            .arg(include_str!("supervise.sh"))
            .arg("supervise.sh")
            .args([&folder, &binaries()])
            .arg(port.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // A Ctrl-C at the terminal must reach the tests alone; the supervisor cleans up after.
            .process_group(0)
            .spawn()
            .expect("sh starts");
        let orders = supervisor.stdin.take();
        let answers = BufReader::new(supervisor.stdout.take().expect("piped"));
        let mut server = Self {
            port,
            folder,
            supervisor,
            orders,
            answers,
            template: OnceCell::new(),
            databases: AtomicU32::new(0),
        };
        server.read_ok();
        server.restart().await;
        server
    }

    fn read_ok(&mut self) {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the supervisor answers");
        if line.trim() != "ok" {
            let mut rest = String::new();
            let _ = self.answers.read_to_string(&mut rest);
            panic!("PostgreSQL could not be set up: {line}{rest}");
        }
    }

    /// Starts the server again after [`Server::kill`].
    pub async fn restart(&mut self) {
        let started = Instant::now();
        loop {
            writeln!(self.orders.as_mut().expect("running"), "start").expect("the supervisor lives");
            self.read_ok();
            // A start may be refused while backends of the killed server still hold its memory.
            let refused = Instant::now() + Duration::from_secs(2);
            while Instant::now() < refused {
                if let Ok(connection) = PgConnection::connect(&self.url("postgres")).await {
                    let _ = connection.close().await;
                    return;
                }
                sleep(Duration::from_millis(20)).await;
            }
            let log = fs::read_to_string(self.folder.join("log")).unwrap_or_default();
            assert!(started.elapsed() < PATIENCE, "PostgreSQL does not start:\n{log}");
        }
    }

    /// Starts a standby of this server, and waits until it answers. There can be one.
    pub async fn standby(&mut self) -> Standby {
        let port = free_port();
        writeln!(self.orders.as_mut().expect("running"), "standby {port}").expect("the supervisor lives");
        self.read_ok();
        let standby = Standby { port, url: format!("postgres://postgres@127.0.0.1:{port}/postgres") };
        let deadline = Instant::now() + PATIENCE;
        while PgConnection::connect(&standby.url).await.is_err() {
            assert!(Instant::now() < deadline, "the standby does not start");
            sleep(Duration::from_millis(50)).await;
        }
        standby
    }

    /// Kills every process of the server with SIGKILL.
    pub async fn kill(&self) {
        let processes = self.processes();
        signal("KILL", &processes);
        let deadline = Instant::now() + PATIENCE;
        while processes.iter().any(|pid| is_alive(*pid)) {
            assert!(Instant::now() < deadline, "the server outlives SIGKILL");
            sleep(Duration::from_millis(5)).await;
        }
    }

    /// Stops every process of the server where it stands; connections stay open and silent.
    pub fn pause(&self) -> Paused {
        let processes = self.processes();
        signal("STOP", &processes);
        Paused { processes }
    }

    /// The postmaster and its children.
    fn processes(&self) -> Vec<u32> {
        let text = fs::read_to_string(self.folder.join("data/postmaster.pid")).expect("a running server");
        let postmaster: u32 = text.lines().next().and_then(|line| line.trim().parse().ok()).expect("a pid");
        let mut processes = vec![postmaster];
        for entry in fs::read_dir("/proc").expect("/proc").flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
                continue;
            };
            if stat_field(pid, 1).and_then(|parent| parent.parse().ok()) == Some(postmaster) {
                processes.push(pid);
            }
        }
        processes
    }

    /// The URL of a database over TCP.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres@127.0.0.1:{}/{database}", self.port)
    }

    /// The URL of a database over the Unix socket.
    pub fn socket_url(&self, database: &str) -> String {
        let folder = self.folder.display();
        format!("postgres://postgres@localhost:{}/{database}?host={folder}", self.port)
    }

    /// Creates a database with the current schema and returns its name.
    pub async fn database(&self) -> String {
        self.template
            .get_or_init(|| async {
                self.admin("CREATE DATABASE idemctl_template").await;
                let url = self.url("idemctl_template");
                let store = Store::connect(&url, StoreOptions::default()).await.expect("connects");
                let options = MigrateOptions { patience: PATIENCE, holder: "template".into() };
                store.migrate(&options, &Confirmed::given()).await.expect("migrates");
                store.close().await;
            })
            .await;
        self.create("TEMPLATE idemctl_template").await
    }

    /// Creates a database without any table and returns its name.
    pub async fn empty_database(&self) -> String {
        self.create("").await
    }

    /// Creates a copy of a database that nobody is connected to, and returns its name.
    pub async fn copy_of(&self, database: &str) -> String {
        self.create(&format!("TEMPLATE {database}")).await
    }

    async fn create(&self, options: &str) -> String {
        let name = format!("test_{}", self.databases.fetch_add(1, Ordering::Relaxed));
        self.admin(&format!("CREATE DATABASE {name} {options}")).await;
        name
    }

    /// Runs a statement as the superuser.
    pub async fn admin(&self, sql: &str) {
        let mut connection = PgConnection::connect(&self.url("postgres")).await.expect("connects");
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.expect(sql);
        let _ = connection.close().await;
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.orders = None;
        let _ = self.supervisor.wait();
    }
}

/// A standby; it ends with its server.
pub struct Standby {
    /// Its TCP port on 127.0.0.1.
    pub port: u16,
    pub url: String,
}

impl Standby {
    /// Runs a statement as the superuser.
    pub async fn run(&self, sql: &str) {
        let mut connection = PgConnection::connect(&self.url).await.expect("connects");
        sqlx::raw_sql(AssertSqlSafe(sql)).execute(&mut connection).await.expect(sql);
        let _ = connection.close().await;
    }
}

/// A paused server; it goes on when this value is dropped.
pub struct Paused {
    processes: Vec<u32>,
}

impl Drop for Paused {
    fn drop(&mut self) {
        signal("CONT", &self.processes);
    }
}

fn signal(name: &str, processes: &[u32]) {
    let list = processes.iter().map(u32::to_string).collect::<Vec<_>>().join(" ");
    // A child may have ended by itself in the meantime.
    let _ = Command::new("sh").arg("-c").arg(format!("kill -{name} {list} 2>/dev/null")).status();
}

/// A field of /proc/PID/stat after the command's name: 0 is the state, 1 the parent.
fn stat_field(pid: u32, field: usize) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = stat.rsplit_once(')')?;
    rest.split_whitespace().nth(field).map(str::to_owned)
}

fn is_alive(pid: u32) -> bool {
    stat_field(pid, 0).is_some_and(|state| state != "Z")
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|socket| socket.local_addr()).expect("a free port").port()
}

/// The folder of the newest server's programs.
fn binaries() -> PathBuf {
    let complete = |folder: &Path| folder.join("initdb").is_file() && folder.join("postgres").is_file();
    let mut versions: Vec<(u32, PathBuf)> = fs::read_dir("/usr/lib/postgresql")
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .filter(|(_, folder)| complete(folder))
        .collect();
    versions.sort();
    if let Some((_, folder)) = versions.pop() {
        return folder;
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).find(|folder| complete(folder)).expect(
        "these tests need a PostgreSQL server: initdb and postgres are neither in \
         /usr/lib/postgresql/*/bin nor on PATH (Debian: apt-get install postgresql)",
    )
}
