-- About how many rows, and the bytes of the table and of its indexes; nothing is counted. All of a tree's tables
-- together: a partitioned table itself holds nothing. No number of rows where nobody has counted those of a part
-- that holds any, and of a part that lies on another server.
WITH RECURSIVE tree (oid) AS (
    SELECT CAST(to_regclass($1) AS oid)
    UNION
    SELECT i.inhrelid FROM pg_inherits AS i JOIN tree ON i.inhparent = tree.oid),
parts AS (
    SELECT c.oid,
        COALESCE(NULLIF(pg_stat_get_live_tuples(c.oid), 0), CAST(NULLIF(c.reltuples, -1) AS bigint),
            CASE WHEN c.relkind <> 'f' AND pg_relation_size(c.oid) = 0 THEN 0 END) AS about
    FROM pg_class AS c JOIN tree ON tree.oid = c.oid
    WHERE c.relkind <> 'p')
SELECT
    CASE WHEN bool_and(about IS NOT NULL) THEN CAST(sum(about) AS bigint) END,
    CAST(COALESCE(sum(pg_table_size(oid)), 0) AS bigint), CAST(COALESCE(sum(pg_indexes_size(oid)), 0) AS bigint)
FROM parts
