-- As for PostgreSQL. A table's number is its place in the list; only the column that is another name of
-- the rowid counts, and SQLite knows no number of rows.
SELECT s.rowid, NULL, l.name, true, true, NULL, x.name, x.type, x.type, '',
    x."notnull" OR (x.pk > 0 AND l.wr), x.hidden IN (2, 3),
    x.pk = 1 AND upper(x.type) = 'INTEGER' AND NOT l.wr
        AND (SELECT count(*) FROM pragma_table_xinfo(l.name) AS y WHERE y.pk > 0) = 1,
    x.dflt_value, NULL, NULL, false
FROM pragma_table_list AS l
JOIN sqlite_master AS s ON s.name = l.name AND s.type = 'table'
JOIN pragma_table_xinfo(l.name) AS x
WHERE l.schema = 'main' AND l.type = 'table' AND l.name NOT LIKE 'sqlite\_%' ESCAPE '\' AND x.hidden <> 1
ORDER BY s.rowid, x.cid
