//! The child process: its environment, its output, its signals, and the renewals beside it.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{Child, ChildStdout, Command};
use tokio::signal::unix::SignalKind;
use tokio::sync::{mpsc, oneshot};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::commands::signals::listen;
use crate::output::Printer;
use crate::protocol::{Body, Claim, DEFAULT_ANSWER_LIMIT, Token};
use crate::settings::RunSettings;
use crate::store::{ErrorKind, Store};

/// How long the output stays open after the command ended and nothing more comes: a process that
/// it left in the background may hold it for ever.
const SILENCE: Duration = Duration::from_millis(500);

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
}

/// Runs the command, renewing its claim and passing signals on while it does.
pub(super) async fn run(
    store: &Store,
    claim: &Claim,
    settings: &RunSettings,
    token: Token,
    attempt: u32,
    printer: &Printer,
) -> Finished {
    // Before the child starts, so that no signal falls between the two.
    let mut signals = signals();
    let mut child = match spawn(claim, settings, token, attempt) {
        Ok(child) => child,
        Err(error) => {
            let program = settings.command.first().map(|name| name.to_string_lossy().into_owned());
            let ended = Ended::NotStarted { error, program: program.unwrap_or_default() };
            return Finished { ended, stdout: Body::Kept(Vec::new()), unwritten: None };
        }
    };
    let pid = child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
    let (lost, mut on_lost) = oneshot::channel();
    let renewals = tokio::spawn(renew(store.clone(), claim.clone(), token, lost));
    let stdout = child.stdout.take();
    let child_ended = CancellationToken::new();
    let copying = tokio::spawn(copy(stdout, child_ended.clone()));
    let mut claim_held = true;
    let status = loop {
        tokio::select! {
            status = child.wait() => break status,
            Some(signal) = signals.recv() => pass_on(pid, signal),
            _ = &mut on_lost, if claim_held => {
                claim_held = false;
                printer.notice("the claim was lost: somebody else may run the command now; telling it to stop");
                pass_on(pid, Signal::TERM);
            }
        }
    };
    child_ended.cancel();
    let (stdout, unwritten) = copying.await.unwrap_or((Body::Omitted { bytes: 0 }, None));
    renewals.abort();
    Finished { ended: ended(status), stdout, unwritten }
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
fn spawn(claim: &Claim, settings: &RunSettings, token: Token, attempt: u32) -> io::Result<Child> {
    let Some((program, arguments)) = settings.command.split_first() else {
        return Err(io::Error::new(io::ErrorKind::NotFound, "no command"));
    };
    let mut command = Command::new(program);
    command
        .args(arguments)
        .env("IDEMPOTENCY_KEY", claim.key.as_str())
        .env("IDEMPOTENCY_SCOPE", claim.scope.as_str())
        .env("IDEMPOTENCY_ATTEMPT", attempt.to_string())
        .env("IDEMPOTENCY_TOKEN", token.to_string())
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
async fn renew(store: Store, claim: Claim, token: Token, lost: oneshot::Sender<()>) {
    loop {
        sleep(claim.lease.get() / 3).await;
        match store.renew(&claim.key, &claim.scope, token, claim.lease).await {
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

/// Copies the command's output to ours as it comes, and keeps it.
async fn copy(stdout: Option<ChildStdout>, child_ended: CancellationToken) -> (Body, Option<io::Error>) {
    let mut unwritten = None;
    let Some(mut stdout) = stdout else { return (Body::Kept(Vec::new()), None) };
    let mut ours = Some(tokio::io::stdout());
    let mut kept = Some(Vec::new());
    let mut total: u64 = 0;
    let mut chunk = vec![0; 64 * 1024];
    loop {
        let silence = async {
            child_ended.cancelled().await;
            sleep(SILENCE).await;
        };
        let read = tokio::select! {
            // What is there to be read comes first, however long we were stopped or kept waiting.
            biased;
            read = stdout.read(&mut chunk) => read,
            () = silence => break,
        };
        let read = match read {
            Ok(0) | Err(_) => break,
            Ok(read) => &chunk[..read],
        };
        total += read.len() as u64;
        if let Some(buffer) = &mut kept {
            if buffer.len() + read.len() <= DEFAULT_ANSWER_LIMIT {
                buffer.extend_from_slice(read);
            } else {
                kept = None;
            }
        }
        // A reader that is gone does not stop the command: its outcome must be stored.
        if let Some(out) = &mut ours
            && let Err(error) = write(out, read).await
        {
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

/// The signals that are passed on, as they come.
fn signals() -> mpsc::Receiver<Signal> {
    let (send, receive) = mpsc::channel(16);
    for (kind, passed_on, from_terminal) in [
        (SignalKind::interrupt(), Signal::INT, true),
        (SignalKind::quit(), Signal::QUIT, true),
        (SignalKind::terminate(), Signal::TERM, false),
        (SignalKind::hangup(), Signal::HUP, false),
        (SignalKind::user_defined1(), Signal::USR1, false),
        (SignalKind::user_defined2(), Signal::USR2, false),
    ] {
        let Some(mut stream) = listen(kind) else { continue };
        let send = send.clone();
        tokio::spawn(async move {
            while stream.recv().await.is_some() {
                // The terminal sends these to the whole foreground group: the child has had it.
                if from_terminal && in_foreground() {
                    continue;
                }
                let _ = send.send(passed_on).await;
            }
        });
    }
    receive
}

/// Whether this process group is the one that the terminal talks to.
fn in_foreground() -> bool {
    let group = rustix::process::getpgrp();
    let terminals = [
        rustix::termios::tcgetpgrp(rustix::stdio::stdin()),
        rustix::termios::tcgetpgrp(rustix::stdio::stdout()),
        rustix::termios::tcgetpgrp(rustix::stdio::stderr()),
    ];
    terminals.into_iter().flatten().any(|foreground| foreground == group)
}

fn pass_on(pid: Option<Pid>, signal: Signal) {
    if let Some(pid) = pid {
        // It may have ended in this moment.
        let _ = kill_process(pid, signal);
    }
}
