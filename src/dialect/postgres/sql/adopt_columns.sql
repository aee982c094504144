-- All tables of the database but the system's and partitions, column by column: the table's number, its
-- schema and name, whether the name alone means it here and
-- means no other table anywhere, about how many rows it has; then the column's
-- name, its type as SQL and by name and category (a domain's base type), whether it never holds NULL,
-- whether the database computes it, whether the database counts it, its default and its comment; and of
-- the table again its pages, and whether row level security hides rows from this role.
SELECT
    CAST(c.oid AS bigint),
    CAST(n.nspname AS text),
    CAST(c.relname AS text),
    pg_table_is_visible(c.oid),
    pg_table_is_visible(c.oid) AND NOT EXISTS (
        SELECT 1 FROM pg_class AS o
        JOIN pg_namespace AS m ON m.oid = o.relnamespace
        WHERE o.relname = c.relname AND o.oid <> c.oid AND o.relkind IN ('r', 'p')
            AND m.nspname NOT IN ('pg_catalog', 'information_schema') AND m.nspname NOT LIKE 'pg\_t%'),
    CAST(c.reltuples AS bigint),
    CAST(a.attname AS text),
    format_type(a.atttypid, a.atttypmod),
    CAST(b.typname AS text),
    CAST(b.typcategory AS text),
    a.attnotnull,
    a.attgenerated <> '',
    a.attidentity <> '' OR COALESCE(pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%', false),
    pg_get_expr(d.adbin, d.adrelid),
    col_description(c.oid, a.attnum),
    CAST(c.relpages AS bigint),
    row_security_active(c.oid)
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type AS t ON t.oid = a.atttypid
JOIN pg_type AS b ON b.oid = COALESCE(NULLIF(t.typbasetype, 0), t.oid)
LEFT JOIN pg_attrdef AS d ON d.adrelid = c.oid AND d.adnum = a.attnum
WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relpersistence <> 't'
    AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname NOT LIKE 'pg\_t%'
ORDER BY c.oid, a.attnum
