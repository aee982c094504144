-- The audit, the newest entry first: conditions and page size come in by {selected}.
SELECT at, idempotency_key, scope, command, action, actor, host, reason, row_before
FROM {audit}{selected}
