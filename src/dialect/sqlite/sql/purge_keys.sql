-- The due rows of one piece of the table: where no index has the expiry's order, the table is walked as it lies.
DELETE FROM {table}
WHERE {place} >= {place_from} AND {place} <= {place_to} AND {expires} > $1 AND {expires} <= $2 AND {finished}{unreferenced}
