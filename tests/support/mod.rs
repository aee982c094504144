//! What the integration tests share: real servers that they start themselves, a database per test,
//! and short names for the protocol's types.
#![allow(dead_code, reason = "each test crate uses its own part")]

pub mod database;
pub mod hosts;
pub mod pooler;
pub mod proxy;
pub mod server;
pub mod terminal;

use std::time::{Duration, Instant};

use idemctl::protocol::{
    Answer, Claim, ClaimOutcome, Fingerprint, Key, Lease, Scope, Span, Timestamp, Token, Ttl,
};
use idemctl::store::{Actor, ErrorKind, StoreError};

#[allow(unused_imports, reason = "each test crate uses its own part")]
pub use database::{Raw, TestDb};
pub use idemctl::store::Dialect;

/// Makes one test per dialect of each function, so that a test's name says the dialect. A function
/// that is not listed is dead code, and a warning.
#[allow(unused_macros, reason = "each test crate uses its own part")]
macro_rules! on_both_dialects {
    ($($name:ident),* $(,)?) => {
        mod postgres {
            $(
                #[tokio::test]
                async fn $name() {
                    super::$name($crate::support::TestDb::new($crate::support::Dialect::Postgres).await).await;
                }
            )*
        }
        mod sqlite {
            $(
                #[tokio::test]
                async fn $name() {
                    super::$name($crate::support::TestDb::new($crate::support::Dialect::Sqlite).await).await;
                }
            )*
        }
    };
}
#[allow(unused_imports, reason = "each test crate uses its own part")]
pub(crate) use on_both_dialects;

/// The moment at which most tests begin: 2027-01-15T08:00:00Z.
pub const START: Timestamp = Timestamp::from_micros(1_800_000_000_000_000);

/// So many seconds after [`START`].
pub fn at(seconds: u64) -> Timestamp {
    START.plus(Duration::from_secs(seconds))
}

pub fn secs(seconds: u64) -> Duration {
    Duration::from_secs(seconds)
}

pub fn key(text: &str) -> Key {
    Key::new(text).unwrap()
}

pub fn scope(text: &str) -> Scope {
    Scope::new(text).unwrap()
}

pub fn ttl(seconds: u64) -> Ttl {
    Span::new(secs(seconds)).unwrap()
}

pub fn lease(seconds: u64) -> Lease {
    Span::new(secs(seconds)).unwrap()
}

pub fn raw(text: &str) -> Fingerprint {
    Fingerprint::raw(text.as_bytes())
}

pub fn json(text: &str) -> Fingerprint {
    Fingerprint::json(text.as_bytes()).unwrap()
}

/// A claim without a scope, for 100 s, leased for 10 s.
pub fn claim(text: &str) -> Claim {
    Claim::new(key(text), Scope::none()).with_ttl(ttl(100)).with_lease(lease(10))
}

pub fn claimed(token: Token, attempt: u32) -> ClaimOutcome {
    ClaimOutcome::Claimed { token, attempt }
}

/// The answer most tests store.
pub fn answer() -> Answer {
    Answer::new(201, "created").with_header("Location", "/orders/1")
}

pub fn replay() -> ClaimOutcome {
    ClaimOutcome::Replay { answer: answer() }
}

pub fn in_progress(since: Timestamp, lease: Option<Timestamp>) -> ClaimOutcome {
    ClaimOutcome::InProgress { since, lease }
}

pub fn tester() -> Actor {
    Actor {
        command: "reap-stuck".into(),
        user: Some("op".into()),
        host: Some("h1".into()),
        reason: Some("test".into()),
    }
}

/// The kind of a failure; a success is shown when there is none.
#[track_caller]
pub fn kind<T: std::fmt::Debug>(result: Result<T, StoreError>) -> ErrorKind {
    match result {
        Ok(value) => panic!("expected a failure and got {value:?}"),
        Err(error) => error.kind(),
    }
}

/// Polls a condition until it holds; fails after a while.
pub async fn until<F: Future<Output = bool>>(what: &str, mut condition: impl FnMut() -> F) {
    let deadline = Instant::now() + secs(30);
    while !condition().await {
        assert!(Instant::now() < deadline, "waited in vain until {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
