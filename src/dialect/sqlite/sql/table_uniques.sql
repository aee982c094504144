-- The unique indexes, each with its columns (NULL for an expression) and the statement that made a partial one.
SELECT l.seq, x.name, false, CASE WHEN l.partial THEN COALESCE(m.sql, '') END
FROM pragma_index_list($1) AS l
JOIN pragma_index_xinfo(l.name) AS x
LEFT JOIN sqlite_master AS m ON m.type = 'index' AND m.name = l.name
WHERE l."unique" AND x.key
ORDER BY 1
