-- The unique indexes that hold for all rows, each with its columns; NULL for an expression.
SELECT l.seq, x.name
FROM pragma_index_list($1) AS l
JOIN pragma_index_xinfo(l.name) AS x
WHERE l."unique" AND NOT l.partial AND x.key
ORDER BY 1
