-- What may keep a row from a change without an error; as for PostgreSQL. Of which change the trigger is is not asked.
SELECT 'trigger ' || m.name FROM sqlite_schema AS m
WHERE m.type = 'trigger' AND m.tbl_name = $1 COLLATE NOCASE AND $2 IS NOT NULL
    AND replace(replace(upper(m.sql), ' ', ''), char(10), '') LIKE '%RAISE(IGNORE)%'
ORDER BY m.name
LIMIT 20
