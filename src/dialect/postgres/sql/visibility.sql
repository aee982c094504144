-- Whether row level security hides rows of a table, and of the audit beside it, from this role: no policy lets
-- every row be read, or one restricts what others allow.
SELECT v.what, CAST(current_user AS text),
    row_security_active(c.oid) AND (
        NOT EXISTS (
            SELECT 1 FROM pg_policy AS p
            WHERE p.polrelid = c.oid AND p.polpermissive AND p.polcmd IN ('*', 'r')
                AND pg_get_expr(p.polqual, p.polrelid) = 'true'
                AND (0 = ANY (p.polroles) OR EXISTS (
                    SELECT 1 FROM unnest(p.polroles) AS r (oid) WHERE pg_has_role(r.oid, 'USAGE'))))
        OR EXISTS (
            SELECT 1 FROM pg_policy AS q
            WHERE q.polrelid = c.oid AND NOT q.polpermissive AND q.polcmd IN ('*', 'r')
                AND pg_get_expr(q.polqual, q.polrelid) <> 'true'
                AND (0 = ANY (q.polroles) OR EXISTS (
                    SELECT 1 FROM unnest(q.polroles) AS r (oid) WHERE pg_has_role(r.oid, 'USAGE')))))
FROM (VALUES ('table', to_regclass($1)), ('audit', to_regclass('idemctl_audit'))) AS v (what, oid)
JOIN pg_class AS c ON c.oid = v.oid
