-- A heartbeat: extends the lease of the claim that the token proves.
UPDATE {table} AS t
SET renewed_at = c.now,
    lease_expires_at = c.now + $4 {microseconds}
FROM (SELECT {now} AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'
