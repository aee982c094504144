//! The pure state machine and every store, driven by the same random events at the same moments:
//! outcome and row must be equal after each step. `PROPTEST_CASES` makes it run longer.

use std::collections::BTreeMap;
use std::time::Duration;

use idemctl::janitor::{PaceOptions, PurgeOptions, ReapOptions, purge, reap};
use idemctl::protocol::{
    self, Answer, Body, Claim, ClaimOutcome, Decision, Fingerprint, Key, Record, Retry, Scope, Settlement,
    Status, StuckRule, Timestamp, Token, decide,
};
use idemctl::store::{Confirmed, Dialect, ErrorKind, Store};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tokio_util::sync::CancellationToken;

use crate::support::{START, TestDb, json, lease, raw, tester, ttl};

/// One of three keys in one of two scopes.
type Name = (usize, usize);

#[derive(Debug, Clone)]
enum Event {
    Claim { name: Name, token: u128, fingerprint: usize, ttl: u64, lease: u64, if_lost: Retry, in_tx: bool },
    Renew { name: Name, token: u128, lease: u64 },
    Complete { name: Name, token: u128, answer: usize },
    Fail { name: Name, token: u128, retry: Retry, answer: Option<usize> },
    Reap { older_than: u64, retry: Retry, scope: Option<usize> },
    Purge,
    Pass(Duration),
}

fn name() -> impl Strategy<Value = Name> {
    // Mostly one key: what happens to a key matters more than how many there are.
    (prop_oneof![4 => Just(0_usize), 1 => 1..3_usize], prop_oneof![3 => Just(0_usize), 1 => Just(1)])
}

fn token() -> impl Strategy<Value = u128> {
    1..5_u128
}

fn retry() -> impl Strategy<Value = Retry> {
    prop_oneof![2 => Just(Retry::Allow), 1 => Just(Retry::Block)]
}

fn event() -> impl Strategy<Value = Event> {
    let spans = prop_oneof![Just(1_u64), Just(7), Just(60), Just(86_400), Just(3_155_760_000)];
    let claim = (name(), token(), 0..FINGERPRINTS, spans.clone(), spans.clone(), retry(), any::<bool>());
    prop_oneof![
        8 => claim.prop_map(|(name, token, fingerprint, ttl, lease, if_lost, in_tx)| Event::Claim {
            name, token, fingerprint, ttl, lease, if_lost, in_tx
        }),
        2 => (name(), token(), spans).prop_map(|(name, token, lease)| Event::Renew { name, token, lease }),
        4 => (name(), token(), 0..ANSWERS).prop_map(|(name, token, answer)| Event::Complete {
            name, token, answer
        }),
        4 => (name(), token(), retry(), proptest::option::of(0..ANSWERS)).prop_map(
            |(name, token, retry, answer)| Event::Fail { name, token, retry, answer }
        ),
        2 => (prop_oneof![Just(1_u64), Just(7), Just(90_000)], retry(), proptest::option::of(0..2_usize))
            .prop_map(|(older_than, retry, scope)| Event::Reap { older_than, retry, scope }),
        1 => Just(Event::Purge),
        4 => prop_oneof![
            3 => (0..12_000_000_u64).prop_map(Duration::from_micros),
            2 => (1..200_u64).prop_map(Duration::from_secs),
            1 => (1..400_u64).prop_map(|days| Duration::from_secs(days * 86_400)),
        ].prop_map(Event::Pass),
    ]
}

const FINGERPRINTS: usize = 6;

fn fingerprint(number: usize) -> Option<Fingerprint> {
    match number {
        0 => None,
        1 => Some(raw("plain")),
        2 => Some(raw(r#"{"a":1}"#)),
        3 => Some(raw(r#"{ "a": 1.0 }"#)),
        4 => Some(json(r#"{ "a": 1 }"#)),
        _ => Some(json(r#"{"a":2}"#)),
    }
}

const ANSWERS: usize = 6;

fn answer(number: usize) -> Answer {
    match number {
        0 => Answer::new(200, ""),
        1 => Answer::new(201, "text").with_header("A", "1").with_header("a", "2"),
        2 => Answer::new(-1, vec![0, 255, 10]).with_header("X", vec![255, 0]),
        3 => Answer::new(204, "gone").without_body(),
        4 => Answer { status: None, headers: Vec::new(), body: Body::Omitted { bytes: 0 } },
        _ => Answer { status: None, headers: Vec::new(), body: Body::Kept(Vec::new()) },
    }
}

fn names((key, scope): Name) -> (Key, Scope) {
    (Key::new(format!("k{key}")).unwrap(), scope_of(scope))
}

fn scope_of(number: usize) -> Scope {
    Scope::new(["", "tenant"][number]).unwrap()
}

/// The rows as the state machine has them.
struct Model {
    now: Timestamp,
    rows: BTreeMap<Name, Record>,
}

/// What an event came to; in words that both sides can say.
#[derive(Debug, PartialEq)]
enum Outcome {
    Claim(ClaimOutcome),
    Done,
    Stale,
    Reaped { matched: u64, reaped: u64, held_by_lease: u64 },
    Purged(u64),
}

impl Model {
    fn apply(&mut self, event: &Event) -> Outcome {
        let now = self.now;
        match event {
            Event::Claim { name, in_tx, .. } => {
                let claim = claim_of(event);
                match decide(self.rows.get(name), &claim, now) {
                    Decision::Answer(outcome @ ClaimOutcome::Claimed { .. }) => {
                        let mut row = protocol::claimed_again(&self.rows[name], &claim, now).unwrap();
                        if *in_tx {
                            row.lease_expires_at = None;
                        }
                        self.rows.insert(*name, row);
                        Outcome::Claim(outcome)
                    }
                    Decision::Answer(outcome) => Outcome::Claim(outcome),
                    Decision::Acquire { attempt, as_absent } => {
                        let mut row = protocol::claimed(self.rows.get(name), &claim, attempt, as_absent, now);
                        if *in_tx {
                            row.lease_expires_at = None;
                        }
                        self.rows.insert(*name, row);
                        Outcome::Claim(ClaimOutcome::Claimed { token: claim.token, attempt })
                    }
                }
            }
            Event::Renew { name, token, lease: length } => {
                let token = Token::from_u128(*token);
                let next = self
                    .rows
                    .get(name)
                    .and_then(|row| protocol::renewed(row, token, lease(*length).get(), now));
                self.become_(*name, next)
            }
            Event::Complete { name, token, .. } | Event::Fail { name, token, .. } => {
                let (settlement, token) = (settlement_of(event), Token::from_u128(*token));
                let settled = match settlement {
                    Settlement::Completed { .. } => Status::Completed,
                    Settlement::Failed { .. } => Status::Failed,
                };
                let Some(row) = self.rows.get(name) else { return Outcome::Stale };
                // A repetition: the first outcome stands.
                if row.token == Some(token) && row.status == settled {
                    return Outcome::Done;
                }
                let next = protocol::settled(row, token, &settlement, now);
                self.become_(*name, next)
            }
            Event::Reap { older_than, retry, scope } => {
                let rule = StuckRule { older_than: Duration::from_secs(*older_than) };
                let age = humantime::format_duration(rule.older_than).to_string();
                let reason =
                    format!("reaped: no heartbeat for {}", age.replace("days", "d").replace("day", "d"));
                let (mut reaped, mut held) = (0, 0);
                for (name, row) in &mut self.rows {
                    if scope.is_some_and(|scope| scope != name.1) {
                        continue;
                    }
                    match protocol::reaped(row, rule, *retry, &reason, now) {
                        Some(next) => {
                            *row = next;
                            reaped += 1;
                        }
                        None => held += u64::from(rule.is_silent(row, now)),
                    }
                }
                Outcome::Reaped { matched: reaped, reaped, held_by_lease: held }
            }
            Event::Purge => {
                let before = self.rows.len();
                self.rows.retain(|_, row| !protocol::is_purgeable(row, now));
                Outcome::Purged((before - self.rows.len()) as u64)
            }
            Event::Pass(span) => {
                self.now = now.plus(*span);
                Outcome::Done
            }
        }
    }

    fn become_(&mut self, name: Name, next: Option<Record>) -> Outcome {
        match next {
            Some(next) => {
                self.rows.insert(name, next);
                Outcome::Done
            }
            None => Outcome::Stale,
        }
    }
}

fn claim_of(event: &Event) -> Claim {
    let Event::Claim { name, token, fingerprint: number, ttl: span, lease: length, if_lost, .. } = event
    else {
        unreachable!("asked of claims alone")
    };
    let (key, scope) = names(*name);
    let mut claim = Claim::new(key, scope).with_ttl(ttl(*span)).with_lease(lease(*length)).if_lost(*if_lost);
    claim.token = Token::from_u128(*token);
    claim.fingerprint = fingerprint(*number);
    claim.owner = (token % 2 == 0).then(|| format!("worker {token}"));
    claim
}

fn settlement_of(event: &Event) -> Settlement {
    match event {
        Event::Complete { answer: number, .. } => Settlement::Completed { answer: answer(*number) },
        Event::Fail { token, retry, answer: number, .. } => Settlement::Failed {
            reason: format!("failed by {token}"),
            retry: *retry,
            answer: number.map(answer),
        },
        _ => unreachable!("asked of settlements alone"),
    }
}

/// The same event on a real store.
async fn run(db: &TestDb, raw: &mut crate::support::Raw, store: &Store, event: &Event) -> Outcome {
    let settled = match event {
        Event::Claim { in_tx, .. } => {
            let claim = claim_of(event);
            return Outcome::Claim(match in_tx {
                true => raw.claim(store, &claim).await,
                false => store.claim(&claim).await.unwrap(),
            });
        }
        Event::Renew { name, token, lease: length } => {
            let (key, scope) = names(*name);
            store.renew(&key, &scope, Token::from_u128(*token), lease(*length)).await
        }
        Event::Complete { name, token, .. } | Event::Fail { name, token, .. } => {
            let (key, scope) = names(*name);
            store.settle(&key, &scope, Token::from_u128(*token), &settlement_of(event)).await
        }
        Event::Reap { older_than, retry, scope } => {
            let options = ReapOptions {
                older_than: Duration::from_secs(*older_than),
                retry: (*retry).into(),
                scope: scope.map(|scope| scope_of(scope).as_str().into()),
                max_rows: None,
                allow_cascade: false,
            };
            let (stop, confirmed) = (CancellationToken::new(), Confirmed::given());
            let outcome =
                reap(store, &options, &tester(), Some(&confirmed), &stop, &mut |_| {}).await.unwrap();
            assert!(outcome.error.is_none() && outcome.report.skipped == 0, "{outcome:?}");
            let report = outcome.report;
            let (matched, reaped, held_by_lease) = (report.matched, report.reaped, report.held_by_lease);
            return Outcome::Reaped { matched, reaped, held_by_lease };
        }
        Event::Purge => {
            let pace = PaceOptions { min_batch: 1, max_batch: 2, duty: Some(1.0), ..PaceOptions::default() };
            let options = PurgeOptions { grace: Duration::ZERO, pace, ..PurgeOptions::default() };
            let (stop, confirmed) = (CancellationToken::new(), Confirmed::given());
            let outcome = purge(store, &options, &confirmed, &stop, &mut |_| {}).await.unwrap();
            assert!(outcome.error.is_none() && outcome.report.backlog == Some(0), "{outcome:?}");
            return Outcome::Purged(outcome.report.deleted);
        }
        Event::Pass(_) => Ok(()),
    };
    match settled {
        Ok(()) => Outcome::Done,
        Err(error) if error.kind() == ErrorKind::StaleClaim => Outcome::Stale,
        Err(error) => panic!("{event:?} on {}: {error:?}", db.url),
    }
}

async fn compare(db: &TestDb, events: &[Event]) -> Result<(), TestCaseError> {
    db.run("DELETE FROM idempotency_keys").await;
    let mut raw = db.raw().await;
    let mut model = Model { now: START, rows: BTreeMap::new() };
    for event in events {
        let store = db.at(model.now);
        let wanted = model.apply(event);
        let got = run(db, &mut raw, &store, event).await;
        prop_assert_eq!(got, wanted, "{:?}", event);
        for key in 0..3 {
            for scope in 0..2 {
                let (of_key, of_scope) = names((key, scope));
                let (row, _) = store.record(&of_key, &of_scope).await.unwrap();
                prop_assert_eq!(
                    row.as_ref(),
                    model.rows.get(&(key, scope)),
                    "{:?} after {:?}",
                    (key, scope),
                    event
                );
            }
        }
        prop_assert_eq!(db_rows(&mut raw).await, model.rows.len() as i64);
    }
    raw.close().await;
    Ok(())
}

async fn db_rows(raw: &mut crate::support::Raw) -> i64 {
    raw.number("SELECT count(*) FROM idempotency_keys").await
}

fn agree(dialect: Dialect, cases: u32) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let db = runtime.block_on(TestDb::new(dialect));
    let wanted = std::env::var_os("PROPTEST_CASES").map_or(cases, |_| Config::default().cases);
    let config = Config { cases: wanted, failure_persistence: None, ..Config::default() };
    let events = prop::collection::vec(event(), 1..60);
    let outcome = TestRunner::new(config).run(&events, |events| runtime.block_on(compare(&db, &events)));
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

mod postgres {
    #[test]
    fn the_store_agrees_with_the_state_machine() {
        super::agree(crate::support::Dialect::Postgres, 25);
    }
}

mod sqlite {
    #[test]
    fn the_store_agrees_with_the_state_machine() {
        super::agree(crate::support::Dialect::Sqlite, 40);
    }
}
