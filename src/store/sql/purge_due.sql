-- The due rows of a range, the earliest first: what names each of them, and where it is. $4 of them were left
-- before and are still there.
SELECT {names}, {locators} FROM {table}
WHERE {expires} > $1 AND {expires} <= $2 AND {finished}{unreferenced}
ORDER BY {expires}
LIMIT $3 OFFSET $4
