-- Expired rows in progress: no purge takes them. Counted up to $3.
SELECT count(*) FROM (
    SELECT 1 FROM {table} WHERE {expires} > $1 AND {expires} <= $2 AND {in_progress} LIMIT $3) AS busy
