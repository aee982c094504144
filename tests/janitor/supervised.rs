//! A janitor of the real binary under a test's eyes.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::binary::Binary;
use crate::support::{Dialect, TestDb, secs, until};

/// Schedules of a second and leases of two: what takes minutes in life takes seconds here.
pub const FAST: &str = "
[janitor]
lease = '2s'
reconnect_min = '100ms'
reconnect_max = '500ms'
[purge]
schedule = '@every 1s'
grace = '0s'
duty = 1.0
[reap]
schedule = '@every 1s'
older_than = '1m'
";

/// A running janitor; killed when this value is dropped.
pub struct Janitor {
    pub binary: Binary,
    child: Child,
    log: PathBuf,
}

impl Janitor {
    /// Starts one on a database, with this configuration.
    pub fn start(url: &str, config: &str) -> Self {
        Self::start_with(url, config, &[], |_| {})
    }

    pub fn start_with(
        url: &str,
        config: &str,
        arguments: &[&str],
        change: impl FnOnce(&mut Command),
    ) -> Self {
        let binary = Binary::new();
        let file = binary.home.path().join("idemctl.toml");
        fs::write(&file, config).unwrap();
        let log = binary.home.path().join("log");
        let mut command =
            binary.command(&["janitor", "--listen", "127.0.0.1:0", "--config", file.to_str().unwrap()]);
        command.args(arguments).env("IDEMCTL_DATABASE_URL", url);
        command.stdout(Stdio::null()).stderr(File::create(&log).unwrap());
        change(&mut command);
        let child = command.spawn().unwrap();
        Self { binary, child, log }
    }

    /// Replaces the configuration file.
    pub fn configure(&self, config: &str) {
        fs::write(self.binary.home.path().join("idemctl.toml"), config).unwrap();
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn log(&self) -> String {
        fs::read_to_string(&self.log).unwrap()
    }

    /// Waits until the log has this text.
    pub async fn logs(&self, text: &str) {
        until(&format!("the log has {text:?}"), || async { self.log().contains(text) }).await;
    }

    pub fn signal(&self, name: &str) {
        let status = Command::new("kill").arg(format!("-{name}")).arg(self.pid().to_string()).status();
        assert!(status.unwrap().success());
    }

    /// Its exit code, once it has ended.
    pub fn wait(&mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    pub fn kill(mut self) {
        self.signal("KILL");
        self.wait();
    }

    /// Its HTTP status and body; `None` before it listens.
    pub fn get(&self, path: &str) -> Option<(u16, String)> {
        let log = self.log();
        let (_, rest) = log.split_once("listening at http://")?;
        let address = rest.lines().next()?;
        let mut stream = TcpStream::connect(address).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(20))).ok()?;
        write!(stream, "GET {path} HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n").ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some((status, body.to_owned()))
    }

    pub fn status(&self) -> Value {
        self.get("/status").and_then(|(_, body)| serde_json::from_str(&body).ok()).unwrap_or_default()
    }

    /// What the status says of a pass.
    pub fn pass(&self, name: &str) -> Value {
        let status = self.status();
        let passes = status["tables"][0]["passes"].as_array().cloned().unwrap_or_default();
        passes.into_iter().find(|pass| pass["pass"] == name).unwrap_or_default()
    }

    pub fn leads(&self, name: &str) -> bool {
        self.pass(name)["leads"] == true
    }

    /// A metric's value; `series` is its name with its labels.
    pub fn metric(&self, series: &str) -> Option<f64> {
        let (_, text) = self.get("/metrics")?;
        let line =
            text.lines().find(|line| line.strip_prefix(series).is_some_and(|rest| rest.starts_with(' ')))?;
        line.rsplit(' ').next()?.parse().ok()
    }

    pub async fn ready(&self) {
        until("the janitor is ready", || async { self.get("/readyz").is_some_and(|(code, _)| code == 200) })
            .await;
    }

    /// Seconds of processor time used so far.
    pub fn cpu(&self) -> f64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.pid())).unwrap();
        let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
        // utime and stime, in ticks of a hundredth.
        (fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap()) / 100.0
    }

    /// Resident memory in KiB.
    pub fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.pid())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    pub fn descriptors(&self) -> usize {
        fs::read_dir(format!("/proc/{}/fd", self.pid())).unwrap().count()
    }
}

impl Drop for Janitor {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if std::thread::panicking() {
            eprintln!("--- the janitor's log\n{}", self.log());
        }
    }
}

/// Rows that expired a while ago, each at a moment of its own.
pub async fn expired(db: &TestDb, prefix: &str, count: u32) {
    let now = db.store.now().await.unwrap();
    let from = db.time(now.minus(secs(100_000)));
    let expires = match db.dialect() {
        Dialect::Postgres => format!("{from} + n * interval '1 millisecond'"),
        _ => format!("{from} + n * 1000"),
    };
    db.fill_as("completed", prefix, count, now.minus(secs(200_000)), &expires).await;
}

/// Rows that must stay: two that live, and one in progress that expired long ago and whose worker is
/// at work.
pub async fn kept(db: &TestDb) {
    let now = db.store.now().await.unwrap();
    db.fill("live-", 2, now, now.plus(secs(1_000_000))).await;
    let renewed = now.plus(secs(1_000_000));
    db.fill_as("in_progress", "busy-", 1, renewed, &db.time(now.minus(secs(100_000)))).await;
}
