-- Rows in progress that hold NULL in every clock that could make them stuck: no reaper takes them. Counted up to $1.
SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {in_progress} AND {ageless} LIMIT $1) AS ageless
