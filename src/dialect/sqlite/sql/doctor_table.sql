-- What the schema says of a table: its kind, and whether it checks the types of what it stores.
SELECT l.type, l.strict
FROM pragma_table_list AS l
WHERE l.name = $1 COLLATE NOCASE AND l.schema = COALESCE($2, 'main')
