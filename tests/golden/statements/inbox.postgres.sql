-- claim_read
SELECT CAST("message_id" AS text), CAST(ctid AS text), CAST(CAST(tableoid AS oid) AS text), CAST('completed' AS text) AS shown_0, CAST(NULL AS text) AS shown_1, CAST(NULL AS integer) AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS uuid) AS shown_5, CAST(NULL AS integer) AS shown_6, CAST(NULL AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END AS shown_11, CAST(NULL AS timestamptz) AS shown_12, CAST(NULL AS timestamptz) AS shown_13, CAST(NULL AS timestamptz) AS shown_14, CAST(NULL AS timestamptz) AS shown_15, CAST(NULL AS timestamptz) AS shown_16, clock_timestamp(), CAST(NULL AS integer), CAST(NULL AS text), CAST(NULL AS bytea), CAST(NULL AS bigint)
FROM "inbox"
WHERE "message_id" = $1 AND ctid = CAST($2 AS tid) AND tableoid = CAST($3 AS oid)

-- claim_read, varied
SELECT CAST("message_id" AS text), CAST(ctid AS text), CAST(CAST(tableoid AS oid) AS text), CAST('completed' AS text) AS shown_0, CAST(NULL AS text) AS shown_1, CAST(NULL AS integer) AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS uuid) AS shown_5, CAST(NULL AS integer) AS shown_6, CAST(NULL AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END AS shown_11, CAST(NULL AS timestamptz) AS shown_12, CAST(NULL AS timestamptz) AS shown_13, CAST(NULL AS timestamptz) AS shown_14, CAST(NULL AS timestamptz) AS shown_15, CAST(NULL AS timestamptz) AS shown_16, (clock_timestamp() + -5 * interval '1 microsecond'), CAST(NULL AS integer), CAST(NULL AS text), CAST(NULL AS bytea), CAST(NULL AS bigint)
FROM "inbox"
WHERE "message_id" = $1 AND ctid = CAST($2 AS tid) AND tableoid = CAST($3 AS oid)

-- inspect
SELECT CAST("message_id" AS text), CAST(ctid AS text), CAST(CAST(tableoid AS oid) AS text), CAST('completed' AS text) AS shown_0, CAST(NULL AS text) AS shown_1, CAST(NULL AS integer) AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS uuid) AS shown_5, CAST(NULL AS integer) AS shown_6, CAST(NULL AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END AS shown_11, CAST(NULL AS timestamptz) AS shown_12, CAST(NULL AS timestamptz) AS shown_13, CAST(NULL AS timestamptz) AS shown_14, CAST(NULL AS timestamptz) AS shown_15, CAST(NULL AS timestamptz) AS shown_16, clock_timestamp()
FROM "inbox"
WHERE "message_id" = $1
ORDER BY "message_id"

-- inspect, varied
SELECT CAST("message_id" AS text), CAST(ctid AS text), CAST(CAST(tableoid AS oid) AS text), CAST('completed' AS text) AS shown_0, CAST(NULL AS text) AS shown_1, CAST(NULL AS integer) AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS uuid) AS shown_5, CAST(NULL AS integer) AS shown_6, CAST(NULL AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END AS shown_11, CAST(NULL AS timestamptz) AS shown_12, CAST(NULL AS timestamptz) AS shown_13, CAST(NULL AS timestamptz) AS shown_14, CAST(NULL AS timestamptz) AS shown_15, CAST(NULL AS timestamptz) AS shown_16, (clock_timestamp() + -5 * interval '1 microsecond')
FROM "inbox"
WHERE ("x" = $9) AND "message_id" = $1
ORDER BY "message_id"

-- select_rows
SELECT CAST("message_id" AS text), CAST(ctid AS text), CAST(CAST(tableoid AS oid) AS text), CAST('completed' AS text) AS shown_0, CAST(NULL AS text) AS shown_1, CAST(NULL AS integer) AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS uuid) AS shown_5, CAST(NULL AS integer) AS shown_6, CAST(NULL AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END AS shown_11, CAST(NULL AS timestamptz) AS shown_12, CAST(NULL AS timestamptz) AS shown_13, CAST(NULL AS timestamptz) AS shown_14, CAST(NULL AS timestamptz) AS shown_15, CAST(NULL AS timestamptz) AS shown_16, clock_timestamp()
FROM "inbox"

-- select_rows, varied
SELECT CAST("message_id" AS text), CAST(ctid AS text), CAST(CAST(tableoid AS oid) AS text), CAST('completed' AS text) AS shown_0, CAST(NULL AS text) AS shown_1, CAST(NULL AS integer) AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS uuid) AS shown_5, CAST(NULL AS integer) AS shown_6, CAST(NULL AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END AS shown_11, CAST(NULL AS timestamptz) AS shown_12, CAST(NULL AS timestamptz) AS shown_13, CAST(NULL AS timestamptz) AS shown_14, CAST(NULL AS timestamptz) AS shown_15, CAST(NULL AS timestamptz) AS shown_16, (clock_timestamp() + -5 * interval '1 microsecond')
FROM "inbox"

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
SELECT 1 FROM "inbox"
WHERE ctid = ANY (ARRAY(SELECT ctid FROM "inbox" WHERE "message_id" = $1 AND ctid = CAST($2 AS tid) AND tableoid = CAST($3 AS oid) FOR UPDATE SKIP LOCKED))
  AND "message_id" = $1 AND ctid = CAST($2 AS tid) AND tableoid = CAST($3 AS oid)
  AND (1 = 0)
  AND CAST('completed' AS text) IS NOT DISTINCT FROM $7
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END IS NOT DISTINCT FROM $11
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $13
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $14
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16
  AND (CAST(NULL AS timestamptz) IS NULL OR CAST(NULL AS timestamptz) <= $4)

-- reap_still_stuck
SELECT 1
FROM "inbox"
WHERE "message_id" = $1 AND ctid = CAST($2 AS tid) AND tableoid = CAST($3 AS oid)
  AND (1 = 0)
  AND CAST('completed' AS text) IS NOT DISTINCT FROM $7
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END IS NOT DISTINCT FROM $11
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $13
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $14
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16

-- reap_lock_row
SELECT 1
FROM "inbox"
WHERE "message_id" = $1 AND ctid = CAST($2 AS tid) AND tableoid = CAST($3 AS oid)
  AND (1 = 0)
  AND CAST('completed' AS text) IS NOT DISTINCT FROM $7
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END IS NOT DISTINCT FROM $11
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $13
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $14
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16
FOR UPDATE NOWAIT

-- reap_unrecognized
SELECT count(*) FROM (
    SELECT 1 FROM "inbox"
    WHERE (("seen" <= $1 OR ("seen" IS NULL AND "seen" <= $2))
            AND ((1 = 0) OR ((1 = 0) AND ("seen" <= $3 OR ("seen" IS NULL AND "seen" <= $4))))
        OR ((1 = 0) AND (1 = 0)))
        AND (1 = 1)
    LIMIT $5) AS strange

-- reap_ageless
SELECT count(*) FROM (SELECT 1 FROM "inbox" WHERE (1 = 0) AND (1 = 0) LIMIT $1) AS ageless

-- fail_row
SELECT 1 FROM "inbox"
WHERE "message_id" = $1 AND ctid = CAST($2 AS tid) AND tableoid = CAST($3 AS oid)
  AND (1 = 0)
  AND CAST('completed' AS text) IS NOT DISTINCT FROM $7
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END IS NOT DISTINCT FROM $11
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $13
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $14
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16

-- stats_quick
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM "inbox" WHERE (1 = 0) LIMIT $3) AS a),
    (SELECT count(*) FROM (SELECT 1 FROM "inbox" WHERE (1 = 0) LIMIT $3) AS b),
    (SELECT count(*) FROM (
        SELECT 1 FROM "inbox"
        WHERE (1 = 0) AND "seen" <= $1 AND "seen" > $7 AND (CAST(NULL AS timestamptz) IS NULL OR CAST(NULL AS timestamptz) <= $6)
        LIMIT $3) AS c),
    (SELECT CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END FROM "inbox" WHERE (1 = 0) AND "seen" > $7 ORDER BY "seen" LIMIT 1),
    (SELECT count(*) FROM (
        SELECT 1 FROM "inbox" WHERE "seen" > $4 AND "seen" <= $2 AND (1 = 1) LIMIT $3) AS d),
    (SELECT CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END FROM "inbox" WHERE "seen" > $4 AND (1 = 1) ORDER BY "seen" LIMIT 1),
    (SELECT CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END FROM "inbox"
        WHERE (1 = 0) AND "seen" <= $1 AND "seen" > $7 AND (CAST(NULL AS timestamptz) IS NULL OR CAST(NULL AS timestamptz) <= $6)
        ORDER BY "seen" LIMIT 1),
    clock_timestamp()

-- stats_quick, varied
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM "inbox" WHERE (1 = 0) LIMIT $3) AS a),
    (SELECT count(*) FROM (SELECT 1 FROM "inbox" WHERE (1 = 0) LIMIT $3) AS b),
    (SELECT count(*) FROM (
        SELECT 1 FROM "inbox"
        WHERE (1 = 0) AND "seen" <= $1 AND "seen" > $7 AND (CAST(NULL AS timestamptz) IS NULL OR CAST(NULL AS timestamptz) <= $6)
        LIMIT $3) AS c),
    (SELECT CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END FROM "inbox" WHERE (1 = 0) AND "seen" > $7 ORDER BY "seen" LIMIT 1),
    (SELECT count(*) FROM (
        SELECT 1 FROM "inbox" WHERE "seen" > $4 AND "seen" <= $2 AND (1 = 1) LIMIT $3) AS d),
    (SELECT CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END FROM "inbox" WHERE "seen" > $4 AND (1 = 1) ORDER BY "seen" LIMIT 1),
    (SELECT CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END FROM "inbox"
        WHERE (1 = 0) AND "seen" <= $1 AND "seen" > $7 AND (CAST(NULL AS timestamptz) IS NULL OR CAST(NULL AS timestamptz) <= $6)
        ORDER BY "seen" LIMIT 1),
    (clock_timestamp() + -5 * interval '1 microsecond')

-- stats_exact
SELECT count(*), count(CASE WHEN (1 = 0) THEN 1 END), count(CASE WHEN (1 = 0) THEN 1 END),
    count(CASE WHEN (1 = 0) THEN 1 END), count(CASE WHEN (1 = 0) THEN 1 END)
FROM "inbox"
WHERE (1 = 1)

-- stats_rows
SELECT count(*) FROM "inbox" WHERE (1 = 1)

-- stats_rows, varied
SELECT 1 FROM "inbox" WHERE (1 = 1)

-- stats_unknown
SELECT count(*) FROM "inbox" WHERE (1 = 0) AND (1 = 1)

-- stats_unknown, varied
SELECT 1 FROM "inbox" WHERE (1 = 0) AND (1 = 1)

-- stats_kept
SELECT count(*) FROM "inbox" WHERE (1 = 0) AND (1 = 1)

-- stats_kept, varied
SELECT 1 FROM "inbox" WHERE (1 = 0) AND (1 = 1)

-- stays_busy
SELECT count(*) FROM (
    SELECT 1 FROM "inbox" WHERE "seen" > $1 AND "seen" <= $2 AND (1 = 0) LIMIT $3) AS busy

-- stays_undated
SELECT count(*) FROM "inbox" WHERE ("seen" IS NULL) AND (1 = 1)

-- stays_undated, varied
SELECT 1 FROM "inbox" WHERE ("seen" IS NULL) AND (1 = 1)

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
SELECT CAST('' AS text), count(*) FROM "inbox" WHERE (1 = 1) GROUP BY CAST('' AS text) ORDER BY count(*) DESC, CAST('' AS text) LIMIT $1

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
SELECT count(*) FROM "inbox" WHERE "seen" > $1 AND "seen" <= $2 AND (1 = 1)

-- stats_claims, varied
SELECT 1 FROM "inbox" WHERE "seen" > $1 AND "seen" <= $2 AND (1 = 1)

-- stats_expiries
SELECT count(*) FROM "inbox" WHERE "seen" > $1 AND "seen" <= $2 AND (1 = 1)

-- stats_expiries, varied
SELECT 1 FROM "inbox" WHERE "seen" > $1 AND "seen" <= $2 AND (1 = 1) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- release_row
SELECT 1 FROM "inbox"
WHERE "message_id" = $1 AND ctid = CAST($2 AS tid) AND tableoid = CAST($3 AS oid)
  AND (1 = 0)
  AND CAST('completed' AS text) IS NOT DISTINCT FROM $7
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END IS NOT DISTINCT FROM $11
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $13
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $14
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16

-- forget_row
DELETE FROM "inbox"
WHERE "message_id" = $1 AND ctid = CAST($2 AS tid) AND tableoid = CAST($3 AS oid)
  AND CAST('completed' AS text) IS NOT DISTINCT FROM $7
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END IS NOT DISTINCT FROM $11
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $13
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $14
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16

-- unchanged_row
SELECT 1
FROM "inbox"
WHERE "message_id" = $1 AND ctid = CAST($2 AS tid) AND tableoid = CAST($3 AS oid)
  AND CAST('completed' AS text) IS NOT DISTINCT FROM $7
  AND CAST(NULL AS uuid) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END IS NOT DISTINCT FROM $11
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $13
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $14
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $15
  AND CAST(NULL AS timestamptz) IS NOT DISTINCT FROM $16

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
        SELECT 1 FROM "inbox" WHERE "seen" = n.expiry AND (1 = 1) LIMIT $4) AS tied)
FROM (
    SELECT "seen" AS expiry, CASE WHEN "seen" >= 9e18 THEN 9223372036854775807 WHEN "seen" <= -9e18 THEN -9223372036854775808 ELSE CAST(ceil("seen") AS bigint) END AS shown
    FROM "inbox"
    WHERE "seen" > $1 AND "seen" <= $2 AND (1 = 1)
    ORDER BY "seen"
    LIMIT 1 OFFSET $3) AS n

-- purge_order
SELECT 1 FROM "inbox"
WHERE "seen" > $1 AND "seen" <= $2 AND (1 = 1)
ORDER BY "seen"
LIMIT 1 OFFSET $3

-- purge_range
DELETE FROM "inbox"
WHERE "seen" > $1 AND "seen" <= $2 AND (1 = 1)

-- purge_range, varied
DELETE FROM "inbox"
WHERE "seen" > $1 AND "seen" <= $2 AND (1 = 1) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_count
SELECT count(*) FROM (
    SELECT 1 FROM "inbox" WHERE "seen" > $1 AND "seen" <= $2 AND (1 = 1) LIMIT $3) AS due

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
    SELECT 1 FROM "inbox"
    WHERE ("seen" <= $2 AND ("seen" <= $1 OR (1 = 0)) OR (1 = 0)) AND (1 = 1)
    LIMIT $3) AS strange

-- purge_left
SELECT
    (SELECT count(*) FROM (
        SELECT 1 FROM "inbox" WHERE "seen" > $1 AND "seen" <= $2 AND (1 = 0) LIMIT $3) AS at_work),
    (SELECT count(*) FROM (
        SELECT 1 FROM "inbox" WHERE "seen" > $1 AND "seen" <= $2 AND (1 = 0) LIMIT $3) AS held)

-- purge_limited
DELETE FROM "inbox"
WHERE (tableoid, ctid) IN (WITH chosen AS MATERIALIZED (
    SELECT tableoid, ctid FROM "inbox"
    WHERE "seen" > $1 AND "seen" <= $2 AND (1 = 1)
    ORDER BY "seen"
    LIMIT $3
    FOR UPDATE SKIP LOCKED) SELECT * FROM chosen)
  AND "seen" > $1 AND "seen" <= $2 AND (1 = 1)

-- purge_limited, varied
DELETE FROM "inbox"
WHERE (tableoid, ctid) IN (WITH chosen AS MATERIALIZED (
    SELECT tableoid, ctid FROM "inbox"
    WHERE "seen" > $1 AND "seen" <= $2 AND (1 = 1) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
    ORDER BY "seen"
    LIMIT $3
    FOR UPDATE SKIP LOCKED) SELECT * FROM chosen)
  AND "seen" > $1 AND "seen" <= $2 AND (1 = 1) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_range_skip_locked
DELETE FROM "inbox"
WHERE (tableoid, ctid) IN (WITH chosen AS MATERIALIZED (
    SELECT tableoid, ctid FROM "inbox"
    WHERE "seen" > $1 AND "seen" <= $2 AND (1 = 1)
    FOR UPDATE SKIP LOCKED) SELECT * FROM chosen)
  AND "seen" > $1 AND "seen" <= $2 AND (1 = 1)

-- purge_range_skip_locked, varied
DELETE FROM "inbox"
WHERE (tableoid, ctid) IN (WITH chosen AS MATERIALIZED (
    SELECT tableoid, ctid FROM "inbox"
    WHERE "seen" > $1 AND "seen" <= $2 AND (1 = 1)
    FOR UPDATE SKIP LOCKED) SELECT * FROM chosen)
  AND "seen" > $1 AND "seen" <= $2 AND (1 = 1) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied
DELETE FROM "inbox"
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid) AND "seen" > $3 AND "seen" <= $4 AND (1 = 1)

-- purge_tied, varied
DELETE FROM "inbox"
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid) AND "seen" > $3 AND "seen" <= $4 AND (1 = 1) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied_referenced
DELETE FROM "inbox"
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ("seen" > $3 AND "seen" <= $4 AND (1 = 1)) IS TRUE

-- purge_tied_referenced, varied
DELETE FROM "inbox"
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ("seen" > $3 AND "seen" <= $4 AND (1 = 1)) IS TRUE AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied_skip_locked
DELETE FROM "inbox"
WHERE (tableoid, ctid) IN (WITH chosen AS MATERIALIZED (
    SELECT tableoid, ctid FROM "inbox"
    WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
      AND ("seen" > $3 AND "seen" <= $4 AND (1 = 1)) IS TRUE
    LIMIT $5
    FOR UPDATE SKIP LOCKED) SELECT * FROM chosen)
  AND ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ("seen" > $3 AND "seen" <= $4 AND (1 = 1)) IS TRUE

-- purge_tied_skip_locked, varied
DELETE FROM "inbox"
WHERE (tableoid, ctid) IN (WITH chosen AS MATERIALIZED (
    SELECT tableoid, ctid FROM "inbox"
    WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
      AND ("seen" > $3 AND "seen" <= $4 AND (1 = 1)) IS TRUE AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
    LIMIT $5
    FOR UPDATE SKIP LOCKED) SELECT * FROM chosen)
  AND ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ("seen" > $3 AND "seen" <= $4 AND (1 = 1)) IS TRUE AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

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
        count(*) FILTER (WHERE "seen" > $1 AND "seen" <= $2 AND (1 = 1)) AS tied
    FROM "inbox" TABLESAMPLE SYSTEM ((SELECT least(100, 20000.0 / greatest(blocks, 1)) FROM size))),
dense AS (
    SELECT blocks, longest, tables, blocks > 0 AND tied >= 0.9 * seen AND tied >= least(blocks, 200) AS is_dense
    FROM size, sample),
found AS (
    SELECT count(*) AS tied, min(ctid) AS first, max(ctid) AS last
    FROM "inbox"
    WHERE (SELECT NOT is_dense FROM dense) AND "seen" > $1 AND "seen" <= $2 AND (1 = 1))
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
SELECT CAST("message_id" AS text), CAST(ctid AS text), CAST(CAST(tableoid AS oid) AS text) FROM "inbox"
WHERE "seen" > $1 AND "seen" <= $2 AND (1 = 1)
ORDER BY "seen"
LIMIT $3 OFFSET $4

-- purge_due, varied
SELECT CAST("message_id" AS text), CAST(ctid AS text), CAST(CAST(tableoid AS oid) AS text) FROM "inbox"
WHERE "seen" > $1 AND "seen" <= $2 AND (1 = 1) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
ORDER BY "seen"
LIMIT $3 OFFSET $4

-- purge_due_piece
SELECT CAST("message_id" AS text), CAST(ctid AS text), CAST(CAST(tableoid AS oid) AS text) FROM "inbox"
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ("seen" > $3 AND "seen" <= $4 AND (1 = 1)) IS TRUE

-- purge_due_piece, varied
SELECT CAST("message_id" AS text), CAST(ctid AS text), CAST(CAST(tableoid AS oid) AS text) FROM "inbox"
WHERE ctid >= CAST($1 AS tid) AND ctid < CAST($2 AS tid)
  AND ("seen" > $3 AND "seen" <= $4 AND (1 = 1)) IS TRUE AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_listed
DELETE FROM "inbox"
WHERE ctid = ANY (CAST($3 AS tid[])) AND (tableoid, ctid) IN (SELECT u.t, u.c FROM unnest(CAST($3 AS tid[]), CAST($4 AS oid[])) AS u (c, t)) AND "seen" > $1 AND "seen" <= $2 AND (1 = 1)

-- purge_listed, varied
DELETE FROM "inbox"
WHERE ctid = ANY (CAST($3 AS tid[])) AND (tableoid, ctid) IN (SELECT u.t, u.c FROM unnest(CAST($3 AS tid[]), CAST($4 AS oid[])) AS u (c, t)) AND "seen" > $1 AND "seen" <= $2 AND (1 = 1) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_listed_skip_locked
DELETE FROM "inbox"
WHERE (tableoid, ctid) IN (WITH chosen AS MATERIALIZED (
    SELECT tableoid, ctid FROM "inbox"
    WHERE ctid = ANY (CAST($3 AS tid[])) AND (tableoid, ctid) IN (SELECT u.t, u.c FROM unnest(CAST($3 AS tid[]), CAST($4 AS oid[])) AS u (c, t)) AND "seen" > $1 AND "seen" <= $2 AND (1 = 1)
    FOR UPDATE SKIP LOCKED) SELECT * FROM chosen)
  AND ctid = ANY (CAST($3 AS tid[])) AND (tableoid, ctid) IN (SELECT u.t, u.c FROM unnest(CAST($3 AS tid[]), CAST($4 AS oid[])) AS u (c, t)) AND "seen" > $1 AND "seen" <= $2 AND (1 = 1)

-- purge_listed_skip_locked, varied
DELETE FROM "inbox"
WHERE (tableoid, ctid) IN (WITH chosen AS MATERIALIZED (
    SELECT tableoid, ctid FROM "inbox"
    WHERE ctid = ANY (CAST($3 AS tid[])) AND (tableoid, ctid) IN (SELECT u.t, u.c FROM unnest(CAST($3 AS tid[]), CAST($4 AS oid[])) AS u (c, t)) AND "seen" > $1 AND "seen" <= $2 AND (1 = 1) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
    FOR UPDATE SKIP LOCKED) SELECT * FROM chosen)
  AND ctid = ANY (CAST($3 AS tid[])) AND (tableoid, ctid) IN (SELECT u.t, u.c FROM unnest(CAST($3 AS tid[]), CAST($4 AS oid[])) AS u (c, t)) AND "seen" > $1 AND "seen" <= $2 AND (1 = 1) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

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

-- leases_exist
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

