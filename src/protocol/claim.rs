//! The request for a key and what it is answered.

use std::time::Duration;

use serde::Serialize;

use super::{Answer, Fingerprint, Key, Lease, Scope, Span, Timestamp, Token, Ttl};

/// Whether a key may be tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Retry {
    /// The next claim may execute again.
    Allow,
    /// Nobody executes again until an operator releases the key or it expires.
    Block,
}

impl Retry {
    /// As the stored flag.
    pub const fn is_allowed(self) -> bool {
        matches!(self, Self::Allow)
    }

    /// From the stored flag.
    pub const fn from_allowed(allowed: bool) -> Self {
        if allowed { Self::Allow } else { Self::Block }
    }
}

/// A request for a key.
///
/// ```
/// use std::time::Duration;
/// use idemctl::protocol::{Claim, Fingerprint, Key, Lease, Retry, Scope};
///
/// let claim = Claim::new(Key::new("order-1234")?, Scope::new("tenant-7")?)
///     .with_fingerprint(Fingerprint::raw(b"POST /orders {...}"))
///     .with_lease(Lease::new(Duration::from_secs(30))?)
///     .if_lost(Retry::Block);
/// # Ok::<(), idemctl::protocol::InvalidInput>(())
/// ```
#[derive(Debug, Clone)]
pub struct Claim {
    /// The idempotency key.
    pub key: Key,
    /// On whose behalf.
    pub scope: Scope,
    /// What identifies the request; a claim without one matches any row.
    pub fingerprint: Option<Fingerprint>,
    /// This acquisition's fencing token. Repeating the same claim with the same token after a
    /// broken connection gives the first outcome again.
    pub token: Token,
    /// What the worker calls itself; for people.
    pub owner: Option<String>,
    /// How long the key is remembered.
    pub ttl: Ttl,
    /// How long the claim is protected without a renewal.
    pub lease: Lease,
    /// Whether the key may be tried again should this worker be lost.
    pub if_lost: Retry,
}

impl Claim {
    /// How long a key is remembered by default: 24 hours, what the field publishes.
    pub const DEFAULT_TTL: Duration = Duration::from_secs(24 * 60 * 60);
    /// The default lease: 60 seconds. Renewed every third of it, it survives two misses.
    pub const DEFAULT_LEASE: Duration = Duration::from_secs(60);

    /// A claim with a fresh token and the defaults: ttl 24 h, lease 60 s, retry allowed if lost.
    pub fn new(key: Key, scope: Scope) -> Self {
        Self {
            key,
            scope,
            fingerprint: None,
            token: Token::random(),
            owner: None,
            ttl: span(Self::DEFAULT_TTL),
            lease: span(Self::DEFAULT_LEASE),
            if_lost: Retry::Allow,
        }
    }

    /// Sets what identifies the request.
    #[must_use]
    pub fn with_fingerprint(mut self, fingerprint: Fingerprint) -> Self {
        self.fingerprint = Some(fingerprint);
        self
    }

    /// Sets the worker's name.
    #[must_use]
    pub fn with_owner(mut self, owner: impl Into<String>) -> Self {
        self.owner = Some(owner.into());
        self
    }

    /// Sets how long the key is remembered.
    #[must_use]
    pub fn with_ttl(mut self, ttl: Ttl) -> Self {
        self.ttl = ttl;
        self
    }

    /// Sets how long the claim is protected without a renewal.
    #[must_use]
    pub fn with_lease(mut self, lease: Lease) -> Self {
        self.lease = lease;
        self
    }

    /// Sets what becomes of the key should this worker be lost.
    #[must_use]
    pub fn if_lost(mut self, retry: Retry) -> Self {
        self.if_lost = retry;
        self
    }
}

/// The built-in defaults lie within a span's bounds; the fallback can't be reached.
fn span(default: Duration) -> Span {
    Span::new(default).unwrap_or_else(|_| unreachable!("a default within bounds"))
}

/// What a claim is answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClaimOutcome {
    /// The caller holds the key and does the work.
    Claimed {
        /// Proves it to renew, complete and fail.
        token: Token,
        /// 1 for the first try.
        attempt: u32,
    },
    /// The work is done; this is what was answered.
    Replay {
        /// The first answer, byte for byte.
        answer: Answer,
    },
    /// Somebody is at work.
    InProgress {
        /// Since when.
        since: Timestamp,
        /// When its lease ends; `None` for a claim made in a caller's own transaction.
        lease: Option<Timestamp>,
    },
    /// The work failed and must not be tried again.
    FailedFinal {
        /// Why it failed.
        reason: Option<String>,
        /// What was answered, where an answer was stored.
        answer: Option<Answer>,
    },
    /// The key was used for another request.
    Mismatch,
}

/// How a claim ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settlement {
    /// The work was done and answered.
    Completed {
        /// The answer every retry gets.
        answer: Answer,
    },
    /// The work was not done, or failed.
    Failed {
        /// Why, for people.
        reason: String,
        /// Whether a later claim may try again.
        retry: Retry,
        /// What was answered, where retries should get it.
        answer: Option<Answer>,
    },
}

impl Settlement {
    /// The answer it stores.
    pub fn answer(&self) -> Option<&Answer> {
        match self {
            Self::Completed { answer } => Some(answer),
            Self::Failed { answer, .. } => answer.as_ref(),
        }
    }
}
