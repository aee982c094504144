-- The values of enum types, in their order: the table's number, the column, and the value.
SELECT CAST(a.attrelid AS bigint), CAST(a.attname AS text), CAST(e.enumlabel AS text)
FROM pg_attribute AS a
JOIN pg_class AS c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p') AND NOT c.relispartition
JOIN pg_type AS t ON t.oid = a.atttypid
JOIN pg_enum AS e ON e.enumtypid = COALESCE(NULLIF(t.typbasetype, 0), t.oid)
WHERE a.attnum > 0 AND NOT a.attisdropped
ORDER BY 1, a.attnum, e.enumsortorder
