-- The check constraints of all tables: the table's number and the constraint's text.
SELECT CAST(k.conrelid AS bigint), pg_get_constraintdef(k.oid)
FROM pg_constraint AS k
JOIN pg_class AS c ON c.oid = k.conrelid
JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE k.contype = 'c' AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_t%'
ORDER BY 1, k.oid
