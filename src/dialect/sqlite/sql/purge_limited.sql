-- Exactly at most $3 rows of a range, the earliest first, for a pass with a row limit.
DELETE FROM {table}
WHERE {locator} IN (
    SELECT {locator_list} FROM {table}
    WHERE {expires} > $1 AND {expires} <= $2 AND {finished}{unreferenced}
    ORDER BY {expires}
    LIMIT $3)
  AND {expires} > $1 AND {expires} <= $2 AND {finished}{unreferenced}
