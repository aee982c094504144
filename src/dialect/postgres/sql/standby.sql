-- How far a standby is behind, as far as it knows itself: the server's clock, when the last transaction that it
-- has replayed was committed, how many bytes of log it has received and not replayed, whether replay is paused,
-- and whether it receives anything at all.
SELECT clock_timestamp(), pg_last_xact_replay_timestamp(),
    CAST(pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) AS bigint),
    pg_is_wal_replay_paused(),
    EXISTS (SELECT 1 FROM pg_stat_wal_receiver WHERE pid IS NOT NULL)
FROM (SELECT 1) AS one
WHERE pg_is_in_recovery()
