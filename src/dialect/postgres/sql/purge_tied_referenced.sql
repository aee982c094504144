-- The same where other tables point at the rows: their triggers need the indexes that this walk must not use. So
-- no index is made unusable; the conditions are written so that none fits them.
DELETE FROM {table}
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ({expires} > $3 AND {expires} <= $4 AND {finished}) IS TRUE{unreferenced}
