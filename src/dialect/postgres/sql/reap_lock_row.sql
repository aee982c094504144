-- A row that the reaper did not get, for its change alone: an error says that somebody holds a lock on it; no row,
-- that it has changed, or that a policy lets nobody change it. Binds as for the reaping itself.
SELECT 1
FROM {table}
WHERE {row_match}
  AND {in_progress}
  AND {as_seen}
FOR UPDATE NOWAIT
