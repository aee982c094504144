-- The heap blocks between which the rows of one expiry lie, and how many rows those are. To find the first
-- and the last block is to visit every row; where the rows are at least four to each block of the whole
-- table ($3), walking all blocks is cheaper than that.
SELECT
    CASE WHEN s.dense THEN '0'
         ELSE (SELECT split_part(trim('(' FROM CAST(min(ctid) AS text)), ',', 1)
               FROM {table} WHERE {expires} > $1 AND {expires} <= $2 AND {finished}) END,
    CASE WHEN s.dense THEN CAST(s.blocks - 1 AS text)
         ELSE (SELECT split_part(trim('(' FROM CAST(max(ctid) AS text)), ',', 1)
               FROM {table} WHERE {expires} > $1 AND {expires} <= $2 AND {finished}) END,
    s.tied
FROM (
    SELECT n.tied, b.blocks, b.blocks > 0 AND n.tied >= 4 * b.blocks AS dense
    FROM (SELECT count(*) AS tied FROM {table} WHERE {expires} > $1 AND {expires} <= $2 AND {finished}) AS n,
        (SELECT pg_relation_size(to_regclass($3)) / CAST(current_setting('block_size') AS bigint) AS blocks)
            AS b) AS s
