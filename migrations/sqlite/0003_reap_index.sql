-- What is not completed, by age: the order in which the reaper walks, and in which failures are
-- listed. Two small indexes, since SQLite takes a partial one only for the very condition it names.
CREATE INDEX IF NOT EXISTS idempotency_keys_reap
    ON idempotency_keys (claimed_at) WHERE status = 'in_progress';
CREATE INDEX IF NOT EXISTS idempotency_keys_failed
    ON idempotency_keys (claimed_at) WHERE status = 'failed';
