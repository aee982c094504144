-- The audit, the newest entry first: conditions and page size are added by the query's builder.
SELECT at, idempotency_key, scope, command, action, actor, host, reason, row_before
FROM {audit}
