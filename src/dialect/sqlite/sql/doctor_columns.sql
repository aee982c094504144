-- A table's columns, as for PostgreSQL. The width that a declaration names binds no value, and what
-- collation a column has is told by the indexes on it.
SELECT x.name, x.type, x.type, NULL, x."notnull" OR x.pk > 0, NULL, true, true
FROM pragma_table_xinfo($1) AS x
WHERE x.hidden <> 1
ORDER BY x.cid
