-- The same piece, for a pass with a row limit.
DELETE FROM {table}
WHERE {place} IN (
    SELECT {place_list} FROM {table}
    WHERE {place} >= {place_from} AND {place} <= {place_to} AND {expires} > $1 AND {expires} <= $2 AND {finished}{unreferenced}
    LIMIT {place_limit})
  AND {expires} > $1 AND {expires} <= $2 AND {finished}{unreferenced}
