-- A table's columns: name, type as it was declared, base type, width in characters where it is limited,
-- NULLs, collation, whether that tells all texts apart, and whether the role may read it.
SELECT
    CAST(a.attname AS text),
    format_type(a.atttypid, a.atttypmod),
    CAST(b.typname AS text),
    CAST(CASE WHEN b.typname IN ('varchar', 'bpchar') AND m.typmod > 4 THEN m.typmod - 4 END AS bigint),
    a.attnotnull,
    CAST(o.collname AS text),
    COALESCE(o.collisdeterministic, true),
    has_column_privilege(a.attrelid, a.attnum, 'SELECT')
FROM pg_attribute AS a
JOIN pg_type AS t ON t.oid = a.atttypid
JOIN pg_type AS b ON b.oid = COALESCE(NULLIF(t.typbasetype, 0), t.oid)
CROSS JOIN LATERAL (SELECT CASE WHEN t.typbasetype <> 0 THEN t.typtypmod ELSE a.atttypmod END AS typmod) AS m
LEFT JOIN pg_collation AS o ON o.oid = a.attcollation
WHERE a.attrelid = to_regclass($1) AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum
