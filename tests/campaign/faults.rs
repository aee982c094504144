//! Faults, and a command that runs into one.

use std::process::{Output, Stdio};
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, Command};
use tokio::time::{sleep, timeout};

use crate::support::proxy::{Cut, Proxy};
use crate::support::server::Server;

/// No command may take longer, whatever happens to it.
const PATIENCE: Duration = Duration::from_secs(60);

/// What is done to a command or to its database.
#[derive(Debug, Clone, Copy)]
pub enum Fault {
    /// The connection is cut when the client sends something for the nth time, and new connections are
    /// refused for a while.
    Cut { nth: usize, cut: Cut, refuse: Duration },
    /// kill -9.
    Kill { after: Duration },
    /// The process is stopped where it stands, and goes on later.
    Freeze { after: Duration, pause: Duration },
    /// The server is killed and started again.
    Restart { after: Duration },
    /// The server stands still, and goes on later.
    Stall { after: Duration, pause: Duration },
    /// Somebody else holds SQLite's write lock for a while.
    Lock { pause: Duration },
}

impl Fault {
    pub fn name(self) -> &'static str {
        match self {
            Self::Cut { cut: Cut::BeforeTheServer, .. } => "cut before",
            Self::Cut { cut: Cut::BeforeTheAnswer, .. } => "cut after",
            Self::Kill { .. } => "kill -9",
            Self::Freeze { .. } => "freeze",
            Self::Restart { .. } => "server killed",
            Self::Stall { .. } => "server frozen",
            Self::Lock { .. } => "file locked",
        }
    }
}

/// How a command ended.
#[derive(Debug)]
pub struct Ended {
    /// `None` when a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
    /// What the client sent when it was cut off.
    pub cut_at: Option<String>,
}

impl From<Output> for Ended {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            cut_at: None,
        }
    }
}

/// Starts a command and gives it its standard input.
pub async fn start(command: std::process::Command, input: &str) -> Child {
    let mut command = Command::from(command);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
    let mut child = command.spawn().expect("the binary starts");
    let mut stdin = child.stdin.take().expect("piped");
    let input = input.to_owned();
    tokio::spawn(async move {
        // It may be gone already.
        let _ = stdin.write_all(input.as_bytes()).await;
    });
    child
}

/// Waits for a command's end.
pub async fn end(child: Child) -> Ended {
    let what = format!("{child:?}");
    let output = timeout(PATIENCE, child.wait_with_output()).await;
    output.unwrap_or_else(|_| panic!("it never ends: {what}")).expect("its output can be read").into()
}

/// Runs a command and does this to it meanwhile.
pub async fn suffer(
    command: std::process::Command,
    input: &str,
    fault: Fault,
    proxy: Option<&Proxy>,
    server: Option<&mut Server>,
) -> Ended {
    if let (Fault::Cut { nth, cut, .. }, Some(proxy)) = (fault, proxy) {
        proxy.arm_at(nth, cut);
    }
    let child = start(command, input).await;
    let id = child.id().expect("it runs");
    let end = tokio::spawn(end(child));
    match (fault, server) {
        (Fault::Cut { refuse, .. }, _) => {
            let proxy = proxy.expect("what is cut has a proxy");
            let before = proxy.cuts();
            while !end.is_finished() && proxy.cuts() == before {
                sleep(Duration::from_millis(1)).await;
            }
            if !refuse.is_zero() && !end.is_finished() {
                proxy.refuse(true);
                let since = Instant::now();
                while !end.is_finished() && since.elapsed() < refuse {
                    sleep(Duration::from_millis(2)).await;
                }
                proxy.refuse(false);
            }
        }
        (Fault::Kill { after }, _) => {
            sleep(after).await;
            signal("KILL", id);
        }
        (Fault::Freeze { after, pause }, _) => {
            sleep(after).await;
            signal("STOP", id);
            sleep(pause).await;
            signal("CONT", id);
        }
        (Fault::Restart { after }, Some(server)) => {
            sleep(after).await;
            server.kill().await;
            server.restart().await;
        }
        (Fault::Stall { after, pause }, Some(server)) => {
            sleep(after).await;
            let paused = server.pause();
            sleep(pause).await;
            drop(paused);
        }
        (Fault::Restart { .. } | Fault::Stall { .. }, None) => panic!("there is no server to stop"),
        // Whoever calls holds the lock.
        (Fault::Lock { .. }, _) => {}
    }
    let mut ended = end.await.expect("it ends");
    if let (Fault::Cut { .. }, Some(proxy)) = (fault, proxy) {
        ended.cut_at = proxy.disarm().map(|sent| statement(&sent));
    }
    ended
}

/// Sends a signal; the process may be gone.
pub fn signal(name: &str, id: u32) {
    let _ = std::process::Command::new("kill")
        .args([&format!("-{name}"), "--", &id.to_string()])
        .stderr(Stdio::null())
        .status();
}

/// The kind of statement in a message, for the report.
fn statement(sent: &[u8]) -> String {
    let text = String::from_utf8_lossy(sent).to_uppercase();
    for word in ["INSERT", "UPDATE", "DELETE", "COMMIT", "CREATE", "BEGIN", "SELECT", "ROLLBACK"] {
        if text.contains(word) {
            return word.to_owned();
        }
    }
    "connect".to_owned()
}
