//! `idemctl demo`: a guided tour on a throwaway SQLite database.

use std::time::Duration;

use tokio_util::sync::CancellationToken;

use super::{confirm, inspect, list, purge, reap, replay, stats};
use crate::exit::{Exit, Failure};
use crate::janitor::{PaceOptions, PurgeOptions, ReapOptions};
use crate::output::Printer;
use crate::protocol::{
    Answer, Claim, ClaimOutcome, Fingerprint, Key, Retry, Scope, Span, Status, StuckRule, Token,
};
use crate::settings::{
    InspectSettings, ListSettings, PurgeSettings, ReapSettings, ReplaySettings, StatsSettings,
};
use crate::store::{DatabaseUrl, MigrateOptions, RowOrder, StatsOptions, Store, StoreOptions, TimeSource};

const STUCK_KEY: &str = "order-1042";
const SCOPE: &str = "shop-7";
const REAP_AFTER: Duration = Duration::from_secs(5 * 60);

/// Shows the main job: a stuck key, its verdict, the reaper, the verdict again, and a purge.
pub(super) async fn demo(printer: &Printer) -> Result<Exit, Failure> {
    let folder = tempfile::Builder::new().prefix("idemctl-demo-").tempdir().map_err(|error| {
        Failure::new(Exit::Failed, "can't make a temporary folder for the demo").because(error)
    })?;
    let url = DatabaseUrl::sqlite_file(folder.path().join("demo.db"));
    let store = Store::open(&url, StoreOptions { create: true, ..StoreOptions::default() }).await?;
    let options = MigrateOptions { patience: Duration::from_secs(10), holder: "demo".to_owned() };
    store.migrate(&options, &confirm::by_command()).await?;

    let tour = Tour { printer, store };
    tour.say("An API remembers in a table which requests it has executed. This is a throwaway one, with")?;
    tour.say("what a shop leaves in it: orders that are done, one that a crashed worker left in progress,")?;
    tour.say("one that is at work right now, one that failed for good, and thousands that have expired.")?;
    tour.fill().await?;
    tour.walk().await?;
    tour.store.close().await;
    Ok(Exit::Done)
}

struct Tour<'p> {
    printer: &'p Printer,
    store: Store,
}

impl Tour<'_> {
    fn say(&self, text: &str) -> Result<(), Failure> {
        self.printer.write(&format!("{text}\n")).map(|_| ())
    }

    fn command(&self, line: &str) -> Result<(), Failure> {
        let line = self.printer.view().strong(&format!("$ idemctl {line}"));
        self.say(&format!("\n{line}"))
    }

    async fn walk(&self) -> Result<(), Failure> {
        let stop = CancellationToken::new();
        self.command("stats")?;
        let options =
            StatsOptions { stuck_after: REAP_AFTER, grace: PurgeOptions::default().grace, exact: false };
        let settings = StatsSettings { options, max_backlog_age: None };
        stats::stats(&self.store, &settings, self.printer).await?;

        self.command("list --scope shop-7")?;
        list::list(&self.store, &everything_in_scope(), self.printer, &CancellationToken::new()).await?;

        self.say("\nThe client of order-1042 is told to wait, for ever:")?;
        self.command("inspect order-1042")?;
        self.inspect().await?;

        self.say("\nThe reaper takes the claim away from the worker that had no heartbeat:")?;
        self.command("reap-stuck --older-than 5m")?;
        let pass = ReapOptions {
            older_than: REAP_AFTER,
            retry: Retry::Allow.into(),
            scope: None,
            max_rows: None,
            allow_cascade: false,
        };
        let reaping = ReapSettings { pass, dry_run: false, reason: None };
        reap::reap(&self.store, &reaping, self.printer, &stop).await?;

        self.say("\nNow a retry executes:")?;
        self.command("inspect order-1042")?;
        self.inspect().await?;

        self.say("\nExpired keys go in small batches that keep out of the API's way:")?;
        self.command("purge")?;
        let pass = PurgeOptions { pace: PaceOptions::default(), ..PurgeOptions::default() };
        purge::purge(
            &self.store,
            &PurgeSettings { configured_grace: pass.grace, pass, dry_run: false },
            self.printer,
            &stop,
        )
        .await?;

        self.say("\nWhat is done is done: a retry of a completed order gets its first answer:")?;
        self.command("replay order-1001")?;
        let replaying = ReplaySettings {
            key: vec!["order-1001".to_owned()],
            scope: None,
            include: false,
            wait: Duration::ZERO,
            force: false,
        };
        replay::replay(&self.store, &replaying, self.printer).await?;
        self.say("\n\nThe demo's database is gone. Your own: `idemctl migrate`, then `idemctl --help`.")
    }

    async fn inspect(&self) -> Result<(), Failure> {
        let settings = InspectSettings {
            key: vec![STUCK_KEY.to_owned()],
            scope: None,
            body: false,
            fingerprint_file: None,
            masked_headers: Vec::new(),
            stuck: StuckRule { older_than: REAP_AFTER },
        };
        inspect::inspect(&self.store, &settings, self.printer).await.map(|_| ())
    }

    /// Rows of every kind, made by the protocol itself at moments of the past.
    async fn fill(&self) -> Result<(), Failure> {
        let minutes = |minutes: i64| TimeSource::Shifted(-minutes * 60 * 1_000_000);
        let answer = Answer::new(201, r#"{"order":1001,"status":"paid"}"#)
            .with_header("content-type", "application/json");

        let done = self.store.with_clock(minutes(90))?;
        for number in 1001..1006 {
            let claim = self.claim(&format!("order-{number}"), "api-1:211")?;
            let token = self.take(&done, &claim).await?;
            done.complete(&claim.key, &claim.scope, token, &answer).await?;
        }
        let crashed = self.store.with_clock(minutes(12))?;
        self.take(&crashed, &self.claim(STUCK_KEY, "api-3:4711")?).await?;
        let working = self.store.with_clock(TimeSource::Database)?;
        self.take(&working, &self.claim("order-1043", "api-1:212")?).await?;
        let refused = self.store.with_clock(minutes(30))?;
        let claim = self.claim("order-1030", "api-2:98")?;
        let token = self.take(&refused, &claim).await?;
        refused.fail(&claim.key, &claim.scope, token, "card refused", Retry::Block, None).await?;

        let expired = self.store.with_clock(minutes(3 * 24 * 60))?;
        expired.insert_completed("receipt-", "shop-1", 20_000, &answer).await?;
        Ok(())
    }

    fn claim(&self, name: &str, owner: &str) -> Result<Claim, Failure> {
        let ttl =
            Span::new(Claim::DEFAULT_TTL).map_err(|error| Failure::new(Exit::Failed, error.to_string()))?;
        Ok(Claim::new(key(name)?, scope()?)
            .with_owner(owner)
            .with_ttl(ttl)
            .with_fingerprint(Fingerprint::request("POST", "/orders", "", name.as_bytes())))
    }

    async fn take(&self, store: &Store, claim: &Claim) -> Result<Token, Failure> {
        match store.claim(claim).await? {
            ClaimOutcome::Claimed { token, .. } => Ok(token),
            other => Err(Failure::new(Exit::Failed, format!("the demo met {other:?}"))),
        }
    }
}

fn key(text: &str) -> Result<Key, Failure> {
    Key::new(text).map_err(|error| Failure::new(Exit::Failed, error.to_string()))
}

fn scope() -> Result<Scope, Failure> {
    Scope::new(SCOPE).map_err(|error| Failure::new(Exit::Failed, error.to_string()))
}

fn everything_in_scope() -> ListSettings {
    ListSettings {
        statuses: Vec::<Status>::new(),
        unknown_state: false,
        kept: false,
        stuck: None,
        expired: false,
        older_than: None,
        scope: Some(SCOPE.into()),
        key_prefix: None,
        since: None,
        until: None,
        response_status: None,
        order: RowOrder::Key,
        limit: Some(50),
        shown_stuck: StuckRule { older_than: REAP_AFTER },
        raw_csv: false,
        masked_headers: Vec::new(),
    }
}
