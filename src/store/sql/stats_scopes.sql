-- The largest scopes: reads the whole table.
SELECT {scope}, count(*) FROM {table} GROUP BY {scope} ORDER BY count(*) DESC, {scope} LIMIT $1
