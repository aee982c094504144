-- Replication slots that hold back vacuum; the columns are those of the sessions.
SELECT 'slot', CAST(slot_name AS text), CAST(COALESCE(plugin, slot_type) AS text), CAST(NULL AS bigint),
    CAST(GREATEST(age(xmin), 0) AS bigint), CASE WHEN active THEN 'active' ELSE 'inactive' END
FROM pg_replication_slots
WHERE xmin IS NOT NULL
ORDER BY 5 DESC
LIMIT 50
