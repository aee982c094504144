-- How far the slowest standby is behind in replaying, in microseconds. An idle standby has no replay_lag:
-- one that replayed all there is is not behind. A role without the right to look sees rows without a
-- state. Whoever only stores the log (pg_receivewal, a backup) replays nothing and is not asked.
SELECT
    count(*),
    count(*) FILTER (WHERE state IS NULL),
    count(*) FILTER (WHERE replay_lsn < pg_current_wal_lsn() AND replay_lag IS NULL),
    CAST(max(extract(epoch FROM replay_lag) * 1000000) FILTER (WHERE replay_lsn < pg_current_wal_lsn()) AS bigint),
    CAST(pg_has_role('pg_read_all_stats', 'USAGE') AS integer)
FROM pg_stat_replication
WHERE state IS NULL OR replay_lsn IS NOT NULL
