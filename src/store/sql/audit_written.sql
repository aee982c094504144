-- Whether exactly this entry was written since $10: by a transaction whose commit was not answered.
SELECT count(*)
FROM {audit}
WHERE at >= $10
  AND table_name = $1
  AND idempotency_key = $2
  AND scope = $3
  AND command = $4
  AND action = $5
  AND COALESCE(actor, '') = COALESCE($6, '')
  AND COALESCE(host, '') = COALESCE($7, '')
  AND COALESCE(reason, '') = COALESCE($8, '')
  AND COALESCE(row_before, '') = COALESCE($9, '')
