-- The order in which the reaper walks: small, since few rows are in progress.
CREATE INDEX IF NOT EXISTS idempotency_keys_reap
    ON idempotency_keys (claimed_at) WHERE status = 'in_progress';
