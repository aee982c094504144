-- The same block range when somebody holds a lock in it.
DELETE FROM {table}
WHERE {locator} = ANY (ARRAY(
    SELECT {locator} FROM {table}
    WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid) AND {expires} > $3 AND {expires} <= $4 AND {finished}
    FOR UPDATE SKIP LOCKED))
  AND {expires} > $3 AND {expires} <= $4 AND {finished}{unreferenced}
