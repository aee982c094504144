-- Exactly at most $3 rows of a range, the earliest first, for a pass with a row limit. Locked rows
-- are skipped; the conditions are repeated on the row that is deleted.
DELETE FROM {table}
WHERE {among}
    SELECT {locator_list} FROM {table}
    WHERE {expires} > $1 AND {expires} <= $2 AND {finished}{unreferenced}
    ORDER BY {expires}
    LIMIT $3
    FOR UPDATE SKIP LOCKED{among_end}
  AND {expires} > $1 AND {expires} <= $2 AND {finished}{unreferenced}
