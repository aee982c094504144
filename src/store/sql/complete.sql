-- Settles the claim that the token proves. The expiry is counted afresh with the claim's span, so
-- that no row is born expired.
UPDATE {table} AS t
SET status = 'completed',
    lease_expires_at = NULL,
    finished_at = c.now,
    expires_at = CASE WHEN {endless} THEN t.expires_at ELSE c.now + {span} END,
    response_status = $4,
    response_headers = $5,
    response_body = $6,
    response_bytes = $7
FROM (SELECT {now} AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'
