-- The n-th expiry after the cursor ($1), up to the cutoff ($2), and how many rows share it (counted
-- up to $4): a moment that fills more than a batch is walked on its own.
SELECT n.shown,
    (SELECT count(*) FROM (
        SELECT 1 FROM {table} WHERE {expires} = n.expiry AND {finished} LIMIT $4) AS tied)
FROM (
    SELECT {expires} AS expiry, {expires_read} AS shown
    FROM {table}
    WHERE {expires} > $1 AND {expires} <= $2 AND {finished}
    ORDER BY {expires}
    LIMIT 1 OFFSET $3) AS n
