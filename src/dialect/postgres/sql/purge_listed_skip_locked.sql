-- The same rows when somebody holds a lock on one of them.
DELETE FROM {table}
WHERE {among}
    SELECT {locator_list} FROM {table}
    WHERE {listed} AND {expires} > $1 AND {expires} <= $2 AND {finished}{unreferenced}
    FOR UPDATE SKIP LOCKED{among_end}
  AND {listed} AND {expires} > $1 AND {expires} <= $2 AND {finished}{unreferenced}
