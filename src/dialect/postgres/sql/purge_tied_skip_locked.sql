-- The same block range when somebody holds a lock in it, or at most $5 rows of it. Its conditions are written so
-- that no index fits them, as none may be walked here.
DELETE FROM {table}
WHERE {among}
    SELECT {locator_list} FROM {table}
    WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
      AND ({expires} > $3 AND {expires} <= $4 AND {finished}) IS TRUE{unreferenced}
    LIMIT $5
    FOR UPDATE SKIP LOCKED{among_end}
  AND ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ({expires} > $3 AND {expires} <= $4 AND {finished}) IS TRUE{unreferenced}
