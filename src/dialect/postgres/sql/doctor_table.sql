-- What the catalogue says of a table: its kind, its owner, row level security, and the role's rights; one to
-- read or update may be for single columns. No statistics: a role may be kept from those.
SELECT
    CAST(c.relkind AS text),
    CAST(c.relpersistence AS text),
    CAST(pg_get_userbyid(c.relowner) AS text),
    pg_has_role(c.relowner, 'USAGE'),
    c.relrowsecurity,
    c.relforcerowsecurity,
    row_security_active(c.oid),
    has_schema_privilege(c.relnamespace, 'USAGE'),
    has_table_privilege(c.oid, 'SELECT'),
    has_table_privilege(c.oid, 'INSERT'),
    has_table_privilege(c.oid, 'UPDATE'),
    has_any_column_privilege(c.oid, 'UPDATE'),
    has_table_privilege(c.oid, 'DELETE'),
    COALESCE('autovacuum_enabled=false' = ANY (c.reloptions) OR 'autovacuum_enabled=off' = ANY (c.reloptions), false)
FROM pg_class AS c
WHERE c.oid = to_regclass($1)
