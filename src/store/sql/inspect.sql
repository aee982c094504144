-- Every scope's row of one key.
SELECT {record}, {now}
FROM {table}
WHERE {key_match}
ORDER BY {scope_order}
