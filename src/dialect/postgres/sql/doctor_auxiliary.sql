-- The tables beside the table of keys, and what the role may do with each.
SELECT n.name, to_regclass(n.name) IS NOT NULL,
    COALESCE(has_table_privilege(to_regclass(n.name), 'SELECT'), false),
    COALESCE(has_table_privilege(to_regclass(n.name), 'INSERT'), false),
    COALESCE(has_table_privilege(to_regclass(n.name), 'UPDATE'), false)
FROM (VALUES ('idemctl_audit'), ('idemctl_lease'), ('idemctl_pause')) AS n (name)
