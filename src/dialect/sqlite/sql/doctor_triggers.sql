-- The triggers of a table, each with its text.
SELECT m.name, m.sql
FROM sqlite_schema AS m
WHERE m.type = 'trigger' AND m.tbl_name = $1 COLLATE NOCASE
ORDER BY 1
LIMIT 100
