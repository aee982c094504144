-- concurrent index: idempotency_keys_reap
-- The order in which the reaper walks: small, since few rows are in progress. It is on claimed_at,
-- which a renewal leaves alone, so that renewals stay heap-only updates.
CREATE INDEX CONCURRENTLY IF NOT EXISTS idempotency_keys_reap
    ON idempotency_keys (claimed_at) WHERE status = 'in_progress';
