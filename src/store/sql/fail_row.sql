-- An operator takes the claim away of a row that is as it was shown. Binds as in reap_row.
{fail_row}
WHERE {row_match}
  AND {in_progress}
  AND {as_seen}
