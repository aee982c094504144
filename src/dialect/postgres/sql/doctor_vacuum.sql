-- What the statistics say of a table, all its partitions together: rows alive, rows dead, the last vacuum and the
-- last analyze.
SELECT
    CAST(COALESCE(sum(s.n_live_tup), 0) AS bigint),
    CAST(COALESCE(sum(s.n_dead_tup), 0) AS bigint),
    max(GREATEST(s.last_autovacuum, s.last_vacuum)),
    max(GREATEST(s.last_autoanalyze, s.last_analyze))
FROM pg_stat_all_tables AS s
WHERE s.relid = to_regclass($1)
    OR s.relid IN (SELECT t.relid FROM pg_partition_tree(to_regclass($1)) AS t WHERE t.isleaf)
