//! Room that deleted rows leave: who keeps vacuum from freeing it, and whether it comes at all.

use std::time::Duration;

use super::{Examination, Findings, Severity};
use crate::store::{Dialect, Holder, HolderKind, IdleSlot, ServerFacts, Store};
use crate::table::Ident;

/// So many transactions behind, a slot or a standby holds back too much.
const MANY_TRANSACTIONS: u64 = 1_000_000;
/// So many bytes of log kept for nobody are worth a word.
const MUCH_LOG: u64 = 1 << 30;
/// Fewer dead rows than this are nobody's concern.
const FEW_DEAD: u64 = 10_000;

pub(super) async fn holders(base: &Store, server: &ServerFacts, long: Duration, findings: &mut Findings) {
    const CHECK: &str = "vacuum_horizon";
    // One that can't be read takes nothing away from the others, and keeps the whole from being well.
    let mut holders = Vec::new();
    for found in
        [base.sessions_in_the_way().await, base.prepared_in_the_way().await, base.slots_in_the_way().await]
    {
        match found {
            Ok(found) => holders.extend(found),
            Err(error) => findings.unknown(CHECK, &error),
        }
    }
    let slots = base.idle_slots().await.unwrap_or_else(|error| {
        findings.unknown(CHECK, &error);
        Vec::new()
    });
    judge(&holders, &slots, &server.role, long, findings);
}

fn judge(holders: &[Holder], slots: &[IdleSlot], role: &str, long: Duration, findings: &mut Findings) {
    const CHECK: &str = "vacuum_horizon";
    let words = |span: Duration| crate::words::duration(Duration::from_secs(span.as_secs()));
    let literal = |text: &str| Dialect::Postgres.grammar().literal(text);
    let mut oldest: Option<&Holder> = None;
    for holder in holders {
        let whose = holder.whose.as_deref().unwrap_or("unknown");
        let state = holder.state.as_deref().unwrap_or("unknown");
        let is_old = holder.age.is_some_and(|age| age >= long);
        let is_far = holder.transactions >= MANY_TRANSACTIONS;
        const MEANS: &str = "Vacuum can't remove rows that were deleted since: the table and its indexes grow \
             while the purge works, and everything that reads them gets slower.";
        match holder.kind {
            HolderKind::Transaction if is_old => findings.add(
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
            HolderKind::Prepared if is_old || is_far => findings.add(
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
            HolderKind::Slot if is_far || state == "inactive" => findings.add(
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
            HolderKind::Standby if is_far => findings.add(
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
            HolderKind::Hidden => findings.add(
                Severity::Info,
                (CHECK, "sessions_hidden"),
                format!("the role may not look into {} other sessions", holder.name),
                "A long transaction of theirs would not be seen here.",
                vec![format!(
                    "GRANT pg_read_all_stats TO {};",
                    Ident::new(role).map(|role| role.quoted(Dialect::Postgres)).unwrap_or_default()
                )],
            ),
            _ => {
                if oldest.is_none_or(|known| known.age < holder.age) {
                    oldest = Some(holder);
                }
            }
        }
    }
    for slot in slots {
        if slot.kept > MUCH_LOG || slot.catalogue > MANY_TRANSACTIONS {
            findings.add(
                Severity::Warning,
                (CHECK, "replication_slot_idle"),
                format!("nobody reads from the replication slot {:?}: it keeps {} bytes of log", slot.name, slot.kept),
                "Every row that a purge deletes writes log, and all of it is kept for this slot: in the end the \
                 disk is full and the server stops.",
                vec![format!("SELECT pg_drop_replication_slot({});", literal(&slot.name))],
            );
        }
    }
    if findings.is_silent_on(CHECK) {
        findings.ok(
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
}

/// Dead rows, room without rows, and when vacuum last came.
pub(super) fn dead_rows(examination: &Examination<'_>, findings: &mut Findings) {
    const CHECK: &str = "vacuum";
    let table = examination.store.table_sql();
    let off = examination.server.is_some_and(|server| !server.autovacuum);
    let unvacuumed =
        examination.facts.unvacuumed || examination.size.as_ref().is_ok_and(|size| size.unvacuumed);
    let last = match &examination.vacuum {
        Ok(vacuum) => match vacuum.vacuumed_at {
            Some(at) => format!("; last vacuumed {at}"),
            None => "; never vacuumed".to_owned(),
        },
        Err(_) => String::new(),
    };
    if unvacuumed || off {
        let whose = if off { "for the whole server" } else { "for this table" };
        findings.add(
            Severity::Warning,
            (CHECK, "autovacuum_off"),
            format!("autovacuum is off {whose}{last}"),
            "Nobody frees the room of deleted rows: a table from which rows come and go grows without end.",
            vec![if off {
                "ALTER SYSTEM SET autovacuum = on; SELECT pg_reload_conf();".to_owned()
            } else {
                format!("ALTER TABLE {table} RESET (autovacuum_enabled);")
            }],
        );
    }
    let vacuum = match &examination.vacuum {
        Ok(vacuum) => vacuum,
        Err(error) => return findings.unknown(CHECK, error),
    };
    if vacuum.dead > FEW_DEAD && vacuum.dead > vacuum.live / 2 {
        findings.add(
            Severity::Warning,
            (CHECK, "dead_rows"),
            format!("{} dead rows beside {} live ones{last}", vacuum.dead, vacuum.live),
            "Vacuum does not keep up, or is held back (see vacuum_horizon). Scans read dead rows too, and the \
             table grows.",
            vec![format!("VACUUM (VERBOSE, ANALYZE) {table};")],
        );
    }
    let size = match &examination.size {
        Ok(size) => size,
        Err(error) => return findings.unknown(CHECK, error),
    };
    let rows = size.rows.max(vacuum.live);
    if size.bytes > 64 * 1024 * 1024
        && rows > 0
        && size.bytes / rows > 8_192
        && size.bytes / 8_192 > 20 * rows
    {
        findings.add(
            Severity::Info,
            (CHECK, "bloat"),
            format!("{} bytes for about {rows} rows{last}", size.bytes),
            "Most of the table's pages hold no row. They are used again for new ones; a scan reads them all.",
            vec![format!("VACUUM FULL {table};  -- keeps everybody out; pg_repack does not")],
        );
    }
    if findings.is_silent_on(CHECK) {
        findings.ok(CHECK, format!("{} dead rows beside {} live ones{last}", vacuum.dead, vacuum.live));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holder(kind: HolderKind, seconds: Option<u64>, transactions: u64, state: &str) -> Holder {
        Holder {
            kind,
            name: "it's".to_owned(),
            whose: Some("shop api 10.0.0.7".to_owned()),
            age: seconds.map(Duration::from_secs),
            transactions,
            state: Some(state.to_owned()),
        }
    }

    /// Each holder that is old enough has a finding with what ends it; a younger one has none.
    #[test]
    fn whoever_holds_vacuum_back_is_named_with_what_ends_it() {
        use HolderKind::{Hidden, Prepared, Slot, Standby, Transaction};
        let many = MANY_TRANSACTIONS;
        for (holder, code, fix) in [
            (
                holder(Transaction, Some(301), 5, "idle in transaction"),
                "long_transaction",
                "pg_terminate_backend",
            ),
            (holder(Transaction, Some(299), 5, "active"), "vacuum_horizon", ""),
            (
                holder(Prepared, Some(301), 5, "prepared"),
                "prepared_transaction",
                "ROLLBACK PREPARED 'it''s';",
            ),
            (holder(Prepared, Some(1), 5, "prepared"), "vacuum_horizon", ""),
            (holder(Slot, None, many, "active"), "replication_slot", "pg_drop_replication_slot('it''s')"),
            (holder(Slot, None, 1, "inactive"), "replication_slot", "pg_drop_replication_slot"),
            (holder(Slot, None, 1, "active"), "vacuum_horizon", ""),
            (holder(Standby, None, many, "streaming"), "standby_feedback", "hot_standby_feedback"),
            (holder(Standby, None, 1, "streaming"), "vacuum_horizon", ""),
            (holder(Hidden, None, 0, ""), "sessions_hidden", "GRANT pg_read_all_stats TO \"op\";"),
        ] {
            let mut findings = Findings { table: None, made: Vec::new() };
            judge(std::slice::from_ref(&holder), &[], "op", Duration::from_secs(300), &mut findings);
            let finding = &findings.made[0];
            assert_eq!((finding.code, findings.made.len()), (code, 1), "{holder:?}");
            assert!(finding.fix.join("").contains(fix), "{finding:?}");
        }
        for (kept, catalogue, code) in [
            (MUCH_LOG + 1, 0, "replication_slot_idle"),
            (0, many + 1, "replication_slot_idle"),
            (5, 5, "vacuum_horizon"),
        ] {
            let mut findings = Findings { table: None, made: Vec::new() };
            let slot = IdleSlot { name: "s".to_owned(), kept, catalogue };
            judge(&[], &[slot], "op", Duration::from_secs(300), &mut findings);
            assert_eq!(findings.made[0].code, code, "{kept} {catalogue}");
        }
    }
}
