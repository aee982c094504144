-- The role's rights on a whole table, and the role.
SELECT has_table_privilege(c.oid, 'SELECT'), has_table_privilege(c.oid, 'INSERT'), has_table_privilege(c.oid, 'UPDATE'),
    has_table_privilege(c.oid, 'DELETE'), CAST(current_user AS text)
FROM pg_class AS c
WHERE c.oid = to_regclass($1)
