-- Rows in a state that the mapping keeps.
SELECT {counted} FROM {table} WHERE {kept} AND {guard}
