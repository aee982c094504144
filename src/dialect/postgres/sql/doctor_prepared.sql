-- Prepared transactions of this database, the oldest first; the columns are those of the sessions.
SELECT 'prepared', CAST(gid AS text), CAST(owner AS text),
    CAST(extract(epoch FROM clock_timestamp() - prepared) * 1000000 AS bigint), CAST(age(transaction) AS bigint), 'prepared'
FROM pg_prepared_xacts
WHERE database = current_database()
ORDER BY 5 DESC
LIMIT 50
