-- Deletes a range of the expiry order. State and clock are asked on the row that is deleted: a row
-- claimed anew in between stays.
DELETE FROM {table}
WHERE {expires} > $1 AND {expires} <= $2 AND {finished}{unreferenced}
