-- Takes a stuck claim away. Everything that made the row stuck is asked again on the row that is
-- changed: a worker that completed, renewed or claimed anew in between wins. So does one that holds
-- the row in an open transaction: waiting for it would keep the reaper from all the others. Binds:
-- the row's name, then from {b1} on: token as read, last sign of life as read, the pass's moment,
-- policy, reason.
UPDATE {table}
SET {fail_set}
WHERE ctid = ANY (ARRAY(SELECT ctid FROM {table} WHERE {row_match} FOR UPDATE SKIP LOCKED))
  AND {row_match}
  AND {in_progress}
  AND {token} IS NOT DISTINCT FROM {b1}
  AND {renewed} = {b2}
  AND ({lease} IS NULL OR {lease} <= {b3})
