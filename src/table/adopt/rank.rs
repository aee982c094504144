//! Which tables look like an idempotency table.

use super::clocks::Moments;
use super::explain::Context;
use super::facts::CatalogueTable;
use super::look::Samples;
use super::questions::Answers;
use super::state::{self, Shape};
use super::{key, mappable, words};
use crate::sql::Dialect;
use crate::table::Family;
use words::Moment;

/// A table that may be one.
#[derive(Debug, Clone)]
pub(crate) struct Candidate {
    /// How surely; a number to compare.
    pub(crate) score: i32,
    /// What speaks for it.
    pub(crate) reasons: Vec<String>,
    /// What the catalogue says of it.
    pub(crate) table: CatalogueTable,
}

/// A table below this is none.
const THRESHOLD: i32 = 45;

/// Whether it is a table that `idemctl migrate` makes.
pub(crate) fn is_own(table: &CatalogueTable) -> bool {
    const COLUMNS: [&str; 5] =
        ["idempotency_key", "claim_token", "retry_allowed", "lease_expires_at", "renewed_at"];
    table.name.starts_with("idemctl_")
        || (table.name == super::super::OWNED_TABLE
            && COLUMNS.iter().all(|name| table.column(name).is_some()))
}

/// The tables that look like one, best first.
pub(crate) fn rank(tables: &[CatalogueTable], dialect: Dialect) -> Vec<Candidate> {
    let others = tables.iter().filter(|table| !is_own(table));
    let mut found: Vec<Candidate> = others.filter_map(|table| judge(table, dialect)).collect();
    found.retain(|candidate| candidate.score >= THRESHOLD);
    found.sort_by(|one, other| {
        other.score.cmp(&one.score).then_with(|| one.table.config_name().cmp(&other.table.config_name()))
    });
    found
}

/// What speaks for a table; `None` where nothing in it could be a key.
pub(crate) fn judge(whole: &CatalogueTable, dialect: Dialect) -> Option<Candidate> {
    whole.identity()?;
    let table = &mappable(whole);
    let (samples, answers) = (Samples::default(), Answers::default());
    let moments = Moments::find(table, dialect, &samples);
    let key = key::propose(table, &moments, &answers)?;
    let context = Context::new(table, &key, &moments, &samples, &answers);
    let findings = context.explain();
    let mut score = 0;
    let mut reasons = Vec::new();
    let mut add = |points: i32, reason: &str| {
        score += points;
        if points > 0 && !reason.is_empty() {
            reasons.push(reason.to_owned());
        }
    };
    let (points, reason) = words::table_score(&table.name);
    add(points, reason.unwrap_or_default());
    match key.score {
        100.. => add(40, "a column is named after idempotency"),
        60..100 => add(20, "a column is named like a key"),
        40..60 => add(10, "a column is named like a token"),
        _ => {}
    }
    if key.unique && key.score >= 40 {
        add(10, "a unique key holds its keys apart");
    }
    if key.score < 40 && points <= 0 {
        return None;
    }
    if let Some(preset) = context.preset {
        add(60, &format!("it has the columns of {}", preset.name));
    }
    let has = |moment| match moment {
        Moment::Expires => context.chosen.expires.is_some(),
        _ => context.chosen.created.is_some(),
    };
    if has(Moment::Expires) {
        add(15, "it has an expiry");
    }
    if has(Moment::Created) {
        add(5, "it knows when a row was made");
    }
    if !has(Moment::Expires) && !has(Moment::Created) {
        add(-20, "");
    }
    let state = state::propose(&context, &findings);
    if let Shape::Column(values) = &state.shape
        && (!values.in_progress.is_empty() || !values.completed.is_empty() || !values.failed.is_empty())
    {
        add(10, "it has states");
    }
    if !state::answers(&context, &findings).is_empty() {
        add(10, "it keeps answers");
    }
    if table.columns.iter().any(|column| words::is_request_hash(&column.name)) {
        add(15, "it keeps the request's fingerprint");
    }
    let is_strange = |finding: &&super::Explanation| {
        finding.roles.is_empty()
            && table.column(&finding.column).is_some_and(|column| !column.counted)
            && !words::is_of_keys(&finding.column)
    };
    let strange = findings.iter().filter(is_strange).count();
    match (strange, table.columns.len()) {
        (0, 1..=3) if has(Moment::Expires) || has(Moment::Created) => add(10, "it has hardly another column"),
        (strange, all) if strange * 2 > all => add(-15, ""),
        _ => {}
    }
    let counts_only = key.key.iter().all(|name| {
        table.column(name).is_some_and(|column| column.counted || column.family == Family::Boolean)
    });
    if counts_only {
        return None;
    }
    Some(Candidate { score, reasons, table: whole.clone() })
}
