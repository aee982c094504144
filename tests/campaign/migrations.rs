//! A first `migrate` that is cut off or killed: the next one makes the same database as an undisturbed one.

use std::time::{Duration, Instant};

use idemctl::store::SCHEMA_VERSION;
use tempfile::TempDir;

use crate::Campaign;
use crate::binary::Binary;
use crate::faults::{Fault, suffer};
use crate::support::proxy::{Cut, Proxy};
use crate::support::server::shared;
use crate::support::{Dialect, TestDb};

/// An empty database, and the way on which connections are cut.
async fn empty(dialect: Dialect, proxy: Option<&Proxy>) -> (String, String, Option<TempDir>) {
    match proxy {
        Some(proxy) => {
            let server = shared().await;
            let name = server.empty_database().await;
            (server.url(&name), proxy.url(&name), None)
        }
        None => {
            assert!(matches!(dialect, Dialect::Sqlite));
            let folder = TempDir::new().unwrap();
            let url = format!("sqlite:{}", folder.path().join("keys.db").display());
            (url.clone(), url, Some(folder))
        }
    }
}

async fn half_done(dialect: Dialect) {
    let mut campaign = Campaign::new(&format!("{dialect:?}, migrate"));
    campaign.faults = campaign.faults.div_ceil(4);
    let proxy = match dialect {
        Dialect::Postgres => Some(Proxy::start(shared().await.port).await),
        _ => None,
    };
    let (_, faulty, _folder) = empty(dialect, proxy.as_ref()).await;
    let before = proxy.as_ref().map_or(0, Proxy::sent);
    let started = Instant::now();
    let ran = Binary::at(&faulty).run(&["migrate"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let (took, sent) = (started.elapsed(), proxy.as_ref().map_or(0, Proxy::sent) - before);
    let mut hits = 0;
    while hits < campaign.faults {
        let (url, faulty, folder) = empty(dialect, proxy.as_ref()).await;
        let fault = if proxy.is_some() && campaign.dice.u32(0..3) > 0 {
            let cut = if campaign.dice.bool() { Cut::BeforeTheServer } else { Cut::BeforeTheAnswer };
            let refuse = Duration::from_millis([0, 0, 30, 900][campaign.dice.usize(0..4)]);
            Fault::Cut { nth: campaign.dice.usize(1..=sent.max(1)), cut, refuse }
        } else {
            Fault::Kill { after: took.mul_f64(campaign.dice.f64()) }
        };
        let binary = Binary::at(&url);
        let mut command = binary.command(&["migrate"]);
        command.env("IDEMCTL_DATABASE_URL", &faulty);
        let ended = suffer(command, "", fault, proxy.as_ref(), None).await;
        let mut wrong = Vec::new();
        let status = ["migrate", "status", "--exit-code"];
        if ended.code == Some(0) && binary.run(&status).code != 0 {
            wrong.push(format!("exit 0, and migrations are pending: {ended:?}"));
        }
        let store = idemctl::store::Store::connect(
            &url,
            idemctl::store::StoreOptions { create: true, ..Default::default() },
        );
        let db = TestDb { store: store.await.unwrap(), url, folder };
        if matches!(dialect, Dialect::Postgres) {
            // The dead process's lease runs out in half a minute, which is not what is tried here.
            let table = "SELECT count(*) FROM pg_class WHERE relname = 'idemctl_lease'";
            if db.number(table).await == 1 {
                db.run("UPDATE idemctl_lease SET until = now()").await;
            }
        }
        let again = binary.run(&["migrate"]);
        if again.code != 0 || binary.run(&status).code != 0 {
            wrong.push(format!("the next migrate does not put it right: {again:?} after {ended:?}"));
        } else {
            if db.number("SELECT count(*) FROM idemctl_migrations").await != SCHEMA_VERSION {
                wrong.push("migrations are missing or counted twice".into());
            }
            if let Err(error) = db.store.check_statements().await {
                wrong.push(format!("{}", error));
            }
            if matches!(dialect, Dialect::Sqlite) {
                let mut raw = db.raw().await;
                let mode = raw.texts("PRAGMA journal_mode").await;
                let vacuum = raw.number("PRAGMA auto_vacuum").await;
                if (mode[0].as_str(), vacuum) != ("wal", 2) {
                    wrong.push(format!("half set up: {mode:?}, auto_vacuum {vacuum}"));
                }
            } else {
                let invalid = "SELECT count(*) FROM pg_index WHERE NOT indisvalid";
                if db.number(invalid).await != 0 {
                    wrong.push("an index is invalid".into());
                }
            }
        }
        db.store.close().await;
        let hit = match fault {
            Fault::Cut { .. } => ended.cut_at.is_some(),
            _ => ended.code.is_none(),
        };
        if hit || !wrong.is_empty() {
            hits += 1;
            let at = ended.cut_at.map(|at| format!(" {at}")).unwrap_or_default();
            campaign.count(&format!("{}{at}", fault.name()), "Migrate", wrong);
        }
    }
    campaign.finish();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_migrate() {
    half_done(Dialect::Postgres).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_migrate() {
    half_done(Dialect::Sqlite).await;
}
