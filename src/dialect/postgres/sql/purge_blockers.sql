-- What may keep a purge from deleting without an error: the kind of table, whether row level security hides
-- rows from this role, whether the role may delete, the triggers and rules that can keep a row, and a child that
-- lives on another server.
WITH RECURSIVE tree (oid) AS (
    SELECT CAST(to_regclass($1) AS oid)
    UNION
    SELECT i.inhrelid FROM pg_inherits AS i JOIN tree ON i.inhparent = tree.oid)
SELECT
    CAST(c.relkind AS text),
    row_security_active(c.oid) AND EXISTS (
        SELECT 1 FROM (VALUES ('r'), ('d')) AS w (command)
        WHERE NOT EXISTS (
                SELECT 1 FROM pg_policy AS p
                WHERE p.polrelid = c.oid AND p.polpermissive AND CAST(p.polcmd AS text) IN ('*', w.command)
                    AND pg_get_expr(p.polqual, p.polrelid) = 'true'
                    AND (0 = ANY (p.polroles) OR EXISTS (
                        SELECT 1 FROM unnest(p.polroles) AS r (oid) WHERE pg_has_role(r.oid, 'USAGE'))))
            OR EXISTS (
                SELECT 1 FROM pg_policy AS q
                WHERE q.polrelid = c.oid AND NOT q.polpermissive AND CAST(q.polcmd AS text) IN ('*', w.command)
                    AND pg_get_expr(q.polqual, q.polrelid) <> 'true'
                    AND (0 = ANY (q.polroles) OR EXISTS (
                        SELECT 1 FROM unnest(q.polroles) AS r (oid) WHERE pg_has_role(r.oid, 'USAGE'))))),
    has_table_privilege(c.oid, 'DELETE'),
    CAST(current_user AS text),
    (SELECT CAST(json_agg(k.name ORDER BY k.name) AS text) FROM (
        SELECT 'trigger ' || t.tgname AS name FROM pg_trigger AS t
        WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND t.tgtype & 11 = 11
            AND t.tgrelid IN (SELECT oid FROM tree)
        UNION
        SELECT 'rule ' || r.rulename FROM pg_rewrite AS r
        WHERE r.ev_class = c.oid AND r.ev_type = '4' AND r.is_instead AND r.ev_enabled IN ('O', 'A')
        LIMIT 20) AS k),
    (SELECT CAST(CAST(min(f.oid) AS regclass) AS text)
     FROM pg_class AS f WHERE f.relkind = 'f' AND f.oid IN (SELECT oid FROM tree) AND f.oid <> c.oid)
FROM pg_class AS c
WHERE c.oid = to_regclass($1)
