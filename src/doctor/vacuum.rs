//! Room that deleted rows leave: who keeps vacuum from freeing it, and whether it comes at all.

use std::time::Duration;

use super::{Chart, Exam, Severity};
use crate::store::{Dialect, Holder, HolderKind, ServerFacts, Store, StoreError};
use crate::table::{Ident, literal};

/// So many transactions behind, a slot or a standby holds back too much.
const MANY_TRANSACTIONS: u64 = 1_000_000;
/// So many bytes of log kept for nobody are worth a word.
const MUCH_LOG: u64 = 1 << 30;
/// Fewer dead rows than this are nobody's concern.
const FEW_DEAD: u64 = 10_000;

pub(super) async fn holders(
    base: &Store,
    server: &ServerFacts,
    long: Duration,
    chart: &mut Chart,
) -> Result<(), StoreError> {
    const CHECK: &str = "vacuum_horizon";
    let holders = base.vacuum_holders().await?;
    let words = |span: Duration| humantime::format_duration(Duration::from_secs(span.as_secs()));
    let mut oldest: Option<&Holder> = None;
    for holder in &holders {
        let whose = holder.whose.as_deref().unwrap_or("unknown");
        let state = holder.state.as_deref().unwrap_or("unknown");
        let is_old = holder.age.is_some_and(|age| age >= long);
        let is_far = holder.transactions >= MANY_TRANSACTIONS;
        const MEANS: &str = "Vacuum can't remove rows that were deleted since: the table and its indexes grow \
             while the purge works, and everything that reads them gets slower.";
        match holder.kind {
            HolderKind::Transaction if is_old => chart.add(
                Severity::Warning,
                (CHECK, "long_transaction"),
                format!(
                    "process {} ({whose}, {state}) has had a transaction open for {}",
                    holder.name,
                    words(holder.age.unwrap_or_default())
                ),
                MEANS,
                vec![format!("SELECT pg_terminate_backend({});  -- its work is rolled back", holder.name)],
            ),
            HolderKind::Prepared if is_old || is_far => chart.add(
                Severity::Warning,
                (CHECK, "prepared_transaction"),
                format!(
                    "the prepared transaction {:?} of {whose} is {} old",
                    holder.name,
                    words(holder.age.unwrap_or_default())
                ),
                "It survives restarts, and nobody ends it by himself. Vacuum can't remove rows that were \
                 deleted since. Ask its transaction manager which of the two is right.",
                vec![
                    format!("ROLLBACK PREPARED {};", literal(&holder.name)),
                    format!("COMMIT PREPARED {};", literal(&holder.name)),
                ],
            ),
            HolderKind::Slot if is_far || state == "inactive" => chart.add(
                Severity::Warning,
                (CHECK, "replication_slot"),
                format!(
                    "the {state} replication slot {:?} holds back {} transactions",
                    holder.name, holder.transactions
                ),
                MEANS,
                vec![format!(
                    "SELECT pg_drop_replication_slot({});  -- its standby must be set up anew",
                    literal(&holder.name)
                )],
            ),
            HolderKind::Standby if is_far => chart.add(
                Severity::Warning,
                (CHECK, "standby_feedback"),
                format!(
                    "the standby of process {} ({whose}) holds back {} transactions by hot_standby_feedback",
                    holder.name, holder.transactions
                ),
                MEANS,
                vec![
                    "end the long query on the standby, or switch hot_standby_feedback off there".to_owned(),
                ],
            ),
            HolderKind::Hidden => chart.add(
                Severity::Info,
                (CHECK, "sessions_hidden"),
                format!("the role may not look into {} other sessions", holder.name),
                "A long transaction of theirs would not be seen here.",
                vec![format!(
                    "GRANT pg_read_all_stats TO {};",
                    Ident::new(server.role.clone())
                        .map(|role| role.quoted(Dialect::Postgres))
                        .unwrap_or_default()
                )],
            ),
            _ => {
                if oldest.is_none_or(|known| known.age < holder.age) {
                    oldest = Some(holder);
                }
            }
        }
    }
    for slot in base.idle_slots().await? {
        if slot.kept > MUCH_LOG || slot.catalogue > MANY_TRANSACTIONS {
            chart.add(
                Severity::Warning,
                (CHECK, "replication_slot_idle"),
                format!("nobody reads from the replication slot {:?}: it keeps {} bytes of log", slot.name, slot.kept),
                "Every row that a purge deletes writes log, and all of it is kept for this slot: in the end the \
                 disk is full and the server stops.",
                vec![format!("SELECT pg_drop_replication_slot({});", literal(&slot.name))],
            );
        }
    }
    if chart.is_silent_on(CHECK) {
        chart.ok(
            CHECK,
            match oldest {
                None => "nothing holds vacuum back".to_owned(),
                Some(holder) => format!(
                    "the oldest is process {} ({}), since {}",
                    holder.name,
                    holder.whose.as_deref().unwrap_or("unknown"),
                    words(holder.age.unwrap_or_default())
                ),
            },
        );
    }
    Ok(())
}

/// Dead rows, room without rows, and when vacuum last came.
pub(super) fn dead_rows(exam: &Exam<'_>, chart: &mut Chart) {
    const CHECK: &str = "vacuum";
    let facts = &exam.facts;
    let table = exam.store.table_sql();
    let last = match facts.vacuumed_at {
        Some(at) => format!("last vacuumed {at}"),
        None => "never vacuumed".to_owned(),
    };
    let off = exam.server.is_some_and(|server| !server.autovacuum);
    if facts.unvacuumed || off {
        let whose = if off { "for the whole server" } else { "for this table" };
        chart.add(
            Severity::Warning,
            (CHECK, "autovacuum_off"),
            format!("autovacuum is off {whose}; {last}"),
            "Nobody frees the room of deleted rows: a table from which rows come and go grows without end.",
            vec![if off {
                "ALTER SYSTEM SET autovacuum = on; SELECT pg_reload_conf();".to_owned()
            } else {
                format!("ALTER TABLE {table} RESET (autovacuum_enabled);")
            }],
        );
    }
    if facts.dead > FEW_DEAD && facts.dead > facts.live / 2 {
        chart.add(
            Severity::Warning,
            (CHECK, "dead_rows"),
            format!("{} dead rows beside {} live ones; {last}", facts.dead, facts.live),
            "Vacuum does not keep up, or is held back (see vacuum_horizon). Scans read dead rows too, and the \
             table grows.",
            vec![format!("VACUUM (VERBOSE, ANALYZE) {table};")],
        );
    }
    let rows = facts.rows.max(facts.live);
    if facts.bytes > 64 * 1024 * 1024
        && rows > 0
        && facts.bytes / rows > 8_192
        && facts.bytes / 8_192 > 20 * rows
    {
        chart.add(
            Severity::Info,
            (CHECK, "bloat"),
            format!("{} bytes for about {rows} rows; {last}", facts.bytes),
            "Most of the table's pages hold no row. They are used again for new ones; a scan reads them all.",
            vec![format!("VACUUM FULL {table};  -- keeps everybody out; pg_repack does not")],
        );
    }
    if chart.is_silent_on(CHECK) {
        chart.ok(CHECK, format!("{} dead rows beside {} live ones; {last}", facts.dead, facts.live));
    }
}
