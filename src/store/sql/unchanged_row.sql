-- Whether a row that an operator did not get is still as it was shown. Then something keeps it so. Binds as in
-- reap_row.
SELECT 1
FROM {table}
WHERE {row_match}
  AND {as_seen}
