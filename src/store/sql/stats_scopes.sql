-- The largest scopes: reads the whole table.
SELECT {scope}, count(*) FROM {table} WHERE {guard} GROUP BY {scope} ORDER BY count(*) DESC, {scope} LIMIT $1
