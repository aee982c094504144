-- The same block range when somebody holds a lock in it.
DELETE FROM {table}
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM {table}
    WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid) AND {expires} = $3 AND {finished}
    FOR UPDATE SKIP LOCKED))
  AND {expires} = $3 AND {finished}
