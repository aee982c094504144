-- claim_read
SELECT `message_id`, `message_id`, CAST('completed' AS text) AS shown_0, CAST(NULL AS text) AS shown_1, CAST(NULL AS integer) AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS text) AS shown_5, CAST(NULL AS integer) AS shown_6, CAST(NULL AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END AS shown_11, CAST(NULL AS integer) AS shown_12, CAST(NULL AS integer) AS shown_13, CAST(NULL AS integer) AS shown_14, CAST(NULL AS integer) AS shown_15, CAST(NULL AS integer) AS shown_16, (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000), CAST(NULL AS integer), CAST(NULL AS text), CAST(NULL AS blob), CAST(NULL AS bigint)
FROM `inbox`
WHERE `message_id` = $1 AND `message_id` = $2

-- claim_read, varied
SELECT `message_id`, `message_id`, CAST('completed' AS text) AS shown_0, CAST(NULL AS text) AS shown_1, CAST(NULL AS integer) AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS text) AS shown_5, CAST(NULL AS integer) AS shown_6, CAST(NULL AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END AS shown_11, CAST(NULL AS integer) AS shown_12, CAST(NULL AS integer) AS shown_13, CAST(NULL AS integer) AS shown_14, CAST(NULL AS integer) AS shown_15, CAST(NULL AS integer) AS shown_16, ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)), CAST(NULL AS integer), CAST(NULL AS text), CAST(NULL AS blob), CAST(NULL AS bigint)
FROM `inbox`
WHERE `message_id` = $1 AND `message_id` = $2

-- inspect
SELECT `message_id`, `message_id`, CAST('completed' AS text) AS shown_0, CAST(NULL AS text) AS shown_1, CAST(NULL AS integer) AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS text) AS shown_5, CAST(NULL AS integer) AS shown_6, CAST(NULL AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END AS shown_11, CAST(NULL AS integer) AS shown_12, CAST(NULL AS integer) AS shown_13, CAST(NULL AS integer) AS shown_14, CAST(NULL AS integer) AS shown_15, CAST(NULL AS integer) AS shown_16, (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)
FROM `inbox`
WHERE `message_id` IN ($1, unhex($1))
ORDER BY `message_id`

-- inspect, varied
SELECT `message_id`, `message_id`, CAST('completed' AS text) AS shown_0, CAST(NULL AS text) AS shown_1, CAST(NULL AS integer) AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS text) AS shown_5, CAST(NULL AS integer) AS shown_6, CAST(NULL AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END AS shown_11, CAST(NULL AS integer) AS shown_12, CAST(NULL AS integer) AS shown_13, CAST(NULL AS integer) AS shown_14, CAST(NULL AS integer) AS shown_15, CAST(NULL AS integer) AS shown_16, ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))
FROM `inbox`
WHERE ("x" = $9) AND `message_id` IN ($1, unhex($1))
ORDER BY `message_id`

-- select_rows
SELECT `message_id`, `message_id`, CAST('completed' AS text) AS shown_0, CAST(NULL AS text) AS shown_1, CAST(NULL AS integer) AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS text) AS shown_5, CAST(NULL AS integer) AS shown_6, CAST(NULL AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END AS shown_11, CAST(NULL AS integer) AS shown_12, CAST(NULL AS integer) AS shown_13, CAST(NULL AS integer) AS shown_14, CAST(NULL AS integer) AS shown_15, CAST(NULL AS integer) AS shown_16, (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)
FROM `inbox`

-- select_rows, varied
SELECT `message_id`, `message_id`, CAST('completed' AS text) AS shown_0, CAST(NULL AS text) AS shown_1, CAST(NULL AS integer) AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS text) AS shown_5, CAST(NULL AS integer) AS shown_6, CAST(NULL AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END AS shown_11, CAST(NULL AS integer) AS shown_12, CAST(NULL AS integer) AS shown_13, CAST(NULL AS integer) AS shown_14, CAST(NULL AS integer) AS shown_15, CAST(NULL AS integer) AS shown_16, ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))
FROM `inbox`

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
SELECT 1 FROM `inbox`
WHERE `message_id` = $1 AND `message_id` = $2
  AND (1 = 0)
  AND CAST('completed' AS text) IS NOT DISTINCT FROM $6
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $7
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $9
  AND CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END IS NOT DISTINCT FROM $10
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15
  AND (CAST(NULL AS integer) IS NULL OR CAST(NULL AS integer) <= $3)

-- reap_still_stuck
SELECT 1
FROM `inbox`
WHERE `message_id` = $1 AND `message_id` = $2
  AND (1 = 0)
  AND CAST('completed' AS text) IS NOT DISTINCT FROM $6
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $7
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $9
  AND CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END IS NOT DISTINCT FROM $10
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15

-- reap_lock_row
SELECT 1
FROM `inbox`
WHERE `message_id` = $1 AND `message_id` = $2
  AND (1 = 0)
  AND CAST('completed' AS text) IS NOT DISTINCT FROM $6
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $7
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $9
  AND CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END IS NOT DISTINCT FROM $10
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15

-- reap_unrecognized
SELECT count(*) FROM (
    SELECT 1 FROM `inbox`
    WHERE ((`seen` <= $1 OR (`seen` IS NULL AND `seen` <= $2))
            AND ((1 = 0) OR ((1 = 0) AND (`seen` <= $3 OR (`seen` IS NULL AND `seen` <= $4))))
        OR ((1 = 0) AND ((`seen` IS NOT NULL AND NOT (typeof(`seen`) IN ('integer', 'real'))))))
        AND (1 = 1)
    LIMIT $5) AS strange

-- reap_ageless
SELECT count(*) FROM (SELECT 1 FROM `inbox` WHERE (1 = 0) AND (1 = 0) LIMIT $1) AS ageless

-- fail_row
SELECT 1 FROM `inbox`
WHERE `message_id` = $1 AND `message_id` = $2
  AND (1 = 0)
  AND CAST('completed' AS text) IS NOT DISTINCT FROM $6
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $7
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $9
  AND CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END IS NOT DISTINCT FROM $10
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15

-- stats_quick
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM `inbox` WHERE (1 = 0) LIMIT $3) AS a),
    (SELECT count(*) FROM (SELECT 1 FROM `inbox` WHERE (1 = 0) LIMIT $3) AS b),
    (SELECT count(*) FROM (
        SELECT 1 FROM `inbox`
        WHERE (1 = 0) AND `seen` <= $1 AND `seen` > $7 AND (CAST(NULL AS integer) IS NULL OR CAST(NULL AS integer) <= $6) AND (`seen` IS NULL OR (typeof(`seen`) IN ('integer', 'real')))
        LIMIT $3) AS c),
    (SELECT CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END FROM `inbox` WHERE (1 = 0) AND `seen` > $7 ORDER BY `seen` LIMIT 1),
    (SELECT count(*) FROM (
        SELECT 1 FROM `inbox` WHERE `seen` > $4 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') LIMIT $3) AS d),
    (SELECT CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END FROM `inbox` WHERE `seen` > $4 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') ORDER BY `seen` LIMIT 1),
    (SELECT CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END FROM `inbox`
        WHERE (1 = 0) AND `seen` <= $1 AND `seen` > $7 AND (CAST(NULL AS integer) IS NULL OR CAST(NULL AS integer) <= $6) AND (`seen` IS NULL OR (typeof(`seen`) IN ('integer', 'real')))
        ORDER BY `seen` LIMIT 1),
    (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- stats_quick, varied
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM `inbox` WHERE (1 = 0) LIMIT $3) AS a),
    (SELECT count(*) FROM (SELECT 1 FROM `inbox` WHERE (1 = 0) LIMIT $3) AS b),
    (SELECT count(*) FROM (
        SELECT 1 FROM `inbox`
        WHERE (1 = 0) AND `seen` <= $1 AND `seen` > $7 AND (CAST(NULL AS integer) IS NULL OR CAST(NULL AS integer) <= $6) AND (`seen` IS NULL OR (typeof(`seen`) IN ('integer', 'real')))
        LIMIT $3) AS c),
    (SELECT CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END FROM `inbox` WHERE (1 = 0) AND `seen` > $7 ORDER BY `seen` LIMIT 1),
    (SELECT count(*) FROM (
        SELECT 1 FROM `inbox` WHERE `seen` > $4 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') LIMIT $3) AS d),
    (SELECT CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END FROM `inbox` WHERE `seen` > $4 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') ORDER BY `seen` LIMIT 1),
    (SELECT CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END FROM `inbox`
        WHERE (1 = 0) AND `seen` <= $1 AND `seen` > $7 AND (CAST(NULL AS integer) IS NULL OR CAST(NULL AS integer) <= $6) AND (`seen` IS NULL OR (typeof(`seen`) IN ('integer', 'real')))
        ORDER BY `seen` LIMIT 1),
    ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- stats_exact
SELECT count(*), count(CASE WHEN (1 = 0) THEN 1 END), count(CASE WHEN (1 = 0) THEN 1 END),
    count(CASE WHEN (1 = 0) THEN 1 END), count(CASE WHEN (1 = 0) THEN 1 END)
FROM `inbox`
WHERE (1 = 1)

-- stats_rows
SELECT count(*) FROM `inbox` WHERE (1 = 1)

-- stats_rows, varied
SELECT 1 FROM `inbox` WHERE (1 = 1)

-- stats_unknown
SELECT count(*) FROM `inbox` WHERE (1 = 0) AND (1 = 1)

-- stats_unknown, varied
SELECT 1 FROM `inbox` WHERE (1 = 0) AND (1 = 1)

-- stats_kept
SELECT count(*) FROM `inbox` WHERE (1 = 0) AND (1 = 1)

-- stats_kept, varied
SELECT 1 FROM `inbox` WHERE (1 = 0) AND (1 = 1)

-- stays_busy
SELECT count(*) FROM (
    SELECT 1 FROM `inbox` WHERE `seen` > $1 AND `seen` <= $2 AND (1 = 0) LIMIT $3) AS busy

-- stays_undated
SELECT count(*) FROM `inbox` WHERE (`seen` IS NULL) AND (1 = 1)

-- stays_undated, varied
SELECT 1 FROM `inbox` WHERE (`seen` IS NULL) AND (1 = 1)

-- stats_sizes
SELECT
    (SELECT CASE WHEN r.span <= (SELECT page_count * page_size / 8 FROM pragma_page_count, pragma_page_size) THEN r.span END
     FROM (SELECT max(NULL) - min(NULL) + 1 AS span FROM `inbox` WHERE $1 IS NOT NULL) AS r),
    (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size),
    (SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size)

-- stats_scopes
SELECT CAST('' AS text), count(*) FROM `inbox` WHERE (1 = 1) GROUP BY CAST('' AS text) ORDER BY count(*) DESC, CAST('' AS text) LIMIT $1

-- stats_scopes_quick
SELECT CAST('' AS text), count(*) FROM `inbox` WHERE (1 = 1) GROUP BY CAST('' AS text) ORDER BY count(*) DESC, CAST('' AS text) LIMIT $1

-- stats_claims
SELECT count(*) FROM `inbox` WHERE `seen` > $1 AND `seen` <= $2 AND (1 = 1)

-- stats_claims, varied
SELECT 1 FROM `inbox` WHERE `seen` > $1 AND `seen` <= $2 AND (1 = 1)

-- stats_expiries
SELECT count(*) FROM `inbox` WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real')

-- stats_expiries, varied
SELECT 1 FROM `inbox` WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- release_row
SELECT 1 FROM `inbox`
WHERE `message_id` = $1 AND `message_id` = $2
  AND (1 = 0)
  AND CAST('completed' AS text) IS NOT DISTINCT FROM $6
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $7
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $9
  AND CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END IS NOT DISTINCT FROM $10
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15

-- forget_row
DELETE FROM `inbox`
WHERE `message_id` = $1 AND `message_id` = $2
  AND CAST('completed' AS text) IS NOT DISTINCT FROM $6
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $7
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $9
  AND CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END IS NOT DISTINCT FROM $10
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15

-- unchanged_row
SELECT 1
FROM `inbox`
WHERE `message_id` = $1 AND `message_id` = $2
  AND CAST('completed' AS text) IS NOT DISTINCT FROM $6
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $7
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $9
  AND CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END IS NOT DISTINCT FROM $10
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15

-- row_blocking_triggers
SELECT 'trigger ' || m.name FROM sqlite_schema AS m
WHERE m.type = 'trigger' AND m.tbl_name = $1 COLLATE NOCASE AND $2 IS NOT NULL
    AND replace(replace(upper(m.sql), ' ', ''), char(10), '') LIKE '%RAISE(IGNORE)%'
ORDER BY m.name
LIMIT 20

-- inbound_keys
SELECT 'foreign key ' || f.id, m.name, f.on_delete, NULL
FROM sqlite_schema AS m, pragma_foreign_key_list(m.name) AS f
WHERE m.type = 'table' AND '`' || replace(f."table", '`', '``') || '`' = $1 COLLATE NOCASE AND f.seq = 0
ORDER BY 2, 1

-- purge_step
SELECT n.shown,
    (SELECT count(*) FROM (
        SELECT 1 FROM `inbox` WHERE `seen` = n.expiry AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') LIMIT $4) AS tied)
FROM (
    SELECT `seen` AS expiry, CASE WHEN typeof(`seen`) = 'real' AND abs(`seen`) < 9e18 THEN CAST(`seen` AS integer) + (`seen` > CAST(`seen` AS integer)) ELSE `seen` END AS shown
    FROM `inbox`
    WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real')
    ORDER BY `seen`
    LIMIT 1 OFFSET $3) AS n

-- purge_order
SELECT 1 FROM `inbox`
WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real')
ORDER BY `seen`
LIMIT 1 OFFSET $3

-- purge_range
DELETE FROM `inbox`
WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real')

-- purge_range, varied
DELETE FROM `inbox`
WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_count
SELECT count(*) FROM (
    SELECT 1 FROM `inbox` WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') LIMIT $3) AS due

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
    SELECT 1 FROM `inbox`
    WHERE (`seen` <= $2 AND (`seen` <= $1 OR ((typeof(`seen`) IN ('integer', 'real')) IS NOT TRUE)) OR (`seen` IS NOT NULL AND (typeof(`seen`) IN ('integer', 'real')) IS NOT TRUE)) AND (1 = 1)
    LIMIT $3) AS strange

-- purge_left
SELECT
    (SELECT count(*) FROM (
        SELECT 1 FROM `inbox` WHERE `seen` > $1 AND `seen` <= $2 AND (1 = 0) AND typeof(`seen`) IN ('integer', 'real') LIMIT $3) AS at_work),
    (SELECT count(*) FROM (
        SELECT 1 FROM `inbox` WHERE `seen` > $1 AND `seen` <= $2 AND (1 = 0) LIMIT $3) AS held)

-- purge_limited
DELETE FROM `inbox`
WHERE `message_id` IN (
    SELECT `message_id` FROM `inbox`
    WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real')
    ORDER BY `seen`
    LIMIT $3)
  AND `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real')

-- purge_limited, varied
DELETE FROM `inbox`
WHERE `message_id` IN (
    SELECT `message_id` FROM `inbox`
    WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
    ORDER BY `seen`
    LIMIT $3)
  AND `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_range_skip_locked
DELETE FROM `inbox`
WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real')

-- purge_range_skip_locked, varied
DELETE FROM `inbox`
WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied
DELETE FROM `inbox`
WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real')

-- purge_tied, varied
DELETE FROM `inbox`
WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied_referenced
DELETE FROM `inbox`
WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real')

-- purge_tied_referenced, varied
DELETE FROM `inbox`
WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied_skip_locked
DELETE FROM `inbox`
WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real')

-- purge_tied_skip_locked, varied
DELETE FROM `inbox`
WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied_extent
SELECT count(*) FROM (
    SELECT 1 FROM `inbox` WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') LIMIT $3) AS due

-- heap_extent
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- heap_extent, varied
SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- purge_keys_ends
SELECT * FROM (SELECT `message_id` FROM `inbox` ORDER BY `message_id` LIMIT 1)
UNION ALL
SELECT * FROM (SELECT `message_id` FROM `inbox` ORDER BY `message_id` DESC LIMIT 1)

-- purge_keys_step
SELECT `message_id` FROM `inbox` WHERE `message_id` >= $2 ORDER BY `message_id` LIMIT 2 OFFSET $1

-- purge_keys
DELETE FROM `inbox`
WHERE `message_id` >= $3 AND `message_id` <= $4 AND `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real')

-- purge_keys, varied
DELETE FROM `inbox`
WHERE `message_id` >= $3 AND `message_id` <= $4 AND `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_keys_limited
DELETE FROM `inbox`
WHERE `message_id` IN (
    SELECT `message_id` FROM `inbox`
    WHERE `message_id` >= $3 AND `message_id` <= $4 AND `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real')
    LIMIT $5)
  AND `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real')

-- purge_keys_limited, varied
DELETE FROM `inbox`
WHERE `message_id` IN (
    SELECT `message_id` FROM `inbox`
    WHERE `message_id` >= $3 AND `message_id` <= $4 AND `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
    LIMIT $5)
  AND `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_due
SELECT `message_id`, `message_id` FROM `inbox`
WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real')
ORDER BY `seen`
LIMIT $3 OFFSET $4

-- purge_due, varied
SELECT `message_id`, `message_id` FROM `inbox`
WHERE `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
ORDER BY `seen`
LIMIT $3 OFFSET $4

-- purge_due_piece
SELECT `message_id`, `message_id` FROM `inbox`
WHERE `message_id` >= $3 AND `message_id` <= $4 AND `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real')

-- purge_due_piece, varied
SELECT `message_id`, `message_id` FROM `inbox`
WHERE `message_id` >= $3 AND `message_id` <= $4 AND `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_listed
DELETE FROM `inbox`
WHERE (`message_id`) IN (SELECT CASE json_extract(value, '$[0]') WHEN 'blob' THEN unhex(json_extract(value, '$[1]')) WHEN 'raw' THEN CAST(unhex(json_extract(value, '$[1]')) AS text) ELSE json_extract(value, '$[1]') END FROM json_each($3)) AND `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real')

-- purge_listed, varied
DELETE FROM `inbox`
WHERE (`message_id`) IN (SELECT CASE json_extract(value, '$[0]') WHEN 'blob' THEN unhex(json_extract(value, '$[1]')) WHEN 'raw' THEN CAST(unhex(json_extract(value, '$[1]')) AS text) ELSE json_extract(value, '$[1]') END FROM json_each($3)) AND `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_listed_skip_locked
DELETE FROM `inbox`
WHERE (`message_id`) IN (SELECT CASE json_extract(value, '$[0]') WHEN 'blob' THEN unhex(json_extract(value, '$[1]')) WHEN 'raw' THEN CAST(unhex(json_extract(value, '$[1]')) AS text) ELSE json_extract(value, '$[1]') END FROM json_each($3)) AND `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real')

-- purge_listed_skip_locked, varied
DELETE FROM `inbox`
WHERE (`message_id`) IN (SELECT CASE json_extract(value, '$[0]') WHEN 'blob' THEN unhex(json_extract(value, '$[1]')) WHEN 'raw' THEN CAST(unhex(json_extract(value, '$[1]')) AS text) ELSE json_extract(value, '$[1]') END FROM json_each($3)) AND `seen` > $1 AND `seen` <= $2 AND likely((1 = 1)) AND typeof(`seen`) IN ('integer', 'real') AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

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

-- leases_exist
SELECT count(*) = 2 FROM sqlite_schema WHERE type = 'table' AND name IN ('idemctl_lease', 'idemctl_pause')

-- replication_lag
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- replication_lag, varied
SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

