-- An operator allows the retry of a failed row that is as it was shown.
UPDATE {table}
SET {release_set}
WHERE {row_match}
  AND {failed}
  AND {as_seen}
