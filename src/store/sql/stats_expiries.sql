-- Settled rows that expire in one span of time.
SELECT {counted} FROM {table} WHERE {expires} > $1 AND {expires} <= $2 AND {finished}{unreferenced}
