-- What the schema says of a table and its columns: kind, then as for PostgreSQL. A declared type decides
-- how a column compares; it binds no value. Nothing here tells a column's collation: each may be another than
-- that of the bytes.
SELECT l.type || CASE WHEN l.wr THEN ' without rowid' ELSE '' END, x.name, x.type, x.type, '',
    x."notnull" OR (x.pk > 0 AND l.wr), x.hidden IN (2, 3), true, x.pk, false, false
FROM pragma_table_list AS l
JOIN pragma_table_xinfo(l.name) AS x
WHERE l.name = $1 COLLATE NOCASE AND l.schema = COALESCE($2, 'main') AND x.hidden <> 1
ORDER BY x.cid
