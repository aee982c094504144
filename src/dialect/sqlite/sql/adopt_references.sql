-- As for PostgreSQL.
SELECT s.rowid, f."from", o.rowid, f."table", f.on_delete, s.name
FROM sqlite_master AS s
JOIN pragma_foreign_key_list(s.name) AS f
LEFT JOIN sqlite_master AS o ON o.type = 'table' AND o.name = f."table" COLLATE NOCASE
WHERE s.type = 'table'
ORDER BY s.rowid, f.id, f.seq
