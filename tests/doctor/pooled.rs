//! Through a pooler that gives each transaction whichever connection is free.

use crate::patient::{examine, healthy};
use crate::support::Dialect;
use crate::support::pooler::pooler;
use crate::support::server::shared;

#[tokio::test]
async fn a_pooler_is_seen_and_told_from_none() {
    let adopted = healthy(Dialect::Postgres).await;
    let direct = examine(&adopted, &[]);
    assert_eq!(direct.finding("pooler")["severity"], "ok");
    for (mode, code) in [("transaction", "pooler_transactions"), ("session", "pooler")] {
        let pooler = pooler(mode, "").await;
        let url =
            adopted.db.url.replace(&format!(":{}/", shared().await.port), &format!(":{}/", pooler.port));
        let examined = examine(&adopted, &["--database-url", &url]);
        examined.are(&[("info", code)]);
    }
}
