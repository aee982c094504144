-- The first and the last row in the order that the table itself is kept in.
SELECT * FROM (SELECT {place_list} FROM {table} ORDER BY {place_order} LIMIT 1)
UNION ALL
SELECT * FROM (SELECT {place_list} FROM {table} ORDER BY {place_back} LIMIT 1)
