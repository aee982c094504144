//! Whether a mapping fits the real table: every column is there, every type fits its encoding, and what
//! names a row is known. Asked once, before any row is touched.

mod look;
mod rules;

use super::{Dialect, ErrorKind, Store, StoreError};
use crate::protocol::Span;
use crate::table::{
    Clock, Clocks, Column, Columns, Encoding, Family, Ident, Literal, Locator, Mapping, Mark, Misfit, Shown,
    StateShape, WriteRule,
};
use look::look;
#[cfg(feature = "cli")]
pub(super) use look::{postgres_family, sqlite_family};

/// Looks at the table and compares it with its mapping. The mapping comes back without the clocks and shown
/// columns that do not fit.
pub(super) async fn columns(store: &Store, mapping: &Mapping) -> Result<(Columns, Mapping), StoreError> {
    let mut columns = look(store, mapping).await?;
    Problems { mapping, columns: &columns }.check()?;
    let (misfits, fitting) = Problems { mapping, columns: &columns }.misfits();
    let problems = Problems { mapping: &fitting, columns: &columns };
    let rule = |setting: &str, rule: &Option<WriteRule>| problems.rule(setting, rule.as_ref()).err();
    let fail_problem = rule("table.fail", &mapping.fail).or_else(|| problems.still_in_progress());
    let release_problem = rule("table.release", &mapping.release).or_else(|| problems.still_failed());
    columns.fail_problem = fail_problem.map(|problem| problem.to_string());
    columns.release_problem = release_problem.map(|problem| problem.to_string());
    columns.misfits = misfits;
    if !mapping.locator.is_empty() {
        columns.locator = Locator::Columns(mapping.locator.clone());
    }
    Ok((columns, fitting))
}

/// A problem of the mapping, with the setting that has it.
fn mismatch(mapping: &Mapping, setting: &str, what: impl std::fmt::Display) -> StoreError {
    StoreError::new(
        ErrorKind::Mapping,
        format!("the mapping of {} does not fit: `{setting}`: {what}", mapping.name),
    )
}

/// Finds the first setting that does not fit.
struct Problems<'a> {
    mapping: &'a Mapping,
    columns: &'a Columns,
}

impl Problems<'_> {
    fn check(&self) -> Result<(), StoreError> {
        let Mapping { key, scope, locator, guard, clocks, .. } = self.mapping;
        for (setting, columns) in [("key", key), ("scope", scope), ("locator", locator)] {
            for column in columns {
                self.column(setting, column)?;
            }
        }
        for (column, value) in guard {
            self.literal("guard", column, value)?;
        }
        self.state()?;
        if let Some(ttl) = clocks.ttl
            && let Err(error) = Span::new(ttl)
        {
            return Err(mismatch(self.mapping, "table.clock.ttl", error));
        }
        Ok(())
    }

    /// The clocks and shown columns that do not fit, and the mapping without them.
    fn misfits(&self) -> (Vec<Misfit>, Mapping) {
        let (mut misfits, mut fitting) = (Vec::new(), self.mapping.clone());
        let mut fits = |setting: &'static str, fit: Result<(), StoreError>| match fit {
            Ok(()) => true,
            Err(error) => {
                misfits.push(Misfit { setting, problem: error.to_string() });
                false
            }
        };
        let Clocks { created, claimed, renewed, lease, finished, expires, ttl: _, aged } =
            &mut fitting.clocks;
        for (setting, clock) in [
            ("table.clock.created", created),
            ("table.clock.claimed", claimed),
            ("table.clock.alive", renewed),
            ("table.clock.lease", lease),
            ("table.clock.finished", finished),
        ] {
            clock.take_if(|clock| !fits(setting, self.clock(setting, clock)));
        }
        let setting = "table.clock.expires";
        if expires.take_if(|clock| !fits(setting, self.clock(setting, clock))).is_some() {
            *aged = None;
        }
        let Shown { snapshot, attempt, .. } = &mut fitting.shown;
        let setting = "table.show.response";
        snapshot.take_if(|snapshot| !fits(setting, self.column(setting, &snapshot.column).map(|_| ())));
        let setting = "table.show.attempt";
        attempt.take_if(|attempt| !fits(setting, self.attempt(setting, attempt)));
        let Shown {
            request_hash,
            response_status,
            response_headers,
            response_body,
            response_ref,
            owner,
            failure,
            // Of our own table alone, or looked at already.
            response_bytes: _,
            token: _,
            retry_allowed: _,
            snapshot: _,
            attempt: _,
        } = &mut fitting.shown;
        for (setting, column) in [
            ("table.show.request_hash", request_hash),
            ("table.show.response_status", response_status),
            ("table.show.response_headers", response_headers),
            ("table.show.response_body", response_body),
            ("table.show.response_ref", response_ref),
            ("table.show.owner", owner),
            ("table.show.failure", failure),
        ] {
            column.take_if(|column| !fits(setting, self.column(setting, column).map(|_| ())));
        }
        (misfits, fitting)
    }

    fn attempt(&self, setting: &str, column: &Ident) -> Result<(), StoreError> {
        let found = self.column(setting, column)?;
        if found.family == Family::Integer {
            Ok(())
        } else {
            Err(self.wrong_type(setting, found, "a whole number"))
        }
    }

    fn column(&self, setting: &str, name: &Ident) -> Result<&Column, StoreError> {
        self.columns.get(name).ok_or_else(|| {
            let names = self.columns.list.iter().map(|column| column.name.as_str());
            let nearest = names
                .map(|known| (similarity(known, name.as_str()), known))
                .filter(|(similarity, _)| *similarity > 0)
                .max();
            let nearest = nearest.map(|(_, known)| format!("; the nearest is {known:?}")).unwrap_or_default();
            mismatch(self.mapping, setting, format!("the table has no column {:?}{nearest}", name.as_str()))
        })
    }

    fn wrong_type(&self, setting: &str, column: &Column, wanted: &str) -> StoreError {
        let declared = if column.sql_type.is_empty() { "without a type" } else { &column.sql_type };
        mismatch(self.mapping, setting, format!("the column {:?} is {declared}, not {wanted}", column.name))
    }

    fn state(&self) -> Result<(), StoreError> {
        match &self.mapping.state.shape {
            StateShape::Column { column, in_progress, completed, failed, keep, .. } => {
                for value in in_progress.iter().chain(completed).chain(failed).chain(keep) {
                    self.literal("table.state.column", column, value)?;
                }
                self.column("table.state.column", column)?;
            }
            StateShape::NullMeansInProgress(columns) => {
                for column in columns {
                    let found = self.column("table.state.null_means_in_progress", column)?;
                    if found.not_null {
                        return Err(mismatch(
                            self.mapping,
                            "table.state.null_means_in_progress",
                            format!("the column {:?} never holds NULL", found.name),
                        ));
                    }
                }
            }
            StateShape::Always(_) => {}
        }
        self.mapping.state.marks.iter().try_for_each(|mark| self.mark(mark))
    }

    fn mark(&self, mark: &Mark) -> Result<(), StoreError> {
        const SETTING: &str = "table.state.set_means_in_progress";
        let found = self.column(SETTING, &mark.column)?;
        for value in &mark.unset {
            self.literal(SETTING, &mark.column, value)?;
        }
        if found.not_null && found.family != Family::Boolean && mark.unset.is_empty() {
            return Err(mismatch(
                self.mapping,
                SETTING,
                format!(
                    "the column {name:?} never holds NULL: every row would be in progress. Say which values mean that \
                     it is not set: {{ column = {name:?}, unset = [0] }}",
                    name = found.name
                ),
            ));
        }
        Ok(())
    }

    /// Whether a value of the mapping can be one of the column's.
    fn literal(&self, setting: &str, column: &Ident, value: &Literal) -> Result<(), StoreError> {
        let found = self.column(setting, column)?;
        let fits = match (found.family, value) {
            (Family::Integer, Literal::Text(text)) => text.trim().parse::<i64>().is_ok(),
            (Family::Integer, Literal::Int(_)) => true,
            (Family::Integer, Literal::Bool(_)) => self.columns.dialect.flags_are_numbers(),
            (Family::Boolean, Literal::Text(text)) => {
                self.columns.dialect.reads_flags_from_text() && matches!(text.as_str(), "true" | "false")
            }
            (Family::Boolean, Literal::Int(_)) => self.columns.dialect.flags_are_numbers(),
            _ => true,
        };
        if fits {
            return Ok(());
        }
        Err(mismatch(
            self.mapping,
            setting,
            format!("the column {:?} is {}: it can't hold {value}", found.name, found.sql_type),
        ))
    }

    fn clock(&self, setting: &str, clock: &Clock) -> Result<(), StoreError> {
        let found = self.column(setting, &clock.column)?;
        let (fits, wanted) = match (clock.encoding, self.columns.dialect) {
            (Encoding::Timestamptz, Dialect::Postgres) => {
                (found.family == Family::Timestamptz, "timestamp with time zone")
            }
            (Encoding::Naive(_), Dialect::Postgres) => {
                (found.family == Family::Timestamp, "timestamp without time zone")
            }
            (Encoding::Timestamptz | Encoding::Naive(_), Dialect::Sqlite) => {
                (false, "a type that SQLite has: use epoch_s, epoch_ms, epoch_us or { text = … }")
            }
            (Encoding::Epoch(_), Dialect::Postgres) => {
                (matches!(found.family, Family::Integer | Family::Fraction), "a number")
            }
            (Encoding::Epoch(_), Dialect::Sqlite) => (found.family != Family::Text, "a number"),
            (Encoding::Text(_), Dialect::Postgres) => {
                (found.family == Family::Text || found.sql_type == "bpchar", "text")
            }
            (Encoding::Text(_), Dialect::Sqlite) => (found.family != Family::Integer, "text"),
        };
        if fits {
            return Ok(());
        }
        Err(self.wrong_type(&format!("{setting}.as = {}", clock.encoding), found, wanted))
    }
}

/// How many letters two names begin or end with alike; 0 where that is less than half of the longer one.
fn similarity(a: &str, b: &str) -> usize {
    let (a, b) = (a.to_lowercase(), b.to_lowercase());
    let same = |a: &mut dyn Iterator<Item = char>, b: &mut dyn Iterator<Item = char>| {
        a.zip(b).take_while(|(a, b)| a == b).count()
    };
    let start = same(&mut a.chars(), &mut b.chars());
    let end = same(&mut a.chars().rev(), &mut b.chars().rev());
    let longer = a.chars().count().max(b.chars().count());
    let alike = (start + end).min(longer);
    if alike * 2 >= longer { alike } else { 0 }
}
