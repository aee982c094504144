-- The due rows of a range of heap blocks, as the list of a range has them. No index is to be walked here.
SELECT {names}, {locators} FROM {table}
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ({expires} > $3 AND {expires} <= $4 AND {finished}) IS TRUE{unreferenced}
