-- claim_read
SELECT CAST("k$1" AS text), CAST("ORDER BY" AS text), CAST("a ' "" ` {x}" AS text), CAST(ctid AS text), CAST("status ?" AS text) AS shown_0, CAST("hash" AS text) AS shown_1, json_extract_path_text(CAST("answer" AS json), 'a', 'code') AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS uuid) AS shown_5, "tries" AS shown_6, CAST("worker" AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, "created" AS shown_11, "locked_at" AS shown_12, "beat" AS shown_13, "until" AS shown_14, CAST(NULL AS timestamptz) AS shown_15, "gone" AS shown_16, clock_timestamp(), json_extract_path_text(CAST("answer" AS json), 'a', 'code'), CAST(NULL AS text), CAST("answer" AS text), CAST(NULL AS bigint)
FROM "shop"."pay WHERE $1"
WHERE "k$1" = $1 AND CAST("k$1" AS text) COLLATE "C" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "a ' "" ` {x}" = $3 AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST($4 AS tid)

-- claim_read, varied
SELECT CAST("k$1" AS text), CAST("ORDER BY" AS text), CAST("a ' "" ` {x}" AS text), CAST(ctid AS text), CAST("status ?" AS text) AS shown_0, CAST("hash" AS text) AS shown_1, json_extract_path_text(CAST("answer" AS json), 'a', 'code') AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS uuid) AS shown_5, "tries" AS shown_6, CAST("worker" AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, "created" AS shown_11, "locked_at" AS shown_12, "beat" AS shown_13, "until" AS shown_14, CAST(NULL AS timestamptz) AS shown_15, "gone" AS shown_16, (clock_timestamp() + -5 * interval '1 microsecond'), json_extract_path_text(CAST("answer" AS json), 'a', 'code'), CAST(NULL AS text), CAST("answer" AS text), CAST(NULL AS bigint)
FROM "shop"."pay WHERE $1"
WHERE "k$1" = $1 AND CAST("k$1" AS text) COLLATE "C" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "a ' "" ` {x}" IS NULL AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST($4 AS tid)

-- claim_read, with NULLs
SELECT CAST("k$1" AS text), CAST("ORDER BY" AS text), CAST("a ' "" ` {x}" AS text), CAST(ctid AS text), CAST("status ?" AS text) AS shown_0, CAST("hash" AS text) AS shown_1, json_extract_path_text(CAST("answer" AS json), 'a', 'code') AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS uuid) AS shown_5, "tries" AS shown_6, CAST("worker" AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, "created" AS shown_11, "locked_at" AS shown_12, "beat" AS shown_13, "until" AS shown_14, CAST(NULL AS timestamptz) AS shown_15, "gone" AS shown_16, clock_timestamp(), json_extract_path_text(CAST("answer" AS json), 'a', 'code'), CAST(NULL AS text), CAST("answer" AS text), CAST(NULL AS bigint)
FROM "shop"."pay WHERE $1"
WHERE "k$1" = NULL AND CAST("k$1" AS text) COLLATE "C" = NULL AND "ORDER BY" = CAST(NULL AS integer) AND "a ' "" ` {x}" = NULL AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST(NULL AS tid)

-- inspect
SELECT CAST("k$1" AS text), CAST("ORDER BY" AS text), CAST("a ' "" ` {x}" AS text), CAST(ctid AS text), CAST("status ?" AS text) AS shown_0, CAST("hash" AS text) AS shown_1, json_extract_path_text(CAST("answer" AS json), 'a', 'code') AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS uuid) AS shown_5, "tries" AS shown_6, CAST("worker" AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, "created" AS shown_11, "locked_at" AS shown_12, "beat" AS shown_13, "until" AS shown_14, CAST(NULL AS timestamptz) AS shown_15, "gone" AS shown_16, clock_timestamp()
FROM "shop"."pay WHERE $1"
WHERE "k$1" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "kind" = 'pay''ment' AND "version" = '2'
ORDER BY "a ' "" ` {x}"

-- inspect, varied
SELECT CAST("k$1" AS text), CAST("ORDER BY" AS text), CAST("a ' "" ` {x}" AS text), CAST(ctid AS text), CAST("status ?" AS text) AS shown_0, CAST("hash" AS text) AS shown_1, json_extract_path_text(CAST("answer" AS json), 'a', 'code') AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS uuid) AS shown_5, "tries" AS shown_6, CAST("worker" AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, "created" AS shown_11, "locked_at" AS shown_12, "beat" AS shown_13, "until" AS shown_14, CAST(NULL AS timestamptz) AS shown_15, "gone" AS shown_16, (clock_timestamp() + -5 * interval '1 microsecond')
FROM "shop"."pay WHERE $1"
WHERE ("x" = $9) AND "k$1" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "kind" = 'pay''ment' AND "version" = '2'
ORDER BY "a ' "" ` {x}"

-- inspect, with NULLs
SELECT CAST("k$1" AS text), CAST("ORDER BY" AS text), CAST("a ' "" ` {x}" AS text), CAST(ctid AS text), CAST("status ?" AS text) AS shown_0, CAST("hash" AS text) AS shown_1, json_extract_path_text(CAST("answer" AS json), 'a', 'code') AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS uuid) AS shown_5, "tries" AS shown_6, CAST("worker" AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, "created" AS shown_11, "locked_at" AS shown_12, "beat" AS shown_13, "until" AS shown_14, CAST(NULL AS timestamptz) AS shown_15, "gone" AS shown_16, clock_timestamp()
FROM "shop"."pay WHERE $1"
WHERE "k$1" = NULL AND "ORDER BY" = CAST(NULL AS integer) AND "kind" = 'pay''ment' AND "version" = '2'
ORDER BY "a ' "" ` {x}"

-- select_rows
SELECT CAST("k$1" AS text), CAST("ORDER BY" AS text), CAST("a ' "" ` {x}" AS text), CAST(ctid AS text), CAST("status ?" AS text) AS shown_0, CAST("hash" AS text) AS shown_1, json_extract_path_text(CAST("answer" AS json), 'a', 'code') AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS uuid) AS shown_5, "tries" AS shown_6, CAST("worker" AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, "created" AS shown_11, "locked_at" AS shown_12, "beat" AS shown_13, "until" AS shown_14, CAST(NULL AS timestamptz) AS shown_15, "gone" AS shown_16, clock_timestamp()
FROM "shop"."pay WHERE $1"

-- select_rows, varied
SELECT CAST("k$1" AS text), CAST("ORDER BY" AS text), CAST("a ' "" ` {x}" AS text), CAST(ctid AS text), CAST("status ?" AS text) AS shown_0, CAST("hash" AS text) AS shown_1, json_extract_path_text(CAST("answer" AS json), 'a', 'code') AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS uuid) AS shown_5, "tries" AS shown_6, CAST("worker" AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, "created" AS shown_11, "locked_at" AS shown_12, "beat" AS shown_13, "until" AS shown_14, CAST(NULL AS timestamptz) AS shown_15, "gone" AS shown_16, (clock_timestamp() + -5 * interval '1 microsecond')
FROM "shop"."pay WHERE $1"

-- select_rows, with NULLs
SELECT CAST("k$1" AS text), CAST("ORDER BY" AS text), CAST("a ' "" ` {x}" AS text), CAST(ctid AS text), CAST("status ?" AS text) AS shown_0, CAST("hash" AS text) AS shown_1, json_extract_path_text(CAST("answer" AS json), 'a', 'code') AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS uuid) AS shown_5, "tries" AS shown_6, CAST("worker" AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, "created" AS shown_11, "locked_at" AS shown_12, "beat" AS shown_13, "until" AS shown_14, CAST(NULL AS timestamptz) AS shown_15, "gone" AS shown_16, clock_timestamp()
FROM "shop"."pay WHERE $1"

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

-- table_columns, with NULLs
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
WHERE c.oid = to_regclass(NULL)
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

-- table_uniques, with NULLs
SELECT CAST(i.indexrelid AS bigint), CAST(a.attname AS text),
    COALESCE(CAST(to_jsonb(i) ->> 'indnullsnotdistinct' AS boolean), false),
    pg_get_expr(i.indpred, i.indrelid)
FROM pg_index AS i
JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum > 0
WHERE i.indrelid = to_regclass(NULL)
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

-- clock, with NULLs
SELECT clock_timestamp()

-- reap_row
UPDATE "shop"."pay WHERE $1"
SET "status ?" = 'broken',
    "locked_at" = NULL,
    "beat" = $18,
    "gone" = CASE WHEN $6 THEN "gone" ELSE $19 END
WHERE ctid = ANY (ARRAY(SELECT ctid FROM "shop"."pay WHERE $1" WHERE "k$1" = $1 AND CAST("k$1" AS text) COLLATE "C" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "a ' "" ` {x}" = $3 AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST($4 AS tid) FOR UPDATE SKIP LOCKED))
  AND "k$1" = $1 AND CAST("k$1" AS text) COLLATE "C" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "a ' "" ` {x}" = $3 AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST($4 AS tid)
  AND "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2'
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $9
  AND "tries" IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND "created" IS NOT DISTINCT FROM $12
  AND "locked_at" IS NOT DISTINCT FROM $13
  AND "beat" IS NOT DISTINCT FROM $14
  AND "until" IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16
  AND "gone" IS NOT DISTINCT FROM $17
  AND ("until" IS NULL OR "until" <= $5)

-- reap_row, varied
UPDATE "shop"."pay WHERE $1"
SET "status ?" = 'broken',
    "locked_at" = NULL,
    "beat" = $18,
    "gone" = CASE WHEN $6 THEN "gone" ELSE $19 END
WHERE ctid = ANY (ARRAY(SELECT ctid FROM "shop"."pay WHERE $1" WHERE "k$1" = $1 AND CAST("k$1" AS text) COLLATE "C" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "a ' "" ` {x}" IS NULL AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST($4 AS tid) FOR UPDATE SKIP LOCKED))
  AND "k$1" = $1 AND CAST("k$1" AS text) COLLATE "C" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "a ' "" ` {x}" IS NULL AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST($4 AS tid)
  AND "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2'
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $9
  AND "tries" IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND "created" IS NOT DISTINCT FROM $12
  AND "locked_at" IS NOT DISTINCT FROM $13
  AND "beat" IS NOT DISTINCT FROM $14
  AND "until" IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16
  AND "gone" IS NOT DISTINCT FROM $17
  AND ("until" IS NULL OR "until" <= $5)

-- reap_row, with NULLs
UPDATE "shop"."pay WHERE $1"
SET "status ?" = 'broken',
    "locked_at" = NULL,
    "beat" = NULL,
    "gone" = CASE WHEN NULL THEN "gone" ELSE NULL END
WHERE ctid = ANY (ARRAY(SELECT ctid FROM "shop"."pay WHERE $1" WHERE "k$1" = NULL AND CAST("k$1" AS text) COLLATE "C" = NULL AND "ORDER BY" = CAST(NULL AS integer) AND "a ' "" ` {x}" = NULL AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST(NULL AS tid) FOR UPDATE SKIP LOCKED))
  AND "k$1" = NULL AND CAST("k$1" AS text) COLLATE "C" = NULL AND "ORDER BY" = CAST(NULL AS integer) AND "a ' "" ` {x}" = NULL AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST(NULL AS tid)
  AND "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2'
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM NULL
  AND "tries" IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM NULL
  AND "created" IS NOT DISTINCT FROM NULL
  AND "locked_at" IS NOT DISTINCT FROM NULL
  AND "beat" IS NOT DISTINCT FROM NULL
  AND "until" IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM NULL
  AND "gone" IS NOT DISTINCT FROM NULL
  AND ("until" IS NULL OR "until" <= NULL)

-- reap_still_stuck
SELECT 1
FROM "shop"."pay WHERE $1"
WHERE "k$1" = $1 AND CAST("k$1" AS text) COLLATE "C" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "a ' "" ` {x}" = $3 AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST($4 AS tid)
  AND "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2'
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $9
  AND "tries" IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND "created" IS NOT DISTINCT FROM $12
  AND "locked_at" IS NOT DISTINCT FROM $13
  AND "beat" IS NOT DISTINCT FROM $14
  AND "until" IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16
  AND "gone" IS NOT DISTINCT FROM $17

-- reap_still_stuck, varied
SELECT 1
FROM "shop"."pay WHERE $1"
WHERE "k$1" = $1 AND CAST("k$1" AS text) COLLATE "C" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "a ' "" ` {x}" IS NULL AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST($4 AS tid)
  AND "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2'
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $9
  AND "tries" IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND "created" IS NOT DISTINCT FROM $12
  AND "locked_at" IS NOT DISTINCT FROM $13
  AND "beat" IS NOT DISTINCT FROM $14
  AND "until" IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16
  AND "gone" IS NOT DISTINCT FROM $17

-- reap_still_stuck, with NULLs
SELECT 1
FROM "shop"."pay WHERE $1"
WHERE "k$1" = NULL AND CAST("k$1" AS text) COLLATE "C" = NULL AND "ORDER BY" = CAST(NULL AS integer) AND "a ' "" ` {x}" = NULL AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST(NULL AS tid)
  AND "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2'
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM NULL
  AND "tries" IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM NULL
  AND "created" IS NOT DISTINCT FROM NULL
  AND "locked_at" IS NOT DISTINCT FROM NULL
  AND "beat" IS NOT DISTINCT FROM NULL
  AND "until" IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM NULL
  AND "gone" IS NOT DISTINCT FROM NULL

-- reap_lock_row
SELECT 1
FROM "shop"."pay WHERE $1"
WHERE "k$1" = $1 AND CAST("k$1" AS text) COLLATE "C" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "a ' "" ` {x}" = $3 AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST($4 AS tid)
  AND "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2'
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $9
  AND "tries" IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND "created" IS NOT DISTINCT FROM $12
  AND "locked_at" IS NOT DISTINCT FROM $13
  AND "beat" IS NOT DISTINCT FROM $14
  AND "until" IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16
  AND "gone" IS NOT DISTINCT FROM $17
FOR UPDATE NOWAIT

-- reap_lock_row, varied
SELECT 1
FROM "shop"."pay WHERE $1"
WHERE "k$1" = $1 AND CAST("k$1" AS text) COLLATE "C" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "a ' "" ` {x}" IS NULL AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST($4 AS tid)
  AND "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2'
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $9
  AND "tries" IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND "created" IS NOT DISTINCT FROM $12
  AND "locked_at" IS NOT DISTINCT FROM $13
  AND "beat" IS NOT DISTINCT FROM $14
  AND "until" IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16
  AND "gone" IS NOT DISTINCT FROM $17
FOR UPDATE NOWAIT

-- reap_lock_row, with NULLs
SELECT 1
FROM "shop"."pay WHERE $1"
WHERE "k$1" = NULL AND CAST("k$1" AS text) COLLATE "C" = NULL AND "ORDER BY" = CAST(NULL AS integer) AND "a ' "" ` {x}" = NULL AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST(NULL AS tid)
  AND "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2'
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM NULL
  AND "tries" IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM NULL
  AND "created" IS NOT DISTINCT FROM NULL
  AND "locked_at" IS NOT DISTINCT FROM NULL
  AND "beat" IS NOT DISTINCT FROM NULL
  AND "until" IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM NULL
  AND "gone" IS NOT DISTINCT FROM NULL
FOR UPDATE NOWAIT

-- reap_unrecognized
SELECT count(*) FROM (
    SELECT 1 FROM "shop"."pay WHERE $1"
    WHERE (("beat" <= $1 OR ("beat" IS NULL AND "locked_at" <= $2))
            AND ((("status ?" IN ('busy', 'it''s', 'done', 'broken')) IS NOT TRUE AND ("status ?" = 'held') IS NOT TRUE) OR ("status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' AND ("beat" <= $3 OR ("beat" IS NULL AND "locked_at" <= $4))))
        OR ("status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' AND (1 = 0)))
        AND (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2'
    LIMIT $5) AS strange

-- reap_unrecognized, with NULLs
SELECT count(*) FROM (
    SELECT 1 FROM "shop"."pay WHERE $1"
    WHERE (("beat" <= NULL OR ("beat" IS NULL AND "locked_at" <= NULL))
            AND ((("status ?" IN ('busy', 'it''s', 'done', 'broken')) IS NOT TRUE AND ("status ?" = 'held') IS NOT TRUE) OR ("status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' AND ("beat" <= NULL OR ("beat" IS NULL AND "locked_at" <= NULL))))
        OR ("status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' AND (1 = 0)))
        AND (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2'
    LIMIT NULL) AS strange

-- reap_ageless
SELECT count(*) FROM (SELECT 1 FROM "shop"."pay WHERE $1" WHERE "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' AND ("beat" IS NULL AND "locked_at" IS NULL) LIMIT $1) AS ageless

-- reap_ageless, with NULLs
SELECT count(*) FROM (SELECT 1 FROM "shop"."pay WHERE $1" WHERE "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' AND ("beat" IS NULL AND "locked_at" IS NULL) LIMIT NULL) AS ageless

-- fail_row
UPDATE "shop"."pay WHERE $1"
SET "status ?" = 'broken',
    "locked_at" = NULL,
    "beat" = $18,
    "gone" = CASE WHEN $6 THEN "gone" ELSE $19 END
WHERE "k$1" = $1 AND CAST("k$1" AS text) COLLATE "C" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "a ' "" ` {x}" = $3 AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST($4 AS tid)
  AND "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2'
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $9
  AND "tries" IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND "created" IS NOT DISTINCT FROM $12
  AND "locked_at" IS NOT DISTINCT FROM $13
  AND "beat" IS NOT DISTINCT FROM $14
  AND "until" IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16
  AND "gone" IS NOT DISTINCT FROM $17

-- fail_row, varied
UPDATE "shop"."pay WHERE $1"
SET "status ?" = 'broken',
    "locked_at" = NULL,
    "beat" = $18,
    "gone" = CASE WHEN $6 THEN "gone" ELSE $19 END
WHERE "k$1" = $1 AND CAST("k$1" AS text) COLLATE "C" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "a ' "" ` {x}" IS NULL AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST($4 AS tid)
  AND "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2'
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $9
  AND "tries" IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND "created" IS NOT DISTINCT FROM $12
  AND "locked_at" IS NOT DISTINCT FROM $13
  AND "beat" IS NOT DISTINCT FROM $14
  AND "until" IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16
  AND "gone" IS NOT DISTINCT FROM $17

-- fail_row, with NULLs
UPDATE "shop"."pay WHERE $1"
SET "status ?" = 'broken',
    "locked_at" = NULL,
    "beat" = NULL,
    "gone" = CASE WHEN NULL THEN "gone" ELSE NULL END
WHERE "k$1" = NULL AND CAST("k$1" AS text) COLLATE "C" = NULL AND "ORDER BY" = CAST(NULL AS integer) AND "a ' "" ` {x}" = NULL AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST(NULL AS tid)
  AND "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2'
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM NULL
  AND "tries" IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM NULL
  AND "created" IS NOT DISTINCT FROM NULL
  AND "locked_at" IS NOT DISTINCT FROM NULL
  AND "beat" IS NOT DISTINCT FROM NULL
  AND "until" IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM NULL
  AND "gone" IS NOT DISTINCT FROM NULL

-- stats_quick
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM "shop"."pay WHERE $1" WHERE "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' LIMIT $3) AS a),
    (SELECT count(*) FROM (SELECT 1 FROM "shop"."pay WHERE $1" WHERE "status ?" = 'broken' AND "kind" = 'pay''ment' AND "version" = '2' LIMIT $3) AS b),
    (SELECT count(*) FROM (
        SELECT 1 FROM "shop"."pay WHERE $1"
        WHERE "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' AND (("locked_at" <= $1 AND "locked_at" > $7 AND ("beat" IS NULL OR ("beat" <= $5 AND "beat" > $8))) OR ("locked_at" IS NULL AND "beat" <= $5 AND "beat" > $8)) AND ("until" IS NULL OR "until" <= $6)
        LIMIT $3) AS c),
    (SELECT "locked_at" FROM "shop"."pay WHERE $1" WHERE "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' AND "locked_at" > $7 ORDER BY "locked_at" LIMIT 1),
    (SELECT count(*) FROM (
        SELECT 1 FROM "shop"."pay WHERE $1" WHERE "gone" > $4 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) LIMIT $3) AS d),
    (SELECT "gone" FROM "shop"."pay WHERE $1" WHERE "gone" > $4 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) ORDER BY "gone" LIMIT 1),
    (SELECT "beat" FROM "shop"."pay WHERE $1"
        WHERE "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' AND (("locked_at" <= $1 AND "locked_at" > $7 AND ("beat" IS NULL OR ("beat" <= $5 AND "beat" > $8))) OR ("locked_at" IS NULL AND "beat" <= $5 AND "beat" > $8)) AND ("until" IS NULL OR "until" <= $6)
        ORDER BY "locked_at" LIMIT 1),
    clock_timestamp()

-- stats_quick, varied
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM "shop"."pay WHERE $1" WHERE "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' LIMIT $3) AS a),
    (SELECT count(*) FROM (SELECT 1 FROM "shop"."pay WHERE $1" WHERE "status ?" = 'broken' AND "kind" = 'pay''ment' AND "version" = '2' LIMIT $3) AS b),
    (SELECT count(*) FROM (
        SELECT 1 FROM "shop"."pay WHERE $1"
        WHERE "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' AND (("locked_at" <= $1 AND "locked_at" > $7 AND ("beat" IS NULL OR ("beat" <= $5 AND "beat" > $8))) OR ("locked_at" IS NULL AND "beat" <= $5 AND "beat" > $8)) AND ("until" IS NULL OR "until" <= $6)
        LIMIT $3) AS c),
    (SELECT "locked_at" FROM "shop"."pay WHERE $1" WHERE "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' AND "locked_at" > $7 ORDER BY "locked_at" LIMIT 1),
    (SELECT count(*) FROM (
        SELECT 1 FROM "shop"."pay WHERE $1" WHERE "gone" > $4 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) LIMIT $3) AS d),
    (SELECT "gone" FROM "shop"."pay WHERE $1" WHERE "gone" > $4 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) ORDER BY "gone" LIMIT 1),
    (SELECT "beat" FROM "shop"."pay WHERE $1"
        WHERE "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' AND (("locked_at" <= $1 AND "locked_at" > $7 AND ("beat" IS NULL OR ("beat" <= $5 AND "beat" > $8))) OR ("locked_at" IS NULL AND "beat" <= $5 AND "beat" > $8)) AND ("until" IS NULL OR "until" <= $6)
        ORDER BY "locked_at" LIMIT 1),
    (clock_timestamp() + -5 * interval '1 microsecond')

-- stats_quick, with NULLs
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM "shop"."pay WHERE $1" WHERE "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' LIMIT NULL) AS a),
    (SELECT count(*) FROM (SELECT 1 FROM "shop"."pay WHERE $1" WHERE "status ?" = 'broken' AND "kind" = 'pay''ment' AND "version" = '2' LIMIT NULL) AS b),
    (SELECT count(*) FROM (
        SELECT 1 FROM "shop"."pay WHERE $1"
        WHERE "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' AND (("locked_at" <= NULL AND "locked_at" > NULL AND ("beat" IS NULL OR ("beat" <= NULL AND "beat" > NULL))) OR ("locked_at" IS NULL AND "beat" <= NULL AND "beat" > NULL)) AND ("until" IS NULL OR "until" <= NULL)
        LIMIT NULL) AS c),
    (SELECT "locked_at" FROM "shop"."pay WHERE $1" WHERE "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' AND "locked_at" > NULL ORDER BY "locked_at" LIMIT 1),
    (SELECT count(*) FROM (
        SELECT 1 FROM "shop"."pay WHERE $1" WHERE "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) LIMIT NULL) AS d),
    (SELECT "gone" FROM "shop"."pay WHERE $1" WHERE "gone" > NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) ORDER BY "gone" LIMIT 1),
    (SELECT "beat" FROM "shop"."pay WHERE $1"
        WHERE "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' AND (("locked_at" <= NULL AND "locked_at" > NULL AND ("beat" IS NULL OR ("beat" <= NULL AND "beat" > NULL))) OR ("locked_at" IS NULL AND "beat" <= NULL AND "beat" > NULL)) AND ("until" IS NULL OR "until" <= NULL)
        ORDER BY "locked_at" LIMIT 1),
    clock_timestamp()

-- stats_exact
SELECT count(*), count(CASE WHEN "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' THEN 1 END), count(CASE WHEN "status ?" = 'broken' AND "kind" = 'pay''ment' AND "version" = '2' THEN 1 END),
    count(CASE WHEN (("status ?" IN ('busy', 'it''s', 'done', 'broken')) IS NOT TRUE AND ("status ?" = 'held') IS NOT TRUE) THEN 1 END), count(CASE WHEN "status ?" = 'held' THEN 1 END)
FROM "shop"."pay WHERE $1"
WHERE (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2'

-- stats_exact, with NULLs
SELECT count(*), count(CASE WHEN "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' THEN 1 END), count(CASE WHEN "status ?" = 'broken' AND "kind" = 'pay''ment' AND "version" = '2' THEN 1 END),
    count(CASE WHEN (("status ?" IN ('busy', 'it''s', 'done', 'broken')) IS NOT TRUE AND ("status ?" = 'held') IS NOT TRUE) THEN 1 END), count(CASE WHEN "status ?" = 'held' THEN 1 END)
FROM "shop"."pay WHERE $1"
WHERE (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2'

-- stats_rows
SELECT count(*) FROM "shop"."pay WHERE $1" WHERE (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2'

-- stats_rows, varied
SELECT 1 FROM "shop"."pay WHERE $1" WHERE (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2'

-- stats_rows, with NULLs
SELECT count(*) FROM "shop"."pay WHERE $1" WHERE (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2'

-- stats_unknown
SELECT count(*) FROM "shop"."pay WHERE $1" WHERE (("status ?" IN ('busy', 'it''s', 'done', 'broken')) IS NOT TRUE AND ("status ?" = 'held') IS NOT TRUE) AND (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2'

-- stats_unknown, varied
SELECT 1 FROM "shop"."pay WHERE $1" WHERE (("status ?" IN ('busy', 'it''s', 'done', 'broken')) IS NOT TRUE AND ("status ?" = 'held') IS NOT TRUE) AND (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2'

-- stats_unknown, with NULLs
SELECT count(*) FROM "shop"."pay WHERE $1" WHERE (("status ?" IN ('busy', 'it''s', 'done', 'broken')) IS NOT TRUE AND ("status ?" = 'held') IS NOT TRUE) AND (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2'

-- stats_kept
SELECT count(*) FROM "shop"."pay WHERE $1" WHERE "status ?" = 'held' AND (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2'

-- stats_kept, varied
SELECT 1 FROM "shop"."pay WHERE $1" WHERE "status ?" = 'held' AND (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2'

-- stats_kept, with NULLs
SELECT count(*) FROM "shop"."pay WHERE $1" WHERE "status ?" = 'held' AND (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2'

-- stays_busy
SELECT count(*) FROM (
    SELECT 1 FROM "shop"."pay WHERE $1" WHERE "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' LIMIT $3) AS busy

-- stays_busy, with NULLs
SELECT count(*) FROM (
    SELECT 1 FROM "shop"."pay WHERE $1" WHERE "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' LIMIT NULL) AS busy

-- stays_undated
SELECT count(*) FROM "shop"."pay WHERE $1" WHERE ("gone" IS NULL) AND (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2' AND ("status ?" = 'held') IS NOT TRUE

-- stays_undated, varied
SELECT 1 FROM "shop"."pay WHERE $1" WHERE ("gone" IS NULL) AND (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2' AND ("status ?" = 'held') IS NOT TRUE

-- stays_undated, with NULLs
SELECT count(*) FROM "shop"."pay WHERE $1" WHERE ("gone" IS NULL) AND (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2' AND ("status ?" = 'held') IS NOT TRUE

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

-- stats_sizes, with NULLs
WITH RECURSIVE tree (oid) AS (
    SELECT CAST(to_regclass(NULL) AS oid)
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
SELECT COALESCE(CAST("a ' "" ` {x}" AS text), '\N'), count(*) FROM "shop"."pay WHERE $1" WHERE (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2' GROUP BY COALESCE(CAST("a ' "" ` {x}" AS text), '\N') ORDER BY count(*) DESC, COALESCE(CAST("a ' "" ` {x}" AS text), '\N') LIMIT $1

-- stats_scopes, with NULLs
SELECT COALESCE(CAST("a ' "" ` {x}" AS text), '\N'), count(*) FROM "shop"."pay WHERE $1" WHERE (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2' GROUP BY COALESCE(CAST("a ' "" ` {x}" AS text), '\N') ORDER BY count(*) DESC, COALESCE(CAST("a ' "" ` {x}" AS text), '\N') LIMIT NULL

-- stats_scopes_quick
SELECT v.value, CAST(v.share * 1000000 AS bigint)
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_stats AS s ON s.schemaname = n.nspname AND s.tablename = c.relname,
    LATERAL unnest(CAST(CAST(s.most_common_vals AS text) AS text[]), s.most_common_freqs) AS v (value, share)
WHERE c.oid = to_regclass($1) AND s.attname = $2
ORDER BY v.share DESC, v.value
LIMIT $3

-- stats_scopes_quick, with NULLs
SELECT v.value, CAST(v.share * 1000000 AS bigint)
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_stats AS s ON s.schemaname = n.nspname AND s.tablename = c.relname,
    LATERAL unnest(CAST(CAST(s.most_common_vals AS text) AS text[]), s.most_common_freqs) AS v (value, share)
WHERE c.oid = to_regclass(NULL) AND s.attname = NULL
ORDER BY v.share DESC, v.value
LIMIT NULL

-- stats_claims
SELECT count(*) FROM "shop"."pay WHERE $1" WHERE "locked_at" > $1 AND "locked_at" <= $2 AND (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2'

-- stats_claims, varied
SELECT 1 FROM "shop"."pay WHERE $1" WHERE "locked_at" > $1 AND "locked_at" <= $2 AND (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2'

-- stats_claims, with NULLs
SELECT count(*) FROM "shop"."pay WHERE $1" WHERE "locked_at" > NULL AND "locked_at" <= NULL AND (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2'

-- stats_expiries
SELECT count(*) FROM "shop"."pay WHERE $1" WHERE "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- stats_expiries, varied
SELECT 1 FROM "shop"."pay WHERE $1" WHERE "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- stats_expiries, with NULLs
SELECT count(*) FROM "shop"."pay WHERE $1" WHERE "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- release_row
UPDATE "shop"."pay WHERE $1"
SET "status ?" = 'busy'
WHERE "k$1" = $1 AND CAST("k$1" AS text) COLLATE "C" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "a ' "" ` {x}" = $3 AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST($4 AS tid)
  AND "status ?" = 'broken' AND "kind" = 'pay''ment' AND "version" = '2'
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $9
  AND "tries" IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND "created" IS NOT DISTINCT FROM $12
  AND "locked_at" IS NOT DISTINCT FROM $13
  AND "beat" IS NOT DISTINCT FROM $14
  AND "until" IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16
  AND "gone" IS NOT DISTINCT FROM $17

-- release_row, varied
UPDATE "shop"."pay WHERE $1"
SET "status ?" = 'busy'
WHERE "k$1" = $1 AND CAST("k$1" AS text) COLLATE "C" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "a ' "" ` {x}" IS NULL AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST($4 AS tid)
  AND "status ?" = 'broken' AND "kind" = 'pay''ment' AND "version" = '2'
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $9
  AND "tries" IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND "created" IS NOT DISTINCT FROM $12
  AND "locked_at" IS NOT DISTINCT FROM $13
  AND "beat" IS NOT DISTINCT FROM $14
  AND "until" IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16
  AND "gone" IS NOT DISTINCT FROM $17

-- release_row, with NULLs
UPDATE "shop"."pay WHERE $1"
SET "status ?" = 'busy'
WHERE "k$1" = NULL AND CAST("k$1" AS text) COLLATE "C" = NULL AND "ORDER BY" = CAST(NULL AS integer) AND "a ' "" ` {x}" = NULL AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST(NULL AS tid)
  AND "status ?" = 'broken' AND "kind" = 'pay''ment' AND "version" = '2'
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM NULL
  AND "tries" IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM NULL
  AND "created" IS NOT DISTINCT FROM NULL
  AND "locked_at" IS NOT DISTINCT FROM NULL
  AND "beat" IS NOT DISTINCT FROM NULL
  AND "until" IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM NULL
  AND "gone" IS NOT DISTINCT FROM NULL

-- forget_row
DELETE FROM "shop"."pay WHERE $1"
WHERE "k$1" = $1 AND CAST("k$1" AS text) COLLATE "C" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "a ' "" ` {x}" = $3 AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST($4 AS tid)
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $9
  AND "tries" IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND "created" IS NOT DISTINCT FROM $12
  AND "locked_at" IS NOT DISTINCT FROM $13
  AND "beat" IS NOT DISTINCT FROM $14
  AND "until" IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16
  AND "gone" IS NOT DISTINCT FROM $17

-- forget_row, varied
DELETE FROM "shop"."pay WHERE $1"
WHERE "k$1" = $1 AND CAST("k$1" AS text) COLLATE "C" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "a ' "" ` {x}" IS NULL AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST($4 AS tid)
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $9
  AND "tries" IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND "created" IS NOT DISTINCT FROM $12
  AND "locked_at" IS NOT DISTINCT FROM $13
  AND "beat" IS NOT DISTINCT FROM $14
  AND "until" IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16
  AND "gone" IS NOT DISTINCT FROM $17

-- forget_row, with NULLs
DELETE FROM "shop"."pay WHERE $1"
WHERE "k$1" = NULL AND CAST("k$1" AS text) COLLATE "C" = NULL AND "ORDER BY" = CAST(NULL AS integer) AND "a ' "" ` {x}" = NULL AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST(NULL AS tid)
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM NULL
  AND "tries" IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM NULL
  AND "created" IS NOT DISTINCT FROM NULL
  AND "locked_at" IS NOT DISTINCT FROM NULL
  AND "beat" IS NOT DISTINCT FROM NULL
  AND "until" IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM NULL
  AND "gone" IS NOT DISTINCT FROM NULL

-- unchanged_row
SELECT 1
FROM "shop"."pay WHERE $1"
WHERE "k$1" = $1 AND CAST("k$1" AS text) COLLATE "C" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "a ' "" ` {x}" = $3 AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST($4 AS tid)
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $9
  AND "tries" IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND "created" IS NOT DISTINCT FROM $12
  AND "locked_at" IS NOT DISTINCT FROM $13
  AND "beat" IS NOT DISTINCT FROM $14
  AND "until" IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16
  AND "gone" IS NOT DISTINCT FROM $17

-- unchanged_row, varied
SELECT 1
FROM "shop"."pay WHERE $1"
WHERE "k$1" = $1 AND CAST("k$1" AS text) COLLATE "C" = $1 AND "ORDER BY" = CAST($2 AS integer) AND "a ' "" ` {x}" IS NULL AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST($4 AS tid)
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $9
  AND "tries" IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND "created" IS NOT DISTINCT FROM $12
  AND "locked_at" IS NOT DISTINCT FROM $13
  AND "beat" IS NOT DISTINCT FROM $14
  AND "until" IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16
  AND "gone" IS NOT DISTINCT FROM $17

-- unchanged_row, with NULLs
SELECT 1
FROM "shop"."pay WHERE $1"
WHERE "k$1" = NULL AND CAST("k$1" AS text) COLLATE "C" = NULL AND "ORDER BY" = CAST(NULL AS integer) AND "a ' "" ` {x}" = NULL AND "kind" = 'pay''ment' AND "version" = '2' AND ctid = CAST(NULL AS tid)
  AND CAST("status ?" AS text) IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM NULL
  AND "tries" IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM NULL
  AND "created" IS NOT DISTINCT FROM NULL
  AND "locked_at" IS NOT DISTINCT FROM NULL
  AND "beat" IS NOT DISTINCT FROM NULL
  AND "until" IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM NULL
  AND "gone" IS NOT DISTINCT FROM NULL

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

-- row_blocking_triggers, with NULLs
WITH RECURSIVE tree (oid) AS (
    SELECT CAST(to_regclass(NULL) AS oid)
    UNION
    SELECT i.inhrelid FROM pg_inherits AS i JOIN tree ON i.inhparent = tree.oid),
policy AS (
    SELECT p.polname, p.polpermissive, pg_get_expr(p.polqual, p.polrelid) AS condition
    FROM pg_policy AS p
    WHERE p.polrelid = CAST(to_regclass(NULL) AS oid) AND row_security_active(p.polrelid)
        AND CAST(p.polcmd AS text) IN ('*', CASE WHEN NULL THEN 'd' ELSE 'w' END)
        AND (0 = ANY (p.polroles) OR EXISTS (
            SELECT 1 FROM unnest(p.polroles) AS r (oid) WHERE pg_has_role(r.oid, 'USAGE'))))
SELECT k.name FROM (
    SELECT 'trigger ' || t.tgname AS name FROM pg_trigger AS t
    WHERE NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND t.tgtype & 3 = 3
        AND t.tgtype & CASE WHEN NULL THEN 8 ELSE 16 END <> 0
        AND t.tgrelid IN (SELECT oid FROM tree)
    UNION
    SELECT 'rule ' || r.rulename FROM pg_rewrite AS r
    WHERE r.ev_class = CAST(to_regclass(NULL) AS oid) AND r.is_instead AND r.ev_enabled IN ('O', 'A')
        AND CAST(r.ev_type AS text) = CASE WHEN NULL THEN '4' ELSE '2' END
    UNION
    SELECT 'policy ' || p.polname FROM policy AS p WHERE p.condition <> 'true'
    UNION
    SELECT 'row level security, which has no policy for ' || CASE WHEN NULL THEN 'DELETE' ELSE 'UPDATE' END
    WHERE row_security_active(CAST(to_regclass(NULL) AS oid))
        AND NOT EXISTS (SELECT 1 FROM policy AS p WHERE p.polpermissive)) AS k
ORDER BY k.name
LIMIT 20

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

-- inbound_keys, with NULLs
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
WHERE c.contype = 'f' AND c.confrelid = to_regclass(NULL)
ORDER BY 2, 1

-- purge_step
SELECT n.shown,
    (SELECT count(*) FROM (
        SELECT 1 FROM "shop"."pay WHERE $1" WHERE "gone" = n.expiry AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) LIMIT $4) AS tied)
FROM (
    SELECT "gone" AS expiry, "gone" AS shown
    FROM "shop"."pay WHERE $1"
    WHERE "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
    ORDER BY "gone"
    LIMIT 1 OFFSET $3) AS n

-- purge_step, with NULLs
SELECT n.shown,
    (SELECT count(*) FROM (
        SELECT 1 FROM "shop"."pay WHERE $1" WHERE "gone" = n.expiry AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) LIMIT NULL) AS tied)
FROM (
    SELECT "gone" AS expiry, "gone" AS shown
    FROM "shop"."pay WHERE $1"
    WHERE "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
    ORDER BY "gone"
    LIMIT 1 OFFSET NULL) AS n

-- purge_order
SELECT 1 FROM "shop"."pay WHERE $1"
WHERE "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
ORDER BY "gone"
LIMIT 1 OFFSET $3

-- purge_order, with NULLs
SELECT 1 FROM "shop"."pay WHERE $1"
WHERE "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
ORDER BY "gone"
LIMIT 1 OFFSET NULL

-- purge_range
DELETE FROM "shop"."pay WHERE $1"
WHERE "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_range, varied
DELETE FROM "shop"."pay WHERE $1"
WHERE "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_range, with NULLs
DELETE FROM "shop"."pay WHERE $1"
WHERE "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_count
SELECT count(*) FROM (
    SELECT 1 FROM "shop"."pay WHERE $1" WHERE "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) LIMIT $3) AS due

-- purge_count, with NULLs
SELECT count(*) FROM (
    SELECT 1 FROM "shop"."pay WHERE $1" WHERE "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) LIMIT NULL) AS due

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

-- purge_blockers, with NULLs
WITH RECURSIVE tree (oid) AS (
    SELECT CAST(to_regclass(NULL) AS oid)
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
WHERE c.oid = to_regclass(NULL)

-- purge_unrecognized
SELECT count(*) FROM (
    SELECT 1 FROM "shop"."pay WHERE $1"
    WHERE ("gone" <= $2 AND ("gone" <= $1 OR ((("status ?" IN ('busy', 'it''s', 'done', 'broken')) IS NOT TRUE AND ("status ?" = 'held') IS NOT TRUE))) OR (1 = 0)) AND (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2' AND ("status ?" = 'held') IS NOT TRUE
    LIMIT $3) AS strange

-- purge_unrecognized, with NULLs
SELECT count(*) FROM (
    SELECT 1 FROM "shop"."pay WHERE $1"
    WHERE ("gone" <= NULL AND ("gone" <= NULL OR ((("status ?" IN ('busy', 'it''s', 'done', 'broken')) IS NOT TRUE AND ("status ?" = 'held') IS NOT TRUE))) OR (1 = 0)) AND (1 = 1) AND "kind" = 'pay''ment' AND "version" = '2' AND ("status ?" = 'held') IS NOT TRUE
    LIMIT NULL) AS strange

-- purge_left
SELECT
    (SELECT count(*) FROM (
        SELECT 1 FROM "shop"."pay WHERE $1" WHERE "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' LIMIT $3) AS at_work),
    (SELECT count(*) FROM (
        SELECT 1 FROM "shop"."pay WHERE $1" WHERE "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND (("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))) IS NOT TRUE LIMIT $3) AS held)

-- purge_left, with NULLs
SELECT
    (SELECT count(*) FROM (
        SELECT 1 FROM "shop"."pay WHERE $1" WHERE "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('busy', 'it''s') AND "kind" = 'pay''ment' AND "version" = '2' LIMIT NULL) AS at_work),
    (SELECT count(*) FROM (
        SELECT 1 FROM "shop"."pay WHERE $1" WHERE "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND (("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))) IS NOT TRUE LIMIT NULL) AS held)

-- purge_limited
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "shop"."pay WHERE $1"
    WHERE "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
    ORDER BY "gone"
    LIMIT $3
    FOR UPDATE SKIP LOCKED))
  AND "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_limited, varied
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "shop"."pay WHERE $1"
    WHERE "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
    ORDER BY "gone"
    LIMIT $3
    FOR UPDATE SKIP LOCKED))
  AND "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_limited, with NULLs
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "shop"."pay WHERE $1"
    WHERE "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
    ORDER BY "gone"
    LIMIT NULL
    FOR UPDATE SKIP LOCKED))
  AND "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_range_skip_locked
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "shop"."pay WHERE $1"
    WHERE "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
    FOR UPDATE SKIP LOCKED))
  AND "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_range_skip_locked, varied
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "shop"."pay WHERE $1"
    WHERE "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
    FOR UPDATE SKIP LOCKED))
  AND "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_range_skip_locked, with NULLs
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "shop"."pay WHERE $1"
    WHERE "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
    FOR UPDATE SKIP LOCKED))
  AND "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_tied
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid) AND "gone" > $3 AND "gone" <= $4 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_tied, varied
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid) AND "gone" > $3 AND "gone" <= $4 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied, with NULLs
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid >= CAST(NULL AS tid) AND ctid < CAST(NULL AS tid) AND "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_tied_referenced
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ("gone" > $3 AND "gone" <= $4 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))) IS TRUE

-- purge_tied_referenced, varied
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ("gone" > $3 AND "gone" <= $4 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))) IS TRUE AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied_referenced, with NULLs
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid >= CAST(NULL AS tid) AND ctid < CAST(NULL AS tid)
  AND ("gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))) IS TRUE

-- purge_tied_skip_locked
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "shop"."pay WHERE $1"
    WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
      AND ("gone" > $3 AND "gone" <= $4 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))) IS TRUE
    LIMIT $5
    FOR UPDATE SKIP LOCKED))
  AND ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ("gone" > $3 AND "gone" <= $4 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))) IS TRUE

-- purge_tied_skip_locked, varied
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "shop"."pay WHERE $1"
    WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
      AND ("gone" > $3 AND "gone" <= $4 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))) IS TRUE AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
    LIMIT $5
    FOR UPDATE SKIP LOCKED))
  AND ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ("gone" > $3 AND "gone" <= $4 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))) IS TRUE AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied_skip_locked, with NULLs
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "shop"."pay WHERE $1"
    WHERE ctid >= CAST(NULL AS tid) AND ctid < CAST(NULL AS tid)
      AND ("gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))) IS TRUE
    LIMIT NULL
    FOR UPDATE SKIP LOCKED))
  AND ctid >= CAST(NULL AS tid) AND ctid < CAST(NULL AS tid)
  AND ("gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))) IS TRUE

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
        count(*) FILTER (WHERE "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))) AS tied
    FROM "shop"."pay WHERE $1" TABLESAMPLE SYSTEM ((SELECT least(100, 20000.0 / greatest(blocks, 1)) FROM size))),
dense AS (
    SELECT blocks, longest, tables, blocks > 0 AND tied >= 0.9 * seen AND tied >= least(blocks, 200) AS is_dense
    FROM size, sample),
found AS (
    SELECT count(*) AS tied, min(ctid) AS first, max(ctid) AS last
    FROM "shop"."pay WHERE $1"
    WHERE (SELECT NOT is_dense FROM dense) AND "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))))
SELECT
    CASE WHEN is_dense THEN '0' ELSE split_part(trim('(' FROM CAST(first AS text)), ',', 1) END,
    CASE WHEN is_dense THEN CAST(longest - 1 AS text)
         ELSE split_part(trim('(' FROM CAST(last AS text)), ',', 1) END,
    CASE WHEN is_dense THEN blocks ELSE tied END,
    tables
FROM dense, found

-- purge_tied_extent, with NULLs
WITH RECURSIVE tree (oid) AS (
    SELECT CAST(to_regclass(NULL) AS oid)
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
        count(*) FILTER (WHERE "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))) AS tied
    FROM "shop"."pay WHERE $1" TABLESAMPLE SYSTEM ((SELECT least(100, 20000.0 / greatest(blocks, 1)) FROM size))),
dense AS (
    SELECT blocks, longest, tables, blocks > 0 AND tied >= 0.9 * seen AND tied >= least(blocks, 200) AS is_dense
    FROM size, sample),
found AS (
    SELECT count(*) AS tied, min(ctid) AS first, max(ctid) AS last
    FROM "shop"."pay WHERE $1"
    WHERE (SELECT NOT is_dense FROM dense) AND "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))))
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

-- heap_extent, with NULLs
WITH RECURSIVE tree (oid) AS (
    SELECT CAST(to_regclass(NULL) AS oid)
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

-- purge_keys_ends, with NULLs
SELECT clock_timestamp()

-- purge_keys_step
SELECT clock_timestamp()

-- purge_keys_step, varied
SELECT (clock_timestamp() + -5 * interval '1 microsecond')

-- purge_keys_step, with NULLs
SELECT clock_timestamp()

-- purge_keys
SELECT clock_timestamp()

-- purge_keys, varied
SELECT (clock_timestamp() + -5 * interval '1 microsecond')

-- purge_keys, with NULLs
SELECT clock_timestamp()

-- purge_keys_limited
SELECT clock_timestamp()

-- purge_keys_limited, varied
SELECT (clock_timestamp() + -5 * interval '1 microsecond')

-- purge_keys_limited, with NULLs
SELECT clock_timestamp()

-- purge_due
SELECT CAST("k$1" AS text), CAST("ORDER BY" AS text), CAST("a ' "" ` {x}" AS text), CAST(ctid AS text) FROM "shop"."pay WHERE $1"
WHERE "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
ORDER BY "gone"
LIMIT $3 OFFSET $4

-- purge_due, varied
SELECT CAST("k$1" AS text), CAST("ORDER BY" AS text), CAST("a ' "" ` {x}" AS text), CAST(ctid AS text) FROM "shop"."pay WHERE $1"
WHERE "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
ORDER BY "gone"
LIMIT $3 OFFSET $4

-- purge_due, with NULLs
SELECT CAST("k$1" AS text), CAST("ORDER BY" AS text), CAST("a ' "" ` {x}" AS text), CAST(ctid AS text) FROM "shop"."pay WHERE $1"
WHERE "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
ORDER BY "gone"
LIMIT NULL OFFSET NULL

-- purge_due_piece
SELECT CAST("k$1" AS text), CAST("ORDER BY" AS text), CAST("a ' "" ` {x}" AS text), CAST(ctid AS text) FROM "shop"."pay WHERE $1"
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ("gone" > $3 AND "gone" <= $4 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))) IS TRUE

-- purge_due_piece, varied
SELECT CAST("k$1" AS text), CAST("ORDER BY" AS text), CAST("a ' "" ` {x}" AS text), CAST(ctid AS text) FROM "shop"."pay WHERE $1"
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ("gone" > $3 AND "gone" <= $4 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))) IS TRUE AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_due_piece, with NULLs
SELECT CAST("k$1" AS text), CAST("ORDER BY" AS text), CAST("a ' "" ` {x}" AS text), CAST(ctid AS text) FROM "shop"."pay WHERE $1"
WHERE ctid >= CAST(NULL AS tid) AND ctid < CAST(NULL AS tid)
  AND ("gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))) IS TRUE

-- purge_listed
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid = ANY (CAST($3 AS tid[])) AND "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_listed, varied
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid = ANY (CAST($3 AS tid[])) AND "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_listed, with NULLs
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid = ANY (CAST(NULL AS tid[])) AND "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_listed_skip_locked
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "shop"."pay WHERE $1"
    WHERE ctid = ANY (CAST($3 AS tid[])) AND "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
    FOR UPDATE SKIP LOCKED))
  AND ctid = ANY (CAST($3 AS tid[])) AND "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_listed_skip_locked, varied
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "shop"."pay WHERE $1"
    WHERE ctid = ANY (CAST($3 AS tid[])) AND "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
    FOR UPDATE SKIP LOCKED))
  AND ctid = ANY (CAST($3 AS tid[])) AND "gone" > $1 AND "gone" <= $2 AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_listed_skip_locked, with NULLs
DELETE FROM "shop"."pay WHERE $1"
WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM "shop"."pay WHERE $1"
    WHERE ctid = ANY (CAST(NULL AS tid[])) AND "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
    FOR UPDATE SKIP LOCKED))
  AND ctid = ANY (CAST(NULL AS tid[])) AND "gone" > NULL AND "gone" <= NULL AND "status ?" IN ('done', 'broken') AND "kind" = 'pay''ment' AND "version" = '2' AND ("until" IS NULL OR ("until" <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- table_rights
SELECT has_table_privilege(c.oid, 'SELECT'), has_table_privilege(c.oid, 'INSERT'), has_table_privilege(c.oid, 'UPDATE'),
    has_table_privilege(c.oid, 'DELETE'), CAST(current_user AS text)
FROM pg_class AS c
WHERE c.oid = to_regclass($1)

-- table_rights, with NULLs
SELECT has_table_privilege(c.oid, 'SELECT'), has_table_privilege(c.oid, 'INSERT'), has_table_privilege(c.oid, 'UPDATE'),
    has_table_privilege(c.oid, 'DELETE'), CAST(current_user AS text)
FROM pg_class AS c
WHERE c.oid = to_regclass(NULL)

-- row_security
SELECT COALESCE(row_security_active(to_regclass($1)), false), CAST(current_user AS text)

-- row_security, with NULLs
SELECT COALESCE(row_security_active(to_regclass(NULL)), false), CAST(current_user AS text)

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

-- visibility, with NULLs
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
FROM (VALUES ('table', to_regclass(NULL)), ('audit', to_regclass('idemctl_audit'))) AS v (what, oid)
JOIN pg_class AS c ON c.oid = v.oid

-- standby
SELECT clock_timestamp(), pg_last_xact_replay_timestamp(),
    CAST(pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) AS bigint),
    pg_is_wal_replay_paused(),
    EXISTS (SELECT 1 FROM pg_stat_wal_receiver WHERE pid IS NOT NULL)
FROM (SELECT 1) AS one
WHERE pg_is_in_recovery()

-- standby, with NULLs
SELECT clock_timestamp(), pg_last_xact_replay_timestamp(),
    CAST(pg_wal_lsn_diff(pg_last_wal_receive_lsn(), pg_last_wal_replay_lsn()) AS bigint),
    pg_is_wal_replay_paused(),
    EXISTS (SELECT 1 FROM pg_stat_wal_receiver WHERE pid IS NOT NULL)
FROM (SELECT 1) AS one
WHERE pg_is_in_recovery()

-- leases_exist
SELECT CAST(to_regclass('idemctl_lease') IS NOT NULL AND to_regclass('idemctl_pause') IS NOT NULL AS integer)

-- leases_exist, with NULLs
SELECT CAST(to_regclass('idemctl_lease') IS NOT NULL AND to_regclass('idemctl_pause') IS NOT NULL AS integer)

-- replication_lag
SELECT
    count(*),
    count(*) FILTER (WHERE state IS NULL),
    count(*) FILTER (WHERE replay_lsn < pg_current_wal_lsn() AND replay_lag IS NULL),
    CAST(max(extract(epoch FROM replay_lag) * 1000000) FILTER (WHERE replay_lsn < pg_current_wal_lsn()) AS bigint),
    CAST(pg_has_role('pg_read_all_stats', 'USAGE') AS integer)
FROM pg_stat_replication
WHERE state IS NULL OR replay_lsn IS NOT NULL

-- replication_lag, with NULLs
SELECT
    count(*),
    count(*) FILTER (WHERE state IS NULL),
    count(*) FILTER (WHERE replay_lsn < pg_current_wal_lsn() AND replay_lag IS NULL),
    CAST(max(extract(epoch FROM replay_lag) * 1000000) FILTER (WHERE replay_lsn < pg_current_wal_lsn()) AS bigint),
    CAST(pg_has_role('pg_read_all_stats', 'USAGE') AS integer)
FROM pg_stat_replication
WHERE state IS NULL OR replay_lsn IS NOT NULL

