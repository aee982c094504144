//! Databases whose encoding can't hold every text: no text for people decides whether an outcome is stored.

use std::sync::atomic::{AtomicU32, Ordering};

use idemctl::protocol::{Answer, Body, ClaimOutcome, Key, Retry, Status};
use idemctl::store::{Actor, Confirmed, ErrorKind, Operated, Operation, Store, StoreOptions};

use crate::support::database::migrating;
use crate::support::server::shared;
use crate::support::{TestDb, claim, claimed, secs};

const ENCODINGS: [&str; 5] = ["LATIN1", "EUC_JP", "WIN1251", "SQL_ASCII", "UTF8"];

async fn database(encoding: &str) -> TestDb {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let name = format!("{}_{}", encoding.to_lowercase(), MADE.fetch_add(1, Ordering::Relaxed));
    let server = shared().await;
    let options = "TEMPLATE template0 LOCALE_PROVIDER libc LC_COLLATE 'C' LC_CTYPE 'C'";
    server.admin(&format!("CREATE DATABASE {name} ENCODING '{encoding}' {options}")).await;
    let url = server.url(&name);
    let store = Store::connect(&url, StoreOptions::default()).await.unwrap();
    store.migrate(&migrating("encodings"), &Confirmed::given()).await.unwrap();
    TestDb { store, url, folder: None }
}

/// In no encoding but the last two are all of these.
const TEXT: &str = "Jürgen → 日本 😀 \0";

/// A key that the encoding can't hold is in no row: that is an answer, and no error.
#[tokio::test]
async fn what_no_row_can_hold_is_not_found() {
    use idemctl::store::{AuditFilter, RowFilter, RowOrder};
    for encoding in ["LATIN1", "EUC_JP", "WIN1251", "UTF8"] {
        let db = database(encoding).await;
        let store = &db.store;
        store.claim(&claim("k")).await.unwrap();
        for text in ["🔑", "f\0"] {
            assert_eq!(store.inspect(text).await.unwrap(), [], "{encoding}");
            let examined = store.examine(text).await.unwrap();
            assert!(examined.rows.is_empty() && examined.history.unwrap().is_empty(), "{encoding}");
            let filter = RowFilter { key_prefix: Some(text.to_owned()), ..RowFilter::default() };
            let order = RowOrder::Claimed { newest_first: false };
            store.list_plan(&filter, order, 10).await.unwrap();
            assert_eq!(store.list(&filter, order, None, 10).await.unwrap().rows, [], "{encoding}");
            let filter = AuditFilter { key: Some(text.to_owned()), ..AuditFilter::default() };
            assert_eq!(store.audit(&filter, 10).await.unwrap(), [], "{encoding}");
        }
        assert_eq!(store.inspect("k").await.unwrap().len(), 1, "{encoding}");
    }
}

#[tokio::test]
async fn an_outcome_is_stored_whatever_its_texts_for_people() {
    for encoding in ENCODINGS {
        let db = database(encoding).await;
        let store = &db.store;
        let first = claim("k").with_owner(TEXT);
        assert_eq!(store.claim(&first).await.unwrap(), claimed(first.token, 1), "{encoding}");
        let headers =
            Answer::new(200, "→".as_bytes().to_vec()).with_header("X-Text", TEXT).with_header("X-日本", "ü");
        store.fail(&first.key, &first.scope, first.token, TEXT, Retry::Allow, Some(&headers)).await.unwrap();
        let row = db.record("k").await.unwrap();
        let shown = |text: Option<String>| text.unwrap().replace("\\u{fffd}", "\u{fffd}");
        for text in [row.owner, row.failure] {
            let text = shown(text);
            match encoding {
                "UTF8" | "SQL_ASCII" => assert_eq!(text, TEXT.replace('\0', "\u{fffd}")),
                "LATIN1" => assert!(text.starts_with("Jürgen \\u{2192} "), "{encoding}: {text}"),
                _ => assert!(text.starts_with("J\\u{fc}rgen \\u{2192} "), "{encoding}: {text}"),
            }
        }
        // Again on a connection of the caller's: an error there would end its transaction.
        let pool = sqlx::PgPool::connect(&db.url).await.unwrap();
        let lent = Store::from_pg_pool(pool.clone(), StoreOptions::default()).unwrap();
        let mut transaction = pool.begin().await.unwrap();
        let second = claim("k").with_owner(TEXT);
        assert_eq!(lent.claim_on(&mut *transaction, &second).await.unwrap(), claimed(second.token, 2));
        lent.complete_on(&mut *transaction, &second.key, &second.scope, second.token, &headers)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
        // Headers and body come back byte for byte.
        assert_eq!(store.claim(&claim("k")).await.unwrap(), ClaimOutcome::Replay { answer: headers.clone() });
        assert_eq!(headers.body, Body::Kept("→".as_bytes().to_vec()));
    }
}

#[tokio::test]
async fn an_operator_is_named_whatever_the_name() {
    for encoding in ENCODINGS {
        let db = database(encoding).await;
        let (store, confirmed) = (&db.store, Confirmed::given());
        let actor = Actor {
            command: "fail".into(),
            user: Some(TEXT.into()),
            host: Some(TEXT.into()),
            reason: Some(TEXT.into()),
        };
        store.claim(&claim("k").with_owner(TEXT)).await.unwrap();
        let fail = Operation::Fail { retry: Retry::Block };
        let row = store.inspect("k").await.unwrap().remove(0);
        assert_eq!(store.operate(&row, fail, &actor, true, &confirmed).await.unwrap(), Operated::Done);
        assert_eq!(db.record("k").await.unwrap().status, Status::Failed);
        let row = store.inspect("k").await.unwrap().remove(0);
        let forget = store.operate(&row, Operation::Forget, &actor, true, &confirmed).await.unwrap();
        assert_eq!(forget, Operated::Done, "{encoding}");
        assert_eq!(store.audit_of_key("k").await.unwrap().len(), 2);
        store.set_pause(TEXT, Some(secs(60)), &actor, &confirmed).await.unwrap();
        assert!(store.clear_pause(&actor, &confirmed).await.unwrap().is_some());
    }
}

/// A key is compared byte for byte: it can't be replaced by another.
#[tokio::test]
async fn a_key_that_the_encoding_can_not_hold_is_refused_and_nothing_runs() {
    for encoding in ["LATIN1", "EUC_JP", "WIN1251"] {
        let db = database(encoding).await;
        let mut in_scope = claim("k");
        in_scope.scope = crate::support::scope("😀");
        for claim in [claim("😀"), in_scope] {
            let error = db.store.claim(&claim).await.unwrap_err();
            assert_eq!(error.kind(), ErrorKind::Encoding, "{encoding}");
            assert!(error.to_string().contains("key or its scope"), "{error}");
        }
        assert_eq!(db.store.inspect("😀").await.unwrap(), []);
        assert_eq!(db.rows().await, 0);
    }
    for encoding in ["UTF8", "SQL_ASCII"] {
        let db = database(encoding).await;
        let first = claim("😀");
        assert_eq!(db.store.claim(&first).await.unwrap(), claimed(first.token, 1));
        assert_eq!(db.store.inspect("😀").await.unwrap().len(), 1);
        assert!(Key::new("😀").is_ok());
    }
}
