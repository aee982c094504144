-- What the purge's steps live by: the due rows in the order of their expiry. It is only planned, to see whether an
-- index has that order.
SELECT 1 FROM {table}
WHERE {expires} > $1 AND {expires} <= $2 AND {finished}
ORDER BY {expires}
LIMIT 1 OFFSET $3
