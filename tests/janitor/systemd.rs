//! What systemd hears, with the test in its place.

use std::fs::File;
use std::os::unix::net::UnixDatagram;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::binary::Binary;
use crate::supervised::{FAST, Janitor, expired};
use crate::support::server::Server;
use crate::support::{Dialect, TestDb, secs, until};

/// The socket of a service manager.
struct Manager {
    socket: UnixDatagram,
    folder: tempfile::TempDir,
}

impl Manager {
    fn new() -> Self {
        let folder = tempfile::TempDir::new().unwrap();
        let socket = UnixDatagram::bind(folder.path().join("notify")).unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        Self { socket, folder }
    }

    fn path(&self) -> std::path::PathBuf {
        self.folder.path().join("notify")
    }

    /// Starts a janitor that thinks it is a service.
    fn start(&self, url: &str, config: &str, watchdog: Duration) -> Janitor {
        let path = self.path();
        Janitor::start_with(url, config, &[], |command| {
            command.env("NOTIFY_SOCKET", path).env("WATCHDOG_USEC", watchdog.as_micros().to_string());
        })
    }

    /// What was said since it was asked last, one line each.
    fn heard(&self) -> Vec<String> {
        let mut lines = Vec::new();
        let mut buffer = [0; 4096];
        while let Ok(length) = self.socket.recv(&mut buffer) {
            lines.extend(String::from_utf8_lossy(&buffer[..length]).lines().map(str::to_owned));
        }
        lines
    }

    /// Waits until a line was said for which this holds; returns all lines that were said.
    async fn hears(&self, what: &str, wanted: impl Fn(&str) -> bool) -> Vec<String> {
        let deadline = Instant::now() + secs(30);
        let mut all = Vec::new();
        loop {
            all.extend(self.heard());
            if all.iter().any(|line| wanted(line)) {
                return all;
            }
            assert!(Instant::now() < deadline, "waited in vain for {what}: {all:?}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    /// How many heartbeats came in so long.
    async fn pings(&self, during: Duration) -> usize {
        self.heard();
        tokio::time::sleep(during).await;
        self.heard().iter().filter(|line| *line == "WATCHDOG=1").count()
    }
}

#[tokio::test]
async fn it_says_that_it_is_ready_what_it_does_and_that_it_ends() {
    let db = TestDb::new(Dialect::Postgres).await;
    expired(&db, "old-", 1_234).await;
    let manager = Manager::new();
    // One pass, which stays the last one for as long as anybody looks.
    let mut janitor = manager.start(&db.url, &FAST.replace("@every 1s", "@every 1h"), secs(60));
    manager.hears("READY", |line| line == "READY=1").await;
    let said = manager.hears("what it did", |line| line.contains("1,234 rows")).await;
    assert!(said.iter().any(|line| line.starts_with("STATUS=") && line.contains("next at")), "{said:?}");
    janitor.signal("HUP");
    let said = manager.hears("READY again", |line| line == "READY=1").await;
    let reloading = said.iter().position(|line| line == "RELOADING=1").expect("RELOADING");
    assert!(said[reloading + 1].starts_with("MONOTONIC_USEC="), "{said:?}");
    assert!(said[reloading..].iter().any(|line| line == "READY=1"), "{said:?}");
    janitor.signal("TERM");
    assert_eq!(janitor.wait(), Some(0));
    assert!(manager.heard().iter().any(|line| line == "STOPPING=1"));
}

/// Waiting for the database must not run into the start's timeout.
#[tokio::test]
async fn it_is_ready_without_a_database_and_says_what_it_waits_for() {
    let manager = Manager::new();
    let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = socket.local_addr().unwrap().port();
    drop(socket);
    let url = format!("postgres://postgres@127.0.0.1:{port}/none");
    let janitor = manager.start(&url, FAST, secs(60));
    manager.hears("READY", |line| line == "READY=1").await;
    manager.hears("what it waits for", |line| line.starts_with("STATUS=waiting for the database")).await;
    assert_eq!(janitor.get("/readyz").unwrap().0, 503);
    assert_eq!(janitor.get("/livez").unwrap().0, 200);
}

#[tokio::test]
async fn a_database_that_hangs_does_not_stop_the_signs_of_life() {
    let server = Server::start().await;
    let url = server.url(&server.database().await);
    let manager = Manager::new();
    let janitor = manager.start(&url, FAST, secs(1));
    janitor.ready().await;
    assert!(manager.pings(secs(2)).await >= 2);
    let _hung = server.pause();
    assert!(manager.pings(secs(4)).await >= 4, "the loop waits for the database");
}

/// Something in the loop that does not come back: here a log that nobody reads.
#[tokio::test]
async fn a_loop_that_is_blocked_stops_the_signs_of_life() {
    let db = TestDb::new(Dialect::Postgres).await;
    let manager = Manager::new();
    let binary = Binary::on(&db);
    let mut command = binary.command(&["janitor", "-vv"]);
    command.env("NOTIFY_SOCKET", manager.path()).env("WATCHDOG_USEC", "1000000");
    command.env("IDEMCTL_PURGE_SCHEDULE", "@every 1s").env("IDEMCTL_REAP_SCHEDULE", "@every 1s");
    // A pipe whose other end is held and not read.
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    manager.hears("a first heartbeat", |line| line == "WATCHDOG=1").await;
    until("the log is full and the loop stands", || async { manager.pings(secs(3)).await == 0 }).await;
    // Once it is read, the loop turns again.
    let log = child.stderr.take().unwrap();
    let reader = std::thread::spawn(move || {
        std::io::copy(&mut { log }, &mut File::create(Path::new("/dev/null")).unwrap())
    });
    manager.hears("a heartbeat", |line| line == "WATCHDOG=1").await;
    child.kill().unwrap();
    child.wait().unwrap();
    reader.join().unwrap().unwrap();
}
