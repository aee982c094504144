-- The schema that holds the table of this name, or in which it would be made; and which of idemctl's other tables the
-- search path finds in another one.
SELECT CAST(s.name AS text), (
    SELECT CAST(string_agg(c.relname || ' in ' || CAST(n.nspname AS text), ', ' ORDER BY c.relname) AS text)
    FROM (VALUES ('idemctl_audit'), ('idemctl_lease'), ('idemctl_migrations'), ('idemctl_pause')) AS o (name)
    JOIN pg_class AS c ON c.oid = to_regclass(o.name)
    JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE n.nspname <> s.name)
FROM (
    SELECT COALESCE(
        (SELECT n.nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
         WHERE c.oid = to_regclass($1)),
        current_schema()) AS name) AS s
