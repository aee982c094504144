-- claim_insert
INSERT INTO "idempotency_keys" (
    idempotency_key, scope, status, request_hash, claim_token, attempt, owner, retry_allowed,
    created_at, claimed_at, renewed_at, lease_expires_at, expires_at)
SELECT
    $1, $2, 'in_progress', $3, $4, 1, $5, $6,
    c.now, c.now, c.now, c.now + $7 * interval '1 microsecond', c.now + $8 * interval '1 microsecond'
FROM (SELECT clock_timestamp() AS now) AS c
WHERE true
ON CONFLICT (idempotency_key, scope) DO NOTHING

-- claim_insert, varied
INSERT INTO "idempotency_keys" (
    idempotency_key, scope, status, request_hash, claim_token, attempt, owner, retry_allowed,
    created_at, claimed_at, renewed_at, lease_expires_at, expires_at)
SELECT
    $1, $2, 'in_progress', $3, $4, 1, $5, $6,
    c.now, c.now, c.now, c.now + $7 * interval '1 microsecond', c.now + $8 * interval '1 microsecond'
FROM (SELECT (clock_timestamp() + -5 * interval '1 microsecond') AS now) AS c
WHERE true
ON CONFLICT (idempotency_key, scope) DO NOTHING

-- claim_read
SELECT "idempotency_key", "scope", "status", "request_hash", "response_status", "response_headers", "response_bytes", "claim_token", "attempt", "owner", "retry_allowed", "failure", "created_at", "claimed_at", "renewed_at", "lease_expires_at", "finished_at", "expires_at", clock_timestamp(), "response_status", "response_headers", "response_body", "response_bytes"
FROM "idempotency_keys"
WHERE "idempotency_key" = $1 AND "scope" = $2

-- claim_read, varied
SELECT "idempotency_key", "scope", "status", "request_hash", "response_status", "response_headers", "response_bytes", "claim_token", "attempt", "owner", "retry_allowed", "failure", "created_at", "claimed_at", "renewed_at", "lease_expires_at", "finished_at", "expires_at", (clock_timestamp() + -5 * interval '1 microsecond'), "response_status", "response_headers", "response_body", "response_bytes"
FROM "idempotency_keys"
WHERE "idempotency_key" = $1 AND "scope" IS NULL

-- claim_take_over
UPDATE "idempotency_keys" AS t
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
    lease_expires_at = c.now + $7 * interval '1 microsecond',
    finished_at = NULL,
    expires_at = c.now + $8 * interval '1 microsecond',
    response_status = NULL,
    response_headers = NULL,
    response_body = NULL,
    response_bytes = NULL
FROM (SELECT clock_timestamp() AS now) AS c
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
UPDATE "idempotency_keys" AS t
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
    lease_expires_at = c.now + $7 * interval '1 microsecond',
    finished_at = NULL,
    expires_at = c.now + $8 * interval '1 microsecond',
    response_status = NULL,
    response_headers = NULL,
    response_body = NULL,
    response_bytes = NULL
FROM (SELECT (clock_timestamp() + -5 * interval '1 microsecond') AS now) AS c
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
UPDATE "idempotency_keys" AS t
SET created_at = CASE WHEN t.attempt = 1 THEN c.now ELSE t.created_at END,
    claimed_at = c.now,
    renewed_at = c.now,
    lease_expires_at = c.now + $4 * interval '1 microsecond',
    expires_at = c.now + $5 * interval '1 microsecond'
FROM (SELECT clock_timestamp() AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'

-- claim_restamp, varied
UPDATE "idempotency_keys" AS t
SET created_at = CASE WHEN t.attempt = 1 THEN c.now ELSE t.created_at END,
    claimed_at = c.now,
    renewed_at = c.now,
    lease_expires_at = c.now + $4 * interval '1 microsecond',
    expires_at = c.now + $5 * interval '1 microsecond'
FROM (SELECT (clock_timestamp() + -5 * interval '1 microsecond') AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'

-- renew
UPDATE "idempotency_keys" AS t
SET renewed_at = c.now,
    lease_expires_at = c.now + $4 * interval '1 microsecond'
FROM (SELECT clock_timestamp() AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'

-- renew, varied
UPDATE "idempotency_keys" AS t
SET renewed_at = c.now,
    lease_expires_at = c.now + $4 * interval '1 microsecond'
FROM (SELECT (clock_timestamp() + -5 * interval '1 microsecond') AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'

-- complete
UPDATE "idempotency_keys" AS t
SET status = 'completed',
    lease_expires_at = NULL,
    finished_at = c.now,
    expires_at = CASE WHEN expires_at > timestamptz '100000-01-01 00:00:00+00' THEN t.expires_at ELSE c.now + CASE WHEN isfinite(expires_at) AND expires_at > timestamptz '2000-01-01 00:00:00+00' AND isfinite(claimed_at) AND claimed_at > timestamptz '2000-01-01 00:00:00+00' AND expires_at >= claimed_at + interval '1 second' THEN CAST(extract(epoch FROM expires_at - claimed_at) * 1000000 AS double precision) * interval '1 microsecond' ELSE interval '24 hours' END END,
    response_status = $4,
    response_headers = $5,
    response_body = $6,
    response_bytes = $7
FROM (SELECT clock_timestamp() AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'

-- complete, varied
UPDATE "idempotency_keys" AS t
SET status = 'completed',
    lease_expires_at = NULL,
    finished_at = c.now,
    expires_at = CASE WHEN expires_at > timestamptz '100000-01-01 00:00:00+00' THEN t.expires_at ELSE c.now + CASE WHEN isfinite(expires_at) AND expires_at > timestamptz '2000-01-01 00:00:00+00' AND isfinite(claimed_at) AND claimed_at > timestamptz '2000-01-01 00:00:00+00' AND expires_at >= claimed_at + interval '1 second' THEN CAST(extract(epoch FROM expires_at - claimed_at) * 1000000 AS double precision) * interval '1 microsecond' ELSE interval '24 hours' END END,
    response_status = $4,
    response_headers = $5,
    response_body = $6,
    response_bytes = $7
FROM (SELECT (clock_timestamp() + -5 * interval '1 microsecond') AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'

-- fail
UPDATE "idempotency_keys" AS t
SET status = 'failed',
    retry_allowed = $9,
    failure = $8,
    lease_expires_at = NULL,
    finished_at = c.now,
    expires_at = CASE WHEN expires_at > timestamptz '100000-01-01 00:00:00+00' THEN t.expires_at ELSE c.now + CASE WHEN isfinite(expires_at) AND expires_at > timestamptz '2000-01-01 00:00:00+00' AND isfinite(claimed_at) AND claimed_at > timestamptz '2000-01-01 00:00:00+00' AND expires_at >= claimed_at + interval '1 second' THEN CAST(extract(epoch FROM expires_at - claimed_at) * 1000000 AS double precision) * interval '1 microsecond' ELSE interval '24 hours' END END,
    response_status = $4,
    response_headers = $5,
    response_body = $6,
    response_bytes = $7
FROM (SELECT clock_timestamp() AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'

-- fail, varied
UPDATE "idempotency_keys" AS t
SET status = 'failed',
    retry_allowed = $9,
    failure = $8,
    lease_expires_at = NULL,
    finished_at = c.now,
    expires_at = CASE WHEN expires_at > timestamptz '100000-01-01 00:00:00+00' THEN t.expires_at ELSE c.now + CASE WHEN isfinite(expires_at) AND expires_at > timestamptz '2000-01-01 00:00:00+00' AND isfinite(claimed_at) AND claimed_at > timestamptz '2000-01-01 00:00:00+00' AND expires_at >= claimed_at + interval '1 second' THEN CAST(extract(epoch FROM expires_at - claimed_at) * 1000000 AS double precision) * interval '1 microsecond' ELSE interval '24 hours' END END,
    response_status = $4,
    response_headers = $5,
    response_body = $6,
    response_bytes = $7
FROM (SELECT (clock_timestamp() + -5 * interval '1 microsecond') AS now) AS c
WHERE t.idempotency_key = $1
  AND t.scope = $2
  AND t.claim_token = $3
  AND t.status = 'in_progress'

-- inspect
SELECT "idempotency_key", "scope", "status", "request_hash", "response_status", "response_headers", "response_bytes", "claim_token", "attempt", "owner", "retry_allowed", "failure", "created_at", "claimed_at", "renewed_at", "lease_expires_at", "finished_at", "expires_at", clock_timestamp()
FROM "idempotency_keys"
WHERE "idempotency_key" = $1
ORDER BY "scope"

-- inspect, varied
SELECT "idempotency_key", "scope", "status", "request_hash", "response_status", "response_headers", "response_bytes", "claim_token", "attempt", "owner", "retry_allowed", "failure", "created_at", "claimed_at", "renewed_at", "lease_expires_at", "finished_at", "expires_at", (clock_timestamp() + -5 * interval '1 microsecond')
FROM "idempotency_keys"
WHERE ("x" = $9) AND "idempotency_key" = $1
ORDER BY "scope"

-- select_rows
SELECT "idempotency_key", "scope", "status", "request_hash", "response_status", "response_headers", "response_bytes", "claim_token", "attempt", "owner", "retry_allowed", "failure", "created_at", "claimed_at", "renewed_at", "lease_expires_at", "finished_at", "expires_at", clock_timestamp()
FROM "idempotency_keys"

-- select_rows, varied
SELECT "idempotency_key", "scope", "status", "request_hash", "response_status", "response_headers", "response_bytes", "claim_token", "attempt", "owner", "retry_allowed", "failure", "created_at", "claimed_at", "renewed_at", "lease_expires_at", "finished_at", "expires_at", (clock_timestamp() + -5 * interval '1 microsecond')
FROM "idempotency_keys"

-- table_columns
SELECT
    CASE WHEN c.relkind = 'r' AND c.relhassubclass
            AND EXISTS (SELECT 1 FROM pg_inherits AS h WHERE h.inhparent = c.oid)
        THEN 'i' ELSE CAST(c.relkind AS text) END,
    CAST(a.attname AS text),
    format_type(b.oid, -1),
    CAST(b.typname AS text),
    CAST(b.typcategory AS text),
    a.attnotnull,
    a.attgenerated <> '' OR a.attidentity = 'a',
    b.typname = 'citext' OR EXISTS (
        SELECT 1 FROM pg_collation AS l WHERE l.oid = a.attcollation AND NOT l.collisdeterministic),
    COALESCE(array_position(CAST(i.indkey AS smallint[]), a.attnum) + 1, 0),
    row_security_active(c.oid) OR COALESCE(row_security_active(to_regclass('idemctl_audit')), false),
    pg_is_in_recovery()
FROM pg_class AS c
JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type AS t ON t.oid = a.atttypid
JOIN pg_type AS b ON b.oid = COALESCE(NULLIF(t.typbasetype, 0), t.oid)
LEFT JOIN pg_index AS i ON i.indrelid = c.oid AND i.indisprimary
WHERE c.oid = to_regclass($1)
ORDER BY a.attnum

-- table_uniques
SELECT CAST(i.indexrelid AS bigint), CAST(a.attname AS text),
    COALESCE(CAST(to_jsonb(i) ->> 'indnullsnotdistinct' AS boolean), false),
    pg_get_expr(i.indpred, i.indrelid)
FROM pg_index AS i
JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum > 0
WHERE i.indrelid = to_regclass($1)
    AND i.indisunique AND i.indisvalid
    AND (a.attnum = ANY ((CAST(i.indkey AS smallint[]))[0:i.indnkeyatts - 1]) OR EXISTS (
        SELECT 1 FROM pg_depend AS d
        WHERE d.classid = CAST('pg_class' AS regclass) AND d.objid = i.indexrelid
            AND i.indexprs IS NOT NULL
            AND d.refobjid = i.indrelid AND d.refobjsubid = a.attnum))
ORDER BY 1

-- clock
SELECT clock_timestamp()

-- clock, varied
SELECT (clock_timestamp() + -5 * interval '1 microsecond')

-- reap_row
UPDATE "idempotency_keys"
SET status = 'failed',
claim_token = NULL,
retry_allowed = (retry_allowed AND $4),
failure = $5,
lease_expires_at = NULL,
finished_at = clock_timestamp(),
expires_at = CASE WHEN expires_at > timestamptz '100000-01-01 00:00:00+00' THEN expires_at ELSE clock_timestamp() + CASE WHEN isfinite(expires_at) AND expires_at > timestamptz '2000-01-01 00:00:00+00' AND isfinite(claimed_at) AND claimed_at > timestamptz '2000-01-01 00:00:00+00' AND expires_at >= claimed_at + interval '1 second' THEN CAST(extract(epoch FROM expires_at - claimed_at) * 1000000 AS double precision) * interval '1 microsecond' ELSE interval '24 hours' END END
WHERE ctid = ANY (ARRAY(SELECT ctid FROM "idempotency_keys" WHERE "idempotency_key" = $1 AND "scope" = $2 FOR UPDATE SKIP LOCKED))
  AND "idempotency_key" = $1 AND "scope" = $2
  AND "status" = 'in_progress'
  AND "status" IS NOT DISTINCT FROM $6
  AND "claim_token" IS NOT DISTINCT FROM $7
  AND "attempt" IS NOT DISTINCT FROM $8
  AND "retry_allowed" IS NOT DISTINCT FROM $9
  AND "created_at" IS NOT DISTINCT FROM $10
  AND "claimed_at" IS NOT DISTINCT FROM $11
  AND "renewed_at" IS NOT DISTINCT FROM $12
  AND "lease_expires_at" IS NOT DISTINCT FROM $13
  AND "finished_at" IS NOT DISTINCT FROM $14
  AND "expires_at" IS NOT DISTINCT FROM $15
  AND ("lease_expires_at" IS NULL OR "lease_expires_at" <= $3)

-- reap_row, varied
UPDATE "idempotency_keys"
SET status = 'failed',
claim_token = NULL,
retry_allowed = (retry_allowed AND $4),
failure = $5,
lease_expires_at = NULL,
finished_at = (clock_timestamp() + -5 * interval '1 microsecond'),
expires_at = CASE WHEN expires_at > timestamptz '100000-01-01 00:00:00+00' THEN expires_at ELSE (clock_timestamp() + -5 * interval '1 microsecond') + CASE WHEN isfinite(expires_at) AND expires_at > timestamptz '2000-01-01 00:00:00+00' AND isfinite(claimed_at) AND claimed_at > timestamptz '2000-01-01 00:00:00+00' AND expires_at >= claimed_at + interval '1 second' THEN CAST(extract(epoch FROM expires_at - claimed_at) * 1000000 AS double precision) * interval '1 microsecond' ELSE interval '24 hours' END END
WHERE ctid = ANY (ARRAY(SELECT ctid FROM "idempotency_keys" WHERE "idempotency_key" = $1 AND "scope" IS NULL FOR UPDATE SKIP LOCKED))
  AND "idempotency_key" = $1 AND "scope" IS NULL
  AND "status" = 'in_progress'
  AND "status" IS NOT DISTINCT FROM $6
  AND "claim_token" IS NOT DISTINCT FROM $7
  AND "attempt" IS NOT DISTINCT FROM $8
  AND "retry_allowed" IS NOT DISTINCT FROM $9
  AND "created_at" IS NOT DISTINCT FROM $10
  AND "claimed_at" IS NOT DISTINCT FROM $11
  AND "renewed_at" IS NOT DISTINCT FROM $12
  AND "lease_expires_at" IS NOT DISTINCT FROM $13
  AND "finished_at" IS NOT DISTINCT FROM $14
  AND "expires_at" IS NOT DISTINCT FROM $15
  AND ("lease_expires_at" IS NULL OR "lease_expires_at" <= $3)

-- reap_still_stuck
SELECT 1
FROM "idempotency_keys"
WHERE "idempotency_key" = $1 AND "scope" = $2
  AND "status" = 'in_progress'
  AND "status" IS NOT DISTINCT FROM $6
  AND "claim_token" IS NOT DISTINCT FROM $7
  AND "attempt" IS NOT DISTINCT FROM $8
  AND "retry_allowed" IS NOT DISTINCT FROM $9
  AND "created_at" IS NOT DISTINCT FROM $10
  AND "claimed_at" IS NOT DISTINCT FROM $11
  AND "renewed_at" IS NOT DISTINCT FROM $12
  AND "lease_expires_at" IS NOT DISTINCT FROM $13
  AND "finished_at" IS NOT DISTINCT FROM $14
  AND "expires_at" IS NOT DISTINCT FROM $15

-- reap_still_stuck, varied
SELECT 1
FROM "idempotency_keys"
WHERE "idempotency_key" = $1 AND "scope" IS NULL
  AND "status" = 'in_progress'
  AND "status" IS NOT DISTINCT FROM $6
  AND "claim_token" IS NOT DISTINCT FROM $7
  AND "attempt" IS NOT DISTINCT FROM $8
  AND "retry_allowed" IS NOT DISTINCT FROM $9
  AND "created_at" IS NOT DISTINCT FROM $10
  AND "claimed_at" IS NOT DISTINCT FROM $11
  AND "renewed_at" IS NOT DISTINCT FROM $12
  AND "lease_expires_at" IS NOT DISTINCT FROM $13
  AND "finished_at" IS NOT DISTINCT FROM $14
  AND "expires_at" IS NOT DISTINCT FROM $15

-- reap_lock_row
SELECT 1
FROM "idempotency_keys"
WHERE "idempotency_key" = $1 AND "scope" = $2
  AND "status" = 'in_progress'
  AND "status" IS NOT DISTINCT FROM $6
  AND "claim_token" IS NOT DISTINCT FROM $7
  AND "attempt" IS NOT DISTINCT FROM $8
  AND "retry_allowed" IS NOT DISTINCT FROM $9
  AND "created_at" IS NOT DISTINCT FROM $10
  AND "claimed_at" IS NOT DISTINCT FROM $11
  AND "renewed_at" IS NOT DISTINCT FROM $12
  AND "lease_expires_at" IS NOT DISTINCT FROM $13
  AND "finished_at" IS NOT DISTINCT FROM $14
  AND "expires_at" IS NOT DISTINCT FROM $15
FOR UPDATE NOWAIT

-- reap_lock_row, varied
SELECT 1
FROM "idempotency_keys"
WHERE "idempotency_key" = $1 AND "scope" IS NULL
  AND "status" = 'in_progress'
  AND "status" IS NOT DISTINCT FROM $6
  AND "claim_token" IS NOT DISTINCT FROM $7
  AND "attempt" IS NOT DISTINCT FROM $8
  AND "retry_allowed" IS NOT DISTINCT FROM $9
  AND "created_at" IS NOT DISTINCT FROM $10
  AND "claimed_at" IS NOT DISTINCT FROM $11
  AND "renewed_at" IS NOT DISTINCT FROM $12
  AND "lease_expires_at" IS NOT DISTINCT FROM $13
  AND "finished_at" IS NOT DISTINCT FROM $14
  AND "expires_at" IS NOT DISTINCT FROM $15
FOR UPDATE NOWAIT

-- reap_unrecognized
SELECT count(*) FROM (
    SELECT 1 FROM "idempotency_keys"
    WHERE (("renewed_at" <= $1 OR ("renewed_at" IS NULL AND "claimed_at" <= $2))
            AND (("status" IN ('in_progress', 'completed', 'failed')) IS NOT TRUE OR ("status" = 'in_progress' AND ("renewed_at" <= $3 OR ("renewed_at" IS NULL AND "claimed_at" <= $4))))
        OR ("status" = 'in_progress' AND (1 = 0)))
        AND (1 = 1)
    LIMIT $5) AS strange

-- reap_ageless
SELECT count(*) FROM (SELECT 1 FROM "idempotency_keys" WHERE "status" = 'in_progress' AND (1 = 0) LIMIT $1) AS ageless

-- fail_row
UPDATE "idempotency_keys"
SET status = 'failed',
claim_token = NULL,
retry_allowed = (retry_allowed AND $4),
failure = $5,
lease_expires_at = NULL,
finished_at = clock_timestamp(),
expires_at = CASE WHEN expires_at > timestamptz '100000-01-01 00:00:00+00' THEN expires_at ELSE clock_timestamp() + CASE WHEN isfinite(expires_at) AND expires_at > timestamptz '2000-01-01 00:00:00+00' AND isfinite(claimed_at) AND claimed_at > timestamptz '2000-01-01 00:00:00+00' AND expires_at >= claimed_at + interval '1 second' THEN CAST(extract(epoch FROM expires_at - claimed_at) * 1000000 AS double precision) * interval '1 microsecond' ELSE interval '24 hours' END END
WHERE "idempotency_key" = $1 AND "scope" = $2
  AND "status" = 'in_progress'
  AND "status" IS NOT DISTINCT FROM $6
  AND "claim_token" IS NOT DISTINCT FROM $7
  AND "attempt" IS NOT DISTINCT FROM $8
  AND "retry_allowed" IS NOT DISTINCT FROM $9
  AND "created_at" IS NOT DISTINCT FROM $10
  AND "claimed_at" IS NOT DISTINCT FROM $11
  AND "renewed_at" IS NOT DISTINCT FROM $12
  AND "lease_expires_at" IS NOT DISTINCT FROM $13
  AND "finished_at" IS NOT DISTINCT FROM $14
  AND "expires_at" IS NOT DISTINCT FROM $15

-- fail_row, varied
UPDATE "idempotency_keys"
SET status = 'failed',
claim_token = NULL,
retry_allowed = (retry_allowed AND $4),
failure = $5,
lease_expires_at = NULL,
finished_at = (clock_timestamp() + -5 * interval '1 microsecond'),
expires_at = CASE WHEN expires_at > timestamptz '100000-01-01 00:00:00+00' THEN expires_at ELSE (clock_timestamp() + -5 * interval '1 microsecond') + CASE WHEN isfinite(expires_at) AND expires_at > timestamptz '2000-01-01 00:00:00+00' AND isfinite(claimed_at) AND claimed_at > timestamptz '2000-01-01 00:00:00+00' AND expires_at >= claimed_at + interval '1 second' THEN CAST(extract(epoch FROM expires_at - claimed_at) * 1000000 AS double precision) * interval '1 microsecond' ELSE interval '24 hours' END END
WHERE "idempotency_key" = $1 AND "scope" IS NULL
  AND "status" = 'in_progress'
  AND "status" IS NOT DISTINCT FROM $6
  AND "claim_token" IS NOT DISTINCT FROM $7
  AND "attempt" IS NOT DISTINCT FROM $8
  AND "retry_allowed" IS NOT DISTINCT FROM $9
  AND "created_at" IS NOT DISTINCT FROM $10
  AND "claimed_at" IS NOT DISTINCT FROM $11
  AND "renewed_at" IS NOT DISTINCT FROM $12
  AND "lease_expires_at" IS NOT DISTINCT FROM $13
  AND "finished_at" IS NOT DISTINCT FROM $14
  AND "expires_at" IS NOT DISTINCT FROM $15

-- pass_record
INSERT INTO idemctl_lease (table_name, pass, until, last_started, last_success, rate)
VALUES ($1, $2, clock_timestamp(), $3, $4, $5)
ON CONFLICT (table_name, pass) DO UPDATE
SET last_started = excluded.last_started,
    last_success = COALESCE(excluded.last_success, idemctl_lease.last_success),
    rate = COALESCE(excluded.rate, idemctl_lease.rate)

-- pass_record, varied
INSERT INTO idemctl_lease (table_name, pass, until, last_started, last_success, rate)
VALUES ($1, $2, (clock_timestamp() + -5 * interval '1 microsecond'), $3, $4, $5)
ON CONFLICT (table_name, pass) DO UPDATE
SET last_started = excluded.last_started,
    last_success = COALESCE(excluded.last_success, idemctl_lease.last_success),
    rate = COALESCE(excluded.rate, idemctl_lease.rate)

-- pass_read
SELECT last_started, last_success, rate FROM idemctl_lease WHERE table_name = $1 AND pass = $2

-- stats_quick
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM "idempotency_keys" WHERE "status" = 'in_progress' LIMIT $3) AS a),
    (SELECT count(*) FROM (SELECT 1 FROM "idempotency_keys" WHERE "status" = 'failed' LIMIT $3) AS b),
    (SELECT count(*) FROM (
        SELECT 1 FROM "idempotency_keys"
        WHERE "status" = 'in_progress' AND "claimed_at" <= $1 AND "claimed_at" > $7 AND ("renewed_at" IS NULL OR ("renewed_at" <= $5 AND "renewed_at" > $8)) AND ("lease_expires_at" IS NULL OR "lease_expires_at" <= $6)
        LIMIT $3) AS c),
    (SELECT "claimed_at" FROM "idempotency_keys" WHERE "status" = 'in_progress' AND "claimed_at" > $7 ORDER BY "claimed_at" LIMIT 1),
    (SELECT count(*) FROM (
        SELECT 1 FROM "idempotency_keys" WHERE "expires_at" > $4 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed') LIMIT $3) AS d),
    (SELECT "expires_at" FROM "idempotency_keys" WHERE "expires_at" > $4 AND "status" IN ('completed', 'failed') ORDER BY "expires_at" LIMIT 1),
    (SELECT "renewed_at" FROM "idempotency_keys"
        WHERE "status" = 'in_progress' AND "claimed_at" <= $1 AND "claimed_at" > $7 AND ("renewed_at" IS NULL OR ("renewed_at" <= $5 AND "renewed_at" > $8)) AND ("lease_expires_at" IS NULL OR "lease_expires_at" <= $6)
        ORDER BY "claimed_at" LIMIT 1),
    clock_timestamp()

-- stats_quick, varied
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM "idempotency_keys" WHERE "status" = 'in_progress' LIMIT $3) AS a),
    (SELECT count(*) FROM (SELECT 1 FROM "idempotency_keys" WHERE "status" = 'failed' LIMIT $3) AS b),
    (SELECT count(*) FROM (
        SELECT 1 FROM "idempotency_keys"
        WHERE "status" = 'in_progress' AND "claimed_at" <= $1 AND "claimed_at" > $7 AND ("renewed_at" IS NULL OR ("renewed_at" <= $5 AND "renewed_at" > $8)) AND ("lease_expires_at" IS NULL OR "lease_expires_at" <= $6)
        LIMIT $3) AS c),
    (SELECT "claimed_at" FROM "idempotency_keys" WHERE "status" = 'in_progress' AND "claimed_at" > $7 ORDER BY "claimed_at" LIMIT 1),
    (SELECT count(*) FROM (
        SELECT 1 FROM "idempotency_keys" WHERE "expires_at" > $4 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed') LIMIT $3) AS d),
    (SELECT "expires_at" FROM "idempotency_keys" WHERE "expires_at" > $4 AND "status" IN ('completed', 'failed') ORDER BY "expires_at" LIMIT 1),
    (SELECT "renewed_at" FROM "idempotency_keys"
        WHERE "status" = 'in_progress' AND "claimed_at" <= $1 AND "claimed_at" > $7 AND ("renewed_at" IS NULL OR ("renewed_at" <= $5 AND "renewed_at" > $8)) AND ("lease_expires_at" IS NULL OR "lease_expires_at" <= $6)
        ORDER BY "claimed_at" LIMIT 1),
    (clock_timestamp() + -5 * interval '1 microsecond')

-- stats_exact
SELECT count(*), count(CASE WHEN "status" = 'in_progress' THEN 1 END), count(CASE WHEN "status" = 'failed' THEN 1 END),
    count(CASE WHEN ("status" IN ('in_progress', 'completed', 'failed')) IS NOT TRUE THEN 1 END), count(CASE WHEN (1 = 0) THEN 1 END)
FROM "idempotency_keys"
WHERE (1 = 1)

-- stats_rows
SELECT count(*) FROM "idempotency_keys" WHERE (1 = 1)

-- stats_rows, varied
SELECT 1 FROM "idempotency_keys" WHERE (1 = 1)

-- stats_unknown
SELECT count(*) FROM "idempotency_keys" WHERE ("status" IN ('in_progress', 'completed', 'failed')) IS NOT TRUE AND (1 = 1)

-- stats_unknown, varied
SELECT 1 FROM "idempotency_keys" WHERE ("status" IN ('in_progress', 'completed', 'failed')) IS NOT TRUE AND (1 = 1)

-- stats_kept
SELECT count(*) FROM "idempotency_keys" WHERE (1 = 0) AND (1 = 1)

-- stats_kept, varied
SELECT 1 FROM "idempotency_keys" WHERE (1 = 0) AND (1 = 1)

-- stays_busy
SELECT count(*) FROM (
    SELECT 1 FROM "idempotency_keys" WHERE "expires_at" > $1 AND "expires_at" <= $2 AND "status" = 'in_progress' LIMIT $3) AS busy

-- stays_undated
SELECT count(*) FROM "idempotency_keys" WHERE ("expires_at" IS NULL) AND (1 = 1)

-- stays_undated, varied
SELECT 1 FROM "idempotency_keys" WHERE ("expires_at" IS NULL) AND (1 = 1)

-- stats_sizes
WITH RECURSIVE tree (oid) AS (
    SELECT CAST(to_regclass($1) AS oid)
    UNION
    SELECT i.inhrelid FROM pg_inherits AS i JOIN tree ON i.inhparent = tree.oid),
parts AS (
    SELECT c.oid,
        COALESCE(NULLIF(pg_stat_get_live_tuples(c.oid), 0), CAST(NULLIF(c.reltuples, -1) AS bigint),
            CASE WHEN c.relkind <> 'f' AND pg_relation_size(c.oid) = 0 THEN 0 END) AS about
    FROM pg_class AS c JOIN tree ON tree.oid = c.oid
    WHERE c.relkind <> 'p')
SELECT
    CASE WHEN bool_and(about IS NOT NULL) THEN CAST(sum(about) AS bigint) END,
    CAST(COALESCE(sum(pg_table_size(oid)), 0) AS bigint), CAST(COALESCE(sum(pg_indexes_size(oid)), 0) AS bigint)
FROM parts

-- stats_scopes
SELECT "scope", count(*) FROM "idempotency_keys" WHERE (1 = 1) GROUP BY "scope" ORDER BY count(*) DESC, "scope" LIMIT $1

-- stats_scopes_quick
SELECT v.value, CAST(v.share * 1000000 AS bigint)
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_stats AS s ON s.schemaname = n.nspname AND s.tablename = c.relname,
    LATERAL unnest(CAST(CAST(s.most_common_vals AS text) AS text[]), s.most_common_freqs) AS v (value, share)
WHERE c.oid = to_regclass($1) AND s.attname = $2
ORDER BY v.share DESC, v.value
LIMIT $3

-- stats_claims
SELECT count(*) FROM "idempotency_keys" WHERE "claimed_at" > $1 AND "claimed_at" <= $2 AND (1 = 1)

-- stats_claims, varied
SELECT 1 FROM "idempotency_keys" WHERE "claimed_at" > $1 AND "claimed_at" <= $2 AND (1 = 1)

-- stats_expiries
SELECT count(*) FROM "idempotency_keys" WHERE "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed')

-- stats_expiries, varied
SELECT 1 FROM "idempotency_keys" WHERE "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- release_row
UPDATE "idempotency_keys"
SET retry_allowed = true,
expires_at = CASE WHEN expires_at > timestamptz '100000-01-01 00:00:00+00' THEN expires_at ELSE clock_timestamp() + CASE WHEN isfinite(expires_at) AND expires_at > timestamptz '2000-01-01 00:00:00+00' AND isfinite(claimed_at) AND claimed_at > timestamptz '2000-01-01 00:00:00+00' AND expires_at >= claimed_at + interval '1 second' THEN CAST(extract(epoch FROM expires_at - claimed_at) * 1000000 AS double precision) * interval '1 microsecond' ELSE interval '24 hours' END END
WHERE "idempotency_key" = $1 AND "scope" = $2
  AND "status" = 'failed'
  AND "status" IS NOT DISTINCT FROM $6
  AND "claim_token" IS NOT DISTINCT FROM $7
  AND "attempt" IS NOT DISTINCT FROM $8
  AND "retry_allowed" IS NOT DISTINCT FROM $9
  AND "created_at" IS NOT DISTINCT FROM $10
  AND "claimed_at" IS NOT DISTINCT FROM $11
  AND "renewed_at" IS NOT DISTINCT FROM $12
  AND "lease_expires_at" IS NOT DISTINCT FROM $13
  AND "finished_at" IS NOT DISTINCT FROM $14
  AND "expires_at" IS NOT DISTINCT FROM $15

-- release_row, varied
UPDATE "idempotency_keys"
SET retry_allowed = true,
expires_at = CASE WHEN expires_at > timestamptz '100000-01-01 00:00:00+00' THEN expires_at ELSE (clock_timestamp() + -5 * interval '1 microsecond') + CASE WHEN isfinite(expires_at) AND expires_at > timestamptz '2000-01-01 00:00:00+00' AND isfinite(claimed_at) AND claimed_at > timestamptz '2000-01-01 00:00:00+00' AND expires_at >= claimed_at + interval '1 second' THEN CAST(extract(epoch FROM expires_at - claimed_at) * 1000000 AS double precision) * interval '1 microsecond' ELSE interval '24 hours' END END
WHERE "idempotency_key" = $1 AND "scope" IS NULL
  AND "status" = 'failed'
  AND "status" IS NOT DISTINCT FROM $6
  AND "claim_token" IS NOT DISTINCT FROM $7
  AND "attempt" IS NOT DISTINCT FROM $8
  AND "retry_allowed" IS NOT DISTINCT FROM $9
  AND "created_at" IS NOT DISTINCT FROM $10
  AND "claimed_at" IS NOT DISTINCT FROM $11
  AND "renewed_at" IS NOT DISTINCT FROM $12
  AND "lease_expires_at" IS NOT DISTINCT FROM $13
  AND "finished_at" IS NOT DISTINCT FROM $14
  AND "expires_at" IS NOT DISTINCT FROM $15

-- forget_row
DELETE FROM "idempotency_keys"
WHERE "idempotency_key" = $1 AND "scope" = $2
  AND "status" IS NOT DISTINCT FROM $6
  AND "claim_token" IS NOT DISTINCT FROM $7
  AND "attempt" IS NOT DISTINCT FROM $8
  AND "retry_allowed" IS NOT DISTINCT FROM $9
  AND "created_at" IS NOT DISTINCT FROM $10
  AND "claimed_at" IS NOT DISTINCT FROM $11
  AND "renewed_at" IS NOT DISTINCT FROM $12
  AND "lease_expires_at" IS NOT DISTINCT FROM $13
  AND "finished_at" IS NOT DISTINCT FROM $14
  AND "expires_at" IS NOT DISTINCT FROM $15

-- forget_row, varied
DELETE FROM "idempotency_keys"
WHERE "idempotency_key" = $1 AND "scope" IS NULL
  AND "status" IS NOT DISTINCT FROM $6
  AND "claim_token" IS NOT DISTINCT FROM $7
  AND "attempt" IS NOT DISTINCT FROM $8
  AND "retry_allowed" IS NOT DISTINCT FROM $9
  AND "created_at" IS NOT DISTINCT FROM $10
  AND "claimed_at" IS NOT DISTINCT FROM $11
  AND "renewed_at" IS NOT DISTINCT FROM $12
  AND "lease_expires_at" IS NOT DISTINCT FROM $13
  AND "finished_at" IS NOT DISTINCT FROM $14
  AND "expires_at" IS NOT DISTINCT FROM $15

-- unchanged_row
SELECT 1
FROM "idempotency_keys"
WHERE "idempotency_key" = $1 AND "scope" = $2
  AND "status" IS NOT DISTINCT FROM $6
  AND "claim_token" IS NOT DISTINCT FROM $7
  AND "attempt" IS NOT DISTINCT FROM $8
  AND "retry_allowed" IS NOT DISTINCT FROM $9
  AND "created_at" IS NOT DISTINCT FROM $10
  AND "claimed_at" IS NOT DISTINCT FROM $11
  AND "renewed_at" IS NOT DISTINCT FROM $12
  AND "lease_expires_at" IS NOT DISTINCT FROM $13
  AND "finished_at" IS NOT DISTINCT FROM $14
  AND "expires_at" IS NOT DISTINCT FROM $15

-- unchanged_row, varied
SELECT 1
FROM "idempotency_keys"
WHERE "idempotency_key" = $1 AND "scope" IS NULL
  AND "status" IS NOT DISTINCT FROM $6
  AND "claim_token" IS NOT DISTINCT FROM $7
  AND "attempt" IS NOT DISTINCT FROM $8
  AND "retry_allowed" IS NOT DISTINCT FROM $9
  AND "created_at" IS NOT DISTINCT FROM $10
  AND "claimed_at" IS NOT DISTINCT FROM $11
  AND "renewed_at" IS NOT DISTINCT FROM $12
  AND "lease_expires_at" IS NOT DISTINCT FROM $13
  AND "finished_at" IS NOT DISTINCT FROM $14
  AND "expires_at" IS NOT DISTINCT FROM $15

-- row_blocking_triggers
WITH RECURSIVE tree (oid) AS (
    SELECT CAST(to_regclass($1) AS oid)
    UNION
    SELECT i.inhrelid FROM pg_inherits AS i JOIN tree ON i.inhparent = tree.oid),
policy AS (
    SELECT p.polname, p.polpermissive, pg_get_expr(p.polqual, p.polrelid) AS condition
    FROM pg_policy AS p
    WHERE p.polrelid = CAST(to_regclass($1) AS oid) AND row_security_active(p.polrelid)
        AND CAST(p.polcmd AS text) IN ('*', CASE WHEN $2 THEN 'd' ELSE 'w' END)
        AND (0 = ANY (p.polroles) OR EXISTS (
            SELECT 1 FROM unnest(p.polroles) AS r (oid) WHERE pg_has_role(r.oid, 'USAGE'))))
SELECT k.name FROM (
    SELECT 'trigger ' || t.tgname AS name FROM pg_trigger AS t
    WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND t.tgtype & 3 = 3
        AND t.tgtype & CASE WHEN $2 THEN 8 ELSE 16 END <> 0
        AND t.tgrelid IN (SELECT oid FROM tree)
    UNION
    SELECT 'rule ' || r.rulename FROM pg_rewrite AS r
    WHERE r.ev_class = CAST(to_regclass($1) AS oid) AND r.is_instead AND r.ev_enabled IN ('O', 'A')
        AND CAST(r.ev_type AS text) = CASE WHEN $2 THEN '4' ELSE '2' END
    UNION
    SELECT 'policy ' || p.polname FROM policy AS p WHERE p.condition <> 'true'
    UNION
    SELECT 'row level security, which has no policy for ' || CASE WHEN $2 THEN 'DELETE' ELSE 'UPDATE' END
    WHERE row_security_active(CAST(to_regclass($1) AS oid))
        AND NOT EXISTS (SELECT 1 FROM policy AS p WHERE p.polpermissive)) AS k
ORDER BY k.name
LIMIT 20

-- audit_rows
SELECT at, idempotency_key, scope, command, action, actor, host, reason, row_before
FROM idemctl_audit

-- inbound_keys
SELECT
    CAST(c.conname AS text),
    CAST(CAST(c.conrelid AS regclass) AS text),
    CASE c.confdeltype
        WHEN 'c' THEN 'CASCADE' WHEN 'n' THEN 'SET NULL' WHEN 'd' THEN 'SET DEFAULT'
        WHEN 'r' THEN 'RESTRICT' ELSE 'NO ACTION' END,
    CASE WHEN has_schema_privilege(t.relnamespace, 'USAGE') AND has_table_privilege(t.oid, 'SELECT') THEN
    (SELECT string_agg(
         format('r.%I = %s.%I', ra.attname, CAST(c.confrelid AS regclass), ka.attname)
             || CASE WHEN ro.collisdeterministic AND ko.collisdeterministic AND ro.oid <> ko.oid
                THEN format(' COLLATE %s', CAST(ro.oid AS regcollation))
                ELSE '' END, ' AND ')
     FROM unnest(c.conkey, c.confkey) AS p (r, k)
     JOIN pg_attribute AS ra ON ra.attrelid = c.conrelid AND ra.attnum = p.r
     JOIN pg_attribute AS ka ON ka.attrelid = c.confrelid AND ka.attnum = p.k
     LEFT JOIN pg_collation AS ro ON ro.oid = ra.attcollation
     LEFT JOIN pg_collation AS ko ON ko.oid = ka.attcollation) END
FROM pg_constraint AS c JOIN pg_class AS t ON t.oid = c.conrelid
WHERE c.contype = 'f' AND c.confrelid = to_regclass($1)
ORDER BY 2, 1

-- purge_step
SELECT n.shown,
    (SELECT count(*) FROM (
        SELECT 1 FROM "idempotency_keys" WHERE "expires_at" = n.expiry AND "status" IN ('completed', 'failed') LIMIT $4) AS tied)
FROM (
    SELECT "expires_at" AS expiry, "expires_at" AS shown
    FROM "idempotency_keys"
    WHERE "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed')
    ORDER BY "expires_at"
    LIMIT 1 OFFSET $3) AS n

-- purge_order
SELECT 1 FROM "idempotency_keys"
WHERE "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed')
ORDER BY "expires_at"
LIMIT 1 OFFSET $3

-- purge_range
DELETE FROM "idempotency_keys"
WHERE "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed')

-- purge_range, varied
DELETE FROM "idempotency_keys"
WHERE "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_count
SELECT count(*) FROM (
    SELECT 1 FROM "idempotency_keys" WHERE "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed') LIMIT $3) AS due

-- purge_blockers
WITH RECURSIVE tree (oid) AS (
    SELECT CAST(to_regclass($1) AS oid)
    UNION
    SELECT i.inhrelid FROM pg_inherits AS i JOIN tree ON i.inhparent = tree.oid)
SELECT
    CAST(c.relkind AS text),
    row_security_active(c.oid) AND EXISTS (
        SELECT 1 FROM (VALUES ('r'), ('d')) AS w (command)
        WHERE NOT EXISTS (
                SELECT 1 FROM pg_policy AS p
                WHERE p.polrelid = c.oid AND p.polpermissive AND CAST(p.polcmd AS text) IN ('*', w.command)
                    AND pg_get_expr(p.polqual, p.polrelid) = 'true'
                    AND (0 = ANY (p.polroles) OR EXISTS (
                        SELECT 1 FROM unnest(p.polroles) AS r (oid) WHERE pg_has_role(r.oid, 'USAGE'))))
            OR EXISTS (
                SELECT 1 FROM pg_policy AS q
                WHERE q.polrelid = c.oid AND NOT q.polpermissive AND CAST(q.polcmd AS text) IN ('*', w.command)
                    AND pg_get_expr(q.polqual, q.polrelid) <> 'true'
                    AND (0 = ANY (q.polroles) OR EXISTS (
                        SELECT 1 FROM unnest(q.polroles) AS r (oid) WHERE pg_has_role(r.oid, 'USAGE'))))),
    has_table_privilege(c.oid, 'DELETE'),
    CAST(current_user AS text),
    (SELECT CAST(json_agg(k.name ORDER BY k.name) AS text) FROM (
        SELECT 'trigger ' || t.tgname AS name FROM pg_trigger AS t
        WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND t.tgtype & 11 = 11
            AND t.tgrelid IN (SELECT oid FROM tree)
        UNION
        SELECT 'rule ' || r.rulename FROM pg_rewrite AS r
        WHERE r.ev_class = c.oid AND r.ev_type = '4' AND r.is_instead AND r.ev_enabled IN ('O', 'A')
        LIMIT 20) AS k),
    (SELECT CAST(CAST(min(f.oid) AS regclass) AS text)
     FROM pg_class AS f WHERE f.relkind = 'f' AND f.oid IN (SELECT oid FROM tree) AND f.oid <> c.oid)
FROM pg_class AS c
WHERE c.oid = to_regclass($1)

-- purge_unrecognized
SELECT count(*) FROM (
    SELECT 1 FROM "idempotency_keys"
    WHERE ("expires_at" <= $2 AND ("expires_at" <= $1 OR (("status" IN ('in_progress', 'completed', 'failed')) IS NOT TRUE)) OR (1 = 0)) AND (1 = 1)
    LIMIT $3) AS strange

-- purge_left
SELECT
    (SELECT count(*) FROM (
        SELECT 1 FROM "idempotency_keys" WHERE "expires_at" > $1 AND "expires_at" <= $2 AND "status" = 'in_progress' LIMIT $3) AS at_work),
    (SELECT count(*) FROM (
        SELECT 1 FROM "idempotency_keys" WHERE "expires_at" > $1 AND "expires_at" <= $2 AND (1 = 0) LIMIT $3) AS held)

-- purge_limited
DELETE FROM "idempotency_keys"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "idempotency_keys"
    WHERE "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed')
    ORDER BY "expires_at"
    LIMIT $3
    FOR UPDATE SKIP LOCKED))
  AND "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed')

-- purge_limited, varied
DELETE FROM "idempotency_keys"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "idempotency_keys"
    WHERE "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
    ORDER BY "expires_at"
    LIMIT $3
    FOR UPDATE SKIP LOCKED))
  AND "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_range_skip_locked
DELETE FROM "idempotency_keys"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "idempotency_keys"
    WHERE "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed')
    FOR UPDATE SKIP LOCKED))
  AND "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed')

-- purge_range_skip_locked, varied
DELETE FROM "idempotency_keys"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "idempotency_keys"
    WHERE "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed')
    FOR UPDATE SKIP LOCKED))
  AND "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied
DELETE FROM "idempotency_keys"
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid) AND "expires_at" > $3 AND "expires_at" <= $4 AND "status" IN ('completed', 'failed')

-- purge_tied, varied
DELETE FROM "idempotency_keys"
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid) AND "expires_at" > $3 AND "expires_at" <= $4 AND "status" IN ('completed', 'failed') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied_referenced
DELETE FROM "idempotency_keys"
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ("expires_at" > $3 AND "expires_at" <= $4 AND "status" IN ('completed', 'failed')) IS TRUE

-- purge_tied_referenced, varied
DELETE FROM "idempotency_keys"
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ("expires_at" > $3 AND "expires_at" <= $4 AND "status" IN ('completed', 'failed')) IS TRUE AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied_skip_locked
DELETE FROM "idempotency_keys"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "idempotency_keys"
    WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
      AND ("expires_at" > $3 AND "expires_at" <= $4 AND "status" IN ('completed', 'failed')) IS TRUE
    LIMIT $5
    FOR UPDATE SKIP LOCKED))
  AND ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ("expires_at" > $3 AND "expires_at" <= $4 AND "status" IN ('completed', 'failed')) IS TRUE

-- purge_tied_skip_locked, varied
DELETE FROM "idempotency_keys"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "idempotency_keys"
    WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
      AND ("expires_at" > $3 AND "expires_at" <= $4 AND "status" IN ('completed', 'failed')) IS TRUE AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
    LIMIT $5
    FOR UPDATE SKIP LOCKED))
  AND ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ("expires_at" > $3 AND "expires_at" <= $4 AND "status" IN ('completed', 'failed')) IS TRUE AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied_extent
WITH RECURSIVE tree (oid) AS (
    SELECT CAST(to_regclass($3) AS oid)
    UNION
    SELECT i.inhrelid FROM pg_inherits AS i JOIN tree ON i.inhparent = tree.oid),
heaps AS (
    SELECT pg_relation_size(c.oid) / CAST(current_setting('block_size') AS bigint) AS blocks
    FROM tree
    JOIN pg_class AS c ON c.oid = tree.oid
    WHERE c.relkind = 'r' AND NOT pg_is_other_temp_schema(c.relnamespace)),
size AS (
    SELECT CAST(sum(blocks) AS bigint) AS blocks, max(blocks) AS longest, count(*) AS tables FROM heaps),
sample AS (
    SELECT count(*) AS seen,
        count(*) FILTER (WHERE "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed')) AS tied
    FROM "idempotency_keys" TABLESAMPLE SYSTEM ((SELECT least(100, 20000.0 / greatest(blocks, 1)) FROM size))),
dense AS (
    SELECT blocks, longest, tables, blocks > 0 AND tied >= 0.9 * seen AND tied >= least(blocks, 200) AS is_dense
    FROM size, sample),
found AS (
    SELECT count(*) AS tied, min(ctid) AS first, max(ctid) AS last
    FROM "idempotency_keys"
    WHERE (SELECT NOT is_dense FROM dense) AND "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed'))
SELECT
    CASE WHEN is_dense THEN '0' ELSE split_part(trim('(' FROM CAST(first AS text)), ',', 1) END,
    CASE WHEN is_dense THEN CAST(longest - 1 AS text)
         ELSE split_part(trim('(' FROM CAST(last AS text)), ',', 1) END,
    CASE WHEN is_dense THEN blocks ELSE tied END,
    tables
FROM dense, found

-- heap_extent
WITH RECURSIVE tree (oid) AS (
    SELECT CAST(to_regclass($1) AS oid)
    UNION
    SELECT i.inhrelid FROM pg_inherits AS i JOIN tree ON i.inhparent = tree.oid)
SELECT max(pg_relation_size(c.oid)) / CAST(current_setting('block_size') AS bigint), count(*)
FROM tree
JOIN pg_class AS c ON c.oid = tree.oid
WHERE c.relkind = 'r' AND NOT pg_is_other_temp_schema(c.relnamespace)

-- purge_keys_ends
SELECT clock_timestamp()

-- purge_keys_ends, varied
SELECT (clock_timestamp() + -5 * interval '1 microsecond')

-- purge_keys_step
SELECT clock_timestamp()

-- purge_keys_step, varied
SELECT (clock_timestamp() + -5 * interval '1 microsecond')

-- purge_keys
SELECT clock_timestamp()

-- purge_keys, varied
SELECT (clock_timestamp() + -5 * interval '1 microsecond')

-- purge_keys_limited
SELECT clock_timestamp()

-- purge_keys_limited, varied
SELECT (clock_timestamp() + -5 * interval '1 microsecond')

-- purge_due
SELECT "idempotency_key", "scope", CAST(ctid AS text) FROM "idempotency_keys"
WHERE "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed')
ORDER BY "expires_at"
LIMIT $3 OFFSET $4

-- purge_due, varied
SELECT "idempotency_key", "scope", CAST(ctid AS text) FROM "idempotency_keys"
WHERE "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
ORDER BY "expires_at"
LIMIT $3 OFFSET $4

-- purge_due_piece
SELECT "idempotency_key", "scope", CAST(ctid AS text) FROM "idempotency_keys"
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ("expires_at" > $3 AND "expires_at" <= $4 AND "status" IN ('completed', 'failed')) IS TRUE

-- purge_due_piece, varied
SELECT "idempotency_key", "scope", CAST(ctid AS text) FROM "idempotency_keys"
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ("expires_at" > $3 AND "expires_at" <= $4 AND "status" IN ('completed', 'failed')) IS TRUE AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_listed
DELETE FROM "idempotency_keys"
WHERE ctid = ANY (CAST($3 AS tid[])) AND "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed')

-- purge_listed, varied
DELETE FROM "idempotency_keys"
WHERE ctid = ANY (CAST($3 AS tid[])) AND "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_listed_skip_locked
DELETE FROM "idempotency_keys"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "idempotency_keys"
    WHERE ctid = ANY (CAST($3 AS tid[])) AND "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed')
    FOR UPDATE SKIP LOCKED))
  AND ctid = ANY (CAST($3 AS tid[])) AND "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed')

-- purge_listed_skip_locked, varied
DELETE FROM "idempotency_keys"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "idempotency_keys"
    WHERE ctid = ANY (CAST($3 AS tid[])) AND "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
    FOR UPDATE SKIP LOCKED))
  AND ctid = ANY (CAST($3 AS tid[])) AND "expires_at" > $1 AND "expires_at" <= $2 AND "status" IN ('completed', 'failed') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- audit_insert
INSERT INTO idemctl_audit (
    at, table_name, idempotency_key, scope, command, action, actor, host, reason, row_before)
VALUES (clock_timestamp(), $1, $2, $3, $4, $5, $6, $7, $8, $9)

-- audit_insert, varied
INSERT INTO idemctl_audit (
    at, table_name, idempotency_key, scope, command, action, actor, host, reason, row_before)
VALUES ((clock_timestamp() + -5 * interval '1 microsecond'), $1, $2, $3, $4, $5, $6, $7, $8, $9)

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
SELECT CAST(to_regclass('idemctl_audit') IS NOT NULL AS integer)

-- migrations_applied
SELECT version, checksum, applied_at,
    COALESCE(row_security_active(to_regclass('idempotency_keys')), false)
        OR COALESCE(row_security_active(to_regclass('idemctl_audit')), false),
    pg_is_in_recovery()
FROM idemctl_migrations ORDER BY version

-- table_rights
SELECT has_table_privilege(c.oid, 'SELECT'), has_table_privilege(c.oid, 'INSERT'), has_table_privilege(c.oid, 'UPDATE'),
    has_table_privilege(c.oid, 'DELETE'), CAST(current_user AS text)
FROM pg_class AS c
WHERE c.oid = to_regclass($1)

-- row_security
SELECT COALESCE(row_security_active(to_regclass($1)), false), CAST(current_user AS text)

-- visibility
SELECT v.what, CAST(current_user AS text),
    row_security_active(c.oid) AND (
        NOT EXISTS (
            SELECT 1 FROM pg_policy AS p
            WHERE p.polrelid = c.oid AND p.polpermissive AND p.polcmd IN ('*', 'r')
                AND pg_get_expr(p.polqual, p.polrelid) = 'true'
                AND (0 = ANY (p.polroles) OR EXISTS (
                    SELECT 1 FROM unnest(p.polroles) AS r (oid) WHERE pg_has_role(r.oid, 'USAGE'))))
        OR EXISTS (
            SELECT 1 FROM pg_policy AS q
            WHERE q.polrelid = c.oid AND NOT q.polpermissive AND q.polcmd IN ('*', 'r')
                AND pg_get_expr(q.polqual, q.polrelid) <> 'true'
                AND (0 = ANY (q.polroles) OR EXISTS (
                    SELECT 1 FROM unnest(q.polroles) AS r (oid) WHERE pg_has_role(r.oid, 'USAGE')))))
FROM (VALUES ('table', to_regclass($1)), ('audit', to_regclass('idemctl_audit'))) AS v (what, oid)
JOIN pg_class AS c ON c.oid = v.oid

-- standby
SELECT clock_timestamp(), pg_last_xact_replay_timestamp(),
    CAST(pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) AS bigint),
    pg_is_wal_replay_paused(),
    EXISTS (SELECT 1 FROM pg_stat_wal_receiver WHERE pid IS NOT NULL)
FROM (SELECT 1) AS one
WHERE pg_is_in_recovery()

-- migration_record
INSERT INTO idemctl_migrations (version, name, checksum, applied_at)
VALUES ($1, $2, $3, clock_timestamp())
ON CONFLICT (version) DO NOTHING

-- migration_record, varied
INSERT INTO idemctl_migrations (version, name, checksum, applied_at)
VALUES ($1, $2, $3, (clock_timestamp() + -5 * interval '1 microsecond'))
ON CONFLICT (version) DO NOTHING

-- lease_acquire
INSERT INTO idemctl_lease (table_name, pass, holder, until)
SELECT $1, $2, $3, c.now + $4 * interval '1 microsecond' FROM (SELECT clock_timestamp() AS now) AS c WHERE true
ON CONFLICT (table_name, pass) DO UPDATE
SET holder = excluded.holder, until = excluded.until
WHERE idemctl_lease.holder IS NULL OR idemctl_lease.holder = excluded.holder OR idemctl_lease.until <= clock_timestamp()

-- lease_acquire, varied
INSERT INTO idemctl_lease (table_name, pass, holder, until)
SELECT $1, $2, $3, c.now + $4 * interval '1 microsecond' FROM (SELECT (clock_timestamp() + -5 * interval '1 microsecond') AS now) AS c WHERE true
ON CONFLICT (table_name, pass) DO UPDATE
SET holder = excluded.holder, until = excluded.until
WHERE idemctl_lease.holder IS NULL OR idemctl_lease.holder = excluded.holder OR idemctl_lease.until <= (clock_timestamp() + -5 * interval '1 microsecond')

-- lease_release
UPDATE idemctl_lease SET holder = NULL, until = clock_timestamp() WHERE table_name = $1 AND pass = $2 AND holder = $3

-- lease_release, varied
UPDATE idemctl_lease SET holder = NULL, until = (clock_timestamp() + -5 * interval '1 microsecond') WHERE table_name = $1 AND pass = $2 AND holder = $3

-- leases_exist
SELECT CAST(to_regclass('idemctl_lease') IS NOT NULL AND to_regclass('idemctl_pause') IS NOT NULL AS integer)

-- leases_read
SELECT pass, holder, until, clock_timestamp(), last_started, last_success, rate
FROM idemctl_lease
WHERE table_name = $1

-- leases_read, varied
SELECT pass, holder, until, (clock_timestamp() + -5 * interval '1 microsecond'), last_started, last_success, rate
FROM idemctl_lease
WHERE table_name = $1

-- leases_release
UPDATE idemctl_lease SET holder = NULL, until = clock_timestamp() WHERE table_name = $1 AND holder = $2

-- leases_release, varied
UPDATE idemctl_lease SET holder = NULL, until = (clock_timestamp() + -5 * interval '1 microsecond') WHERE table_name = $1 AND holder = $2

-- pause_set
INSERT INTO idemctl_pause (id, reason, since, until, actor, host)
SELECT 1, $1, c.now, CASE WHEN $2 IS NULL THEN NULL ELSE c.now + $2 * interval '1 microsecond' END, $3, $4
FROM (SELECT clock_timestamp() AS now) AS c WHERE true
ON CONFLICT (id) DO UPDATE
SET reason = excluded.reason,
    since = CASE WHEN idemctl_pause.until <= excluded.since THEN excluded.since ELSE idemctl_pause.since END,
    until = excluded.until,
    actor = excluded.actor,
    host = excluded.host

-- pause_set, varied
INSERT INTO idemctl_pause (id, reason, since, until, actor, host)
SELECT 1, $1, c.now, CASE WHEN $2 IS NULL THEN NULL ELSE c.now + $2 * interval '1 microsecond' END, $3, $4
FROM (SELECT (clock_timestamp() + -5 * interval '1 microsecond') AS now) AS c WHERE true
ON CONFLICT (id) DO UPDATE
SET reason = excluded.reason,
    since = CASE WHEN idemctl_pause.until <= excluded.since THEN excluded.since ELSE idemctl_pause.since END,
    until = excluded.until,
    actor = excluded.actor,
    host = excluded.host

-- pause_read
SELECT reason, since, until, actor, host FROM idemctl_pause WHERE until IS NULL OR until > clock_timestamp()

-- pause_read, varied
SELECT reason, since, until, actor, host FROM idemctl_pause WHERE until IS NULL OR until > (clock_timestamp() + -5 * interval '1 microsecond')

-- pause_clear
DELETE FROM idemctl_pause

-- replication_lag
SELECT
    count(*),
    count(*) FILTER (WHERE state IS NULL),
    count(*) FILTER (WHERE replay_lsn < pg_current_wal_lsn() AND replay_lag IS NULL),
    CAST(max(extract(epoch FROM replay_lag) * 1000000) FILTER (WHERE replay_lsn < pg_current_wal_lsn()) AS bigint),
    CAST(pg_has_role('pg_read_all_stats', 'USAGE') AS integer)
FROM pg_stat_replication
WHERE state IS NULL OR replay_lsn IS NOT NULL

-- audit_expire
DELETE FROM idemctl_audit
WHERE id = ANY (ARRAY(SELECT id FROM idemctl_audit WHERE at < $1 ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED))
  AND at < $1

