-- Takes a stuck claim away. Everything that made the row stuck is asked again on the row that is
-- changed: a worker that completed, renewed or claimed anew in between wins.
{fail_row}
WHERE {row_match}
  AND {in_progress}
  AND {as_seen}
  AND {unleased}
