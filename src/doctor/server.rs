//! The PostgreSQL server, the way to it, and its standbys.

use std::time::{Instant, SystemTime};

use chrono::{DateTime, Utc};

use super::{Findings, Severity};
use crate::protocol::Timestamp;
use crate::store::{Dialect, Lag, Pooling, RoleLimits, ServerFacts, Store, StoreError};
use crate::table::Ident;

/// Clocks that are further apart than this, and than the way to the database takes, are apart.
const SKEW: f64 = 2.0;

/// What the server is, and what the role's sessions begin with; each `None` when it can't be asked.
pub(super) async fn check(
    base: &Store,
    findings: &mut Findings,
) -> (Option<ServerFacts>, Option<RoleLimits>) {
    let (began, host) = (Instant::now(), SystemTime::now());
    let facts = match base.server_facts().await {
        Ok(facts) => facts,
        Err(error) => {
            findings.unknown("server", &error);
            return (None, None);
        }
    };
    let took = began.elapsed();
    let role = Ident::new(facts.role.clone()).map(|role| role.quoted(Dialect::Postgres)).unwrap_or_default();
    findings.ok("server", format!("PostgreSQL {}, as the role {}", facts.version, facts.role));
    let limits = base.role_limits().await;
    writes(&facts, &limits, &role, findings);
    skew(Timestamp::from(DateTime::<Utc>::from(host)), facts.now, took.as_secs_f64(), findings);
    match &limits {
        Ok(limits) => {
            time_limits(limits, &role, findings);
            durability(limits, &facts, &role, findings);
        }
        Err(error) => {
            findings.unknown("time_limits", error);
            findings.unknown("durability", error);
        }
    }
    encoding(&facts, findings);
    let outcome = pooler(base, findings).await;
    findings.settle("pooler", outcome);
    (Some(facts), limits.ok())
}

fn writes(facts: &ServerFacts, limits: &Result<RoleLimits, StoreError>, role: &str, findings: &mut Findings) {
    if facts.standby {
        findings.add(
            Severity::Error,
            ("writes", "standby"),
            "this server is a standby: it replays another server's log and takes no writes",
            "Reports work here; reap, purge, release and all other changes are refused (exit 8).",
            vec!["name the primary in the URL, or list all hosts: postgres://db1,db2/…".to_owned()],
        );
        return;
    }
    let limits = match limits {
        Ok(limits) => limits,
        Err(error) => return findings.unknown("writes", error),
    };
    if limits.read_only {
        findings.add(
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
        findings.ok("writes", "a primary that takes writes");
    }
}

/// Compares the clocks. The database read its own at some moment while we waited.
fn skew(host: Timestamp, database: Timestamp, took: f64, findings: &mut Findings) {
    let ahead = (host.as_micros() as f64 - database.as_micros() as f64) / 1e6;
    // Ours was read first: as much as the whole wait may be none of the difference.
    let apart = if ahead > 0.0 { ahead } else { (-ahead - took).max(0.0) };
    if apart > SKEW {
        let direction = if ahead > 0.0 { "ahead of" } else { "behind" };
        findings.add(
            Severity::Warning,
            ("clock_skew", "clock_skew"),
            format!("this host's clock is {apart:.1}s {direction} the database's"),
            "idemctl itself counts by the database's clock. An application on this host that writes its own \
             time sets expiries and leases wrong by this much.",
            vec!["timedatectl timesync-status; chronyc tracking".to_owned()],
        );
    } else {
        findings.ok("clock_skew", format!("this host's clock and the database's are within {SKEW}s"));
    }
}

fn time_limits(facts: &RoleLimits, role: &str, findings: &mut Findings) {
    let limits: Vec<String> =
        [("statement_timeout", facts.statement_timeout), ("lock_timeout", facts.lock_timeout)]
            .into_iter()
            .filter(|(_, limit)| *limit > 0)
            .map(|(name, limit)| format!("{name} = {limit}ms"))
            .collect();
    if limits.is_empty() {
        findings.ok("time_limits", "the role has no time limits of its own");
        return;
    }
    findings.add(
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

/// Whether a commit that was acknowledged is on the disk.
fn durability(limits: &RoleLimits, facts: &ServerFacts, role: &str, findings: &mut Findings) {
    const CHECK: &str = "durability";
    if limits.synchronous_commit != "off" {
        return findings.ok(CHECK, format!("synchronous_commit is {}", limits.synchronous_commit));
    }
    let database =
        Ident::new(facts.database.clone()).map(|name| name.quoted(Dialect::Postgres)).unwrap_or_default();
    let (whose, fix) = match limits.synchronous_commit_source.as_str() {
        "user" => ("the role", format!("ALTER ROLE {role} RESET synchronous_commit;")),
        "database" => ("the database", format!("ALTER DATABASE {database} RESET synchronous_commit;")),
        "database user" => (
            "the role in this database",
            format!("ALTER ROLE {role} IN DATABASE {database} RESET synchronous_commit;"),
        ),
        _ => ("the server", "ALTER SYSTEM SET synchronous_commit = on; SELECT pg_reload_conf();".to_owned()),
    };
    findings.add(
        Severity::Warning,
        (CHECK, "synchronous_commit_off"),
        format!("synchronous_commit is off for {whose}"),
        "A crash of the server forgets commits that were acknowledged: a request that was executed and completed \
         is executed again. idemctl's own writes wait for the disk all the same; an application's writes to its \
         own table do not.",
        vec![fix],
    );
}

/// Whether every text can be stored, and read again.
fn encoding(facts: &ServerFacts, findings: &mut Findings) {
    const CHECK: &str = "encoding";
    match facts.encoding.as_str() {
        "UTF8" => findings.ok(CHECK, "UTF8"),
        "SQL_ASCII" => findings.add(
            Severity::Warning,
            (CHECK, "encoding_unchecked"),
            "the database's encoding is SQL_ASCII: it keeps whatever bytes come",
            "A text that is no UTF-8 can be stored by any client and read by none that expects UTF-8: a row that \
             holds one is shown with replaced characters or left, and counted.",
            vec!["dump it, and restore it into a database with ENCODING 'UTF8'".to_owned()],
        ),
        other => findings.add(
            Severity::Info,
            (CHECK, "encoding_narrow"),
            format!("the database's encoding is {other}: it holds no character outside of that"),
            "A key, an owner or a failure's reason with another character is refused, or stored with replaced \
             characters.",
            vec!["dump it, and restore it into a database with ENCODING 'UTF8'".to_owned()],
        ),
    }
}

async fn pooler(base: &Store, findings: &mut Findings) -> Result<(), StoreError> {
    let pooling = match base.pooling().await {
        // It takes a connection of its own to see what answers. All else is examined through the first one.
        Err(error) if error.is_out_of_connections() => {
            findings.add(
                Severity::Warning,
                ("pooler", "check_failed"),
                format!("could not be examined: {}", error.chain()),
                "It takes a second connection to see whether a pooler is in between.",
                Vec::new(),
            );
            return Ok(());
        }
        other => other?,
    };
    match pooling {
        Pooling::Direct => findings.ok("pooler", "connected to the server itself"),
        Pooling::Pooler(said) => findings.add(
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
        Pooling::PerTransaction => findings.add(
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
    findings: &mut Findings,
) -> Result<(), StoreError> {
    if facts.standby {
        return Ok(());
    }
    match base.replication_lag().await? {
        Lag::Unreadable => findings.add(
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
        Lag::Unknown => findings.add(
            Severity::Info,
            ("replication", "lag_unknown"),
            "a standby is behind, and it is not known yet how far",
            "With purge.max_lag set the purge waits until it is.",
            Vec::new(),
        ),
        Lag::Behind(lag) => findings.ok("replication", format!("the lag of standbys is readable: {lag:?}")),
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
            let mut findings = Findings { table: None, made: Vec::new() };
            skew(at(host), at(0.0), took, &mut findings);
            let finding = &findings.made[0];
            assert!(finding.found.contains(code) || finding.code == code, "{finding:?}");
            assert_eq!(finding.severity == Severity::Ok, host == 0.0 || took > 1.0, "{finding:?}");
        }
    }
}
