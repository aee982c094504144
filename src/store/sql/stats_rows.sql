-- All rows that the mapping is of.
SELECT {counted} FROM {table} WHERE {guard}
