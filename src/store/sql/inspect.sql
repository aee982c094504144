-- Every scope's row of one key.
SELECT {record}, {now}
FROM {table}
WHERE {narrowed}{key_match}
ORDER BY {scope_order}
