-- The unique indexes that hold for all rows, column by column in their order: the table's number, the
-- index's, whether it is the primary key, and the column; NULL for an expression.
SELECT CAST(i.indrelid AS bigint), CAST(i.indexrelid AS bigint), i.indisprimary, CAST(a.attname AS text)
FROM pg_index AS i
JOIN pg_class AS c ON c.oid = i.indrelid AND c.relkind IN ('r', 'p') AND NOT c.relispartition
JOIN pg_namespace AS n ON n.oid = c.relnamespace
CROSS JOIN LATERAL unnest(CAST(i.indkey AS smallint[])) WITH ORDINALITY AS k (attnum, place)
LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.attnum AND k.attnum > 0
WHERE i.indisunique AND i.indisvalid AND i.indpred IS NULL AND k.place <= i.indnkeyatts
    AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_t%'
ORDER BY 1, NOT i.indisprimary, 2, k.place
