//! Inspect and list: every filter, every order, pages without gaps or repeats.

use idemctl::protocol::{Claim, Retry, Status, StuckRule, Timestamp};
use idemctl::store::{KeyRow, RowFilter, RowOrder, RowState};

use crate::support::{TestDb, answer, at, claim, lease, raw, scope, secs, ttl};

super::super::support::on_both_dialects!(
    inspect_shows_every_scope_of_a_key,
    inspect_shows_every_column,
    inspect_of_an_unknown_key_is_empty,
    the_answer_of_a_row_is_read_on_demand,
    a_row_says_whether_it_is_expired_or_stuck,
    every_filter_selects_its_rows_alone,
    filters_hold_together,
    a_prefix_is_taken_literally,
    lists_come_in_every_order,
    pages_cross_ties_without_gaps_or_repeats,
    a_page_goes_on_after_its_last_row_was_deleted,
);

fn names(rows: &[KeyRow]) -> Vec<String> {
    rows.iter().map(KeyRow::key_text).collect()
}

async fn list(db: &TestDb, filter: RowFilter) -> Vec<String> {
    names(&db.at(at(50)).list(&filter, RowOrder::Key, None, 1_000).await.unwrap().rows)
}

async fn inspect_shows_every_scope_of_a_key(db: TestDb) {
    for name in ["b", "", "a", "B"] {
        db.at(at(0)).claim(&Claim { scope: scope(name), ..claim("k") }).await.unwrap();
    }
    db.at(at(0)).claim(&claim("other")).await.unwrap();
    let scopes: Vec<String> = db.store.inspect("k").await.unwrap().iter().map(KeyRow::scope_text).collect();
    assert_eq!(scopes, ["", "B", "a", "b"]);
}

async fn inspect_shows_every_column(db: TestDb) {
    let first = claim("k").with_owner("w").with_fingerprint(raw("x"));
    db.at(at(0)).claim(&first).await.unwrap();
    db.at(at(1)).renew(&first.key, &first.scope, first.token, lease(5)).await.unwrap();
    let running = db.at(at(2)).inspect("k").await.unwrap().remove(0);
    assert_eq!(running.state, RowState::Known(Status::InProgress));
    assert_eq!((running.renewed_at, running.lease_expires_at), (Some(at(1)), Some(at(6))));
    assert_eq!((running.finished_at, running.response_status), (None, None));
    db.at(at(3)).complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
    let row = db.at(at(4)).inspect("k").await.unwrap().remove(0);
    assert_eq!((row.key, row.scope), (vec!["k".to_owned()], vec![Some(String::new())]));
    assert_eq!(
        (row.state, row.request_hash),
        (RowState::Known(Status::Completed), Some(raw("x").to_string()))
    );
    assert_eq!((row.response_status, row.response_bytes), (Some(201), Some(7)));
    assert_eq!(row.response_headers.as_deref(), Some(r#"[["Location","/orders/1"]]"#));
    assert_eq!((row.token, row.attempt, row.owner.as_deref()), (Some(first.token), Some(1), Some("w")));
    assert_eq!((row.retry_allowed, row.failure), (Some(true), None));
    assert_eq!((row.created_at, row.claimed_at, row.renewed_at), (Some(at(0)), Some(at(0)), Some(at(1))));
    assert_eq!((row.lease_expires_at, row.finished_at), (None, Some(at(3))));
    assert_eq!((row.expires_at, row.read_at), (Some(at(103)), at(4)));
}

async fn inspect_of_an_unknown_key_is_empty(db: TestDb) {
    assert!(db.store.inspect("nobody").await.unwrap().is_empty());
    // Text that no key could be is simply not there.
    assert!(db.store.inspect("").await.unwrap().is_empty());
}

async fn the_answer_of_a_row_is_read_on_demand(db: TestDb) {
    let store = db.at(at(0));
    let first = claim("k");
    store.claim(&first).await.unwrap();
    let row = store.inspect("k").await.unwrap().remove(0);
    assert_eq!(store.with_answer(&row).await.unwrap(), Some((row.clone(), None)));
    store.complete(&first.key, &first.scope, first.token, &answer()).await.unwrap();
    let (now, stored) = store.with_answer(&row).await.unwrap().unwrap();
    assert_eq!((now.response_status, stored), (Some(201), Some(answer())));
    db.run("DELETE FROM idempotency_keys").await;
    assert_eq!(store.with_answer(&row).await.unwrap(), None);
}

async fn a_row_says_whether_it_is_expired_or_stuck(db: TestDb) {
    db.at(at(0)).claim(&claim("k")).await.unwrap();
    let rule = StuckRule { older_than: secs(5) };
    let cases = [(4, false, false), (9, false, false), (10, false, true), (100, true, true)];
    for (now, expired, stuck) in cases {
        let row = db.at(at(now)).inspect("k").await.unwrap().remove(0);
        assert_eq!((row.is_expired(), row.is_stuck(rule)), (expired, stuck), "after {now} s");
    }
}

/// Six rows, each with a trait of its own.
async fn six_rows(db: &TestDb) {
    let claims = [
        claim("a-running").with_lease(lease(1_000)),
        claim("b-lost"),
        claim("c-done"),
        claim("d-failed"),
        Claim { scope: scope("t"), ..claim("e-scoped") },
        claim("f-old").with_ttl(ttl(5)),
    ];
    for (number, one) in claims.iter().enumerate() {
        db.at(at(number as u64)).claim(one).await.unwrap();
    }
    let [_, _, done, failed, scoped, old] = &claims;
    let store = db.at(at(10));
    store.complete(&done.key, &done.scope, done.token, &answer()).await.unwrap();
    let refused = idemctl::protocol::Answer::new(402, "declined");
    store.fail(&failed.key, &failed.scope, failed.token, "no", Retry::Block, Some(&refused)).await.unwrap();
    store.complete(&scoped.key, &scoped.scope, scoped.token, &refused).await.unwrap();
    store.fail(&old.key, &old.scope, old.token, "no", Retry::Allow, None).await.unwrap();
}

async fn every_filter_selects_its_rows_alone(db: TestDb) {
    six_rows(&db).await;
    let all = ["a-running", "b-lost", "c-done", "d-failed", "e-scoped", "f-old"];
    let any = RowFilter::default;
    let cases: Vec<(RowFilter, &[&str])> = vec![
        (any(), &all),
        (RowFilter { statuses: vec![Status::InProgress], ..any() }, &all[..2]),
        (RowFilter { statuses: vec![Status::Completed], ..any() }, &["c-done", "e-scoped"]),
        (
            RowFilter { statuses: vec![Status::Failed, Status::InProgress], ..any() },
            &["a-running", "b-lost", "d-failed", "f-old"],
        ),
        (RowFilter { scope: Some("t".into()), ..any() }, &["e-scoped"]),
        (
            RowFilter { scope: Some("".into()), ..any() },
            &["a-running", "b-lost", "c-done", "d-failed", "f-old"],
        ),
        (RowFilter { key_prefix: Some("d".into()), ..any() }, &["d-failed"]),
        (RowFilter { key_prefix: Some(String::new()), ..any() }, &all),
        (RowFilter { claimed_from: Some(at(4)), ..any() }, &["e-scoped", "f-old"]),
        (RowFilter { claimed_until: Some(at(1)), ..any() }, &all[..2]),
        (RowFilter { no_heartbeat_since: Some(at(0)), ..any() }, &all[..1]),
        (RowFilter { statuses: vec![Status::InProgress], unleased_at: Some(at(11)), ..any() }, &["b-lost"]),
        (RowFilter { statuses: vec![Status::InProgress], unleased_at: Some(at(10)), ..any() }, &[]),
        (RowFilter { expired: Some((true, at(15))), ..any() }, &["f-old"]),
        (RowFilter { expired: Some((false, at(15))), ..any() }, &all[..5]),
        (RowFilter { response_status: Some((400, 499)), ..any() }, &["d-failed", "e-scoped"]),
        (RowFilter { response_status: Some((201, 201)), ..any() }, &["c-done"]),
    ];
    for (filter, wanted) in cases {
        assert_eq!(list(&db, filter.clone()).await, wanted, "{filter:?}");
    }
}

async fn filters_hold_together(db: TestDb) {
    six_rows(&db).await;
    let filter = RowFilter {
        statuses: vec![Status::Completed, Status::Failed],
        scope: Some("".into()),
        key_prefix: Some("d".into()),
        claimed_from: Some(at(3)),
        claimed_until: Some(at(3)),
        expired: Some((false, at(50))),
        response_status: Some((400, 599)),
        ..RowFilter::default()
    };
    assert_eq!(list(&db, filter.clone()).await, ["d-failed"]);
    assert!(list(&db, RowFilter { claimed_from: Some(at(4)), ..filter }).await.is_empty());
}

async fn a_prefix_is_taken_literally(db: TestDb) {
    let keys = [
        "%",
        "%a",
        "_",
        "_a",
        "A",
        "a",
        "a b",
        "aa",
        "a\u{d7ff}x",
        "b",
        "\\",
        "\\%",
        "ä",
        "\u{e000}",
        "\u{10ffff}",
        "\u{10ffff}z",
    ];
    for name in keys {
        db.at(at(0)).claim(&claim(name)).await.unwrap();
    }
    for prefix in ["%", "_", "a", "A", "a ", "\\", "ä", "a\u{d7ff}", "\u{10ffff}", "\u{e000}", "zz"] {
        let mut wanted: Vec<&str> = keys.into_iter().filter(|name| name.starts_with(prefix)).collect();
        wanted.sort_unstable();
        let filter = RowFilter { key_prefix: Some(prefix.into()), ..RowFilter::default() };
        assert_eq!(list(&db, filter).await, wanted, "{prefix:?}");
    }
}

const ORDERS: [RowOrder; 5] = [
    RowOrder::Key,
    RowOrder::Claimed { newest_first: false },
    RowOrder::Claimed { newest_first: true },
    RowOrder::Expires { latest_first: false },
    RowOrder::Expires { latest_first: true },
];

/// The order that is promised, by a plain sort.
fn sorted(mut rows: Vec<KeyRow>, order: RowOrder) -> Vec<(String, String)> {
    let name = |row: &KeyRow| (row.key_text(), row.scope_text());
    let clock = |row: &KeyRow| -> Option<Timestamp> {
        match order {
            RowOrder::Key => None,
            RowOrder::Claimed { .. } => row.claimed_at,
            RowOrder::Expires { .. } => row.expires_at,
        }
    };
    rows.sort_by_key(|row| (clock(row), name(row)));
    if matches!(order, RowOrder::Claimed { newest_first: true } | RowOrder::Expires { latest_first: true }) {
        rows.reverse();
    }
    rows.iter().map(name).collect()
}

/// Keys whose clocks tie in groups, and whose names mix case and scope.
async fn tied_rows(db: &TestDb) -> Vec<KeyRow> {
    for number in 0..24_u64 {
        let letter = ["a", "B", "c", "Z"][(number % 4) as usize];
        let one = Claim {
            scope: scope(["", "t", "T"][(number % 3) as usize]),
            ..claim(&format!("{letter}{}", number % 5))
        };
        db.at(at(number / 8)).claim(&one.with_ttl(ttl(20 - number / 6))).await.unwrap();
    }
    let rows = db.at(at(5)).list(&RowFilter::default(), RowOrder::Key, None, 100).await.unwrap().rows;
    assert_eq!(rows.len(), 24);
    rows
}

async fn lists_come_in_every_order(db: TestDb) {
    let rows = tied_rows(&db).await;
    for order in ORDERS {
        let listed = db.at(at(5)).list(&RowFilter::default(), order, None, 100).await.unwrap().rows;
        let listed: Vec<_> = listed.iter().map(|row| (row.key_text(), row.scope_text())).collect();
        assert_eq!(listed, sorted(rows.clone(), order), "{order:?}");
    }
}

async fn pages_cross_ties_without_gaps_or_repeats(db: TestDb) {
    let rows = tied_rows(&db).await;
    let store = db.at(at(5));
    for order in ORDERS {
        for size in [1, 5, 24] {
            let (mut listed, mut after): (Vec<KeyRow>, _) = (Vec::new(), None);
            loop {
                let page = store.list(&RowFilter::default(), order, after.as_ref(), size).await.unwrap().rows;
                assert!(page.len() <= size as usize);
                let Some(last) = page.last() else { break };
                after = Some(last.clone());
                listed.extend(page);
            }
            let listed: Vec<_> = listed.iter().map(|row| (row.key_text(), row.scope_text())).collect();
            assert_eq!(listed, sorted(rows.clone(), order), "{order:?} by {size}");
        }
    }
}

async fn a_page_goes_on_after_its_last_row_was_deleted(db: TestDb) {
    let rows = tied_rows(&db).await;
    let order = RowOrder::Claimed { newest_first: false };
    let store = db.at(at(5));
    let first = store.list(&RowFilter::default(), order, None, 10).await.unwrap().rows;
    db.run("DELETE FROM idempotency_keys WHERE idempotency_key LIKE 'a%'").await;
    let rest = store.list(&RowFilter::default(), order, first.last(), 100).await.unwrap().rows;
    let rest: Vec<_> = rest.iter().map(|row| (row.key_text(), row.scope_text())).collect();
    let mut wanted = sorted(rows, order).split_off(10);
    wanted.retain(|(key, _)| !key.starts_with('a'));
    assert_eq!(rest, wanted);
}
