-- As for PostgreSQL, with the statement that made a partial index in place of its condition.
SELECT s.rowid, (SELECT x.name FROM pragma_index_xinfo(l.name) AS x WHERE x.seqno = 0),
    CASE WHEN l.partial THEN (SELECT m.sql FROM sqlite_master AS m WHERE m.type = 'index' AND m.name = l.name) END
FROM sqlite_master AS s
JOIN pragma_index_list(s.name) AS l
WHERE s.type = 'table'
ORDER BY s.rowid, l.seq
