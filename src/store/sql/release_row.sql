-- An operator allows the retry of a failed row that is as it was shown.
{release_row}
WHERE {row_match}
  AND {failed}
  AND {as_seen}
