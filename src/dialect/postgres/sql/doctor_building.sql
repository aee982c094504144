-- The indexes that somebody builds right now.
SELECT CAST(CAST(index_relid AS regclass) AS text)
FROM pg_stat_progress_create_index
WHERE index_relid <> 0
