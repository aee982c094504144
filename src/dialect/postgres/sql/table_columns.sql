-- What the catalogue says of a table and its columns: kind (i: others inherit from it), then of each column its name, its type as SQL
-- (a domain's base type, without a length that a cast would cut to), the type's name and category, whether
-- it holds NULLs, whether the database computes it, whether texts of different bytes may be equal in it, and
-- its place in the primary key; and, at no round trip of their own, whether row level security applies to this
-- role on the table or its audit, and whether the server is a standby.
SELECT
    CASE WHEN c.relkind = 'r' AND c.relhassubclass
            AND EXISTS (SELECT 1 FROM pg_inherits AS h WHERE h.inhparent = c.oid)
        THEN 'i' ELSE CAST(c.relkind AS text) END,
    CAST(a.attname AS text),
    format_type(b.oid, -1),
    CAST(b.typname AS text),
    CAST(b.typcategory AS text),
    a.attnotnull,
    a.attgenerated <> '' OR a.attidentity = 'a',
    b.typname = 'citext' OR EXISTS (
        SELECT 1 FROM pg_collation AS l WHERE l.oid = a.attcollation AND NOT l.collisdeterministic),
    COALESCE(array_position(CAST(i.indkey AS smallint[]), a.attnum) + 1, 0),
    row_security_active(c.oid) OR COALESCE(row_security_active(to_regclass('idemctl_audit')), false),
    pg_is_in_recovery()
FROM pg_class AS c
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type AS t ON t.oid = a.atttypid
JOIN pg_type AS b ON b.oid = COALESCE(NULLIF(t.typbasetype, 0), t.oid)
LEFT JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary
WHERE c.oid = to_regclass($1)
ORDER BY a.attnum
