-- Takes a stuck claim away. Everything that made the row stuck is asked again on the row that is
-- changed: a worker that completed, renewed or claimed anew in between wins. Binds: the row's name,
-- then from {b1} on: token as read, last sign of life as read, the pass's moment, policy, reason.
UPDATE {table}
SET {fail_set}
WHERE {row_match}
  AND {in_progress}
  AND {token} IS NOT DISTINCT FROM {b1}
  AND {renewed} = {b2}
  AND ({lease} IS NULL OR {lease} <= {b3})
