-- The last row number.
SELECT COALESCE(max({rowid}), 0) FROM {table} WHERE $1 IS NOT NULL
