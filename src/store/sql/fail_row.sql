-- An operator takes the claim away of a row that is as it was shown. Binds as in reap_row, then from
-- {b6} on the rest of what was shown.
UPDATE {table}
SET {fail_set}
WHERE {row_match}
  AND {in_progress}
  AND {as_seen}
