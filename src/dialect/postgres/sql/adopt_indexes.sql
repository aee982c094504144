-- The ordered indexes of all tables that are whole: the table's number, the first column, which is NULL for an
-- expression, and the condition of a partial one.
SELECT CAST(i.indrelid AS bigint), CAST(a.attname AS text), pg_get_expr(i.indpred, i.indrelid)
FROM pg_index AS i
JOIN pg_class AS c ON c.oid = i.indrelid AND c.relkind IN ('r', 'p') AND NOT c.relispartition
JOIN pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_class AS x ON x.oid = i.indexrelid
JOIN pg_am AS m ON m.oid = x.relam AND m.amname = 'btree'
LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0] AND a.attnum > 0
WHERE i.indisvalid AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_t%'
ORDER BY 1, i.indexrelid
