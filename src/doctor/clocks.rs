//! The clocks: zones, spellings, moments that can't be, NULLs where they decide.

use std::time::Duration;

use super::{Examination, Findings, Severity};
use crate::store::StoreError;
use crate::table::{Clock, Encoding, Ident, Spelling};

/// A clock that is further ahead than this was not set by a clock that goes right.
const AHEAD: Duration = Duration::from_secs(60);

pub(super) async fn check(examination: &Examination<'_>, findings: &mut Findings) {
    let clocks = &examination.mapping().clocks;
    let mut seen: Vec<&Ident> = Vec::new();
    for (role, clock, is_past) in [
        ("expires", &clocks.expires, false),
        ("created", &clocks.created, true),
        ("claimed", &clocks.claimed, true),
        ("alive", &clocks.renewed, true),
        ("lease", &clocks.lease, false),
        ("finished", &clocks.finished, true),
    ] {
        let Some(clock) = clock else { continue };
        if seen.contains(&&clock.column) {
            continue;
        }
        seen.push(&clock.column);
        let outcome = one(examination, findings, role, clock, is_past).await;
        findings.settle("clocks", outcome);
    }
}

async fn one(
    examination: &Examination<'_>,
    findings: &mut Findings,
    role: &str,
    clock: &Clock,
    is_past: bool,
) -> Result<(), StoreError> {
    const CHECK: &str = "clocks";
    let column = examination.store.column_sql(&clock.column);
    let before = findings.made.len();
    zone(clock, &column, findings);
    let found = examination.store.clock_sample(&examination.sample, clock).await?;
    let walks = examination.mapping().walks();
    let decides = walks.iter().any(|walk| walk.clock.column == clock.column);
    // Another clock takes over where this one holds NULL.
    let falls_back = walks.iter().any(|walk| walk.where_null.as_ref() == Some(&clock.column));
    if found.misspelled > 0 {
        let mut fixes = vec![format!(
            "UPDATE {} SET {column} = …  -- to the one spelling, in small batches",
            examination.store.table_sql()
        )];
        let other = found.example.as_deref().and_then(Spelling::of).map(Encoding::Text);
        if let (Encoding::Text(_), Some(other)) =
            (clock.encoding, other.filter(|other| *other != clock.encoding))
        {
            fixes
                .push(format!("or, where all rows are written as that one: `as = {other}` in [table.clock]"));
        }
        findings.add(
            Severity::Warning,
            (CHECK, "clock_misspelled"),
            format!(
                "{column} is not written as {} in {}, for example {:?}",
                clock.encoding,
                examination.of_sample(found.misspelled, found.rows),
                found.example.unwrap_or_default()
            ),
            "Two programs write this column, or one wrote it differently before. Texts of two spellings do not \
             compare in the order of time: rows of the other spelling are never reaped or purged.",
            fixes,
        );
    }
    if found.implausible > 0 {
        findings.add(
            Severity::Warning,
            (CHECK, "clock_implausible"),
            format!("{column} is before 2000 in {}", examination.of_sample(found.implausible, found.rows)),
            "Nobody set these moments: a zero, or seconds where milliseconds are declared. Such rows are never \
             reaped or purged. If it is most of the rows, `as` in [table.clock] names the wrong unit.",
            Vec::new(),
        );
    }
    if decides && !falls_back && found.nulls > 0 {
        findings.add(
            Severity::Warning,
            (CHECK, "clock_null"),
            format!("{column} is NULL in {}", examination.of_sample(found.nulls, found.rows)),
            "This clock decides when a row is purged. A row without it stays for ever.",
            if role == "expires" {
                vec!["set `created` and `ttl` in [table.clock], so that such rows go by their age".to_owned()]
            } else {
                vec![format!(
                    "UPDATE {} SET {column} = … WHERE {column} IS NULL;",
                    examination.store.table_sql()
                )]
            },
        );
    }
    if let Some(latest) = found.latest.filter(|latest| is_past && *latest > examination.now.plus(AHEAD)) {
        findings.add(
            Severity::Warning,
            (CHECK, "clock_ahead"),
            format!("{column} is ahead of the database's clock: {latest}"),
            "What is past is written as future: the zone or the unit in [table.clock] is not the one that the \
             application writes, or its host's clock is wrong. Rows are reaped and purged too late by as much; \
             had it been the other way round, too early.",
            Vec::new(),
        );
    }
    if findings.made.len() == before {
        findings.ok(CHECK, format!("{column} as {}: {}", clock.encoding, sound(found.rows)));
    }
    Ok(())
}

fn sound(rows: u64) -> String {
    if rows == 0 { "no rows yet".to_owned() } else { format!("{rows} rows looked at") }
}

fn zone(clock: &Clock, column: &str, findings: &mut Findings) {
    let zone = match clock.encoding {
        Encoding::Naive(zone) => zone,
        Encoding::Text(spelling) if spelling.suffix.is_empty() => spelling.zone,
        _ => return,
    };
    findings.add(
        Severity::Info,
        ("clocks", "clock_without_zone"),
        format!("{column} has no zone; the mapping takes it for {}", zone.name()),
        "If a program writes it in another zone, or a session's TimeZone changes, rows are reaped and purged \
         too early or too late by that many hours. Nothing in the database can tell.",
        Vec::new(),
    );
}
