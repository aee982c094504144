//! A primary and its standby under one URL, and what can become of the primary.

use std::time::Duration;

use idemctl::store::{Store, StoreOptions};

use super::server::{Server, Standby};
use super::{TestDb, until};

/// How the primary is lost.
#[derive(Debug, Clone, Copy)]
pub enum Loss {
    /// All of its processes are killed.
    Gone,
    /// It takes no writes any more; its sessions live on.
    ReadOnly,
}

impl Loss {
    pub const ALL: [Self; 2] = [Self::Gone, Self::ReadOnly];
}

/// A primary and a standby that has whatever the primary acknowledged, but for what was told not to wait for
/// the disk.
pub struct Hosts {
    pub primary: Server,
    standby: Standby,
    database: String,
}

impl Hosts {
    pub async fn start() -> Self {
        let mut primary = Server::start().await;
        let database = primary.database().await;
        let standby = primary.standby().await;
        primary.admin("ALTER SYSTEM SET synchronous_standby_names = '*'").await;
        primary.admin("SELECT pg_reload_conf()").await;
        let hosts = Self { primary, standby, database };
        let first = hosts.first().await;
        let waits = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
        until("the primary waits for its standby", || async { first.number(waits).await == 1 }).await;
        hosts
    }

    /// The URL of both.
    pub fn url(&self) -> String {
        format!(
            "postgres://postgres@127.0.0.1:{},127.0.0.1:{}/{}?sslmode=disable",
            self.primary.port, self.standby.port, self.database
        )
    }

    /// The database at the primary.
    pub async fn first(&self) -> TestDb {
        at(self.primary.port, &self.database).await
    }

    /// The database at the standby.
    pub async fn second(&self) -> TestDb {
        at(self.standby.port, &self.database).await
    }

    /// The primary takes no writes from here on.
    pub async fn lose(&self, loss: Loss) {
        match loss {
            Loss::Gone => self.primary.kill().await,
            Loss::ReadOnly => {
                self.primary.admin("ALTER SYSTEM SET default_transaction_read_only = on").await;
                self.primary.admin("SELECT pg_reload_conf()").await;
                // A commit that is under way waits for the standby, and would wait for ever.
                let first = self.first().await;
                let begun = "SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint";
                until("its sessions have heard of it", || async {
                    let before = first.number(begun).await;
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    first.number(begun).await == before
                })
                .await;
            }
        }
    }

    /// The standby takes writes from here on.
    pub async fn promote(&self) {
        self.standby.run("SELECT pg_promote()").await;
    }

    pub async fn fail_over(&self, loss: Loss) {
        self.lose(loss).await;
        self.promote().await;
    }
}

async fn at(port: u16, database: &str) -> TestDb {
    let url = format!("postgres://postgres@127.0.0.1:{port}/{database}");
    let store = Store::connect(&url, StoreOptions::default()).await.unwrap();
    TestDb { store, url, folder: None }
}
