-- The heap blocks between which the rows of one expiry lie, and how many rows those are. To find out is to
-- visit every one of them. A sample of some 200 blocks comes first: where nine tenths of its rows have
-- that expiry, one or more in each block, all blocks of the table ($3) are walked without looking.
WITH size AS (
    SELECT pg_relation_size(to_regclass($3)) / CAST(current_setting('block_size') AS bigint) AS blocks),
sample AS (
    SELECT count(*) AS seen,
        count(*) FILTER (WHERE {expires} > $1 AND {expires} <= $2 AND {finished}) AS tied
    FROM {table} TABLESAMPLE SYSTEM ((SELECT least(100, 20000.0 / greatest(blocks, 1)) FROM size))),
dense AS (
    SELECT blocks, blocks > 0 AND tied >= 0.9 * seen AND tied >= least(blocks, 200) AS is_dense
    FROM size, sample),
found AS (
    SELECT count(*) AS tied, min(ctid) AS first, max(ctid) AS last
    FROM {table}
    WHERE (SELECT NOT is_dense FROM dense) AND {expires} > $1 AND {expires} <= $2 AND {finished})
SELECT
    CASE WHEN is_dense THEN '0' ELSE split_part(trim('(' FROM CAST(first AS text)), ',', 1) END,
    CASE WHEN is_dense THEN CAST(blocks - 1 AS text)
         ELSE split_part(trim('(' FROM CAST(last AS text)), ',', 1) END,
    CASE WHEN is_dense THEN blocks ELSE tied END
FROM dense, found
