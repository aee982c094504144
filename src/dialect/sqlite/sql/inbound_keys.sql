-- Foreign keys that point at the table. SQLite enforces them only on connections that ask for it, so
-- that a referencing row would be left without its key in silence: no condition is given.
SELECT 'foreign key ' || f.id, m.name, f.on_delete, NULL
FROM sqlite_schema AS m, pragma_foreign_key_list(m.name) AS f
WHERE m.type = 'table' AND '`' || replace(f."table", '`', '``') || '`' = $1 COLLATE NOCASE AND f.seq = 0
ORDER BY 2, 1
