-- concurrent index: idempotency_keys_purge
-- The order in which the purge walks. Rows in progress are not in it: a claim need not write it,
-- a renewal stays a heap-only update, and the purge never meets a row it must not delete.
CREATE INDEX CONCURRENTLY IF NOT EXISTS idempotency_keys_purge
    ON idempotency_keys (expires_at) WHERE status IN ('completed', 'failed');
