-- What may keep a purge from deleting without an error; as for PostgreSQL.
SELECT l.type, false, true, '',
    (SELECT json_group_array('trigger ' || m.name) FROM sqlite_schema AS m
     WHERE m.type = 'trigger' AND m.tbl_name = $1 COLLATE NOCASE
        AND replace(replace(upper(m.sql), ' ', ''), char(10), '') LIKE '%RAISE(IGNORE)%'),
    NULL
FROM pragma_table_list AS l
WHERE l.name = $1 COLLATE NOCASE AND l.schema IN ('main', $2)
