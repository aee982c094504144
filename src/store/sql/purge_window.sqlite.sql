-- The due rows of a window of row numbers: where no index has the expiry's order, the table is walked as it
-- lies.
DELETE FROM {table}
WHERE {rowid} > $1 AND {rowid} <= $2 AND {expires} > $3 AND {expires} <= $4 AND {finished}{unreferenced}
