-- What the catalogue says of a table and its columns: kind, whether row level security applies to this
-- role and hides rows, then of each column its name, its type as SQL (a domain's base type, without a
-- length that a cast would cut to), the type's name and category, whether it holds NULLs, whether the
-- database computes it, and its place in the primary key.
SELECT
    CAST(c.relkind AS text),
    row_security_active(c.oid) AND NOT EXISTS (
        SELECT 1 FROM pg_policy AS p
        WHERE p.polrelid = c.oid AND p.polpermissive AND p.polcmd = '*'
            AND pg_get_expr(p.polqual, p.polrelid) = 'true'
            AND (0 = ANY (p.polroles) OR EXISTS (
                SELECT 1 FROM unnest(p.polroles) AS r (oid) WHERE pg_has_role(r.oid, 'usage')))
            AND NOT EXISTS (
                SELECT 1 FROM pg_policy AS q WHERE q.polrelid = c.oid AND NOT q.polpermissive)),
    CAST(a.attname AS text),
    format_type(b.oid, -1),
    CAST(b.typname AS text),
    CAST(b.typcategory AS text),
    a.attnotnull,
    a.attgenerated <> '' OR a.attidentity = 'a',
    COALESCE(array_position(CAST(i.indkey AS smallint[]), a.attnum) + 1, 0)
FROM pg_class AS c
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type AS t ON t.oid = a.atttypid
JOIN pg_type AS b ON b.oid = COALESCE(NULLIF(t.typbasetype, 0), t.oid)
LEFT JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary
WHERE c.oid = to_regclass($1)
ORDER BY a.attnum
