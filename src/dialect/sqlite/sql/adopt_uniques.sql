-- As for PostgreSQL. A primary key that is another name of the rowid has no index.
SELECT s.rowid, -1, true, x.name
FROM sqlite_master AS s
JOIN pragma_table_xinfo(s.name) AS x
WHERE s.type = 'table' AND x.pk > 0
UNION ALL
SELECT s.rowid, i.seq, false, x.name
FROM (
    SELECT s.rowid AS rowid, s.name AS name, l.seq AS seq, l.name AS index_name
    FROM sqlite_master AS s
    JOIN pragma_index_list(s.name) AS l
    WHERE s.type = 'table' AND l."unique" AND NOT l.partial AND l.origin <> 'pk'
) AS i
JOIN sqlite_master AS s ON s.rowid = i.rowid
JOIN pragma_index_xinfo(i.index_name) AS x
WHERE x.key
