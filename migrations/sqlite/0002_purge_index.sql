-- The order in which the purge walks; rows in progress are not in it.
CREATE INDEX IF NOT EXISTS idempotency_keys_purge
    ON idempotency_keys (expires_at) WHERE status IN ('completed', 'failed');
