-- The oldest expiry that the purge has not come to.
SELECT {expires_read} FROM {table}
WHERE {expires} > $1 AND {expires} <= $2 AND {finished}
ORDER BY {expires} LIMIT 1
