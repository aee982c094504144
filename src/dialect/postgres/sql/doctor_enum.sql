-- The values that an enum column may hold.
SELECT CAST(e.enumlabel AS text)
FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
JOIN pg_enum AS e ON e.enumtypid = COALESCE(NULLIF(t.typbasetype, 0), t.oid)
WHERE a.attrelid = to_regclass($1) AND a.attname = $2
ORDER BY e.enumsortorder
LIMIT 100
