-- Rows in a state that the mapping does not list.
SELECT {counted} FROM {table} WHERE {unknown} AND {guard}
