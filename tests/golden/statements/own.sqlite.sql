-- claim_insert
INSERT INTO `idempotency_keys` (
    idempotency_key, scope, status, request_hash, claim_token, attempt, owner, retry_allowed,
    created_at, claimed_at, renewed_at, lease_expires_at, expires_at)
SELECT
    $1, $2, 'in_progress', $3, $4, 1, $5, $6,
    c.now, c.now, c.now, c.now + $7 * 1, c.now + $8 * 1
FROM (SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) AS now) AS c
WHERE true
ON CONFLICT (idempotency_key, scope) DO NOTHING

-- claim_insert, varied
INSERT INTO `idempotency_keys` (
    idempotency_key, scope, status, request_hash, claim_token, attempt, owner, retry_allowed,
    created_at, claimed_at, renewed_at, lease_expires_at, expires_at)
SELECT
    $1, $2, 'in_progress', $3, $4, 1, $5, $6,
    c.now, c.now, c.now, c.now + $7 * 1, c.now + $8 * 1
FROM (SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)) AS now) AS c
WHERE true
ON CONFLICT (idempotency_key, scope) DO NOTHING

-- claim_read
SELECT `idempotency_key`, `scope`, `status`, `request_hash`, `response_status`, `response_headers`, `response_bytes`, `claim_token`, `attempt`, `owner`, `retry_allowed`, `failure`, `created_at`, `claimed_at`, `renewed_at`, `lease_expires_at`, `finished_at`, `expires_at`, (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000), `response_status`, `response_headers`, `response_body`, `response_bytes`
FROM `idempotency_keys`
WHERE `idempotency_key` = $1 AND `scope` = $2

-- claim_read, varied
SELECT `idempotency_key`, `scope`, `status`, `request_hash`, `response_status`, `response_headers`, `response_bytes`, `claim_token`, `attempt`, `owner`, `retry_allowed`, `failure`, `created_at`, `claimed_at`, `renewed_at`, `lease_expires_at`, `finished_at`, `expires_at`, ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)), `response_status`, `response_headers`, `response_body`, `response_bytes`
FROM `idempotency_keys`
WHERE `idempotency_key` = $1 AND `scope` IS NULL

-- claim_take_over
UPDATE `idempotency_keys` AS t
SET status = 'in_progress',
    request_hash = CASE WHEN $11 THEN $3 ELSE COALESCE(t.request_hash, $3) END,
    claim_token = $4,
    attempt = CASE WHEN $11 THEN 1 ELSE t.attempt + 1 END,
    owner = $5,
    retry_allowed = $6,
    failure = NULL,
    created_at = CASE WHEN $11 THEN c.now ELSE t.created_at END,
    claimed_at = c.now,
    renewed_at = c.now,
    lease_expires_at = c.now + $7 * 1,
    finished_at = NULL,
    expires_at = c.now + $8 * 1,
    response_status = NULL,
    response_headers = NULL,
    response_body = NULL,
    response_bytes = NULL
FROM (SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.attempt = $9
  AND t.claimed_at = $10
  AND CASE
      WHEN $11 THEN t.status IN ('completed', 'failed') AND t.expires_at <= c.now
      ELSE t.status = 'failed'
          AND t.retry_allowed
          AND t.expires_at > c.now
          AND (t.request_hash IN ($3, $12) OR t.request_hash IS NULL OR $3 IS NULL)
      END

-- claim_take_over, varied
UPDATE `idempotency_keys` AS t
SET status = 'in_progress',
    request_hash = CASE WHEN $11 THEN $3 ELSE COALESCE(t.request_hash, $3) END,
    claim_token = $4,
    attempt = CASE WHEN $11 THEN 1 ELSE t.attempt + 1 END,
    owner = $5,
    retry_allowed = $6,
    failure = NULL,
    created_at = CASE WHEN $11 THEN c.now ELSE t.created_at END,
    claimed_at = c.now,
    renewed_at = c.now,
    lease_expires_at = c.now + $7 * 1,
    finished_at = NULL,
    expires_at = c.now + $8 * 1,
    response_status = NULL,
    response_headers = NULL,
    response_body = NULL,
    response_bytes = NULL
FROM (SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)) AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.attempt = $9
  AND t.claimed_at = $10
  AND CASE
      WHEN $11 THEN t.status IN ('completed', 'failed') AND t.expires_at <= c.now
      ELSE t.status = 'failed'
          AND t.retry_allowed
          AND t.expires_at > c.now
          AND (t.request_hash IN ($3, $12) OR t.request_hash IS NULL OR $3 IS NULL)
      END

-- claim_restamp
UPDATE `idempotency_keys` AS t
SET created_at = CASE WHEN t.attempt = 1 THEN c.now ELSE t.created_at END,
    claimed_at = c.now,
    renewed_at = c.now,
    lease_expires_at = c.now + $4 * 1,
    expires_at = c.now + $5 * 1
FROM (SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'

-- claim_restamp, varied
UPDATE `idempotency_keys` AS t
SET created_at = CASE WHEN t.attempt = 1 THEN c.now ELSE t.created_at END,
    claimed_at = c.now,
    renewed_at = c.now,
    lease_expires_at = c.now + $4 * 1,
    expires_at = c.now + $5 * 1
FROM (SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)) AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'

-- renew
UPDATE `idempotency_keys` AS t
SET renewed_at = c.now,
    lease_expires_at = c.now + $4 * 1
FROM (SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'

-- renew, varied
UPDATE `idempotency_keys` AS t
SET renewed_at = c.now,
    lease_expires_at = c.now + $4 * 1
FROM (SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)) AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'

-- complete
UPDATE `idempotency_keys` AS t
SET status = 'completed',
    lease_expires_at = NULL,
    finished_at = c.now,
    expires_at = CASE WHEN expires_at > 3093527980800000000 THEN t.expires_at ELSE c.now + CASE WHEN expires_at > 946684800000000 AND claimed_at > 946684800000000 AND claimed_at <= 3093527980800000000 AND expires_at >= claimed_at + 1000000 THEN expires_at - claimed_at ELSE 86400000000 END END,
    response_status = $4,
    response_headers = $5,
    response_body = $6,
    response_bytes = $7
FROM (SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'

-- complete, varied
UPDATE `idempotency_keys` AS t
SET status = 'completed',
    lease_expires_at = NULL,
    finished_at = c.now,
    expires_at = CASE WHEN expires_at > 3093527980800000000 THEN t.expires_at ELSE c.now + CASE WHEN expires_at > 946684800000000 AND claimed_at > 946684800000000 AND claimed_at <= 3093527980800000000 AND expires_at >= claimed_at + 1000000 THEN expires_at - claimed_at ELSE 86400000000 END END,
    response_status = $4,
    response_headers = $5,
    response_body = $6,
    response_bytes = $7
FROM (SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)) AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'

-- fail
UPDATE `idempotency_keys` AS t
SET status = 'failed',
    retry_allowed = $9,
    failure = $8,
    lease_expires_at = NULL,
    finished_at = c.now,
    expires_at = CASE WHEN expires_at > 3093527980800000000 THEN t.expires_at ELSE c.now + CASE WHEN expires_at > 946684800000000 AND claimed_at > 946684800000000 AND claimed_at <= 3093527980800000000 AND expires_at >= claimed_at + 1000000 THEN expires_at - claimed_at ELSE 86400000000 END END,
    response_status = $4,
    response_headers = $5,
    response_body = $6,
    response_bytes = $7
FROM (SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'

-- fail, varied
UPDATE `idempotency_keys` AS t
SET status = 'failed',
    retry_allowed = $9,
    failure = $8,
    lease_expires_at = NULL,
    finished_at = c.now,
    expires_at = CASE WHEN expires_at > 3093527980800000000 THEN t.expires_at ELSE c.now + CASE WHEN expires_at > 946684800000000 AND claimed_at > 946684800000000 AND claimed_at <= 3093527980800000000 AND expires_at >= claimed_at + 1000000 THEN expires_at - claimed_at ELSE 86400000000 END END,
    response_status = $4,
    response_headers = $5,
    response_body = $6,
    response_bytes = $7
FROM (SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)) AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'

-- inspect
SELECT `idempotency_key`, `scope`, `status`, `request_hash`, `response_status`, `response_headers`, `response_bytes`, `claim_token`, `attempt`, `owner`, `retry_allowed`, `failure`, `created_at`, `claimed_at`, `renewed_at`, `lease_expires_at`, `finished_at`, `expires_at`, (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)
FROM `idempotency_keys`
WHERE `idempotency_key` = $1
ORDER BY `scope`

-- inspect, varied
SELECT `idempotency_key`, `scope`, `status`, `request_hash`, `response_status`, `response_headers`, `response_bytes`, `claim_token`, `attempt`, `owner`, `retry_allowed`, `failure`, `created_at`, `claimed_at`, `renewed_at`, `lease_expires_at`, `finished_at`, `expires_at`, ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))
FROM `idempotency_keys`
WHERE ("x" = $9) AND `idempotency_key` = $1
ORDER BY `scope`

-- select_rows
SELECT `idempotency_key`, `scope`, `status`, `request_hash`, `response_status`, `response_headers`, `response_bytes`, `claim_token`, `attempt`, `owner`, `retry_allowed`, `failure`, `created_at`, `claimed_at`, `renewed_at`, `lease_expires_at`, `finished_at`, `expires_at`, (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)
FROM `idempotency_keys`

-- select_rows, varied
SELECT `idempotency_key`, `scope`, `status`, `request_hash`, `response_status`, `response_headers`, `response_bytes`, `claim_token`, `attempt`, `owner`, `retry_allowed`, `failure`, `created_at`, `claimed_at`, `renewed_at`, `lease_expires_at`, `finished_at`, `expires_at`, ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))
FROM `idempotency_keys`

-- table_columns
SELECT l.type || CASE WHEN l.wr THEN ' without rowid' ELSE '' END, x.name, x.type, x.type, '',
    x."notnull" OR (x.pk > 0 AND l.wr), x.hidden IN (2, 3), true, x.pk, false, false
FROM pragma_table_list AS l
JOIN pragma_table_xinfo(l.name) AS x
WHERE l.name = $1 COLLATE NOCASE AND l.schema = COALESCE($2, 'main') AND x.hidden <> 1
ORDER BY x.cid

-- table_uniques
SELECT l.seq, x.name, false, CASE WHEN l.partial THEN COALESCE(m.sql, '') END
FROM pragma_index_list($1) AS l
JOIN pragma_index_xinfo(l.name) AS x
LEFT JOIN sqlite_master AS m ON m.type = 'index' AND m.name = l.name
WHERE l."unique" AND x.key
ORDER BY 1

-- clock
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- clock, varied
SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- reap_row
UPDATE `idempotency_keys`
SET status = 'failed',
claim_token = NULL,
retry_allowed = (retry_allowed AND $4),
failure = $5,
lease_expires_at = NULL,
finished_at = (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000),
expires_at = CASE WHEN expires_at > 3093527980800000000 THEN expires_at ELSE (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + CASE WHEN expires_at > 946684800000000 AND claimed_at > 946684800000000 AND claimed_at <= 3093527980800000000 AND expires_at >= claimed_at + 1000000 THEN expires_at - claimed_at ELSE 86400000000 END END
WHERE `idempotency_key` = $1 AND `scope` = $2
  AND `status` = 'in_progress'
  AND `status` IS NOT DISTINCT FROM $6
  AND `claim_token` IS NOT DISTINCT FROM $7
  AND `attempt` IS NOT DISTINCT FROM $8
  AND `retry_allowed` IS NOT DISTINCT FROM $9
  AND `created_at` IS NOT DISTINCT FROM $10
  AND `claimed_at` IS NOT DISTINCT FROM $11
  AND `renewed_at` IS NOT DISTINCT FROM $12
  AND `lease_expires_at` IS NOT DISTINCT FROM $13
  AND `finished_at` IS NOT DISTINCT FROM $14
  AND `expires_at` IS NOT DISTINCT FROM $15
  AND (`lease_expires_at` IS NULL OR `lease_expires_at` <= $3)

-- reap_row, varied
UPDATE `idempotency_keys`
SET status = 'failed',
claim_token = NULL,
retry_allowed = (retry_allowed AND $4),
failure = $5,
lease_expires_at = NULL,
finished_at = ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)),
expires_at = CASE WHEN expires_at > 3093527980800000000 THEN expires_at ELSE ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)) + CASE WHEN expires_at > 946684800000000 AND claimed_at > 946684800000000 AND claimed_at <= 3093527980800000000 AND expires_at >= claimed_at + 1000000 THEN expires_at - claimed_at ELSE 86400000000 END END
WHERE `idempotency_key` = $1 AND `scope` IS NULL
  AND `status` = 'in_progress'
  AND `status` IS NOT DISTINCT FROM $6
  AND `claim_token` IS NOT DISTINCT FROM $7
  AND `attempt` IS NOT DISTINCT FROM $8
  AND `retry_allowed` IS NOT DISTINCT FROM $9
  AND `created_at` IS NOT DISTINCT FROM $10
  AND `claimed_at` IS NOT DISTINCT FROM $11
  AND `renewed_at` IS NOT DISTINCT FROM $12
  AND `lease_expires_at` IS NOT DISTINCT FROM $13
  AND `finished_at` IS NOT DISTINCT FROM $14
  AND `expires_at` IS NOT DISTINCT FROM $15
  AND (`lease_expires_at` IS NULL OR `lease_expires_at` <= $3)

-- reap_still_stuck
SELECT 1
FROM `idempotency_keys`
WHERE `idempotency_key` = $1 AND `scope` = $2
  AND `status` = 'in_progress'
  AND `status` IS NOT DISTINCT FROM $6
  AND `claim_token` IS NOT DISTINCT FROM $7
  AND `attempt` IS NOT DISTINCT FROM $8
  AND `retry_allowed` IS NOT DISTINCT FROM $9
  AND `created_at` IS NOT DISTINCT FROM $10
  AND `claimed_at` IS NOT DISTINCT FROM $11
  AND `renewed_at` IS NOT DISTINCT FROM $12
  AND `lease_expires_at` IS NOT DISTINCT FROM $13
  AND `finished_at` IS NOT DISTINCT FROM $14
  AND `expires_at` IS NOT DISTINCT FROM $15

-- reap_still_stuck, varied
SELECT 1
FROM `idempotency_keys`
WHERE `idempotency_key` = $1 AND `scope` IS NULL
  AND `status` = 'in_progress'
  AND `status` IS NOT DISTINCT FROM $6
  AND `claim_token` IS NOT DISTINCT FROM $7
  AND `attempt` IS NOT DISTINCT FROM $8
  AND `retry_allowed` IS NOT DISTINCT FROM $9
  AND `created_at` IS NOT DISTINCT FROM $10
  AND `claimed_at` IS NOT DISTINCT FROM $11
  AND `renewed_at` IS NOT DISTINCT FROM $12
  AND `lease_expires_at` IS NOT DISTINCT FROM $13
  AND `finished_at` IS NOT DISTINCT FROM $14
  AND `expires_at` IS NOT DISTINCT FROM $15

-- reap_lock_row
SELECT 1
FROM `idempotency_keys`
WHERE `idempotency_key` = $1 AND `scope` = $2
  AND `status` = 'in_progress'
  AND `status` IS NOT DISTINCT FROM $6
  AND `claim_token` IS NOT DISTINCT FROM $7
  AND `attempt` IS NOT DISTINCT FROM $8
  AND `retry_allowed` IS NOT DISTINCT FROM $9
  AND `created_at` IS NOT DISTINCT FROM $10
  AND `claimed_at` IS NOT DISTINCT FROM $11
  AND `renewed_at` IS NOT DISTINCT FROM $12
  AND `lease_expires_at` IS NOT DISTINCT FROM $13
  AND `finished_at` IS NOT DISTINCT FROM $14
  AND `expires_at` IS NOT DISTINCT FROM $15

-- reap_lock_row, varied
SELECT 1
FROM `idempotency_keys`
WHERE `idempotency_key` = $1 AND `scope` IS NULL
  AND `status` = 'in_progress'
  AND `status` IS NOT DISTINCT FROM $6
  AND `claim_token` IS NOT DISTINCT FROM $7
  AND `attempt` IS NOT DISTINCT FROM $8
  AND `retry_allowed` IS NOT DISTINCT FROM $9
  AND `created_at` IS NOT DISTINCT FROM $10
  AND `claimed_at` IS NOT DISTINCT FROM $11
  AND `renewed_at` IS NOT DISTINCT FROM $12
  AND `lease_expires_at` IS NOT DISTINCT FROM $13
  AND `finished_at` IS NOT DISTINCT FROM $14
  AND `expires_at` IS NOT DISTINCT FROM $15

-- reap_unrecognized
SELECT count(*) FROM (
    SELECT 1 FROM `idempotency_keys`
    WHERE ((`renewed_at` <= $1 OR (`renewed_at` IS NULL AND `claimed_at` <= $2))
            AND ((`status` IN ('in_progress', 'completed', 'failed')) IS NOT TRUE OR (`status` = 'in_progress' AND (`renewed_at` <= $3 OR (`renewed_at` IS NULL AND `claimed_at` <= $4))))
        OR (`status` = 'in_progress' AND (1 = 0)))
        AND (1 = 1)
    LIMIT $5) AS strange

-- reap_ageless
SELECT count(*) FROM (SELECT 1 FROM `idempotency_keys` WHERE `status` = 'in_progress' AND (1 = 0) LIMIT $1) AS ageless

-- fail_row
UPDATE `idempotency_keys`
SET status = 'failed',
claim_token = NULL,
retry_allowed = (retry_allowed AND $4),
failure = $5,
lease_expires_at = NULL,
finished_at = (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000),
expires_at = CASE WHEN expires_at > 3093527980800000000 THEN expires_at ELSE (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + CASE WHEN expires_at > 946684800000000 AND claimed_at > 946684800000000 AND claimed_at <= 3093527980800000000 AND expires_at >= claimed_at + 1000000 THEN expires_at - claimed_at ELSE 86400000000 END END
WHERE `idempotency_key` = $1 AND `scope` = $2
  AND `status` = 'in_progress'
  AND `status` IS NOT DISTINCT FROM $6
  AND `claim_token` IS NOT DISTINCT FROM $7
  AND `attempt` IS NOT DISTINCT FROM $8
  AND `retry_allowed` IS NOT DISTINCT FROM $9
  AND `created_at` IS NOT DISTINCT FROM $10
  AND `claimed_at` IS NOT DISTINCT FROM $11
  AND `renewed_at` IS NOT DISTINCT FROM $12
  AND `lease_expires_at` IS NOT DISTINCT FROM $13
  AND `finished_at` IS NOT DISTINCT FROM $14
  AND `expires_at` IS NOT DISTINCT FROM $15

-- fail_row, varied
UPDATE `idempotency_keys`
SET status = 'failed',
claim_token = NULL,
retry_allowed = (retry_allowed AND $4),
failure = $5,
lease_expires_at = NULL,
finished_at = ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)),
expires_at = CASE WHEN expires_at > 3093527980800000000 THEN expires_at ELSE ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)) + CASE WHEN expires_at > 946684800000000 AND claimed_at > 946684800000000 AND claimed_at <= 3093527980800000000 AND expires_at >= claimed_at + 1000000 THEN expires_at - claimed_at ELSE 86400000000 END END
WHERE `idempotency_key` = $1 AND `scope` IS NULL
  AND `status` = 'in_progress'
  AND `status` IS NOT DISTINCT FROM $6
  AND `claim_token` IS NOT DISTINCT FROM $7
  AND `attempt` IS NOT DISTINCT FROM $8
  AND `retry_allowed` IS NOT DISTINCT FROM $9
  AND `created_at` IS NOT DISTINCT FROM $10
  AND `claimed_at` IS NOT DISTINCT FROM $11
  AND `renewed_at` IS NOT DISTINCT FROM $12
  AND `lease_expires_at` IS NOT DISTINCT FROM $13
  AND `finished_at` IS NOT DISTINCT FROM $14
  AND `expires_at` IS NOT DISTINCT FROM $15

-- pass_record
INSERT INTO idemctl_lease (table_name, pass, until, last_started, last_success, rate)
VALUES ($1, $2, (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000), $3, $4, $5)
ON CONFLICT (table_name, pass) DO UPDATE
SET last_started = excluded.last_started,
    last_success = COALESCE(excluded.last_success, idemctl_lease.last_success),
    rate = COALESCE(excluded.rate, idemctl_lease.rate)

-- pass_record, varied
INSERT INTO idemctl_lease (table_name, pass, until, last_started, last_success, rate)
VALUES ($1, $2, ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)), $3, $4, $5)
ON CONFLICT (table_name, pass) DO UPDATE
SET last_started = excluded.last_started,
    last_success = COALESCE(excluded.last_success, idemctl_lease.last_success),
    rate = COALESCE(excluded.rate, idemctl_lease.rate)

-- pass_read
SELECT last_started, last_success, rate FROM idemctl_lease WHERE table_name = $1 AND pass = $2

-- stats_quick
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM `idempotency_keys` WHERE `status` = 'in_progress' LIMIT $3) AS a),
    (SELECT count(*) FROM (SELECT 1 FROM `idempotency_keys` WHERE `status` = 'failed' LIMIT $3) AS b),
    (SELECT count(*) FROM (
        SELECT 1 FROM `idempotency_keys`
        WHERE `status` = 'in_progress' AND `claimed_at` <= $1 AND `claimed_at` > $7 AND (`renewed_at` IS NULL OR (`renewed_at` <= $5 AND `renewed_at` > $8)) AND (`lease_expires_at` IS NULL OR `lease_expires_at` <= $6)
        LIMIT $3) AS c),
    (SELECT `claimed_at` FROM `idempotency_keys` WHERE `status` = 'in_progress' AND `claimed_at` > $7 ORDER BY `claimed_at` LIMIT 1),
    (SELECT count(*) FROM (
        SELECT 1 FROM `idempotency_keys` WHERE `expires_at` > $4 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed')) LIMIT $3) AS d),
    (SELECT `expires_at` FROM `idempotency_keys` WHERE `expires_at` > $4 AND likely(`status` IN ('completed', 'failed')) ORDER BY `expires_at` LIMIT 1),
    (SELECT `renewed_at` FROM `idempotency_keys`
        WHERE `status` = 'in_progress' AND `claimed_at` <= $1 AND `claimed_at` > $7 AND (`renewed_at` IS NULL OR (`renewed_at` <= $5 AND `renewed_at` > $8)) AND (`lease_expires_at` IS NULL OR `lease_expires_at` <= $6)
        ORDER BY `claimed_at` LIMIT 1),
    (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- stats_quick, varied
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM `idempotency_keys` WHERE `status` = 'in_progress' LIMIT $3) AS a),
    (SELECT count(*) FROM (SELECT 1 FROM `idempotency_keys` WHERE `status` = 'failed' LIMIT $3) AS b),
    (SELECT count(*) FROM (
        SELECT 1 FROM `idempotency_keys`
        WHERE `status` = 'in_progress' AND `claimed_at` <= $1 AND `claimed_at` > $7 AND (`renewed_at` IS NULL OR (`renewed_at` <= $5 AND `renewed_at` > $8)) AND (`lease_expires_at` IS NULL OR `lease_expires_at` <= $6)
        LIMIT $3) AS c),
    (SELECT `claimed_at` FROM `idempotency_keys` WHERE `status` = 'in_progress' AND `claimed_at` > $7 ORDER BY `claimed_at` LIMIT 1),
    (SELECT count(*) FROM (
        SELECT 1 FROM `idempotency_keys` WHERE `expires_at` > $4 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed')) LIMIT $3) AS d),
    (SELECT `expires_at` FROM `idempotency_keys` WHERE `expires_at` > $4 AND likely(`status` IN ('completed', 'failed')) ORDER BY `expires_at` LIMIT 1),
    (SELECT `renewed_at` FROM `idempotency_keys`
        WHERE `status` = 'in_progress' AND `claimed_at` <= $1 AND `claimed_at` > $7 AND (`renewed_at` IS NULL OR (`renewed_at` <= $5 AND `renewed_at` > $8)) AND (`lease_expires_at` IS NULL OR `lease_expires_at` <= $6)
        ORDER BY `claimed_at` LIMIT 1),
    ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- stats_exact
SELECT count(*), count(CASE WHEN `status` = 'in_progress' THEN 1 END), count(CASE WHEN `status` = 'failed' THEN 1 END),
    count(CASE WHEN (`status` IN ('in_progress', 'completed', 'failed')) IS NOT TRUE THEN 1 END), count(CASE WHEN (1 = 0) THEN 1 END)
FROM `idempotency_keys`
WHERE (1 = 1)

-- stats_rows
SELECT count(*) FROM `idempotency_keys` WHERE (1 = 1)

-- stats_rows, varied
SELECT 1 FROM `idempotency_keys` WHERE (1 = 1)

-- stats_unknown
SELECT count(*) FROM `idempotency_keys` WHERE (`status` IN ('in_progress', 'completed', 'failed')) IS NOT TRUE AND (1 = 1)

-- stats_unknown, varied
SELECT 1 FROM `idempotency_keys` WHERE (`status` IN ('in_progress', 'completed', 'failed')) IS NOT TRUE AND (1 = 1)

-- stats_kept
SELECT count(*) FROM `idempotency_keys` WHERE (1 = 0) AND (1 = 1)

-- stats_kept, varied
SELECT 1 FROM `idempotency_keys` WHERE (1 = 0) AND (1 = 1)

-- stays_busy
SELECT count(*) FROM (
    SELECT 1 FROM `idempotency_keys` WHERE `expires_at` > $1 AND `expires_at` <= $2 AND `status` = 'in_progress' LIMIT $3) AS busy

-- stays_undated
SELECT count(*) FROM `idempotency_keys` WHERE (`expires_at` IS NULL) AND (1 = 1)

-- stays_undated, varied
SELECT 1 FROM `idempotency_keys` WHERE (`expires_at` IS NULL) AND (1 = 1)

-- stats_sizes
SELECT
    (SELECT CASE WHEN r.span <= (SELECT page_count * page_size / 8 FROM pragma_page_count, pragma_page_size) THEN r.span END
     FROM (SELECT max(rowid) - min(rowid) + 1 AS span FROM `idempotency_keys` WHERE $1 IS NOT NULL) AS r),
    (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size),
    (SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size)

-- stats_scopes
SELECT `scope`, count(*) FROM `idempotency_keys` WHERE (1 = 1) GROUP BY `scope` ORDER BY count(*) DESC, `scope` LIMIT $1

-- stats_scopes_quick
SELECT `scope`, count(*) FROM `idempotency_keys` WHERE (1 = 1) GROUP BY `scope` ORDER BY count(*) DESC, `scope` LIMIT $1

-- stats_claims
SELECT count(*) FROM `idempotency_keys` WHERE `claimed_at` > $1 AND `claimed_at` <= $2 AND (1 = 1)

-- stats_claims, varied
SELECT 1 FROM `idempotency_keys` WHERE `claimed_at` > $1 AND `claimed_at` <= $2 AND (1 = 1)

-- stats_expiries
SELECT count(*) FROM `idempotency_keys` WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed'))

-- stats_expiries, varied
SELECT 1 FROM `idempotency_keys` WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed')) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- release_row
UPDATE `idempotency_keys`
SET retry_allowed = true,
expires_at = CASE WHEN expires_at > 3093527980800000000 THEN expires_at ELSE (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + CASE WHEN expires_at > 946684800000000 AND claimed_at > 946684800000000 AND claimed_at <= 3093527980800000000 AND expires_at >= claimed_at + 1000000 THEN expires_at - claimed_at ELSE 86400000000 END END
WHERE `idempotency_key` = $1 AND `scope` = $2
  AND `status` = 'failed'
  AND `status` IS NOT DISTINCT FROM $6
  AND `claim_token` IS NOT DISTINCT FROM $7
  AND `attempt` IS NOT DISTINCT FROM $8
  AND `retry_allowed` IS NOT DISTINCT FROM $9
  AND `created_at` IS NOT DISTINCT FROM $10
  AND `claimed_at` IS NOT DISTINCT FROM $11
  AND `renewed_at` IS NOT DISTINCT FROM $12
  AND `lease_expires_at` IS NOT DISTINCT FROM $13
  AND `finished_at` IS NOT DISTINCT FROM $14
  AND `expires_at` IS NOT DISTINCT FROM $15

-- release_row, varied
UPDATE `idempotency_keys`
SET retry_allowed = true,
expires_at = CASE WHEN expires_at > 3093527980800000000 THEN expires_at ELSE ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)) + CASE WHEN expires_at > 946684800000000 AND claimed_at > 946684800000000 AND claimed_at <= 3093527980800000000 AND expires_at >= claimed_at + 1000000 THEN expires_at - claimed_at ELSE 86400000000 END END
WHERE `idempotency_key` = $1 AND `scope` IS NULL
  AND `status` = 'failed'
  AND `status` IS NOT DISTINCT FROM $6
  AND `claim_token` IS NOT DISTINCT FROM $7
  AND `attempt` IS NOT DISTINCT FROM $8
  AND `retry_allowed` IS NOT DISTINCT FROM $9
  AND `created_at` IS NOT DISTINCT FROM $10
  AND `claimed_at` IS NOT DISTINCT FROM $11
  AND `renewed_at` IS NOT DISTINCT FROM $12
  AND `lease_expires_at` IS NOT DISTINCT FROM $13
  AND `finished_at` IS NOT DISTINCT FROM $14
  AND `expires_at` IS NOT DISTINCT FROM $15

-- forget_row
DELETE FROM `idempotency_keys`
WHERE `idempotency_key` = $1 AND `scope` = $2
  AND `status` IS NOT DISTINCT FROM $6
  AND `claim_token` IS NOT DISTINCT FROM $7
  AND `attempt` IS NOT DISTINCT FROM $8
  AND `retry_allowed` IS NOT DISTINCT FROM $9
  AND `created_at` IS NOT DISTINCT FROM $10
  AND `claimed_at` IS NOT DISTINCT FROM $11
  AND `renewed_at` IS NOT DISTINCT FROM $12
  AND `lease_expires_at` IS NOT DISTINCT FROM $13
  AND `finished_at` IS NOT DISTINCT FROM $14
  AND `expires_at` IS NOT DISTINCT FROM $15

-- forget_row, varied
DELETE FROM `idempotency_keys`
WHERE `idempotency_key` = $1 AND `scope` IS NULL
  AND `status` IS NOT DISTINCT FROM $6
  AND `claim_token` IS NOT DISTINCT FROM $7
  AND `attempt` IS NOT DISTINCT FROM $8
  AND `retry_allowed` IS NOT DISTINCT FROM $9
  AND `created_at` IS NOT DISTINCT FROM $10
  AND `claimed_at` IS NOT DISTINCT FROM $11
  AND `renewed_at` IS NOT DISTINCT FROM $12
  AND `lease_expires_at` IS NOT DISTINCT FROM $13
  AND `finished_at` IS NOT DISTINCT FROM $14
  AND `expires_at` IS NOT DISTINCT FROM $15

-- unchanged_row
SELECT 1
FROM `idempotency_keys`
WHERE `idempotency_key` = $1 AND `scope` = $2
  AND `status` IS NOT DISTINCT FROM $6
  AND `claim_token` IS NOT DISTINCT FROM $7
  AND `attempt` IS NOT DISTINCT FROM $8
  AND `retry_allowed` IS NOT DISTINCT FROM $9
  AND `created_at` IS NOT DISTINCT FROM $10
  AND `claimed_at` IS NOT DISTINCT FROM $11
  AND `renewed_at` IS NOT DISTINCT FROM $12
  AND `lease_expires_at` IS NOT DISTINCT FROM $13
  AND `finished_at` IS NOT DISTINCT FROM $14
  AND `expires_at` IS NOT DISTINCT FROM $15

-- unchanged_row, varied
SELECT 1
FROM `idempotency_keys`
WHERE `idempotency_key` = $1 AND `scope` IS NULL
  AND `status` IS NOT DISTINCT FROM $6
  AND `claim_token` IS NOT DISTINCT FROM $7
  AND `attempt` IS NOT DISTINCT FROM $8
  AND `retry_allowed` IS NOT DISTINCT FROM $9
  AND `created_at` IS NOT DISTINCT FROM $10
  AND `claimed_at` IS NOT DISTINCT FROM $11
  AND `renewed_at` IS NOT DISTINCT FROM $12
  AND `lease_expires_at` IS NOT DISTINCT FROM $13
  AND `finished_at` IS NOT DISTINCT FROM $14
  AND `expires_at` IS NOT DISTINCT FROM $15

-- row_blocking_triggers
SELECT 'trigger ' || m.name FROM sqlite_schema AS m
WHERE m.type = 'trigger' AND m.tbl_name = $1 COLLATE NOCASE AND $2 IS NOT NULL
    AND replace(replace(upper(m.sql), ' ', ''), char(10), '') LIKE '%RAISE(IGNORE)%'
ORDER BY m.name
LIMIT 20

-- audit_rows
SELECT at, idempotency_key, scope, command, action, actor, host, reason, row_before
FROM idemctl_audit

-- inbound_keys
SELECT 'foreign key ' || f.id, m.name, f.on_delete, NULL
FROM sqlite_schema AS m, pragma_foreign_key_list(m.name) AS f
WHERE m.type = 'table' AND '`' || replace(f."table", '`', '``') || '`' = $1 COLLATE NOCASE AND f.seq = 0
ORDER BY 2, 1

-- purge_step
SELECT n.shown,
    (SELECT count(*) FROM (
        SELECT 1 FROM `idempotency_keys` WHERE `expires_at` = n.expiry AND likely(`status` IN ('completed', 'failed')) LIMIT $4) AS tied)
FROM (
    SELECT `expires_at` AS expiry, `expires_at` AS shown
    FROM `idempotency_keys`
    WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed'))
    ORDER BY `expires_at`
    LIMIT 1 OFFSET $3) AS n

-- purge_order
SELECT 1 FROM `idempotency_keys`
WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed'))
ORDER BY `expires_at`
LIMIT 1 OFFSET $3

-- purge_range
DELETE FROM `idempotency_keys`
WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed'))

-- purge_range, varied
DELETE FROM `idempotency_keys`
WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed')) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_count
SELECT count(*) FROM (
    SELECT 1 FROM `idempotency_keys` WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed')) LIMIT $3) AS due

-- purge_blockers
SELECT l.type, false, true, '',
    (SELECT json_group_array('trigger ' || m.name) FROM sqlite_schema AS m
     WHERE m.type = 'trigger' AND m.tbl_name = $1 COLLATE NOCASE
        AND replace(replace(upper(m.sql), ' ', ''), char(10), '') LIKE '%RAISE(IGNORE)%'),
    NULL
FROM pragma_table_list AS l
WHERE l.name = $1 COLLATE NOCASE AND l.schema IN ('main', $2)

-- purge_unrecognized
SELECT count(*) FROM (
    SELECT 1 FROM `idempotency_keys`
    WHERE (`expires_at` <= $2 AND (`expires_at` <= $1 OR ((`status` IN ('in_progress', 'completed', 'failed')) IS NOT TRUE)) OR (1 = 0)) AND (1 = 1)
    LIMIT $3) AS strange

-- purge_left
SELECT
    (SELECT count(*) FROM (
        SELECT 1 FROM `idempotency_keys` WHERE `expires_at` > $1 AND `expires_at` <= $2 AND `status` = 'in_progress' LIMIT $3) AS at_work),
    (SELECT count(*) FROM (
        SELECT 1 FROM `idempotency_keys` WHERE `expires_at` > $1 AND `expires_at` <= $2 AND (1 = 0) LIMIT $3) AS held)

-- purge_limited
DELETE FROM `idempotency_keys`
WHERE rowid IN (
    SELECT rowid FROM `idempotency_keys`
    WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed'))
    ORDER BY `expires_at`
    LIMIT $3)
  AND `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed'))

-- purge_limited, varied
DELETE FROM `idempotency_keys`
WHERE rowid IN (
    SELECT rowid FROM `idempotency_keys`
    WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed')) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
    ORDER BY `expires_at`
    LIMIT $3)
  AND `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed')) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_range_skip_locked
DELETE FROM `idempotency_keys`
WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed'))

-- purge_range_skip_locked, varied
DELETE FROM `idempotency_keys`
WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed')) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied
DELETE FROM `idempotency_keys`
WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed'))

-- purge_tied, varied
DELETE FROM `idempotency_keys`
WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed')) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied_referenced
DELETE FROM `idempotency_keys`
WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed'))

-- purge_tied_referenced, varied
DELETE FROM `idempotency_keys`
WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed')) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied_skip_locked
DELETE FROM `idempotency_keys`
WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed'))

-- purge_tied_skip_locked, varied
DELETE FROM `idempotency_keys`
WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed')) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied_extent
SELECT count(*) FROM (
    SELECT 1 FROM `idempotency_keys` WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed')) LIMIT $3) AS due

-- heap_extent
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- heap_extent, varied
SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- purge_keys_ends
SELECT * FROM (SELECT rowid FROM `idempotency_keys` ORDER BY rowid LIMIT 1)
UNION ALL
SELECT * FROM (SELECT rowid FROM `idempotency_keys` ORDER BY rowid DESC LIMIT 1)

-- purge_keys_step
SELECT rowid FROM `idempotency_keys` WHERE rowid >= $2 ORDER BY rowid LIMIT 2 OFFSET $1

-- purge_keys
DELETE FROM `idempotency_keys`
WHERE rowid >= $3 AND rowid <= $4 AND `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed'))

-- purge_keys, varied
DELETE FROM `idempotency_keys`
WHERE rowid >= $3 AND rowid <= $4 AND `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed')) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_keys_limited
DELETE FROM `idempotency_keys`
WHERE rowid IN (
    SELECT rowid FROM `idempotency_keys`
    WHERE rowid >= $3 AND rowid <= $4 AND `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed'))
    LIMIT $5)
  AND `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed'))

-- purge_keys_limited, varied
DELETE FROM `idempotency_keys`
WHERE rowid IN (
    SELECT rowid FROM `idempotency_keys`
    WHERE rowid >= $3 AND rowid <= $4 AND `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed')) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
    LIMIT $5)
  AND `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed')) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_due
SELECT `idempotency_key`, `scope`, CAST(rowid AS text) FROM `idempotency_keys`
WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed'))
ORDER BY `expires_at`
LIMIT $3 OFFSET $4

-- purge_due, varied
SELECT `idempotency_key`, `scope`, CAST(rowid AS text) FROM `idempotency_keys`
WHERE `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed')) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
ORDER BY `expires_at`
LIMIT $3 OFFSET $4

-- purge_due_piece
SELECT `idempotency_key`, `scope`, CAST(rowid AS text) FROM `idempotency_keys`
WHERE rowid >= $3 AND rowid <= $4 AND `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed'))

-- purge_due_piece, varied
SELECT `idempotency_key`, `scope`, CAST(rowid AS text) FROM `idempotency_keys`
WHERE rowid >= $3 AND rowid <= $4 AND `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed')) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_listed
DELETE FROM `idempotency_keys`
WHERE rowid IN (SELECT value FROM json_each($3)) AND `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed'))

-- purge_listed, varied
DELETE FROM `idempotency_keys`
WHERE rowid IN (SELECT value FROM json_each($3)) AND `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed')) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_listed_skip_locked
DELETE FROM `idempotency_keys`
WHERE rowid IN (SELECT value FROM json_each($3)) AND `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed'))

-- purge_listed_skip_locked, varied
DELETE FROM `idempotency_keys`
WHERE rowid IN (SELECT value FROM json_each($3)) AND `expires_at` > $1 AND `expires_at` <= $2 AND likely(`status` IN ('completed', 'failed')) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- audit_insert
INSERT INTO idemctl_audit (
    at, table_name, idempotency_key, scope, command, action, actor, host, reason, row_before)
VALUES ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000), $1, $2, $3, $4, $5, $6, $7, $8, $9)

-- audit_insert, varied
INSERT INTO idemctl_audit (
    at, table_name, idempotency_key, scope, command, action, actor, host, reason, row_before)
VALUES (((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)), $1, $2, $3, $4, $5, $6, $7, $8, $9)

-- audit_written
SELECT count(*)
FROM idemctl_audit
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

-- audit_of_key
SELECT at, idempotency_key, scope, command, action, actor, host, reason, row_before
FROM idemctl_audit
WHERE table_name = $1 AND idempotency_key = $2
ORDER BY at, id

-- audit_exists
SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name = 'idemctl_audit'

-- migrations_applied
SELECT version, checksum, applied_at, false, false FROM idemctl_migrations ORDER BY version

-- table_rights
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- table_rights, varied
SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- row_security
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- row_security, varied
SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- visibility
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- visibility, varied
SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- standby
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- standby, varied
SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- migration_record
INSERT INTO idemctl_migrations (version, name, checksum, applied_at)
VALUES ($1, $2, $3, (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000))
ON CONFLICT (version) DO NOTHING

-- migration_record, varied
INSERT INTO idemctl_migrations (version, name, checksum, applied_at)
VALUES ($1, $2, $3, ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)))
ON CONFLICT (version) DO NOTHING

-- lease_acquire
INSERT INTO idemctl_lease (table_name, pass, holder, until)
SELECT $1, $2, $3, c.now + $4 * 1 FROM (SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) AS now) AS c WHERE true
ON CONFLICT (table_name, pass) DO UPDATE
SET holder = excluded.holder, until = excluded.until
WHERE idemctl_lease.holder IS NULL OR idemctl_lease.holder = excluded.holder OR idemctl_lease.until <= (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- lease_acquire, varied
INSERT INTO idemctl_lease (table_name, pass, holder, until)
SELECT $1, $2, $3, c.now + $4 * 1 FROM (SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)) AS now) AS c WHERE true
ON CONFLICT (table_name, pass) DO UPDATE
SET holder = excluded.holder, until = excluded.until
WHERE idemctl_lease.holder IS NULL OR idemctl_lease.holder = excluded.holder OR idemctl_lease.until <= ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- lease_release
UPDATE idemctl_lease SET holder = NULL, until = (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) WHERE table_name = $1 AND pass = $2 AND holder = $3

-- lease_release, varied
UPDATE idemctl_lease SET holder = NULL, until = ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)) WHERE table_name = $1 AND pass = $2 AND holder = $3

-- leases_exist
SELECT count(*) = 2 FROM sqlite_schema WHERE type = 'table' AND name IN ('idemctl_lease', 'idemctl_pause')

-- leases_read
SELECT pass, holder, until, (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000), last_started, last_success, rate
FROM idemctl_lease
WHERE table_name = $1

-- leases_read, varied
SELECT pass, holder, until, ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)), last_started, last_success, rate
FROM idemctl_lease
WHERE table_name = $1

-- leases_release
UPDATE idemctl_lease SET holder = NULL, until = (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) WHERE table_name = $1 AND holder = $2

-- leases_release, varied
UPDATE idemctl_lease SET holder = NULL, until = ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)) WHERE table_name = $1 AND holder = $2

-- pause_set
INSERT INTO idemctl_pause (id, reason, since, until, actor, host)
SELECT 1, $1, c.now, CASE WHEN $2 IS NULL THEN NULL ELSE c.now + $2 * 1 END, $3, $4
FROM (SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) AS now) AS c WHERE true
ON CONFLICT (id) DO UPDATE
SET reason = excluded.reason,
    since = CASE WHEN idemctl_pause.until <= excluded.since THEN excluded.since ELSE idemctl_pause.since END,
    until = excluded.until,
    actor = excluded.actor,
    host = excluded.host

-- pause_set, varied
INSERT INTO idemctl_pause (id, reason, since, until, actor, host)
SELECT 1, $1, c.now, CASE WHEN $2 IS NULL THEN NULL ELSE c.now + $2 * 1 END, $3, $4
FROM (SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)) AS now) AS c WHERE true
ON CONFLICT (id) DO UPDATE
SET reason = excluded.reason,
    since = CASE WHEN idemctl_pause.until <= excluded.since THEN excluded.since ELSE idemctl_pause.since END,
    until = excluded.until,
    actor = excluded.actor,
    host = excluded.host

-- pause_read
SELECT reason, since, until, actor, host FROM idemctl_pause WHERE until IS NULL OR until > (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- pause_read, varied
SELECT reason, since, until, actor, host FROM idemctl_pause WHERE until IS NULL OR until > ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- pause_clear
DELETE FROM idemctl_pause

-- replication_lag
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- replication_lag, varied
SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- audit_expire
DELETE FROM idemctl_audit
WHERE id IN (SELECT id FROM idemctl_audit WHERE at < $1 ORDER BY at LIMIT $2)
  AND at < $1

