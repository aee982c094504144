//! The child process: its environment, its output, its signals, and the renewals beside it.

use std::io;
use std::process::Stdio;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdout, Command};
use tokio::sync::oneshot;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout_at};
use tokio_util::sync::CancellationToken;

use super::persist::Asked;
use crate::commands::signals::{Received, Signals};
use crate::output::Printer;
use crate::protocol::{Body, Claim, DEFAULT_ANSWER_LIMIT};
use crate::settings::RunSettings;
use crate::store::{ErrorKind, Store};

/// The signals that are passed on. SIGTSTP and SIGCONT are not among them: what stops us alone was meant for
/// us, a terminal stops and continues both, and the first renewal after it tells whether the claim is still
/// ours.
pub(super) const SIGNALS: &[i32] =
    &[libc::SIGINT, libc::SIGQUIT, libc::SIGTERM, libc::SIGHUP, libc::SIGUSR1, libc::SIGUSR2];

/// How long the output is read after the command's end, whatever still comes: a process that it left in the
/// background may hold the pipe, and write to it, for ever.
const GRACE: Duration = Duration::from_millis(500);

/// How the command ended.
pub(super) enum Ended {
    /// It never started.
    NotStarted {
        /// Why.
        error: io::Error,
        /// What was to be started.
        program: String,
    },
    /// With this code.
    Exit(u8),
    /// By this signal.
    Signal(u8),
}

/// A command that has ended.
pub(super) struct Finished {
    pub(super) ended: Ended,
    pub(super) stdout: Body,
    /// Why our own stdout did not get all of it; a reader that left is no reason.
    pub(super) unwritten: Option<io::Error>,
    /// The renewals, which go on until this is dropped.
    pub(super) renewals: JoinSet<()>,
    /// A signal that came when there was no command any more to pass it on to.
    pub(super) asked: Asked,
}

/// Runs the command, renewing its claim and passing signals on while it does.
pub(super) async fn run(
    store: &Store,
    claim: &Claim,
    settings: &RunSettings,
    attempt: u32,
    signals: &mut Signals,
    printer: &Printer,
) -> Finished {
    let mut asked = Asked::default();
    let mut child = match spawn(claim, settings, attempt) {
        Ok(child) => child,
        Err(error) => {
            let program = settings.command.first().map(|name| name.to_string_lossy().into_owned());
            let ended = Ended::NotStarted { error, program: program.unwrap_or_default() };
            return Finished {
                ended,
                stdout: Body::Kept(Vec::new()),
                unwritten: None,
                renewals: JoinSet::new(),
                asked,
            };
        }
    };
    let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    let (lost, mut on_lost) = oneshot::channel();
    let mut renewals = JoinSet::new();
    renewals.spawn(renew(store.clone(), claim.clone(), lost));
    let stdout = child.stdout.take();
    let (child_ended, give_up) = (CancellationToken::new(), CancellationToken::new());
    let mut copying = tokio::spawn(copy(stdout, child_ended.clone(), give_up.clone()));
    let mut claim_held = true;
    let status = loop {
        tokio::select! {
            status = child.wait() => break status,
            received = signals.next() => pass_on(pid, received),
            _ = &mut on_lost, if claim_held => {
                claim_held = false;
                printer.notice("the claim was lost: somebody else may run the command now; telling it to stop");
                send(pid, Signal::TERM);
            }
        }
    };
    // What a terminal sent reached the command as well. What a process sent to us now came too late for it.
    while let Some(received) = signals.try_next() {
        if !received.from_terminal {
            asked.note(received);
        }
    }
    child_ended.cancel();
    if asked.signal().is_some() {
        give_up.cancel();
    }
    let (stdout, unwritten) = loop {
        tokio::select! {
            copied = &mut copying => break copied.unwrap_or((Body::Omitted { bytes: 0 }, None)),
            // Nobody waits any longer for a reader that does not read.
            received = signals.next() => {
                asked.note(received);
                give_up.cancel();
            }
        }
    };
    Finished { ended: ended(status), stdout, unwritten, renewals, asked }
}

fn ended(status: io::Result<std::process::ExitStatus>) -> Ended {
    use std::os::unix::process::ExitStatusExt as _;
    match status {
        Ok(status) => match (status.code(), status.signal()) {
            (Some(code), _) => Ended::Exit(code as u8),
            (None, Some(signal)) => Ended::Signal(signal as u8),
            (None, None) => Ended::Exit(super::OTHER),
        },
        Err(_) => Ended::Exit(super::OTHER),
    }
}

#[allow(unsafe_code, reason = "pre_exec is unsafe; prctl(2) is safe to call between fork and exec")]
fn spawn(claim: &Claim, settings: &RunSettings, attempt: u32) -> io::Result<Child> {
    let Some((program, arguments)) = settings.command.split_first() else {
        return Err(io::Error::new(io::ErrorKind::NotFound, "no command"));
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("IDEMPOTENCY_KEY", claim.key.as_str())
        .env("IDEMPOTENCY_SCOPE", claim.scope.as_str())
        .env("IDEMPOTENCY_ATTEMPT", attempt.to_string())
        .env("IDEMPOTENCY_TOKEN", claim.token.to_string())
        .stdin(Stdio::inherit())
        .stdout(Stdio::piped())
        .stderr(Stdio::inherit());
    #[cfg(target_os = "linux")]
    {
        let parent = rustix::process::getpid();
        // SAFETY: between fork and exec only async-signal-safe calls are made: prctl, getppid.
        unsafe {
            command.pre_exec(move || {
                rustix::process::set_parent_process_death_signal(Some(Signal::TERM))?;
                // The parent may have died before the kernel was told.
                if rustix::process::getppid() != Some(parent) {
                    return Err(io::Error::from(io::ErrorKind::BrokenPipe));
                }
                Ok(())
            });
        }
    }
    command.spawn()
}

/// Extends the lease every third of it, until the claim turns out to be lost.
async fn renew(store: Store, claim: Claim, lost: oneshot::Sender<()>) {
    loop {
        sleep(claim.lease.get() / 3).await;
        match store.renew(&claim.key, &claim.scope, claim.token, claim.lease).await {
            Ok(()) => {}
            Err(error) if error.kind() == ErrorKind::StaleClaim => {
                let _ = lost.send(());
                return;
            }
            // The row is still ours until somebody takes it; the next renewal will tell.
            Err(error) => tracing::warn!(%error, "the claim could not be renewed; trying again"),
        }
    }
}

/// What is read after the command's end.
struct Tail {
    /// What was in the pipe then: output of the command, however long it takes to pass it on.
    owed: u64,
    /// Until when more is read.
    until: Instant,
}

/// Copies the command's output to ours as it comes, and keeps it. `give_up` ends the writing: the output is
/// kept all the same.
async fn copy(
    stdout: Option<ChildStdout>,
    child_ended: CancellationToken,
    give_up: CancellationToken,
) -> (Body, Option<io::Error>) {
    let mut unwritten = None;
    let Some(mut stdout) = stdout else { return (Body::Kept(Vec::new()), None) };
    let mut ours = Some(tokio::io::stdout());
    let mut kept = Some(Vec::new());
    let mut total: u64 = 0;
    let mut chunk = vec![0; 64 * 1024];
    let mut tail: Option<Tail> = None;
    loop {
        if tail.is_none() && child_ended.is_cancelled() {
            let owed = rustix::io::ioctl_fionread(&stdout).unwrap_or_default();
            tail = Some(Tail { owed, until: Instant::now() + GRACE });
        }
        let read = match &tail {
            None => tokio::select! {
                read = stdout.read(&mut chunk) => read,
                () = child_ended.cancelled() => continue,
            },
            Some(tail) if tail.owed > 0 => stdout.read(&mut chunk).await,
            // One that writes without end would keep the pipe ready for ever.
            Some(tail) if tail.until <= Instant::now() || give_up.is_cancelled() => break,
            Some(tail) => match timeout_at(tail.until.into(), stdout.read(&mut chunk)).await {
                Ok(read) => read,
                Err(_) => break,
            },
        };
        let read = match read {
            Ok(0) | Err(_) => break,
            Ok(read) => &chunk[..read],
        };
        total += read.len() as u64;
        if let Some(tail) = &mut tail {
            tail.owed = tail.owed.saturating_sub(read.len() as u64);
        }
        if let Some(buffer) = &mut kept {
            if buffer.len() + read.len() <= DEFAULT_ANSWER_LIMIT {
                buffer.extend_from_slice(read);
            } else {
                kept = None;
            }
        }
        let Some(out) = &mut ours else { continue };
        let written = tokio::select! {
            biased;
            written = write(out, read) => written,
            () = give_up.cancelled() => {
                Err(io::Error::new(io::ErrorKind::Interrupted, "a signal came before its reader had taken it"))
            }
        };
        // A reader that is gone does not stop the command: its outcome must be stored.
        if let Err(error) = written {
            ours = None;
            unwritten = Some(error).filter(|error| error.kind() != io::ErrorKind::BrokenPipe);
        }
    }
    let kept = match kept {
        Some(bytes) => Body::Kept(bytes),
        None => Body::Omitted { bytes: total },
    };
    (kept, unwritten)
}

async fn write(out: &mut tokio::io::Stdout, bytes: &[u8]) -> io::Result<()> {
    out.write_all(bytes).await?;
    out.flush().await
}

/// Passes a signal on that the command has not had: a terminal sends its own to the whole foreground group,
/// but tells only the leader of its session that it is gone.
fn pass_on(pid: Option<Pid>, received: Received) {
    let reached_it = received.from_terminal && !(received.signal == libc::SIGHUP && leads_session());
    if let (false, Some(signal)) = (reached_it, Signal::from_named_raw(received.signal)) {
        send(pid, signal);
    }
}

fn leads_session() -> bool {
    rustix::process::getsid(None).is_ok_and(|leader| leader == rustix::process::getpid())
}

fn send(pid: Option<Pid>, signal: Signal) {
    if let Some(pid) = pid {
        // It may have ended in this moment.
        let _ = kill_process(pid, signal);
    }
}
