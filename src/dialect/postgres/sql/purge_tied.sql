-- Rows that share one expiry, by ranges of heap blocks: the index would lead through all that were
-- deleted before, block ranges do not.
DELETE FROM {table}
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid) AND {expires} > $3 AND {expires} <= $4 AND {finished}{unreferenced}
