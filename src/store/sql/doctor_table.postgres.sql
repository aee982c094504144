-- What the catalogue and the statistics say of a table: its kind, its owner, row level security, sizes, dead
-- rows and the last vacuum (of all its partitions together), and the role's rights.
SELECT
    CAST(c.relkind AS text),
    CAST(c.relpersistence AS text),
    CAST(n.nspname AS text),
    CAST(pg_get_userbyid(c.relowner) AS text),
    pg_has_role(c.relowner, 'USAGE'),
    c.relrowsecurity,
    c.relforcerowsecurity,
    row_security_active(c.oid),
    CAST(GREATEST(l.reltuples, 0) AS bigint),
    CAST(l.bytes AS bigint),
    CAST(l.live AS bigint),
    CAST(l.dead AS bigint),
    l.vacuumed,
    l.analyzed,
    l.unvacuumed,
    has_schema_privilege(n.oid, 'USAGE'),
    has_table_privilege(c.oid, 'SELECT'),
    has_table_privilege(c.oid, 'INSERT'),
    has_table_privilege(c.oid, 'UPDATE'),
    has_table_privilege(c.oid, 'DELETE'),
    CAST(l.leaves AS bigint)
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
CROSS JOIN LATERAL (
    SELECT
        sum(GREATEST(p.reltuples, 0)) AS reltuples,
        sum(pg_table_size(p.oid)) AS bytes,
        sum(s.n_live_tup) AS live,
        sum(s.n_dead_tup) AS dead,
        max(GREATEST(s.last_autovacuum, s.last_vacuum)) AS vacuumed,
        max(GREATEST(s.last_autoanalyze, s.last_analyze)) AS analyzed,
        COALESCE(bool_or('autovacuum_enabled=false' = ANY (p.reloptions) OR 'autovacuum_enabled=off' = ANY (p.reloptions)), false) AS unvacuumed,
        count(*) AS leaves
    FROM pg_class AS p
    LEFT JOIN pg_stat_all_tables AS s ON s.relid = p.oid
    WHERE (p.oid = c.oid AND c.relkind <> 'p')
        OR p.oid IN (SELECT t.relid FROM pg_partition_tree(c.oid) AS t WHERE t.isleaf AND c.relkind = 'p')) AS l
WHERE c.oid = to_regclass($1)
