-- How many rows the purge would delete, counted up to $3.
SELECT count(*) FROM (
    SELECT 1 FROM {table} WHERE {expires} > $1 AND {expires} <= $2 AND {finished} LIMIT $3) AS due
