-- The unique indexes, each with the columns that it reads, those inside of its expressions too; whether it takes
-- NULL for a value as any other (PostgreSQL 15 and later), and the condition of a partial one.
SELECT CAST(i.indexrelid AS bigint), CAST(a.attname AS text),
    COALESCE(CAST(to_jsonb(i) ->> 'indnullsnotdistinct' AS boolean), false),
    pg_get_expr(i.indpred, i.indrelid)
FROM pg_index AS i
JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum > 0
WHERE i.indrelid = to_regclass($1)
    AND i.indisunique AND i.indisvalid
    AND (a.attnum = ANY ((CAST(i.indkey AS smallint[]))[0:i.indnkeyatts - 1]) OR EXISTS (
        SELECT 1 FROM pg_depend AS d
        WHERE d.classid = CAST('pg_class' AS regclass) AND d.objid = i.indexrelid
            AND i.indexprs IS NOT NULL
            AND d.refobjid = i.indrelid AND d.refobjsubid = a.attnum))
ORDER BY 1
