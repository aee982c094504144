-- Rows that share one expiry, at most $2. SQLite has no LIMIT on DELETE in every build.
DELETE FROM {table}
WHERE rowid IN (
    SELECT rowid FROM {table} WHERE {expires} = $1 AND {finished} ORDER BY rowid LIMIT $2)
  AND {expires} = $1 AND {finished}
