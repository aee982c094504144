-- Takes over a row that counts as absent ($11: settled and expired) or allows a retry. The row must
-- still be the acquisition that was read ($9 attempt, $10 claimed_at), and every condition is asked
-- again on the row that is changed. $12 is the fingerprint's other spelling. It is
-- compared first: where a client declares no types, PostgreSQL takes that of $3 from there.
UPDATE {table} AS t
SET status = 'in_progress',
    request_hash = CASE WHEN $11 THEN $3 ELSE COALESCE(t.request_hash, $3) END,
    claim_token = $4,
    attempt = CASE WHEN $11 THEN 1 ELSE t.attempt + 1 END,
    owner = $5,
    retry_allowed = $6,
    failure = NULL,
    created_at = CASE WHEN $11 THEN c.now ELSE t.created_at END,
    claimed_at = c.now,
    renewed_at = c.now,
    lease_expires_at = c.now + $7 {microseconds},
    finished_at = NULL,
    expires_at = c.now + $8 {microseconds},
    response_status = NULL,
    response_headers = NULL,
    response_body = NULL,
    response_bytes = NULL
FROM (SELECT {now} AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.attempt = $9
  AND t.claimed_at = $10
  AND CASE
      WHEN $11 THEN t.status IN ('completed', 'failed') AND t.expires_at <= c.now
      ELSE t.status = 'failed'
          AND t.retry_allowed
          AND t.expires_at > c.now
          AND (t.request_hash IN ($3, $12) OR t.request_hash IS NULL OR $3 IS NULL)
      END
