-- Takes a stuck claim away. Everything that made the row stuck is asked again on the row that is
-- changed: a worker that completed, renewed or claimed anew in between wins. So does one that holds
-- the row in an open transaction: waiting for it would keep the reaper from all the others.
{fail_row}
WHERE ctid = ANY (ARRAY(SELECT ctid FROM {table} WHERE {row_match} FOR UPDATE SKIP LOCKED))
  AND {row_match}
  AND {in_progress}
  AND {as_seen}
  AND {unleased}
