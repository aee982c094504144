-- A key's history, the oldest entry first.
SELECT at, idempotency_key, scope, command, action, actor, host, reason, row_before
FROM {audit}
WHERE table_name = $1 AND idempotency_key = $2
ORDER BY at, id
