//! The catalogue of statements: one `.sql` file each, with a second one where a dialect must say
//! it differently. All of them are rendered when the store connects.

use super::StoreError;
use crate::protocol::Timestamp;
use crate::sql::{Dialect, Statement, Template, TemplateError};
use crate::table::{Columns, Fragments, Mapping};

/// What a command does to rows. A table that can't take the statements of one takes those of the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowChange {
    /// Deletes expired rows.
    Purge,
    /// Takes the claims of stuck rows away.
    Reap,
    /// Takes the claim of one row away.
    Fail,
    /// Allows the retry of one row.
    Release,
    /// Deletes one row.
    Forget,
}

impl RowChange {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Purge, Self::Reap, Self::Fail, Self::Release, Self::Forget];
}

/// Where the statements take `now` from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeSource {
    /// The database's clock, at the statement's moment. What every real use wants.
    #[default]
    Database,
    /// The database's clock, shifted by so many microseconds; negative is the past. For
    /// demonstrations and tests that need rows of some age.
    Shifted(i64),
    /// Always the same moment. For tests that compare with the pure state machine.
    Fixed(Timestamp),
}

impl TimeSource {
    fn sql(self, dialect: Dialect) -> String {
        let grammar = dialect.grammar();
        match self {
            Self::Database => grammar.now().to_owned(),
            Self::Shifted(by) => grammar.shifted_now(by),
            Self::Fixed(at) => grammar.moment(at),
        }
    }
}

/// The text of a statement: one for all, one of each dialect, or one of this dialect and what another one has instead.
macro_rules! text {
    ($dialect:ident, shared $file:ident) => {
        include_str!(concat!("sql/", stringify!($file), ".sql"))
    };
    ($dialect:ident, each $file:ident) => {
        match $dialect {
            Dialect::Postgres => include_str!(concat!("../dialect/postgres/sql/", stringify!($file), ".sql")),
            Dialect::Sqlite => include_str!(concat!("../dialect/sqlite/sql/", stringify!($file), ".sql")),
        }
    };
    ($dialect:ident, postgres $file:ident, $($other:tt)+) => {
        match $dialect {
            Dialect::Postgres => include_str!(concat!("../dialect/postgres/sql/", stringify!($file), ".sql")),
            Dialect::Sqlite => text!($dialect, $($other)+),
        }
    };
    ($dialect:ident, sqlite $file:ident, $($other:tt)+) => {
        match $dialect {
            Dialect::Sqlite => include_str!(concat!("../dialect/sqlite/sql/", stringify!($file), ".sql")),
            Dialect::Postgres => text!($dialect, $($other)+),
        }
    };
}

macro_rules! catalogue {
    ($($(#[$doc:meta])* $name:ident: [$($text:tt)+];)*) => {
        /// Every statement, rendered for one dialect, one table and one clock.
        #[derive(Debug, Clone)]
        pub(crate) struct Catalogue {
            $($(#[$doc])* pub(crate) $name: Statement,)*
        }

        impl Catalogue {
            fn from_tokens(dialect: Dialect, tokens: &[(&'static str, String)]) -> Result<Self, TemplateError> {
                $(
                    let $name = {
                        let text = text!(dialect, $($text)+);
                        Template { name: stringify!($name), text }.render(tokens)?
                    };
                )*
                Ok(Self { $($name,)* })
            }

            /// All of them with their names, for the checks at start.
            pub(crate) fn all(&self) -> Vec<(&'static str, &Statement)> {
                vec![$((stringify!($name), &self.$name),)*]
            }
        }
    };
}

catalogue! {
    claim_insert: [shared claim_insert];
    claim_read: [shared claim_read];
    claim_take_over: [shared claim_take_over];
    claim_restamp: [shared claim_restamp];
    renew: [shared renew];
    complete: [shared complete];
    fail: [shared fail];
    inspect: [shared inspect];
    select_rows: [shared select_rows];
    table_columns: [each table_columns];
    table_uniques: [each table_uniques];
    clock: [shared clock];
    reap_row: [each reap_row];
    reap_still_stuck: [shared reap_still_stuck];
    /// SQLite locks the file, not rows.
    reap_lock_row: [postgres reap_lock_row, shared reap_still_stuck];
    reap_unrecognized: [shared reap_unrecognized];
    reap_ageless: [shared reap_ageless];
    fail_row: [shared fail_row];
    pass_record: [shared pass_record];
    pass_read: [shared pass_read];
    stats_quick: [shared stats_quick];
    stats_exact: [shared stats_exact];
    stats_rows: [shared stats_rows];
    stats_unknown: [shared stats_unknown];
    stats_kept: [shared stats_kept];
    stays_busy: [shared stays_busy];
    stays_undated: [shared stays_undated];
    stats_sizes: [each stats_sizes];
    stats_scopes: [shared stats_scopes];
    /// PostgreSQL's statistics; SQLite has none of this kind.
    stats_scopes_quick: [postgres stats_scopes_quick, shared stats_scopes];
    stats_claims: [shared stats_claims];
    stats_expiries: [shared stats_expiries];
    release_row: [shared release_row];
    forget_row: [shared forget_row];
    unchanged_row: [shared unchanged_row];
    row_blocking_triggers: [each row_blocking_triggers];
    audit_rows: [shared audit_rows];
    inbound_keys: [each inbound_keys];
    purge_step: [shared purge_step];
    purge_order: [shared purge_order];
    purge_range: [shared purge_range];
    purge_count: [shared purge_count];
    purge_blockers: [each purge_blockers];
    purge_unrecognized: [shared purge_unrecognized];
    purge_left: [shared purge_left];
    purge_limited: [each purge_limited];
    /// SQLite locks the file, not rows: there is nothing to skip.
    purge_range_skip_locked: [postgres purge_range_skip_locked, shared purge_range];
    /// The walk along the heap is PostgreSQL's alone.
    purge_tied: [postgres purge_tied, shared purge_range];
    purge_tied_referenced: [postgres purge_tied_referenced, shared purge_range];
    purge_tied_skip_locked: [postgres purge_tied_skip_locked, shared purge_range];
    purge_tied_extent: [postgres purge_tied_extent, shared purge_count];
    heap_extent: [postgres heap_extent, shared clock];
    /// SQLite's walk through the table in its own order; PostgreSQL's is along the heap.
    purge_keys_ends: [sqlite purge_keys_ends, shared clock];
    purge_keys_step: [sqlite purge_keys_step, shared clock];
    purge_keys: [sqlite purge_keys, shared clock];
    purge_keys_limited: [sqlite purge_keys_limited, shared clock];
    /// Rows by list: where the database refused a batch.
    purge_due: [shared purge_due];
    purge_due_piece: [each purge_due_piece];
    purge_listed: [shared purge_listed];
    purge_listed_skip_locked: [postgres purge_listed_skip_locked, shared purge_listed];
    audit_insert: [shared audit_insert];
    audit_written: [shared audit_written];
    audit_of_key: [shared audit_of_key];
    audit_exists: [each audit_exists];
    migrations_applied: [each migrations_applied];
    /// PostgreSQL's alone, as are the next three.
    table_rights: [postgres table_rights, shared clock];
    row_security: [postgres row_security, shared clock];
    visibility: [postgres visibility, shared clock];
    standby: [postgres standby, shared clock];
    migration_record: [shared migration_record];
    lease_acquire: [shared lease_acquire];
    lease_release: [shared lease_release];
    leases_exist: [each leases_exist];
    leases_read: [shared leases_read];
    leases_release: [shared leases_release];
    pause_set: [shared pause_set];
    pause_read: [shared pause_read];
    pause_clear: [shared pause_clear];
    /// PostgreSQL's alone; SQLite has no standbys.
    replication_lag: [postgres replication_lag, shared clock];
    audit_expire: [each audit_expire];
}

impl Catalogue {
    /// Whether a statement works on any mapped table; the others are the protocol's own, or read and
    /// write tables that may be missing beside an adopted one.
    pub(crate) fn is_for_any_table(name: &str) -> bool {
        const OWN: [&str; 24] = [
            "claim_insert",
            "claim_take_over",
            "claim_restamp",
            "renew",
            "complete",
            "fail",
            "pass_record",
            "pass_read",
            "audit_rows",
            "audit_insert",
            "audit_written",
            "audit_of_key",
            "audit_exists",
            "audit_expire",
            "migrations_applied",
            "migration_record",
            "lease_acquire",
            "lease_release",
            "leases_read",
            "leases_release",
            "pause_set",
            "pause_read",
            "pause_clear",
            "audit_expire",
        ];
        !OWN.contains(&name)
    }

    /// Whether a statement changes rows of the mapped table, or chooses rows to be changed.
    pub(crate) fn writes(name: &str) -> bool {
        name.starts_with("purge_") || name.ends_with("_row") || name == "reap_still_stuck"
    }

    /// Whether a statement is of this change alone; what only reads is of every one.
    fn is_of(name: &str, change: RowChange) -> bool {
        match change {
            RowChange::Purge => name.starts_with("purge_"),
            RowChange::Reap => name.starts_with("reap_"),
            RowChange::Fail => name == "fail_row",
            RowChange::Release => name == "release_row",
            RowChange::Forget => name == "forget_row",
        }
    }

    /// Whether a statement is needed by one of these changes.
    pub(crate) fn is_needed(name: &str, changes: &[RowChange]) -> bool {
        RowChange::ALL.into_iter().all(|change| !Self::is_of(name, change) || changes.contains(&change))
    }

    /// Of our own table.
    pub(crate) fn owned(dialect: Dialect, clock: TimeSource) -> Result<Self, TemplateError> {
        let (mapping, columns) = (Mapping::owned(), Columns::owned(dialect));
        let walk = mapping.walks().into_iter().next();
        Self::render(&Fragments::new(&mapping, &columns, walk.as_ref()), clock)
    }

    /// A statement of the catalogue with other fragments.
    pub(crate) fn varied(
        statement: &Statement,
        fragments: &Fragments<'_>,
        clock: TimeSource,
    ) -> Result<Statement, TemplateError> {
        match statement.template() {
            Some(template) => template.render(&all_tokens(fragments, clock)?),
            None => Ok(statement.clone()),
        }
    }

    /// Of any table; the purge's statements go along `walk`.
    pub(crate) fn render(fragments: &Fragments<'_>, clock: TimeSource) -> Result<Self, TemplateError> {
        Self::from_tokens(fragments.columns.dialect, &all_tokens(fragments, clock)?)
    }
}

/// The tokens of the catalogue's statements.
fn all_tokens(
    fragments: &Fragments<'_>,
    clock: TimeSource,
) -> Result<Vec<(&'static str, String)>, TemplateError> {
    let mapping = fragments.mapping;
    let mut tokens = tokens(fragments, clock);
    let set = |name, text| Ok(Template { name, text }.render(&tokens)?.as_str().to_owned());
    let fail_set = set("reap_set", include_str!("sql/reap_set.sql"))?;
    let release_set = set("release_set", include_str!("sql/release_set.sql"))?;
    tokens.extend([
        ("fail_row", fragments.write(mapping.fail.as_ref(), &fail_set, true)),
        ("release_row", fragments.write(mapping.release.as_ref(), &release_set, false)),
    ]);
    Ok(tokens)
}

/// Everything that a statement may name by a token.
pub(super) fn tokens(fragments: &Fragments<'_>, clock: TimeSource) -> Vec<(&'static str, String)> {
    let dialect = fragments.columns.dialect;
    let grammar = dialect.grammar();
    let mut tokens = fragments.tokens();
    tokens.extend([
        // Counted afresh it would overflow, and such a row could be neither settled nor reaped, nor any other row in
        // the reaper's batch.
        ("endless", grammar.is_endless().to_owned()),
        ("now", clock.sql(dialect)),
        ("span", grammar.claimed_span().to_owned()),
        ("microseconds", grammar.microseconds().to_owned()),
        ("audit", "idemctl_audit".to_owned()),
        ("migrations", "idemctl_migrations".to_owned()),
        ("leases", "idemctl_lease".to_owned()),
        ("pause", "idemctl_pause".to_owned()),
    ]);
    tokens
}

/// The statements of the claim protocol on the table that `idemctl migrate` creates, each with its
/// name and in the order in which a claim meets them: for programs in other languages, which run the
/// very same SQL. idemctl-protocol(7) says what binds what.
///
/// ```
/// use idemctl::store::{Dialect, protocol_statements};
///
/// let statements = protocol_statements(Dialect::Postgres)?;
/// assert_eq!(statements[0].0, "claim_insert");
/// assert!(statements[0].1.starts_with("INSERT INTO"));
/// # Ok::<(), idemctl::store::StoreError>(())
/// ```
///
/// # Errors
/// None that a correct build could meet.
pub fn protocol_statements(dialect: Dialect) -> Result<Vec<(&'static str, String)>, StoreError> {
    const PROTOCOL: [&str; 7] =
        ["claim_insert", "claim_read", "claim_take_over", "claim_restamp", "renew", "complete", "fail"];
    let catalogue = Catalogue::owned(dialect, TimeSource::Database)?;
    let statements = catalogue.all().into_iter();
    Ok(statements
        .filter(|(name, _)| PROTOCOL.contains(name))
        .map(|(name, sql)| (name, sql.as_str().to_owned()))
        .collect())
}

#[cfg(all(test, feature = "cli"))]
mod golden;

#[cfg(test)]
mod tests {
    use super::*;

    /// Such a statement can't be prepared beside an adopted table, where these tables may be missing.
    #[test]
    fn what_needs_our_own_tables_is_not_for_any_table() {
        for dialect in [Dialect::Postgres, Dialect::Sqlite] {
            for (name, sql) in Catalogue::owned(dialect, TimeSource::Database).unwrap().all() {
                // Asking whether one is there names it in quotes.
                let text = sql.as_str().replace("'idemctl_", "'");
                let is_ours = text.contains("idemctl_");
                assert!(!is_ours || !Catalogue::is_for_any_table(name), "{name}: {text}");
            }
        }
    }

    #[test]
    fn every_statement_renders_in_every_dialect() {
        for dialect in [Dialect::Postgres, Dialect::Sqlite] {
            let catalogue = Catalogue::owned(dialect, TimeSource::Database).unwrap();
            for (name, sql) in catalogue.all() {
                assert!(!sql.as_str().contains(['{', '}']), "{name}: {}", sql.as_str());
                assert!(!sql.as_str().is_empty(), "{name}");
            }
        }
    }
}
