//! The PostgreSQL server, the way to it, and its standbys.

use std::time::{Instant, SystemTime};

use chrono::{DateTime, Utc};

use super::{Chart, Severity};
use crate::protocol::Timestamp;
use crate::store::{Dialect, Lag, Pooling, ServerFacts, Store, StoreError};
use crate::table::Ident;

/// Clocks that are further apart than this, and than the way to the database takes, are apart.
const SKEW: f64 = 2.0;

/// What the server is; `None` when it can't be asked.
pub(super) async fn check(base: &Store, chart: &mut Chart) -> Option<ServerFacts> {
    let (began, host) = (Instant::now(), SystemTime::now());
    let facts = match base.server_facts().await {
        Ok(facts) => facts,
        Err(error) => {
            chart.settle("server", Err(error));
            return None;
        }
    };
    let took = began.elapsed();
    let role = Ident::new(facts.role.clone()).map(|role| role.quoted(Dialect::Postgres)).unwrap_or_default();
    chart.ok("server", format!("PostgreSQL {}, as the role {}", facts.version, facts.role));
    writes(&facts, &role, chart);
    skew(Timestamp::from(DateTime::<Utc>::from(host)), facts.now, took.as_secs_f64(), chart);
    limits(&facts, &role, chart);
    let outcome = pooler(base, chart).await;
    chart.settle("pooler", outcome);
    Some(facts)
}

fn writes(facts: &ServerFacts, role: &str, chart: &mut Chart) {
    if facts.standby {
        chart.add(
            Severity::Error,
            ("writes", "standby"),
            "this server is a standby: it replays another server's log and takes no writes",
            "Reports work here; reap, purge, release and all other changes are refused (exit 8).",
            vec!["name the primary in the URL, or list all hosts: postgres://db1,db2/…".to_owned()],
        );
    } else if facts.read_only {
        chart.add(
            Severity::Error,
            ("writes", "read_only"),
            "default_transaction_read_only is on for this role or database",
            "Reports work; reap, purge, release and all other changes are refused (exit 8). Somebody may \
             have done this on purpose, during a migration or when the disk was full: ask first.",
            vec![
                format!("ALTER ROLE {role} SET default_transaction_read_only = off;"),
                format!(
                    "ALTER DATABASE {} RESET default_transaction_read_only;",
                    Ident::new(facts.database.clone())
                        .map(|name| name.quoted(Dialect::Postgres))
                        .unwrap_or_default()
                ),
            ],
        );
    } else {
        chart.ok("writes", "a primary that takes writes");
    }
}

/// Compares the clocks. The database read its own at some moment while we waited.
fn skew(host: Timestamp, database: Timestamp, took: f64, chart: &mut Chart) {
    let ahead = (host.as_micros() as f64 - database.as_micros() as f64) / 1e6;
    // Ours was read first: as much as the whole wait may be none of the difference.
    let apart = if ahead > 0.0 { ahead } else { (-ahead - took).max(0.0) };
    if apart > SKEW {
        let direction = if ahead > 0.0 { "ahead of" } else { "behind" };
        chart.add(
            Severity::Warning,
            ("clock_skew", "clock_skew"),
            format!("this host's clock is {apart:.1}s {direction} the database's"),
            "idemctl itself counts by the database's clock. An application on this host that writes its own \
             time sets expiries and leases wrong by this much.",
            vec!["timedatectl timesync-status; chronyc tracking".to_owned()],
        );
    } else {
        chart.ok("clock_skew", format!("this host's clock and the database's are within {SKEW}s"));
    }
}

fn limits(facts: &ServerFacts, role: &str, chart: &mut Chart) {
    let limits: Vec<String> =
        [("statement_timeout", facts.statement_timeout), ("lock_timeout", facts.lock_timeout)]
            .into_iter()
            .filter(|(_, limit)| *limit > 0)
            .map(|(name, limit)| format!("{name} = {limit}ms"))
            .collect();
    if limits.is_empty() {
        chart.ok("time_limits", "the role has no time limits of its own");
        return;
    }
    chart.add(
        Severity::Warning,
        ("time_limits", "statement_timeout"),
        format!("the role or the database sets {}", limits.join(" and ")),
        "idemctl sets limits of its own for reports and passes. CREATE INDEX CONCURRENTLY has none of those: \
         on a large table it is ended half-way by this one, and leaves an INVALID index behind. That concerns \
         `idemctl migrate` too.",
        vec![
            "SET statement_timeout = 0; SET lock_timeout = 0;  -- in the session that builds the index".to_owned(),
            format!("ALTER ROLE {role} SET statement_timeout = 0;  -- or for a role that migrates"),
        ],
    );
}

async fn pooler(base: &Store, chart: &mut Chart) -> Result<(), StoreError> {
    match base.pooling().await? {
        Pooling::Direct => chart.ok("pooler", "connected to the server itself"),
        Pooling::Pooler(said) => chart.add(
            Severity::Info,
            ("pooler", "pooler"),
            match said {
                Some(said) => format!("a pooler is in between: it refuses a setting that the server knows ({said})"),
                None => "a pooler is in between: a setting does not come through".to_owned(),
            },
            "idemctl works through it, whether it pools sessions or transactions: it keeps no session state. \
             Build indexes and run long commands on a direct connection, which no query_timeout of the pooler \
             ends.",
            Vec::new(),
        ),
        Pooling::PerTransaction => chart.add(
            Severity::Info,
            ("pooler", "pooler_transactions"),
            "a pooler is in between, and gives each transaction another of the server's connections",
            "idemctl works through it: it keeps no session state and no named statements. Programs that use \
             the library must switch `prepared_statements` off. Build indexes and run long commands on a \
             direct connection, which no query_timeout of the pooler ends.",
            Vec::new(),
        ),
    }
    Ok(())
}

/// Whether it could be seen how far standbys are behind.
pub(super) async fn standbys(
    base: &Store,
    facts: &ServerFacts,
    max_lag: bool,
    chart: &mut Chart,
) -> Result<(), StoreError> {
    if facts.standby {
        return Ok(());
    }
    match base.replication_lag().await? {
        Lag::Unreadable => chart.add(
            if max_lag { Severity::Error } else { Severity::Info },
            ("replication", "lag_unreadable"),
            "the role may not read how far standbys are behind",
            "A purge writes log that standbys have to replay. With purge.max_lag set the janitor refuses to \
             start (exit 2); without it nothing waits for them.",
            vec![format!(
                "GRANT pg_read_all_stats TO {};",
                Ident::new(facts.role.clone()).map(|role| role.quoted(Dialect::Postgres)).unwrap_or_default()
            )],
        ),
        Lag::Unknown => chart.add(
            Severity::Info,
            ("replication", "lag_unknown"),
            "a standby is behind, and it is not known yet how far",
            "With purge.max_lag set the purge waits until it is.",
            Vec::new(),
        ),
        Lag::Behind(lag) => chart.ok("replication", format!("the lag of standbys is readable: {lag:?}")),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_are_apart_only_beyond_the_time_that_asking_took() {
        let at = |seconds: f64| Timestamp::from_micros(1_800_000_000_000_000 + (seconds * 1e6) as i64);
        for (host, took, code) in [
            (0.0, 0.01, "clock_skew"),
            (30.0, 0.01, "ahead of"),
            (-30.0, 0.01, "behind"),
            (-30.0, 29.0, "within"),
        ] {
            let mut chart = Chart { table: None, findings: Vec::new() };
            skew(at(host), at(0.0), took, &mut chart);
            let finding = &chart.findings[0];
            assert!(finding.found.contains(code) || finding.code == code, "{finding:?}");
            assert_eq!(finding.severity == Severity::Ok, host == 0.0 || took > 1.0, "{finding:?}");
        }
    }
}
