-- What may keep a row from a change without an error, $2 from being deleted: triggers, rules, and the policies of
-- row level security where it applies to this role.
WITH RECURSIVE tree (oid) AS (
    SELECT CAST(to_regclass($1) AS oid)
    UNION
    SELECT i.inhrelid FROM pg_inherits AS i JOIN tree ON i.inhparent = tree.oid),
policy AS (
    SELECT p.polname, p.polpermissive, pg_get_expr(p.polqual, p.polrelid) AS condition
    FROM pg_policy AS p
    WHERE p.polrelid = CAST(to_regclass($1) AS oid) AND row_security_active(p.polrelid)
        AND CAST(p.polcmd AS text) IN ('*', CASE WHEN $2 THEN 'd' ELSE 'w' END)
        AND (0 = ANY (p.polroles) OR EXISTS (
            SELECT 1 FROM unnest(p.polroles) AS r (oid) WHERE pg_has_role(r.oid, 'USAGE'))))
SELECT k.name FROM (
    SELECT 'trigger ' || t.tgname AS name FROM pg_trigger AS t
    WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND t.tgtype & 3 = 3
        AND t.tgtype & CASE WHEN $2 THEN 8 ELSE 16 END <> 0
        AND t.tgrelid IN (SELECT oid FROM tree)
    UNION
    SELECT 'rule ' || r.rulename FROM pg_rewrite AS r
    WHERE r.ev_class = CAST(to_regclass($1) AS oid) AND r.is_instead AND r.ev_enabled IN ('O', 'A')
        AND CAST(r.ev_type AS text) = CASE WHEN $2 THEN '4' ELSE '2' END
    UNION
    SELECT 'policy ' || p.polname FROM policy AS p WHERE p.condition <> 'true'
    UNION
    SELECT 'row level security, which has no policy for ' || CASE WHEN $2 THEN 'DELETE' ELSE 'UPDATE' END
    WHERE row_security_active(CAST(to_regclass($1) AS oid))
        AND NOT EXISTS (SELECT 1 FROM policy AS p WHERE p.polpermissive)) AS k
ORDER BY k.name
LIMIT 20
