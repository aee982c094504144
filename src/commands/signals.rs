//! Signals, where whoever started us has not chosen to ignore them: `nohup` and a shell's background
//! jobs do so by leaving them ignored, and a handler of ours would undo that for us and for a child.

use std::future::pending;
use std::io;
use std::os::fd::IntoRawFd as _;
use std::os::unix::net::UnixStream as StdStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::net::UnixStream;
use tokio::signal::unix::{Signal, SignalKind, signal};

use crate::exit::Exit;

/// The stream of a signal; `None` when it is ignored.
pub(super) fn listen(kind: SignalKind) -> Option<Signal> {
    if is_ignored(kind.as_raw_value()) { None } else { signal(kind).ok() }
}

/// The next signal, or never.
pub(super) async fn next(stream: &mut Option<Signal>) {
    match stream {
        Some(stream) => {
            stream.recv().await;
        }
        None => pending().await,
    }
}

#[allow(unsafe_code, reason = "sigaction(2) without a new action only reads; there is no safe call for it")]
fn is_ignored(signal: i32) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: a null action changes nothing, and the kernel writes the old one into ours.
    unsafe {
        libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}

/// A signal that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Received {
    /// Its number.
    pub(super) signal: i32,
    /// A terminal sent it, by way of the kernel: to its whole foreground group. Otherwise a process sent
    /// it, to us alone or to whomever it meant.
    pub(super) from_terminal: bool,
}

/// Marks a signal of the kernel's on its way through the socket; signals have numbers up to 64.
const FROM_KERNEL: u8 = 0x80;

/// Signals in the order in which they came, each with its sender. The handlers stay for the life of the
/// process: nothing that comes later ends it unseen.
pub(super) struct Signals(Option<UnixStream>);

impl Signals {
    /// Listens from now on to those of `signals` that are not ignored. Must be called on a runtime.
    pub(super) fn of(signals: &[i32]) -> Self {
        Self::connected(signals, None)
    }

    /// As [`Signals::of`]; the second of them ends the process with this code, whatever it waits for.
    pub(super) fn of_two(signals: &[i32], exit: Exit) -> Self {
        Self::connected(signals, Some(exit))
    }

    fn connected(signals: &[i32], second: Option<Exit>) -> Self {
        let socket = Self::connect(signals, second.map(|exit| i32::from(exit.code())));
        Self(socket.inspect_err(|error| tracing::warn!(%error, "signals are not heard")).ok())
    }

    #[allow(unsafe_code, reason = "a handler that sees the sender can't be had safely")]
    fn connect(signals: &[i32], second: Option<i32>) -> io::Result<UnixStream> {
        let (ours, handlers) = StdStream::pair()?;
        ours.set_nonblocking(true)?;
        handlers.set_nonblocking(true)?;
        let ours = UnixStream::from_std(ours)?;
        // Never closed: a handler may run at any time.
        let socket = handlers.into_raw_fd();
        let came = Arc::new(AtomicBool::new(false));
        for signal in signals.iter().copied().filter(|signal| !is_ignored(*signal)) {
            let number = u8::try_from(signal).unwrap_or_default();
            let came = came.clone();
            let handler = move |info: &libc::siginfo_t| {
                if let (true, Some(code)) = (came.swap(true, Ordering::Relaxed), second) {
                    // SAFETY: _exit(2) is async-signal-safe.
                    unsafe { libc::_exit(code) }
                }
                let byte = number | if is_from_kernel(info) { FROM_KERNEL } else { 0 };
                // SAFETY: send(2) is async-signal-safe, the socket stays open, the byte is on our stack. A
                // full socket has more signals in it than anybody will count.
                unsafe {
                    libc::send(socket, std::ptr::from_ref(&byte).cast(), 1, libc::MSG_DONTWAIT);
                }
            };
            // SAFETY: the handler makes async-signal-safe calls alone, and neither allocates nor panics.
            unsafe { signal_hook_registry::register_sigaction(signal, handler) }?;
        }
        Ok(ours)
    }

    /// The next signal. May be dropped while it waits: none is lost.
    pub(super) async fn next(&mut self) -> Received {
        loop {
            if let Some(received) = self.try_next() {
                return received;
            }
            match &self.0 {
                Some(socket) if socket.readable().await.is_ok() => {}
                _ => pending().await,
            }
        }
    }

    /// One that has come already.
    pub(super) fn try_next(&mut self) -> Option<Received> {
        let mut byte = [0];
        match self.0.as_ref()?.try_read(&mut byte) {
            Ok(1) => Some(Received {
                signal: i32::from(byte[0] & !FROM_KERNEL),
                from_terminal: byte[0] & FROM_KERNEL != 0,
            }),
            _ => None,
        }
    }
}

/// Positive codes are the kernel's; a process's kill(2), sigqueue(3) and tgkill(2) have others.
#[cfg(target_os = "linux")]
fn is_from_kernel(info: &libc::siginfo_t) -> bool {
    info.si_code > 0
}

/// The kernel is no process.
#[cfg(not(target_os = "linux"))]
#[allow(unsafe_code, reason = "a union's field; every signal that is listened to has it")]
fn is_from_kernel(info: &libc::siginfo_t) -> bool {
    // SAFETY: for signals other than those of a fault the sender's process is filled in.
    unsafe { info.si_pid() == 0 }
}
