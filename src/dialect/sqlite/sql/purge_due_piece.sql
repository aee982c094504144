-- The due rows of one piece of the table, as the list of a range has them.
SELECT {names}, {locators} FROM {table}
WHERE {place} >= {place_from} AND {place} <= {place_to} AND {expires} > $1 AND {expires} <= $2 AND {finished}{unreferenced}
