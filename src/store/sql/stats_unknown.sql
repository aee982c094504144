-- Rows in a state that the mapping does not list.
SELECT count(*) FROM {table} WHERE {unknown} AND {guard}
