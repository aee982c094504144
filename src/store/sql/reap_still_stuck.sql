-- Whether a row that the reaper did not get is still as it was read. Then somebody holds a lock on
-- it, and it is as stuck as before. Binds as for the reaping itself.
SELECT 1
FROM {table}
WHERE {row_match}
  AND {in_progress}
  AND {as_seen}
