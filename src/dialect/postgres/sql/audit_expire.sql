-- Deletes at most $2 entries of the audit that are older than $1, the oldest first.
DELETE FROM {audit}
WHERE id = ANY (ARRAY(SELECT id FROM {audit} WHERE at < $1 ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED))
  AND at < $1
