-- The last row of the next piece, and the first one after it: by rows that exist, since numbers may lie far apart.
SELECT {place_list} FROM {table} WHERE {place} >= {place_step} ORDER BY {place_order} LIMIT 2 OFFSET $1
