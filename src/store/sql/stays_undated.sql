-- Rows that hold NULL in every clock that could make them due: no purge takes them.
SELECT {counted} FROM {table} WHERE {undated} AND {guard}{unless_kept}
