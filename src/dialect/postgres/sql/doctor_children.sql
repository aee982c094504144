-- The tables whose foreign keys point here: the table, the constraint, about how many rows it has, the
-- statement that indexes the referencing columns, and whether a usable index begins with them.
SELECT
    CAST(CAST(c.conrelid AS regclass) AS text),
    CAST(c.conname AS text),
    CAST(GREATEST(t.reltuples, 0) AS bigint),
    CASE c.confdeltype
        WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT'
        WHEN 'r' THEN 'RESTRICT' ELSE 'NO ACTION' END,
    (SELECT string_agg(format('%I', a.attname), ', ' ORDER BY k.place)
     FROM unnest(c.conkey) WITH ORDINALITY AS k (attnum, place)
     JOIN pg_attribute AS a ON a.attrelid = c.conrelid AND a.attnum = k.attnum),
    EXISTS (
        SELECT 1 FROM pg_index AS i
        WHERE i.indrelid = c.conrelid AND i.indisvalid AND i.indpred IS NULL
            AND i.indnkeyatts >= cardinality(c.conkey)
            AND (CAST(i.indkey AS smallint[]))[0:cardinality(c.conkey) - 1] @> c.conkey),
    t.relkind = 'p'
FROM pg_constraint AS c
JOIN pg_class AS t ON t.oid = c.conrelid
WHERE c.contype = 'f' AND c.confrelid = to_regclass($1) AND c.conparentid = 0
ORDER BY 1, 2
LIMIT 100
