-- The heap blocks between which the rows of one expiry lie, and how many rows those are. To find the first
-- and the last block is to visit every row; where they are nine tenths of the whole table ($3), as far as
-- its statistics know, all blocks are walked without looking.
SELECT
    CASE WHEN s.dense THEN '0'
         ELSE (SELECT split_part(trim('(' FROM CAST(min(ctid) AS text)), ',', 1)
               FROM {table} WHERE {expires} > $1 AND {expires} <= $2 AND {finished}) END,
    CASE WHEN s.dense THEN CAST(s.blocks - 1 AS text)
         ELSE (SELECT split_part(trim('(' FROM CAST(max(ctid) AS text)), ',', 1)
               FROM {table} WHERE {expires} > $1 AND {expires} <= $2 AND {finished}) END,
    s.tied
FROM (
    SELECT n.tied, c.blocks, c.blocks > 0 AND c.reltuples > 0 AND n.tied >= 0.9 * c.reltuples AS dense
    FROM (SELECT count(*) AS tied FROM {table} WHERE {expires} > $1 AND {expires} <= $2 AND {finished}) AS n,
        (SELECT reltuples, pg_relation_size(oid) / CAST(current_setting('block_size') AS bigint) AS blocks
         FROM pg_class WHERE oid = to_regclass($3)) AS c) AS s
