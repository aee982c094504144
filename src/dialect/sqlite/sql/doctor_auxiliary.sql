-- The tables beside the table of keys.
SELECT n.column1, EXISTS (SELECT 1 FROM sqlite_schema AS m WHERE m.type = 'table' AND m.name = n.column1), true, true, true
FROM (VALUES ('idemctl_audit'), ('idemctl_lease'), ('idemctl_pause')) AS n
