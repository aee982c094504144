//! Signals, where whoever started us has not chosen to ignore them: `nohup` and a shell's background
//! jobs do so by leaving them ignored, and a handler of ours would undo that for us and for a child.

use std::future::pending;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The stream of a signal; `None` when it is ignored.
pub(super) fn listen(kind: SignalKind) -> Option<Signal> {
    if is_ignored(kind) { None } else { signal(kind).ok() }
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
fn is_ignored(kind: SignalKind) -> bool {
    let mut action = std::mem::MaybeUninit::<libc::sigaction>::zeroed();
    // SAFETY: a null action changes nothing, and the kernel writes the old one into ours.
    unsafe {
        libc::sigaction(kind.as_raw_value(), std::ptr::null(), action.as_mut_ptr()) == 0
            && action.assume_init().sa_sigaction == libc::SIG_IGN
    }
}
