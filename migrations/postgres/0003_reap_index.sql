-- concurrent index: idempotency_keys_reap
-- What is not completed, by state and age: the order in which the reaper walks, and in which failures
-- are listed. Small, since few rows are in it, and a completion need not write it. It is on claimed_at,
-- which a renewal leaves alone, so that renewals stay heap-only updates.
CREATE INDEX CONCURRENTLY IF NOT EXISTS idempotency_keys_reap
    ON idempotency_keys (status, claimed_at) WHERE status IN ('in_progress', 'failed');
