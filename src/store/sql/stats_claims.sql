-- Claims in one span of time.
SELECT {counted} FROM {table} WHERE {claimed} > $1 AND {claimed} <= $2 AND {guard}
