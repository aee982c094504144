-- Replication slots that hold back the removal of log files or of the catalogue's old rows.
SELECT CAST(slot_name AS text), active, CAST(pg_wal_lsn_diff(
        CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, restart_lsn) AS bigint),
    CAST(age(catalog_xmin) AS bigint)
FROM pg_replication_slots
WHERE NOT active
ORDER BY 3 DESC NULLS LAST
LIMIT 20
