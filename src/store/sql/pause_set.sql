-- Pauses every janitor of this database. A pause that is on goes on, with the new reason and end.
INSERT INTO {pause} (id, reason, since, until, actor, host)
SELECT 1, $1, c.now, CASE WHEN $2 IS NULL THEN NULL ELSE c.now + $2 {microseconds} END, $3, $4
FROM (SELECT {now} AS now) AS c WHERE true
ON CONFLICT (id) DO UPDATE
SET reason = excluded.reason,
    since = CASE WHEN {pause}.until <= excluded.since THEN excluded.since ELSE {pause}.since END,
    until = excluded.until,
    actor = excluded.actor,
    host = excluded.host
