//! The transitions. Each function is one row of the table in the design: who may move a row from
//! where to where, and what the row looks like afterwards.

use std::time::Duration;

use serde::Serialize;

use super::rules::{self, Standing};
use super::{Answer, Claim, ClaimOutcome, Retry, Settlement, Span, Timestamp, Token, fingerprint};

/// The three states. Nothing else is state; expired and retry-allowed are properties beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// A worker holds the key.
    InProgress,
    /// The work is done and its answer stored.
    Completed,
    /// The work failed.
    Failed,
}

impl Status {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::InProgress, Self::Completed, Self::Failed];

    /// The name in rows, JSON and flags.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InProgress => "in_progress",
            Self::Completed => "completed",
            Self::Failed => "failed",
        }
    }
}

/// One row as the protocol sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// The state.
    pub status: Status,
    /// The fingerprint with its algorithm's prefix.
    pub fingerprint: Option<String>,
    /// The stored answer.
    pub answer: Option<Answer>,
    /// The token of the last acquisition; gone once reaped or failed by an operator.
    pub token: Option<Token>,
    /// Which try this is; for people and logs.
    pub attempt: u32,
    /// What the worker calls itself.
    pub owner: Option<String>,
    /// Failed: whether a claim may try again. In progress: whether it may, should the worker be lost.
    pub retry_allowed: bool,
    /// Why it failed.
    pub failure: Option<String>,
    /// When the key was first seen.
    pub created_at: Timestamp,
    /// When it was acquired last.
    pub claimed_at: Timestamp,
    /// The last heartbeat.
    pub renewed_at: Timestamp,
    /// Until when the reaper keeps away.
    pub lease_expires_at: Option<Timestamp>,
    /// When it was settled.
    pub finished_at: Option<Timestamp>,
    /// From when on the key counts as new.
    pub expires_at: Timestamp,
}

impl Record {
    /// What the rules look at, at `now`.
    pub fn standing(&self, now: Timestamp) -> Standing {
        Standing {
            status: self.status,
            is_expired: self.is_expired(now),
            is_leased: self.lease_expires_at.is_some_and(|until| until > now),
            retry_allowed: self.retry_allowed,
        }
    }

    /// Whether it is past its expiry at `now`.
    pub fn is_expired(&self, now: Timestamp) -> bool {
        self.expires_at <= now
    }

    /// The span every acquisition set between claim and expiry. Settling counts it afresh, so that
    /// no row is born expired.
    fn span(&self) -> Duration {
        let is_set = |at: Timestamp| at > Timestamp::OLDEST_PLAUSIBLE;
        let span = self.expires_at.since(self.claimed_at);
        // What no claim set says nothing about the span: then it is that of most keys.
        if !is_set(self.expires_at) || !is_set(self.claimed_at) || span < Span::MIN {
            return Claim::DEFAULT_TTL;
        }
        span
    }
}

/// What a claim has to do about the row it found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Take the key: insert the row, or take over the one that was read.
    Acquire {
        /// The attempt the row will carry.
        attempt: u32,
        /// The old fingerprint, answer and age are forgotten.
        as_absent: bool,
    },
    /// Nothing to take; this is the answer.
    Answer(ClaimOutcome),
}

/// What a claim is answered, given the row as it was read at `now`.
///
/// The order of the questions matters. Comparing the fingerprint before the expiry makes an expired
/// key conflict for ever; asking the state before the fingerprint tells the wrong payload to wait.
pub fn decide(record: Option<&Record>, claim: &Claim, now: Timestamp) -> Decision {
    let Some(record) = record else {
        return Decision::Acquire { attempt: 1, as_absent: true };
    };
    let expired = record.is_expired(now);
    let in_progress = || {
        Decision::Answer(ClaimOutcome::InProgress {
            since: record.claimed_at,
            lease: record.lease_expires_at,
        })
    };
    match record.status {
        Status::Completed | Status::Failed if expired => Decision::Acquire { attempt: 1, as_absent: true },
        // Our own claim, asked again because its answer was lost on the way: see [`claimed_again`].
        Status::InProgress if record.token == Some(claim.token) => {
            Decision::Answer(ClaimOutcome::Claimed { token: claim.token, attempt: record.attempt })
        }
        Status::InProgress if expired => in_progress(),
        _ if !fingerprint::matches(record.fingerprint.as_deref(), claim.fingerprint.as_ref()) => {
            Decision::Answer(ClaimOutcome::Mismatch)
        }
        Status::InProgress => in_progress(),
        Status::Completed => match &record.answer {
            Some(answer) => Decision::Answer(ClaimOutcome::Replay { answer: answer.clone() }),
            // Written by other hands: done, with nothing stored.
            None => Decision::Answer(ClaimOutcome::Replay {
                answer: Answer { status: None, headers: Vec::new(), body: super::Body::Omitted { bytes: 0 } },
            }),
        },
        Status::Failed if record.retry_allowed => {
            Decision::Acquire { attempt: record.attempt.saturating_add(1), as_absent: false }
        }
        Status::Failed => Decision::Answer(ClaimOutcome::FailedFinal {
            reason: record.failure.clone(),
            answer: record.answer.clone(),
        }),
    }
}

/// The row after `claim` acquired it at `now`.
pub fn claimed(
    record: Option<&Record>,
    claim: &Claim,
    attempt: u32,
    as_absent: bool,
    now: Timestamp,
) -> Record {
    let brought = claim.fingerprint.as_ref().map(|fingerprint| fingerprint.to_string());
    let kept = record.filter(|_| !as_absent);
    Record {
        status: Status::InProgress,
        // A fingerprint once stored stays when the retry brings none.
        fingerprint: kept.and_then(|old| old.fingerprint.clone()).or(brought),
        answer: None,
        token: Some(claim.token),
        attempt,
        owner: claim.owner.clone(),
        retry_allowed: claim.if_lost.is_allowed(),
        failure: None,
        created_at: kept.map_or(now, |old| old.created_at),
        claimed_at: now,
        renewed_at: now,
        lease_expires_at: Some(now.plus(claim.lease.get())),
        finished_at: None,
        expires_at: now.plus(claim.ttl.get()),
    }
}

/// The row after a claim found its own token in it: the answer to the first try was lost, maybe for longer
/// than the lease, which starts anew. `None` when the row is not the claim's.
pub fn claimed_again(record: &Record, claim: &Claim, now: Timestamp) -> Option<Record> {
    holds(record, claim.token).then(|| Record {
        created_at: if record.attempt == 1 { now } else { record.created_at },
        claimed_at: now,
        renewed_at: now,
        lease_expires_at: Some(now.plus(claim.lease.get())),
        expires_at: now.plus(claim.ttl.get()),
        ..record.clone()
    })
}

/// The row after its holder renewed it; `None` when `token` does not hold it.
pub fn renewed(record: &Record, token: Token, lease: Duration, now: Timestamp) -> Option<Record> {
    holds(record, token).then(|| Record {
        renewed_at: now,
        lease_expires_at: Some(now.plus(lease)),
        ..record.clone()
    })
}

/// The row after its holder settled it; `None` when `token` does not hold it.
pub fn settled(record: &Record, token: Token, settlement: &Settlement, now: Timestamp) -> Option<Record> {
    if !holds(record, token) {
        return None;
    }
    let mut next = Record {
        lease_expires_at: None,
        finished_at: Some(now),
        expires_at: now.plus(record.span()),
        answer: settlement.answer().cloned(),
        ..record.clone()
    };
    match settlement {
        Settlement::Completed { .. } => next.status = Status::Completed,
        Settlement::Failed { reason, retry, .. } => {
            next.status = Status::Failed;
            next.failure = Some(reason.clone());
            next.retry_allowed = retry.is_allowed();
        }
    }
    Some(next)
}

fn holds(record: &Record, token: Token) -> bool {
    record.status == Status::InProgress && record.token == Some(token)
}

/// When an in-progress row counts as stuck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StuckRule {
    /// No heartbeat for at least this long.
    pub older_than: Duration,
}

impl StuckRule {
    /// No heartbeat for `older_than`: what the reaper looks at, whether or not a lease runs.
    pub fn is_silent(&self, record: &Record, now: Timestamp) -> bool {
        record.status == Status::InProgress && record.renewed_at <= now.minus(self.older_than)
    }

    /// Silent, and no lease is running: what the reaper may take.
    pub fn is_stuck(&self, record: &Record, now: Timestamp) -> bool {
        rules::may_reap(record.standing(now), self.is_silent(record, now))
    }
}

/// The row after the reaper took it; `None` when it is not stuck. A row that was claimed with
/// "block if lost" is blocked whatever the reaper's policy.
pub fn reaped(
    record: &Record,
    rule: StuckRule,
    policy: Retry,
    reason: &str,
    now: Timestamp,
) -> Option<Record> {
    rule.is_stuck(record, now).then(|| taken_away(record, policy, reason, now))
}

/// The row after an operator failed it; `None` when it is not in progress, or its lease still runs
/// and `force` was not given.
pub fn failed_by_operator(
    record: &Record,
    policy: Retry,
    force: bool,
    reason: &str,
    now: Timestamp,
) -> Option<Record> {
    rules::may_fail(record.standing(now), force).ok().map(|()| taken_away(record, policy, reason, now))
}

fn taken_away(record: &Record, policy: Retry, reason: &str, now: Timestamp) -> Record {
    Record {
        status: Status::Failed,
        // Erased, so that a worker that wakes up later can't settle it.
        token: None,
        retry_allowed: record.retry_allowed && policy.is_allowed(),
        failure: Some(reason.to_owned()),
        lease_expires_at: None,
        finished_at: Some(now),
        expires_at: now.plus(record.span()),
        ..record.clone()
    }
}

/// The row after an operator released it; `None` when it is not failed.
pub fn released(record: &Record, now: Timestamp) -> Option<Record> {
    rules::may_release(record.standing(now)).ok().map(|()| Record {
        retry_allowed: true,
        expires_at: now.plus(record.span()),
        ..record.clone()
    })
}

/// Whether the purge may delete the row: settled, and expired at the pass's cutoff. A row in
/// progress is never deleted by age.
pub fn is_purgeable(record: &Record, cutoff: Timestamp) -> bool {
    rules::may_purge(record.standing(cutoff))
}
