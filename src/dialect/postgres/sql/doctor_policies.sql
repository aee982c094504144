-- The row level security policies that are asked when this role reads, updates or deletes: name, command, whether it
-- allows or restricts, and its condition.
SELECT
    CAST(p.polname AS text),
    CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'd' THEN 'DELETE' WHEN 'w' THEN 'UPDATE' WHEN 'a' THEN 'INSERT' ELSE 'ALL' END,
    p.polpermissive,
    COALESCE(pg_get_expr(p.polqual, p.polrelid), 'true')
FROM pg_policy AS p
WHERE p.polrelid = to_regclass($1) AND p.polcmd IN ('*', 'r', 'd', 'w')
    AND (0 = ANY (p.polroles) OR EXISTS (
        SELECT 1 FROM unnest(p.polroles) AS r (oid) WHERE pg_has_role(r.oid, 'USAGE')))
ORDER BY 1
LIMIT 20
