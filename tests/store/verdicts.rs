//! Verdicts are true: what `inspect` says of a row is what a claim then gets.

use idemctl::protocol::{ClaimOutcome, Status, StuckRule, Verdict, rules};
use idemctl::store::TimeSource;

use crate::support::{TestDb, at, claim, on_both_dialects, secs};

/// Every state, expired or not, retry allowed or not, stuck or not.
async fn the_verdict_is_what_a_claim_gets(db: TestDb) {
    let now = at(100_000);
    let store = db.store.with_clock(TimeSource::Fixed(now)).unwrap();
    let time = |at| db.time(at);
    let mut seen = Vec::new();
    for status in Status::ALL {
        for expired in [false, true] {
            for retry_allowed in [false, true] {
                for stuck in [false, true] {
                    let claimed = if stuck { now.minus(secs(10_000)) } else { now.minus(secs(10)) };
                    let lease = if stuck { now.minus(secs(9_000)) } else { now.plus(secs(10)) };
                    let expires = if expired { now.minus(secs(1)) } else { now.plus(secs(1_000)) };
                    let lease = if status == Status::InProgress { time(lease) } else { "NULL".into() };
                    let flag = matches!(db.store.dialect(), idemctl::store::Dialect::Postgres);
                    let allowed =
                        if flag { retry_allowed.to_string() } else { u8::from(retry_allowed).to_string() };
                    db.run("DELETE FROM idempotency_keys").await;
                    db.run(&format!(
                        "INSERT INTO idempotency_keys (idempotency_key, status, retry_allowed, created_at,
                             claimed_at, renewed_at, lease_expires_at, expires_at, response_status)
                         VALUES ('k', '{}', {allowed}, {claimed}, {claimed}, {claimed}, {lease}, {}, 200)",
                        status.as_str(),
                        time(expires),
                        claimed = time(claimed),
                    ))
                    .await;
                    let row = store.inspect("k").await.unwrap().remove(0);
                    let rule = StuckRule { older_than: secs(900) };
                    assert_eq!(row.is_stuck(rule), stuck && status == Status::InProgress);
                    let record = row.clone().into_record(None).unwrap();
                    let verdict = rules::verdict(record.standing(row.read_at));
                    let outcome = store.claim(&claim("k")).await.unwrap();
                    let agrees = matches!(
                        (verdict, &outcome),
                        (Verdict::Execute, ClaimOutcome::Claimed { .. })
                            | (Verdict::Replay, ClaimOutcome::Replay { .. })
                            | (Verdict::Wait, ClaimOutcome::InProgress { .. })
                            | (Verdict::FinalFailure, ClaimOutcome::FailedFinal { .. })
                    );
                    assert!(
                        agrees,
                        "{status:?} expired {expired} retry {retry_allowed} stuck {stuck}: {verdict:?}, {outcome:?}"
                    );
                    seen.push(verdict.as_str());
                }
            }
        }
    }
    for verdict in ["execute", "replay", "wait", "final_failure"] {
        assert!(seen.contains(&verdict), "{verdict} was never seen");
    }
}

on_both_dialects!(the_verdict_is_what_a_claim_gets);
