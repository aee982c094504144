-- About how many rows, and the bytes of the table and of its indexes; nothing is counted.
SELECT
    CAST(COALESCE(NULLIF(pg_stat_get_live_tuples(oid), 0), reltuples) AS bigint),
    pg_table_size(oid), pg_indexes_size(oid)
FROM pg_class WHERE oid = to_regclass($1)
