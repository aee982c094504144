-- About how many rows a table has, as the last vacuum or analyze left the number, its bytes without indexes, how
-- many tables hold its rows, and whether autovacuum is off for one of them.
SELECT
    CAST(COALESCE(sum(GREATEST(p.reltuples, 0)), 0) AS bigint),
    CAST(COALESCE(sum(pg_table_size(p.oid)), 0) AS bigint),
    count(*),
    COALESCE(bool_or('autovacuum_enabled=false' = ANY (p.reloptions) OR 'autovacuum_enabled=off' = ANY (p.reloptions)), false)
FROM pg_class AS p
WHERE (p.oid = to_regclass($1) AND p.relkind <> 'p')
    OR p.oid IN (SELECT t.relid FROM pg_partition_tree(to_regclass($1)) AS t WHERE t.isleaf)
