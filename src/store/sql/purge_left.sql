-- Rows that are past their expiry ($1 to $2) and that the purge leaves all the same, each kind counted up to $3:
-- those in progress, which are reaped first, and settled ones whose lease still runs.
SELECT
    (SELECT count(*) FROM (
        SELECT 1 FROM {table} WHERE {expires} > $1 AND {expires} <= $2 AND {at_work} LIMIT $3) AS at_work),
    (SELECT count(*) FROM (
        SELECT 1 FROM {table} WHERE {expires} > $1 AND {expires} <= $2 AND {held} LIMIT $3) AS held)
