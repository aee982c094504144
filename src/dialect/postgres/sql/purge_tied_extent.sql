-- The heap blocks between which the rows of one expiry lie, and how many rows those are. To find out is to
-- visit every one of them. A sample of some 200 blocks comes first: where nine tenths of its rows have
-- that expiry, one or more in each block, all blocks of the table ($3) are walked without looking. Where children hold the rows, a
-- block range is one of each of them, and the largest says where the walk ends.
WITH RECURSIVE tree (oid) AS (
    SELECT CAST(to_regclass($3) AS oid)
    UNION
    SELECT i.inhrelid FROM pg_inherits AS i JOIN tree ON i.inhparent = tree.oid),
heaps AS (
    SELECT pg_relation_size(c.oid) / CAST(current_setting('block_size') AS bigint) AS blocks
    FROM tree
    JOIN pg_class AS c ON c.oid = tree.oid
    WHERE c.relkind = 'r' AND NOT pg_is_other_temp_schema(c.relnamespace)),
size AS (
    SELECT CAST(sum(blocks) AS bigint) AS blocks, max(blocks) AS longest, count(*) AS tables FROM heaps),
sample AS (
    SELECT count(*) AS seen,
        count(*) FILTER (WHERE {expires} > $1 AND {expires} <= $2 AND {finished}) AS tied
    FROM {table} TABLESAMPLE SYSTEM ((SELECT least(100, 20000.0 / greatest(blocks, 1)) FROM size))),
dense AS (
    SELECT blocks, longest, tables, blocks > 0 AND tied >= 0.9 * seen AND tied >= least(blocks, 200) AS is_dense
    FROM size, sample),
found AS (
    SELECT count(*) AS tied, min(ctid) AS first, max(ctid) AS last
    FROM {table}
    WHERE (SELECT NOT is_dense FROM dense) AND {expires} > $1 AND {expires} <= $2 AND {finished})
SELECT
    CASE WHEN is_dense THEN '0' ELSE split_part(trim('(' FROM CAST(first AS text)), ',', 1) END,
    CASE WHEN is_dense THEN CAST(longest - 1 AS text)
         ELSE split_part(trim('(' FROM CAST(last AS text)), ',', 1) END,
    CASE WHEN is_dense THEN blocks ELSE tied END,
    tables
FROM dense, found
