-- Foreign keys, column by column: the table's number, the column, the table it points at by number and
-- name, what becomes of the row when the other one is deleted, and this table's name.
SELECT
    CAST(k.conrelid AS bigint),
    CAST(a.attname AS text),
    CAST(k.confrelid AS bigint),
    CAST(CAST(k.confrelid AS regclass) AS text),
    CASE k.confdeltype WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT'
        WHEN 'r' THEN 'RESTRICT' ELSE 'NO ACTION' END,
    CAST(CAST(k.conrelid AS regclass) AS text)
FROM pg_constraint AS k
CROSS JOIN LATERAL unnest(k.conkey) WITH ORDINALITY AS u (attnum, place)
JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = u.attnum
WHERE k.contype = 'f' AND k.conparentid = 0
ORDER BY k.oid, u.place
