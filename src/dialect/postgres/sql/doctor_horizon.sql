-- Sessions that hold back vacuum in this database, the oldest first: what it is, its name, whose it is, for how
-- many microseconds, for how many transactions, and in what state. The last kind counts the sessions that the
-- role may not look into.
SELECT kind, name, whose, CAST(extract(epoch FROM clock_timestamp() - since) * 1000000 AS bigint), CAST(xids AS bigint), state
FROM (
    SELECT CASE WHEN backend_type = 'walsender' THEN 'standby' ELSE 'transaction' END AS kind,
        CAST(pid AS text) AS name,
        concat_ws(' ', usename, NULLIF(application_name, ''), host(client_addr)) AS whose,
        CASE WHEN backend_type = 'walsender' THEN NULL ELSE xact_start END AS since,
        GREATEST(age(backend_xmin), age(backend_xid)) AS xids,
        state
    FROM pg_stat_activity
    WHERE pid <> pg_backend_pid() AND (backend_xmin IS NOT NULL OR backend_xid IS NOT NULL)
        AND (datname = current_database() OR backend_type = 'walsender') AND backend_type <> 'autovacuum worker'
    UNION ALL
    SELECT 'hidden', CAST(count(*) AS text), NULL, NULL, 0, NULL
    FROM pg_stat_activity
    WHERE datname = current_database() AND COALESCE(backend_type, 'client backend') = 'client backend'
        AND state IS NULL
    HAVING count(*) > 0) AS holders
ORDER BY xids DESC NULLS LAST, since
LIMIT 50
