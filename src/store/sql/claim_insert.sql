-- Claims an absent key. Of any number of parallel claims exactly one inserts; the others insert
-- nothing and read the row. $7 is the lease (NULL inside a caller's transaction), $8 the ttl, both
-- in microseconds.
INSERT INTO {table} (
    idempotency_key, scope, status, request_hash, claim_token, attempt, owner, retry_allowed,
    created_at, claimed_at, renewed_at, lease_expires_at, expires_at)
SELECT
    $1, $2, 'in_progress', $3, $4, 1, $5, $6,
    c.now, c.now, c.now, c.now + $7 {microseconds}, c.now + $8 {microseconds}
FROM (SELECT {now} AS now) AS c
WHERE true
ON CONFLICT (idempotency_key, scope) DO NOTHING
