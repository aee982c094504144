-- An operator deletes a row that is as it was shown.
DELETE FROM {table}
WHERE {row_match}
  AND {as_seen}
