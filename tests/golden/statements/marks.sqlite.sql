-- claim_read
SELECT `id`, `tenant`, `kind`, `phase` AS shown_0, CASE WHEN (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))) THEN 1 ELSE 0 END AS shown_1, `held_by` AS shown_2, `lock` AS shown_3, CAST(NULL AS text) AS shown_4, CAST(NULL AS integer) AS shown_5, CAST(NULL AS text) AS shown_6, CAST(NULL AS bigint) AS shown_7, CAST(NULL AS text) AS shown_8, CAST(NULL AS integer) AS shown_9, CAST(NULL AS text) AS shown_10, CAST(NULL AS boolean) AS shown_11, CAST(NULL AS text) AS shown_12, CAST(NULL AS text) AS shown_13, `made` AS shown_14, CAST(NULL AS integer) AS shown_15, CAST(NULL AS integer) AS shown_16, `held_to` AS shown_17, CAST(NULL AS integer) AS shown_18, `gone` AS shown_19, (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000), CAST(NULL AS integer), CAST(NULL AS text), CAST(NULL AS blob), CAST(NULL AS bigint)
FROM `jobs`
WHERE `id` = $1 AND `tenant` = $2 AND `kind` = $3

-- claim_read, varied
SELECT `id`, `tenant`, `kind`, `phase` AS shown_0, CASE WHEN (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))) THEN 1 ELSE 0 END AS shown_1, `held_by` AS shown_2, `lock` AS shown_3, CAST(NULL AS text) AS shown_4, CAST(NULL AS integer) AS shown_5, CAST(NULL AS text) AS shown_6, CAST(NULL AS bigint) AS shown_7, CAST(NULL AS text) AS shown_8, CAST(NULL AS integer) AS shown_9, CAST(NULL AS text) AS shown_10, CAST(NULL AS boolean) AS shown_11, CAST(NULL AS text) AS shown_12, CAST(NULL AS text) AS shown_13, `made` AS shown_14, CAST(NULL AS integer) AS shown_15, CAST(NULL AS integer) AS shown_16, `held_to` AS shown_17, CAST(NULL AS integer) AS shown_18, `gone` AS shown_19, ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)), CAST(NULL AS integer), CAST(NULL AS text), CAST(NULL AS blob), CAST(NULL AS bigint)
FROM `jobs`
WHERE `id` = $1 AND `tenant` IS NULL AND `kind` = $3

-- inspect
SELECT `id`, `tenant`, `kind`, `phase` AS shown_0, CASE WHEN (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))) THEN 1 ELSE 0 END AS shown_1, `held_by` AS shown_2, `lock` AS shown_3, CAST(NULL AS text) AS shown_4, CAST(NULL AS integer) AS shown_5, CAST(NULL AS text) AS shown_6, CAST(NULL AS bigint) AS shown_7, CAST(NULL AS text) AS shown_8, CAST(NULL AS integer) AS shown_9, CAST(NULL AS text) AS shown_10, CAST(NULL AS boolean) AS shown_11, CAST(NULL AS text) AS shown_12, CAST(NULL AS text) AS shown_13, `made` AS shown_14, CAST(NULL AS integer) AS shown_15, CAST(NULL AS integer) AS shown_16, `held_to` AS shown_17, CAST(NULL AS integer) AS shown_18, `gone` AS shown_19, (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)
FROM `jobs`
WHERE `id` IN ($1, unhex($1), CASE WHEN CAST(CAST($1 AS integer) AS text) = $1 THEN CAST($1 AS integer) END, CASE WHEN CAST(CAST($1 AS real) AS text) = $1 THEN CAST($1 AS real) END)
ORDER BY `tenant`, `kind`

-- inspect, varied
SELECT `id`, `tenant`, `kind`, `phase` AS shown_0, CASE WHEN (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))) THEN 1 ELSE 0 END AS shown_1, `held_by` AS shown_2, `lock` AS shown_3, CAST(NULL AS text) AS shown_4, CAST(NULL AS integer) AS shown_5, CAST(NULL AS text) AS shown_6, CAST(NULL AS bigint) AS shown_7, CAST(NULL AS text) AS shown_8, CAST(NULL AS integer) AS shown_9, CAST(NULL AS text) AS shown_10, CAST(NULL AS boolean) AS shown_11, CAST(NULL AS text) AS shown_12, CAST(NULL AS text) AS shown_13, `made` AS shown_14, CAST(NULL AS integer) AS shown_15, CAST(NULL AS integer) AS shown_16, `held_to` AS shown_17, CAST(NULL AS integer) AS shown_18, `gone` AS shown_19, ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))
FROM `jobs`
WHERE ("x" = $9) AND `id` IN ($1, unhex($1), CASE WHEN CAST(CAST($1 AS integer) AS text) = $1 THEN CAST($1 AS integer) END, CASE WHEN CAST(CAST($1 AS real) AS text) = $1 THEN CAST($1 AS real) END)
ORDER BY `tenant`, `kind`

-- select_rows
SELECT `id`, `tenant`, `kind`, `phase` AS shown_0, CASE WHEN (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))) THEN 1 ELSE 0 END AS shown_1, `held_by` AS shown_2, `lock` AS shown_3, CAST(NULL AS text) AS shown_4, CAST(NULL AS integer) AS shown_5, CAST(NULL AS text) AS shown_6, CAST(NULL AS bigint) AS shown_7, CAST(NULL AS text) AS shown_8, CAST(NULL AS integer) AS shown_9, CAST(NULL AS text) AS shown_10, CAST(NULL AS boolean) AS shown_11, CAST(NULL AS text) AS shown_12, CAST(NULL AS text) AS shown_13, `made` AS shown_14, CAST(NULL AS integer) AS shown_15, CAST(NULL AS integer) AS shown_16, `held_to` AS shown_17, CAST(NULL AS integer) AS shown_18, `gone` AS shown_19, (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)
FROM `jobs`

-- select_rows, varied
SELECT `id`, `tenant`, `kind`, `phase` AS shown_0, CASE WHEN (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))) THEN 1 ELSE 0 END AS shown_1, `held_by` AS shown_2, `lock` AS shown_3, CAST(NULL AS text) AS shown_4, CAST(NULL AS integer) AS shown_5, CAST(NULL AS text) AS shown_6, CAST(NULL AS bigint) AS shown_7, CAST(NULL AS text) AS shown_8, CAST(NULL AS integer) AS shown_9, CAST(NULL AS text) AS shown_10, CAST(NULL AS boolean) AS shown_11, CAST(NULL AS text) AS shown_12, CAST(NULL AS text) AS shown_13, `made` AS shown_14, CAST(NULL AS integer) AS shown_15, CAST(NULL AS integer) AS shown_16, `held_to` AS shown_17, CAST(NULL AS integer) AS shown_18, `gone` AS shown_19, ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))
FROM `jobs`

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
UPDATE `jobs`
SET `lock` = 0,
    `phase` = 9,
    `held_by` = NULL,
    `gone` = CASE WHEN $5 THEN `gone` ELSE $19 END
WHERE `id` = $1 AND `tenant` = $2 AND `kind` = $3
  AND (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0)))))
  AND `phase` IS NOT DISTINCT FROM $7
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND `made` IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND `held_to` IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15
  AND `gone` IS NOT DISTINCT FROM $16
  AND `held_by` IS NOT DISTINCT FROM $17
  AND `lock` IS NOT DISTINCT FROM $18
  AND (`held_to` IS NULL OR `held_to` <= $4)

-- reap_row, varied
UPDATE `jobs`
SET `lock` = 0,
    `phase` = 9,
    `held_by` = NULL,
    `gone` = CASE WHEN $5 THEN `gone` ELSE $19 END
WHERE `id` = $1 AND `tenant` IS NULL AND `kind` = $3
  AND (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0)))))
  AND `phase` IS NOT DISTINCT FROM $7
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND `made` IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND `held_to` IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15
  AND `gone` IS NOT DISTINCT FROM $16
  AND `held_by` IS NOT DISTINCT FROM $17
  AND `lock` IS NOT DISTINCT FROM $18
  AND (`held_to` IS NULL OR `held_to` <= $4)

-- reap_still_stuck
SELECT 1
FROM `jobs`
WHERE `id` = $1 AND `tenant` = $2 AND `kind` = $3
  AND (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0)))))
  AND `phase` IS NOT DISTINCT FROM $7
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND `made` IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND `held_to` IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15
  AND `gone` IS NOT DISTINCT FROM $16
  AND `held_by` IS NOT DISTINCT FROM $17
  AND `lock` IS NOT DISTINCT FROM $18

-- reap_still_stuck, varied
SELECT 1
FROM `jobs`
WHERE `id` = $1 AND `tenant` IS NULL AND `kind` = $3
  AND (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0)))))
  AND `phase` IS NOT DISTINCT FROM $7
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND `made` IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND `held_to` IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15
  AND `gone` IS NOT DISTINCT FROM $16
  AND `held_by` IS NOT DISTINCT FROM $17
  AND `lock` IS NOT DISTINCT FROM $18

-- reap_lock_row
SELECT 1
FROM `jobs`
WHERE `id` = $1 AND `tenant` = $2 AND `kind` = $3
  AND (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0)))))
  AND `phase` IS NOT DISTINCT FROM $7
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND `made` IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND `held_to` IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15
  AND `gone` IS NOT DISTINCT FROM $16
  AND `held_by` IS NOT DISTINCT FROM $17
  AND `lock` IS NOT DISTINCT FROM $18

-- reap_lock_row, varied
SELECT 1
FROM `jobs`
WHERE `id` = $1 AND `tenant` IS NULL AND `kind` = $3
  AND (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0)))))
  AND `phase` IS NOT DISTINCT FROM $7
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND `made` IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND `held_to` IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15
  AND `gone` IS NOT DISTINCT FROM $16
  AND `held_by` IS NOT DISTINCT FROM $17
  AND `lock` IS NOT DISTINCT FROM $18

-- reap_unrecognized
SELECT count(*) FROM (
    SELECT 1 FROM `jobs`
    WHERE ((`made` <= $1 OR (`made` IS NULL AND `made` <= $2))
            AND ((`phase` IN (0, 1, 9)) IS NOT TRUE OR ((`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))))) AND (`made` <= $3 OR (`made` IS NULL AND `made` <= $4))))
        OR ((`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))))) AND ((`made` IS NOT NULL AND NOT ((`made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`made`, 1, 19), '+0 days') = substr(`made`, 1, 10) AND substr(`made`, 12, 2) < '24' AND typeof(`made`) = 'text' AND instr(CAST(`made` AS blob), x'00') = 0)))))
        AND (1 = 1)
    LIMIT $5) AS strange

-- reap_ageless
SELECT count(*) FROM (SELECT 1 FROM `jobs` WHERE (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))))) AND (1 = 0) LIMIT $1) AS ageless

-- fail_row
UPDATE `jobs`
SET `lock` = 0,
    `phase` = 9,
    `held_by` = NULL,
    `gone` = CASE WHEN $5 THEN `gone` ELSE $19 END
WHERE `id` = $1 AND `tenant` = $2 AND `kind` = $3
  AND (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0)))))
  AND `phase` IS NOT DISTINCT FROM $7
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND `made` IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND `held_to` IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15
  AND `gone` IS NOT DISTINCT FROM $16
  AND `held_by` IS NOT DISTINCT FROM $17
  AND `lock` IS NOT DISTINCT FROM $18

-- fail_row, varied
UPDATE `jobs`
SET `lock` = 0,
    `phase` = 9,
    `held_by` = NULL,
    `gone` = CASE WHEN $5 THEN `gone` ELSE $19 END
WHERE `id` = $1 AND `tenant` IS NULL AND `kind` = $3
  AND (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0)))))
  AND `phase` IS NOT DISTINCT FROM $7
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND `made` IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND `held_to` IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15
  AND `gone` IS NOT DISTINCT FROM $16
  AND `held_by` IS NOT DISTINCT FROM $17
  AND `lock` IS NOT DISTINCT FROM $18

-- stats_quick
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM `jobs` WHERE (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))))) LIMIT $3) AS a),
    (SELECT count(*) FROM (SELECT 1 FROM `jobs` WHERE (`phase` = 9 AND `held_by` IS NULL AND (`lock` IS NULL OR `lock` IN (0))) LIMIT $3) AS b),
    (SELECT count(*) FROM (
        SELECT 1 FROM `jobs`
        WHERE (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))))) AND `made` <= $1 AND `made` > $7 AND (`held_to` IS NULL OR `held_to` <= $6) AND (`made` IS NULL OR ((`made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`made`, 1, 19), '+0 days') = substr(`made`, 1, 10) AND substr(`made`, 12, 2) < '24' AND typeof(`made`) = 'text' AND instr(CAST(`made` AS blob), x'00') = 0))
        LIMIT $3) AS c),
    (SELECT `made` FROM `jobs` WHERE (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))))) AND `made` > $7 ORDER BY `made` LIMIT 1),
    (SELECT count(*) FROM (
        SELECT 1 FROM `jobs` WHERE `gone` > $4 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) LIMIT $3) AS d),
    (SELECT `gone` FROM `jobs` WHERE `gone` > $4 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) ORDER BY `gone` LIMIT 1),
    (SELECT `made` FROM `jobs`
        WHERE (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))))) AND `made` <= $1 AND `made` > $7 AND (`held_to` IS NULL OR `held_to` <= $6) AND (`made` IS NULL OR ((`made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`made`, 1, 19), '+0 days') = substr(`made`, 1, 10) AND substr(`made`, 12, 2) < '24' AND typeof(`made`) = 'text' AND instr(CAST(`made` AS blob), x'00') = 0))
        ORDER BY `made` LIMIT 1),
    (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- stats_quick, varied
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM `jobs` WHERE (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))))) LIMIT $3) AS a),
    (SELECT count(*) FROM (SELECT 1 FROM `jobs` WHERE (`phase` = 9 AND `held_by` IS NULL AND (`lock` IS NULL OR `lock` IN (0))) LIMIT $3) AS b),
    (SELECT count(*) FROM (
        SELECT 1 FROM `jobs`
        WHERE (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))))) AND `made` <= $1 AND `made` > $7 AND (`held_to` IS NULL OR `held_to` <= $6) AND (`made` IS NULL OR ((`made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`made`, 1, 19), '+0 days') = substr(`made`, 1, 10) AND substr(`made`, 12, 2) < '24' AND typeof(`made`) = 'text' AND instr(CAST(`made` AS blob), x'00') = 0))
        LIMIT $3) AS c),
    (SELECT `made` FROM `jobs` WHERE (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))))) AND `made` > $7 ORDER BY `made` LIMIT 1),
    (SELECT count(*) FROM (
        SELECT 1 FROM `jobs` WHERE `gone` > $4 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) LIMIT $3) AS d),
    (SELECT `gone` FROM `jobs` WHERE `gone` > $4 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) ORDER BY `gone` LIMIT 1),
    (SELECT `made` FROM `jobs`
        WHERE (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))))) AND `made` <= $1 AND `made` > $7 AND (`held_to` IS NULL OR `held_to` <= $6) AND (`made` IS NULL OR ((`made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `made` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`made`, 1, 19), '+0 days') = substr(`made`, 1, 10) AND substr(`made`, 12, 2) < '24' AND typeof(`made`) = 'text' AND instr(CAST(`made` AS blob), x'00') = 0))
        ORDER BY `made` LIMIT 1),
    ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- stats_exact
SELECT count(*), count(CASE WHEN (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))))) THEN 1 END), count(CASE WHEN (`phase` = 9 AND `held_by` IS NULL AND (`lock` IS NULL OR `lock` IN (0))) THEN 1 END),
    count(CASE WHEN (`phase` IN (0, 1, 9)) IS NOT TRUE THEN 1 END), count(CASE WHEN (1 = 0) THEN 1 END)
FROM `jobs`
WHERE (1 = 1)

-- stats_rows
SELECT count(*) FROM `jobs` WHERE (1 = 1)

-- stats_rows, varied
SELECT 1 FROM `jobs` WHERE (1 = 1)

-- stats_unknown
SELECT count(*) FROM `jobs` WHERE (`phase` IN (0, 1, 9)) IS NOT TRUE AND (1 = 1)

-- stats_unknown, varied
SELECT 1 FROM `jobs` WHERE (`phase` IN (0, 1, 9)) IS NOT TRUE AND (1 = 1)

-- stats_kept
SELECT count(*) FROM `jobs` WHERE (1 = 0) AND (1 = 1)

-- stats_kept, varied
SELECT 1 FROM `jobs` WHERE (1 = 0) AND (1 = 1)

-- stays_busy
SELECT count(*) FROM (
    SELECT 1 FROM `jobs` WHERE `gone` > $1 AND `gone` <= $2 AND (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))))) LIMIT $3) AS busy

-- stays_undated
SELECT count(*) FROM `jobs` WHERE (`gone` IS NULL) AND (1 = 1)

-- stays_undated, varied
SELECT 1 FROM `jobs` WHERE (`gone` IS NULL) AND (1 = 1)

-- stats_sizes
SELECT
    (SELECT CASE WHEN r.span <= (SELECT page_count * page_size / 8 FROM pragma_page_count, pragma_page_size) THEN r.span END
     FROM (SELECT max(NULL) - min(NULL) + 1 AS span FROM `jobs` WHERE $1 IS NOT NULL) AS r),
    (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size),
    (SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size)

-- stats_scopes
SELECT COALESCE(CAST(`tenant` AS text), '\N') || ',' || COALESCE(CAST(`kind` AS text), '\N'), count(*) FROM `jobs` WHERE (1 = 1) GROUP BY COALESCE(CAST(`tenant` AS text), '\N') || ',' || COALESCE(CAST(`kind` AS text), '\N') ORDER BY count(*) DESC, COALESCE(CAST(`tenant` AS text), '\N') || ',' || COALESCE(CAST(`kind` AS text), '\N') LIMIT $1

-- stats_scopes_quick
SELECT COALESCE(CAST(`tenant` AS text), '\N') || ',' || COALESCE(CAST(`kind` AS text), '\N'), count(*) FROM `jobs` WHERE (1 = 1) GROUP BY COALESCE(CAST(`tenant` AS text), '\N') || ',' || COALESCE(CAST(`kind` AS text), '\N') ORDER BY count(*) DESC, COALESCE(CAST(`tenant` AS text), '\N') || ',' || COALESCE(CAST(`kind` AS text), '\N') LIMIT $1

-- stats_claims
SELECT count(*) FROM `jobs` WHERE `made` > $1 AND `made` <= $2 AND (1 = 1)

-- stats_claims, varied
SELECT 1 FROM `jobs` WHERE `made` > $1 AND `made` <= $2 AND (1 = 1)

-- stats_expiries
SELECT count(*) FROM `jobs` WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp)))

-- stats_expiries, varied
SELECT 1 FROM `jobs` WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- release_row
DELETE FROM `jobs`
WHERE `id` = $1 AND `tenant` = $2 AND `kind` = $3
  AND (`phase` = 9 AND `held_by` IS NULL AND (`lock` IS NULL OR `lock` IN (0)))
  AND `phase` IS NOT DISTINCT FROM $7
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND `made` IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND `held_to` IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15
  AND `gone` IS NOT DISTINCT FROM $16
  AND `held_by` IS NOT DISTINCT FROM $17
  AND `lock` IS NOT DISTINCT FROM $18

-- release_row, varied
DELETE FROM `jobs`
WHERE `id` = $1 AND `tenant` IS NULL AND `kind` = $3
  AND (`phase` = 9 AND `held_by` IS NULL AND (`lock` IS NULL OR `lock` IN (0)))
  AND `phase` IS NOT DISTINCT FROM $7
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND `made` IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND `held_to` IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15
  AND `gone` IS NOT DISTINCT FROM $16
  AND `held_by` IS NOT DISTINCT FROM $17
  AND `lock` IS NOT DISTINCT FROM $18

-- forget_row
DELETE FROM `jobs`
WHERE `id` = $1 AND `tenant` = $2 AND `kind` = $3
  AND `phase` IS NOT DISTINCT FROM $7
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND `made` IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND `held_to` IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15
  AND `gone` IS NOT DISTINCT FROM $16
  AND `held_by` IS NOT DISTINCT FROM $17
  AND `lock` IS NOT DISTINCT FROM $18

-- forget_row, varied
DELETE FROM `jobs`
WHERE `id` = $1 AND `tenant` IS NULL AND `kind` = $3
  AND `phase` IS NOT DISTINCT FROM $7
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND `made` IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND `held_to` IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15
  AND `gone` IS NOT DISTINCT FROM $16
  AND `held_by` IS NOT DISTINCT FROM $17
  AND `lock` IS NOT DISTINCT FROM $18

-- unchanged_row
SELECT 1
FROM `jobs`
WHERE `id` = $1 AND `tenant` = $2 AND `kind` = $3
  AND `phase` IS NOT DISTINCT FROM $7
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND `made` IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND `held_to` IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15
  AND `gone` IS NOT DISTINCT FROM $16
  AND `held_by` IS NOT DISTINCT FROM $17
  AND `lock` IS NOT DISTINCT FROM $18

-- unchanged_row, varied
SELECT 1
FROM `jobs`
WHERE `id` = $1 AND `tenant` IS NULL AND `kind` = $3
  AND `phase` IS NOT DISTINCT FROM $7
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $8
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $9
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $10
  AND `made` IS NOT DISTINCT FROM $11
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $12
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $13
  AND `held_to` IS NOT DISTINCT FROM $14
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $15
  AND `gone` IS NOT DISTINCT FROM $16
  AND `held_by` IS NOT DISTINCT FROM $17
  AND `lock` IS NOT DISTINCT FROM $18

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
        SELECT 1 FROM `jobs` WHERE `gone` = n.expiry AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) LIMIT $4) AS tied)
FROM (
    SELECT `gone` AS expiry, `gone` AS shown
    FROM `jobs`
    WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp)))
    ORDER BY `gone`
    LIMIT 1 OFFSET $3) AS n

-- purge_order
SELECT 1 FROM `jobs`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp)))
ORDER BY `gone`
LIMIT 1 OFFSET $3

-- purge_range
DELETE FROM `jobs`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp)))

-- purge_range, varied
DELETE FROM `jobs`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_count
SELECT count(*) FROM (
    SELECT 1 FROM `jobs` WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) LIMIT $3) AS due

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
    SELECT 1 FROM `jobs`
    WHERE (`gone` <= $2 AND (`gone` <= $1 OR ((`phase` IN (0, 1, 9)) IS NOT TRUE OR ((`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0) IS NOT TRUE)) OR (`gone` IS NOT NULL AND ((`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0) IS NOT TRUE)) AND (1 = 1)
    LIMIT $3) AS strange

-- purge_left
SELECT
    (SELECT count(*) FROM (
        SELECT 1 FROM `jobs` WHERE `gone` > $1 AND `gone` <= $2 AND (`phase` = 0 OR (`phase` IN (1, 9) AND (`held_by` IS NOT NULL OR (`lock` IS NOT NULL AND `lock` NOT IN (0))))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 LIMIT $3) AS at_work),
    (SELECT count(*) FROM (
        SELECT 1 FROM `jobs` WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND ((`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp)))) IS NOT TRUE LIMIT $3) AS held)

-- purge_limited
DELETE FROM `jobs`
WHERE (`kind`, `id`, `tenant`) IN (
    SELECT `kind`, `id`, `tenant` FROM `jobs`
    WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp)))
    ORDER BY `gone`
    LIMIT $3)
  AND `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp)))

-- purge_limited, varied
DELETE FROM `jobs`
WHERE (`kind`, `id`, `tenant`) IN (
    SELECT `kind`, `id`, `tenant` FROM `jobs`
    WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
    ORDER BY `gone`
    LIMIT $3)
  AND `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_range_skip_locked
DELETE FROM `jobs`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp)))

-- purge_range_skip_locked, varied
DELETE FROM `jobs`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied
DELETE FROM `jobs`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp)))

-- purge_tied, varied
DELETE FROM `jobs`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied_referenced
DELETE FROM `jobs`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp)))

-- purge_tied_referenced, varied
DELETE FROM `jobs`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied_skip_locked
DELETE FROM `jobs`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp)))

-- purge_tied_skip_locked, varied
DELETE FROM `jobs`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied_extent
SELECT count(*) FROM (
    SELECT 1 FROM `jobs` WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) LIMIT $3) AS due

-- heap_extent
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- heap_extent, varied
SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- purge_keys_ends
SELECT * FROM (SELECT `kind`, `id`, `tenant` FROM `jobs` ORDER BY `kind`, `id`, `tenant` LIMIT 1)
UNION ALL
SELECT * FROM (SELECT `kind`, `id`, `tenant` FROM `jobs` ORDER BY `kind` DESC, `id` DESC, `tenant` DESC LIMIT 1)

-- purge_keys_step
SELECT `kind`, `id`, `tenant` FROM `jobs` WHERE (`kind`, `id`, `tenant`) >= ($2, $3, $4) ORDER BY `kind`, `id`, `tenant` LIMIT 2 OFFSET $1

-- purge_keys
DELETE FROM `jobs`
WHERE (`kind`, `id`, `tenant`) >= ($3, $4, $5) AND (`kind`, `id`, `tenant`) <= ($6, $7, $8) AND `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp)))

-- purge_keys, varied
DELETE FROM `jobs`
WHERE (`kind`, `id`, `tenant`) >= ($3, $4, $5) AND (`kind`, `id`, `tenant`) <= ($6, $7, $8) AND `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_keys_limited
DELETE FROM `jobs`
WHERE (`kind`, `id`, `tenant`) IN (
    SELECT `kind`, `id`, `tenant` FROM `jobs`
    WHERE (`kind`, `id`, `tenant`) >= ($3, $4, $5) AND (`kind`, `id`, `tenant`) <= ($6, $7, $8) AND `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp)))
    LIMIT $9)
  AND `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp)))

-- purge_keys_limited, varied
DELETE FROM `jobs`
WHERE (`kind`, `id`, `tenant`) IN (
    SELECT `kind`, `id`, `tenant` FROM `jobs`
    WHERE (`kind`, `id`, `tenant`) >= ($3, $4, $5) AND (`kind`, `id`, `tenant`) <= ($6, $7, $8) AND `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
    LIMIT $9)
  AND `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_due
SELECT `id`, `tenant`, `kind`, `kind`, `id`, `tenant` FROM `jobs`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp)))
ORDER BY `gone`
LIMIT $3 OFFSET $4

-- purge_due, varied
SELECT `id`, `tenant`, `kind`, `kind`, `id`, `tenant` FROM `jobs`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
ORDER BY `gone`
LIMIT $3 OFFSET $4

-- purge_due_piece
SELECT `id`, `tenant`, `kind`, `kind`, `id`, `tenant` FROM `jobs`
WHERE (`kind`, `id`, `tenant`) >= ($3, $4, $5) AND (`kind`, `id`, `tenant`) <= ($6, $7, $8) AND `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp)))

-- purge_due_piece, varied
SELECT `id`, `tenant`, `kind`, `kind`, `id`, `tenant` FROM `jobs`
WHERE (`kind`, `id`, `tenant`) >= ($3, $4, $5) AND (`kind`, `id`, `tenant`) <= ($6, $7, $8) AND `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_listed
DELETE FROM `jobs`
WHERE (`kind`, `id`, `tenant`) IN (SELECT CASE json_extract(value, '$[0]') WHEN 'blob' THEN unhex(json_extract(value, '$[1]')) WHEN 'raw' THEN CAST(unhex(json_extract(value, '$[1]')) AS text) ELSE json_extract(value, '$[1]') END, CASE json_extract(value, '$[2]') WHEN 'blob' THEN unhex(json_extract(value, '$[3]')) WHEN 'raw' THEN CAST(unhex(json_extract(value, '$[3]')) AS text) ELSE json_extract(value, '$[3]') END, CASE json_extract(value, '$[4]') WHEN 'blob' THEN unhex(json_extract(value, '$[5]')) WHEN 'raw' THEN CAST(unhex(json_extract(value, '$[5]')) AS text) ELSE json_extract(value, '$[5]') END FROM json_each($3)) AND `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp)))

-- purge_listed, varied
DELETE FROM `jobs`
WHERE (`kind`, `id`, `tenant`) IN (SELECT CASE json_extract(value, '$[0]') WHEN 'blob' THEN unhex(json_extract(value, '$[1]')) WHEN 'raw' THEN CAST(unhex(json_extract(value, '$[1]')) AS text) ELSE json_extract(value, '$[1]') END, CASE json_extract(value, '$[2]') WHEN 'blob' THEN unhex(json_extract(value, '$[3]')) WHEN 'raw' THEN CAST(unhex(json_extract(value, '$[3]')) AS text) ELSE json_extract(value, '$[3]') END, CASE json_extract(value, '$[4]') WHEN 'blob' THEN unhex(json_extract(value, '$[5]')) WHEN 'raw' THEN CAST(unhex(json_extract(value, '$[5]')) AS text) ELSE json_extract(value, '$[5]') END FROM json_each($3)) AND `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_listed_skip_locked
DELETE FROM `jobs`
WHERE (`kind`, `id`, `tenant`) IN (SELECT CASE json_extract(value, '$[0]') WHEN 'blob' THEN unhex(json_extract(value, '$[1]')) WHEN 'raw' THEN CAST(unhex(json_extract(value, '$[1]')) AS text) ELSE json_extract(value, '$[1]') END, CASE json_extract(value, '$[2]') WHEN 'blob' THEN unhex(json_extract(value, '$[3]')) WHEN 'raw' THEN CAST(unhex(json_extract(value, '$[3]')) AS text) ELSE json_extract(value, '$[3]') END, CASE json_extract(value, '$[4]') WHEN 'blob' THEN unhex(json_extract(value, '$[5]')) WHEN 'raw' THEN CAST(unhex(json_extract(value, '$[5]')) AS text) ELSE json_extract(value, '$[5]') END FROM json_each($3)) AND `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp)))

-- purge_listed_skip_locked, varied
DELETE FROM `jobs`
WHERE (`kind`, `id`, `tenant`) IN (SELECT CASE json_extract(value, '$[0]') WHEN 'blob' THEN unhex(json_extract(value, '$[1]')) WHEN 'raw' THEN CAST(unhex(json_extract(value, '$[1]')) AS text) ELSE json_extract(value, '$[1]') END, CASE json_extract(value, '$[2]') WHEN 'blob' THEN unhex(json_extract(value, '$[3]')) WHEN 'raw' THEN CAST(unhex(json_extract(value, '$[3]')) AS text) ELSE json_extract(value, '$[3]') END, CASE json_extract(value, '$[4]') WHEN 'blob' THEN unhex(json_extract(value, '$[5]')) WHEN 'raw' THEN CAST(unhex(json_extract(value, '$[5]')) AS text) ELSE json_extract(value, '$[5]') END FROM json_each($3)) AND `gone` > $1 AND `gone` <= $2 AND likely(`phase` IN (1, 9)) AND likely(`held_by` IS NULL) AND likely((`lock` IS NULL OR `lock` IN (0))) AND (`gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00' OR `gone` GLOB '[0-9][0-9][0-9][0-9]-[0-1][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9].[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]+00:00') AND date(substr(`gone`, 1, 19), '+0 days') = substr(`gone`, 1, 10) AND substr(`gone`, 12, 2) < '24' AND typeof(`gone`) = 'text' AND instr(CAST(`gone` AS blob), x'00') = 0 AND (`held_to` IS NULL OR (`held_to` <= CAST('2023-11-14T22:13:20.000000' AS timestamp))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

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

