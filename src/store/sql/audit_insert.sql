-- Who changed which key, when, why, and what the row was before (as JSON, without bodies).
INSERT INTO {audit} (
    at, table_name, idempotency_key, scope, command, action, actor, host, reason, row_before)
VALUES ({now}, $1, $2, $3, $4, $5, $6, $7, $8, $9)
