//! `idemctl run`

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::duration;

/// Run a command at most once per key: the first call claims the key, runs the command, and stores
/// its standard output and exit code; every later call with the key prints and returns the same.
///
/// While the command runs its claim is renewed. Signals are passed on to it. It finds the key in
/// its environment: IDEMPOTENCY_KEY, IDEMPOTENCY_SCOPE, IDEMPOTENCY_ATTEMPT, IDEMPOTENCY_TOKEN.
/// Standard error is passed through and not stored; an output over 1 MiB is not kept.
///
/// A call that was lost (killed, its machine down) holds the key until its lease is over. The next
/// call after that takes the claim away, by the policy of --on-lost that it was claimed with.
///
/// run ends at most half a second after its command, whatever processes the command leaves behind.
/// What they write to its standard output later is lost, and the write fails with SIGPIPE: redirect it.
///
/// An outcome that can't be stored is tried again until it is. Then a first signal says how it
/// stands, and a second one gives up.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Exit status:\n  \
    the command's own, now or as stored; 128+N when signal N ended it\n   \
    65  the key was used for another request\n   \
    69  database unreachable; the message says whether the key may be claimed again\n   \
    70  the claim was lost while the command ran\n   \
    75  in progress: another call runs the command, or its lease is not over\n  \
    125  anything else, a usage error and a key that is closed until it is released or expires included\n  \
    126  the command can't be executed\n  \
    127  the command was not found")]
pub struct RunArgs {
    /// The idempotency key
    #[arg(long, value_name = "KEY")]
    pub key: String,

    /// On whose behalf: tenant, user, client
    #[arg(long, value_name = "SCOPE", default_value = "", hide_default_value = true)]
    pub scope: String,

    /// How long the key is remembered [default: run.ttl, 24h]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub ttl: Option<Duration>,

    /// How long the claim holds without a renewal; it is renewed every third of it
    /// [default: run.lease, 60s]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub lease: Option<Duration>,

    /// While another call holds the key, wait this long for its result or for the end of its lease
    /// [default: don't wait]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub wait: Option<Duration>,

    /// What identifies the request: the same key with another content is refused
    #[arg(long, value_name = "PATH")]
    pub fingerprint_file: Option<PathBuf>,

    /// What a non-zero exit means for the key
    #[arg(long, value_name = "POLICY", default_value = "retry")]
    pub on_failure: OnFailure,

    /// What becomes of the key should this process be lost
    #[arg(long, value_name = "POLICY", default_value = "block")]
    pub on_lost: OnLost,

    /// Use the SQLite file in your data folder, which is made when it is not there
    #[arg(long)]
    pub local: bool,

    /// The command and its arguments
    #[arg(value_name = "CMD", required = true, trailing_var_arg = true)]
    pub command: Vec<OsString>,
}

/// What a non-zero exit means for the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnFailure {
    /// The key is failed, and a later call may run the command again
    Retry,
    /// The failure is stored and replayed like a success
    Final,
}

/// What becomes of the key should the process be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OnLost {
    /// Once the lease is over it is closed until it is released or expires: the command may have outlived us
    Block,
    /// Once the lease is over a later call runs the command again, for commands that may run twice
    Retry,
}
