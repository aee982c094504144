-- The same, counted: reads the whole table.
SELECT count(*), count(CASE WHEN {in_progress} THEN 1 END), count(CASE WHEN {failed} THEN 1 END),
    count(CASE WHEN {unknown} THEN 1 END), count(CASE WHEN {kept} THEN 1 END)
FROM {table}
WHERE {guard}
