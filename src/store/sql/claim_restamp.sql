-- A claim that had to wait for another transaction carries the moment from before the wait; one that
-- finds its own token carries that of a try whose answer was lost. Its lease and ttl start now. No row
-- changed: it was taken away meanwhile.
UPDATE {table} AS t
SET created_at = CASE WHEN t.attempt = 1 THEN c.now ELSE t.created_at END,
    claimed_at = c.now,
    renewed_at = c.now,
    lease_expires_at = c.now + $4 {microseconds},
    expires_at = c.now + $5 {microseconds}
FROM (SELECT {now} AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'
