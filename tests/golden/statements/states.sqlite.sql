-- claim_read
SELECT `k$1`, `ORDER BY`, `a ' " `` {x}`, CAST(_rowid_ AS text), `status ?` AS shown_0, CASE typeof(`hash`) WHEN 'blob' THEN lower(hex(`hash`)) ELSE CAST(`hash` AS text) END AS shown_1, CASE WHEN json_valid(`answer`) THEN json_extract(`answer`, '$."a"."code"') END AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS text) AS shown_5, `tries` AS shown_6, CAST(`worker` AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, `created` AS shown_11, `locked_at` AS shown_12, `beat` AS shown_13, `until` AS shown_14, CAST(NULL AS integer) AS shown_15, `gone` AS shown_16, (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000), CASE WHEN json_valid(`answer`) THEN json_extract(`answer`, '$."a"."code"') END, CAST(NULL AS text), `answer`, CAST(NULL AS bigint)
FROM `shop`.`pay WHERE $1`
WHERE `k$1` = $1 AND `k$1` COLLATE BINARY = $1 AND `ORDER BY` = $2 AND `a ' " `` {x}` = $3 AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST($4 AS integer)

-- claim_read, varied
SELECT `k$1`, `ORDER BY`, `a ' " `` {x}`, CAST(_rowid_ AS text), `status ?` AS shown_0, CASE typeof(`hash`) WHEN 'blob' THEN lower(hex(`hash`)) ELSE CAST(`hash` AS text) END AS shown_1, CASE WHEN json_valid(`answer`) THEN json_extract(`answer`, '$."a"."code"') END AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS text) AS shown_5, `tries` AS shown_6, CAST(`worker` AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, `created` AS shown_11, `locked_at` AS shown_12, `beat` AS shown_13, `until` AS shown_14, CAST(NULL AS integer) AS shown_15, `gone` AS shown_16, ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5)), CASE WHEN json_valid(`answer`) THEN json_extract(`answer`, '$."a"."code"') END, CAST(NULL AS text), `answer`, CAST(NULL AS bigint)
FROM `shop`.`pay WHERE $1`
WHERE `k$1` = $1 AND `k$1` COLLATE BINARY = $1 AND `ORDER BY` = $2 AND `a ' " `` {x}` IS NULL AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST($4 AS integer)

-- claim_read, with NULLs
SELECT `k$1`, `ORDER BY`, `a ' " `` {x}`, CAST(_rowid_ AS text), `status ?` AS shown_0, CASE typeof(`hash`) WHEN 'blob' THEN lower(hex(`hash`)) ELSE CAST(`hash` AS text) END AS shown_1, CASE WHEN json_valid(`answer`) THEN json_extract(`answer`, '$."a"."code"') END AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS text) AS shown_5, `tries` AS shown_6, CAST(`worker` AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, `created` AS shown_11, `locked_at` AS shown_12, `beat` AS shown_13, `until` AS shown_14, CAST(NULL AS integer) AS shown_15, `gone` AS shown_16, (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000), CASE WHEN json_valid(`answer`) THEN json_extract(`answer`, '$."a"."code"') END, CAST(NULL AS text), `answer`, CAST(NULL AS bigint)
FROM `shop`.`pay WHERE $1`
WHERE `k$1` = NULL AND `k$1` COLLATE BINARY = NULL AND `ORDER BY` = NULL AND `a ' " `` {x}` = NULL AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST(NULL AS integer)

-- inspect
SELECT `k$1`, `ORDER BY`, `a ' " `` {x}`, CAST(_rowid_ AS text), `status ?` AS shown_0, CASE typeof(`hash`) WHEN 'blob' THEN lower(hex(`hash`)) ELSE CAST(`hash` AS text) END AS shown_1, CASE WHEN json_valid(`answer`) THEN json_extract(`answer`, '$."a"."code"') END AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS text) AS shown_5, `tries` AS shown_6, CAST(`worker` AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, `created` AS shown_11, `locked_at` AS shown_12, `beat` AS shown_13, `until` AS shown_14, CAST(NULL AS integer) AS shown_15, `gone` AS shown_16, (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)
FROM `shop`.`pay WHERE $1`
WHERE `k$1` IN ($1, unhex($1)) AND `ORDER BY` IN ($2, unhex($2)) AND `kind` = 'pay''ment' AND `version` = 2
ORDER BY `a ' " `` {x}`

-- inspect, varied
SELECT `k$1`, `ORDER BY`, `a ' " `` {x}`, CAST(_rowid_ AS text), `status ?` AS shown_0, CASE typeof(`hash`) WHEN 'blob' THEN lower(hex(`hash`)) ELSE CAST(`hash` AS text) END AS shown_1, CASE WHEN json_valid(`answer`) THEN json_extract(`answer`, '$."a"."code"') END AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS text) AS shown_5, `tries` AS shown_6, CAST(`worker` AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, `created` AS shown_11, `locked_at` AS shown_12, `beat` AS shown_13, `until` AS shown_14, CAST(NULL AS integer) AS shown_15, `gone` AS shown_16, ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))
FROM `shop`.`pay WHERE $1`
WHERE ("x" = $9) AND `k$1` IN ($1, unhex($1)) AND `ORDER BY` IN ($2, unhex($2)) AND `kind` = 'pay''ment' AND `version` = 2
ORDER BY `a ' " `` {x}`

-- inspect, with NULLs
SELECT `k$1`, `ORDER BY`, `a ' " `` {x}`, CAST(_rowid_ AS text), `status ?` AS shown_0, CASE typeof(`hash`) WHEN 'blob' THEN lower(hex(`hash`)) ELSE CAST(`hash` AS text) END AS shown_1, CASE WHEN json_valid(`answer`) THEN json_extract(`answer`, '$."a"."code"') END AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS text) AS shown_5, `tries` AS shown_6, CAST(`worker` AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, `created` AS shown_11, `locked_at` AS shown_12, `beat` AS shown_13, `until` AS shown_14, CAST(NULL AS integer) AS shown_15, `gone` AS shown_16, (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)
FROM `shop`.`pay WHERE $1`
WHERE `k$1` IN (NULL, unhex(NULL)) AND `ORDER BY` IN (NULL, unhex(NULL)) AND `kind` = 'pay''ment' AND `version` = 2
ORDER BY `a ' " `` {x}`

-- select_rows
SELECT `k$1`, `ORDER BY`, `a ' " `` {x}`, CAST(_rowid_ AS text), `status ?` AS shown_0, CASE typeof(`hash`) WHEN 'blob' THEN lower(hex(`hash`)) ELSE CAST(`hash` AS text) END AS shown_1, CASE WHEN json_valid(`answer`) THEN json_extract(`answer`, '$."a"."code"') END AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS text) AS shown_5, `tries` AS shown_6, CAST(`worker` AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, `created` AS shown_11, `locked_at` AS shown_12, `beat` AS shown_13, `until` AS shown_14, CAST(NULL AS integer) AS shown_15, `gone` AS shown_16, (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)
FROM `shop`.`pay WHERE $1`

-- select_rows, varied
SELECT `k$1`, `ORDER BY`, `a ' " `` {x}`, CAST(_rowid_ AS text), `status ?` AS shown_0, CASE typeof(`hash`) WHEN 'blob' THEN lower(hex(`hash`)) ELSE CAST(`hash` AS text) END AS shown_1, CASE WHEN json_valid(`answer`) THEN json_extract(`answer`, '$."a"."code"') END AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS text) AS shown_5, `tries` AS shown_6, CAST(`worker` AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, `created` AS shown_11, `locked_at` AS shown_12, `beat` AS shown_13, `until` AS shown_14, CAST(NULL AS integer) AS shown_15, `gone` AS shown_16, ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))
FROM `shop`.`pay WHERE $1`

-- select_rows, with NULLs
SELECT `k$1`, `ORDER BY`, `a ' " `` {x}`, CAST(_rowid_ AS text), `status ?` AS shown_0, CASE typeof(`hash`) WHEN 'blob' THEN lower(hex(`hash`)) ELSE CAST(`hash` AS text) END AS shown_1, CASE WHEN json_valid(`answer`) THEN json_extract(`answer`, '$."a"."code"') END AS shown_2, CAST(NULL AS text) AS shown_3, CAST(NULL AS bigint) AS shown_4, CAST(NULL AS text) AS shown_5, `tries` AS shown_6, CAST(`worker` AS text) AS shown_7, CAST(NULL AS boolean) AS shown_8, CAST(NULL AS text) AS shown_9, CAST(NULL AS text) AS shown_10, `created` AS shown_11, `locked_at` AS shown_12, `beat` AS shown_13, `until` AS shown_14, CAST(NULL AS integer) AS shown_15, `gone` AS shown_16, (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)
FROM `shop`.`pay WHERE $1`

-- table_columns
SELECT l.type || CASE WHEN l.wr THEN ' without rowid' ELSE '' END, x.name, x.type, x.type, '',
    x."notnull" OR (x.pk > 0 AND l.wr), x.hidden IN (2, 3), true, x.pk, false, false
FROM pragma_table_list AS l
JOIN pragma_table_xinfo(l.name) AS x
WHERE l.name = $1 COLLATE NOCASE AND l.schema = COALESCE($2, 'main') AND x.hidden <> 1
ORDER BY x.cid

-- table_columns, with NULLs
SELECT l.type || CASE WHEN l.wr THEN ' without rowid' ELSE '' END, x.name, x.type, x.type, '',
    x."notnull" OR (x.pk > 0 AND l.wr), x.hidden IN (2, 3), true, x.pk, false, false
FROM pragma_table_list AS l
JOIN pragma_table_xinfo(l.name) AS x
WHERE l.name = NULL COLLATE NOCASE AND l.schema = COALESCE(NULL, 'main') AND x.hidden <> 1
ORDER BY x.cid

-- table_uniques
SELECT l.seq, x.name, false, CASE WHEN l.partial THEN COALESCE(m.sql, '') END
FROM pragma_index_list($1) AS l
JOIN pragma_index_xinfo(l.name) AS x
LEFT JOIN sqlite_master AS m ON m.type = 'index' AND m.name = l.name
WHERE l."unique" AND x.key
ORDER BY 1

-- table_uniques, with NULLs
SELECT l.seq, x.name, false, CASE WHEN l.partial THEN COALESCE(m.sql, '') END
FROM pragma_index_list(NULL) AS l
JOIN pragma_index_xinfo(l.name) AS x
LEFT JOIN sqlite_master AS m ON m.type = 'index' AND m.name = l.name
WHERE l."unique" AND x.key
ORDER BY 1

-- clock
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- clock, varied
SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- clock, with NULLs
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- reap_row
UPDATE `shop`.`pay WHERE $1`
SET `status ?` = 'broken',
    `locked_at` = NULL,
    `beat` = $18,
    `gone` = CASE WHEN $6 THEN `gone` ELSE $19 END
WHERE `k$1` = $1 AND `k$1` COLLATE BINARY = $1 AND `ORDER BY` = $2 AND `a ' " `` {x}` = $3 AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST($4 AS integer)
  AND `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2
  AND `status ?` IS NOT DISTINCT FROM $8
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $9
  AND `tries` IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND `created` IS NOT DISTINCT FROM $12
  AND `locked_at` IS NOT DISTINCT FROM $13
  AND `beat` IS NOT DISTINCT FROM $14
  AND `until` IS NOT DISTINCT FROM $15
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $16
  AND `gone` IS NOT DISTINCT FROM $17
  AND (`until` IS NULL OR `until` <= $5)

-- reap_row, varied
UPDATE `shop`.`pay WHERE $1`
SET `status ?` = 'broken',
    `locked_at` = NULL,
    `beat` = $18,
    `gone` = CASE WHEN $6 THEN `gone` ELSE $19 END
WHERE `k$1` = $1 AND `k$1` COLLATE BINARY = $1 AND `ORDER BY` = $2 AND `a ' " `` {x}` IS NULL AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST($4 AS integer)
  AND `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2
  AND `status ?` IS NOT DISTINCT FROM $8
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $9
  AND `tries` IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND `created` IS NOT DISTINCT FROM $12
  AND `locked_at` IS NOT DISTINCT FROM $13
  AND `beat` IS NOT DISTINCT FROM $14
  AND `until` IS NOT DISTINCT FROM $15
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $16
  AND `gone` IS NOT DISTINCT FROM $17
  AND (`until` IS NULL OR `until` <= $5)

-- reap_row, with NULLs
UPDATE `shop`.`pay WHERE $1`
SET `status ?` = 'broken',
    `locked_at` = NULL,
    `beat` = NULL,
    `gone` = CASE WHEN NULL THEN `gone` ELSE NULL END
WHERE `k$1` = NULL AND `k$1` COLLATE BINARY = NULL AND `ORDER BY` = NULL AND `a ' " `` {x}` = NULL AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST(NULL AS integer)
  AND `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2
  AND `status ?` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS text) IS NOT DISTINCT FROM NULL
  AND `tries` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM NULL
  AND `created` IS NOT DISTINCT FROM NULL
  AND `locked_at` IS NOT DISTINCT FROM NULL
  AND `beat` IS NOT DISTINCT FROM NULL
  AND `until` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM NULL
  AND `gone` IS NOT DISTINCT FROM NULL
  AND (`until` IS NULL OR `until` <= NULL)

-- reap_still_stuck
SELECT 1
FROM `shop`.`pay WHERE $1`
WHERE `k$1` = $1 AND `k$1` COLLATE BINARY = $1 AND `ORDER BY` = $2 AND `a ' " `` {x}` = $3 AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST($4 AS integer)
  AND `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2
  AND `status ?` IS NOT DISTINCT FROM $8
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $9
  AND `tries` IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND `created` IS NOT DISTINCT FROM $12
  AND `locked_at` IS NOT DISTINCT FROM $13
  AND `beat` IS NOT DISTINCT FROM $14
  AND `until` IS NOT DISTINCT FROM $15
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $16
  AND `gone` IS NOT DISTINCT FROM $17

-- reap_still_stuck, varied
SELECT 1
FROM `shop`.`pay WHERE $1`
WHERE `k$1` = $1 AND `k$1` COLLATE BINARY = $1 AND `ORDER BY` = $2 AND `a ' " `` {x}` IS NULL AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST($4 AS integer)
  AND `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2
  AND `status ?` IS NOT DISTINCT FROM $8
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $9
  AND `tries` IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND `created` IS NOT DISTINCT FROM $12
  AND `locked_at` IS NOT DISTINCT FROM $13
  AND `beat` IS NOT DISTINCT FROM $14
  AND `until` IS NOT DISTINCT FROM $15
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $16
  AND `gone` IS NOT DISTINCT FROM $17

-- reap_still_stuck, with NULLs
SELECT 1
FROM `shop`.`pay WHERE $1`
WHERE `k$1` = NULL AND `k$1` COLLATE BINARY = NULL AND `ORDER BY` = NULL AND `a ' " `` {x}` = NULL AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST(NULL AS integer)
  AND `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2
  AND `status ?` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS text) IS NOT DISTINCT FROM NULL
  AND `tries` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM NULL
  AND `created` IS NOT DISTINCT FROM NULL
  AND `locked_at` IS NOT DISTINCT FROM NULL
  AND `beat` IS NOT DISTINCT FROM NULL
  AND `until` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM NULL
  AND `gone` IS NOT DISTINCT FROM NULL

-- reap_lock_row
SELECT 1
FROM `shop`.`pay WHERE $1`
WHERE `k$1` = $1 AND `k$1` COLLATE BINARY = $1 AND `ORDER BY` = $2 AND `a ' " `` {x}` = $3 AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST($4 AS integer)
  AND `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2
  AND `status ?` IS NOT DISTINCT FROM $8
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $9
  AND `tries` IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND `created` IS NOT DISTINCT FROM $12
  AND `locked_at` IS NOT DISTINCT FROM $13
  AND `beat` IS NOT DISTINCT FROM $14
  AND `until` IS NOT DISTINCT FROM $15
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $16
  AND `gone` IS NOT DISTINCT FROM $17

-- reap_lock_row, varied
SELECT 1
FROM `shop`.`pay WHERE $1`
WHERE `k$1` = $1 AND `k$1` COLLATE BINARY = $1 AND `ORDER BY` = $2 AND `a ' " `` {x}` IS NULL AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST($4 AS integer)
  AND `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2
  AND `status ?` IS NOT DISTINCT FROM $8
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $9
  AND `tries` IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND `created` IS NOT DISTINCT FROM $12
  AND `locked_at` IS NOT DISTINCT FROM $13
  AND `beat` IS NOT DISTINCT FROM $14
  AND `until` IS NOT DISTINCT FROM $15
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $16
  AND `gone` IS NOT DISTINCT FROM $17

-- reap_lock_row, with NULLs
SELECT 1
FROM `shop`.`pay WHERE $1`
WHERE `k$1` = NULL AND `k$1` COLLATE BINARY = NULL AND `ORDER BY` = NULL AND `a ' " `` {x}` = NULL AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST(NULL AS integer)
  AND `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2
  AND `status ?` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS text) IS NOT DISTINCT FROM NULL
  AND `tries` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM NULL
  AND `created` IS NOT DISTINCT FROM NULL
  AND `locked_at` IS NOT DISTINCT FROM NULL
  AND `beat` IS NOT DISTINCT FROM NULL
  AND `until` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM NULL
  AND `gone` IS NOT DISTINCT FROM NULL

-- reap_unrecognized
SELECT count(*) FROM (
    SELECT 1 FROM `shop`.`pay WHERE $1`
    WHERE ((`beat` <= $1 OR (`beat` IS NULL AND `locked_at` <= $2))
            AND (((`status ?` IN ('busy', 'it''s', 'done', 'broken')) IS NOT TRUE AND (`status ?` = 'held') IS NOT TRUE) OR (`status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 AND (`beat` <= $3 OR (`beat` IS NULL AND `locked_at` <= $4))))
        OR (`status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 AND (1 = 0)))
        AND (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2
    LIMIT $5) AS strange

-- reap_unrecognized, with NULLs
SELECT count(*) FROM (
    SELECT 1 FROM `shop`.`pay WHERE $1`
    WHERE ((`beat` <= NULL OR (`beat` IS NULL AND `locked_at` <= NULL))
            AND (((`status ?` IN ('busy', 'it''s', 'done', 'broken')) IS NOT TRUE AND (`status ?` = 'held') IS NOT TRUE) OR (`status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 AND (`beat` <= NULL OR (`beat` IS NULL AND `locked_at` <= NULL))))
        OR (`status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 AND (1 = 0)))
        AND (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2
    LIMIT NULL) AS strange

-- reap_ageless
SELECT count(*) FROM (SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 AND (`beat` IS NULL AND `locked_at` IS NULL) LIMIT $1) AS ageless

-- reap_ageless, with NULLs
SELECT count(*) FROM (SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 AND (`beat` IS NULL AND `locked_at` IS NULL) LIMIT NULL) AS ageless

-- fail_row
UPDATE `shop`.`pay WHERE $1`
SET `status ?` = 'broken',
    `locked_at` = NULL,
    `beat` = $18,
    `gone` = CASE WHEN $6 THEN `gone` ELSE $19 END
WHERE `k$1` = $1 AND `k$1` COLLATE BINARY = $1 AND `ORDER BY` = $2 AND `a ' " `` {x}` = $3 AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST($4 AS integer)
  AND `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2
  AND `status ?` IS NOT DISTINCT FROM $8
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $9
  AND `tries` IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND `created` IS NOT DISTINCT FROM $12
  AND `locked_at` IS NOT DISTINCT FROM $13
  AND `beat` IS NOT DISTINCT FROM $14
  AND `until` IS NOT DISTINCT FROM $15
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $16
  AND `gone` IS NOT DISTINCT FROM $17

-- fail_row, varied
UPDATE `shop`.`pay WHERE $1`
SET `status ?` = 'broken',
    `locked_at` = NULL,
    `beat` = $18,
    `gone` = CASE WHEN $6 THEN `gone` ELSE $19 END
WHERE `k$1` = $1 AND `k$1` COLLATE BINARY = $1 AND `ORDER BY` = $2 AND `a ' " `` {x}` IS NULL AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST($4 AS integer)
  AND `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2
  AND `status ?` IS NOT DISTINCT FROM $8
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $9
  AND `tries` IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND `created` IS NOT DISTINCT FROM $12
  AND `locked_at` IS NOT DISTINCT FROM $13
  AND `beat` IS NOT DISTINCT FROM $14
  AND `until` IS NOT DISTINCT FROM $15
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $16
  AND `gone` IS NOT DISTINCT FROM $17

-- fail_row, with NULLs
UPDATE `shop`.`pay WHERE $1`
SET `status ?` = 'broken',
    `locked_at` = NULL,
    `beat` = NULL,
    `gone` = CASE WHEN NULL THEN `gone` ELSE NULL END
WHERE `k$1` = NULL AND `k$1` COLLATE BINARY = NULL AND `ORDER BY` = NULL AND `a ' " `` {x}` = NULL AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST(NULL AS integer)
  AND `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2
  AND `status ?` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS text) IS NOT DISTINCT FROM NULL
  AND `tries` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM NULL
  AND `created` IS NOT DISTINCT FROM NULL
  AND `locked_at` IS NOT DISTINCT FROM NULL
  AND `beat` IS NOT DISTINCT FROM NULL
  AND `until` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM NULL
  AND `gone` IS NOT DISTINCT FROM NULL

-- stats_quick
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 LIMIT $3) AS a),
    (SELECT count(*) FROM (SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `status ?` = 'broken' AND `kind` = 'pay''ment' AND `version` = 2 LIMIT $3) AS b),
    (SELECT count(*) FROM (
        SELECT 1 FROM `shop`.`pay WHERE $1`
        WHERE `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 AND ((`locked_at` <= $1 AND `locked_at` > $7 AND (`beat` IS NULL OR (`beat` <= $5 AND `beat` > $8))) OR (`locked_at` IS NULL AND `beat` <= $5 AND `beat` > $8)) AND (`until` IS NULL OR `until` <= $6)
        LIMIT $3) AS c),
    (SELECT `locked_at` FROM `shop`.`pay WHERE $1` WHERE `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 AND `locked_at` > $7 ORDER BY `locked_at` LIMIT 1),
    (SELECT count(*) FROM (
        SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `gone` > $4 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) LIMIT $3) AS d),
    (SELECT `gone` FROM `shop`.`pay WHERE $1` WHERE `gone` > $4 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) ORDER BY `gone` LIMIT 1),
    (SELECT `beat` FROM `shop`.`pay WHERE $1`
        WHERE `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 AND ((`locked_at` <= $1 AND `locked_at` > $7 AND (`beat` IS NULL OR (`beat` <= $5 AND `beat` > $8))) OR (`locked_at` IS NULL AND `beat` <= $5 AND `beat` > $8)) AND (`until` IS NULL OR `until` <= $6)
        ORDER BY `locked_at` LIMIT 1),
    (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- stats_quick, varied
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 LIMIT $3) AS a),
    (SELECT count(*) FROM (SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `status ?` = 'broken' AND `kind` = 'pay''ment' AND `version` = 2 LIMIT $3) AS b),
    (SELECT count(*) FROM (
        SELECT 1 FROM `shop`.`pay WHERE $1`
        WHERE `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 AND ((`locked_at` <= $1 AND `locked_at` > $7 AND (`beat` IS NULL OR (`beat` <= $5 AND `beat` > $8))) OR (`locked_at` IS NULL AND `beat` <= $5 AND `beat` > $8)) AND (`until` IS NULL OR `until` <= $6)
        LIMIT $3) AS c),
    (SELECT `locked_at` FROM `shop`.`pay WHERE $1` WHERE `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 AND `locked_at` > $7 ORDER BY `locked_at` LIMIT 1),
    (SELECT count(*) FROM (
        SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `gone` > $4 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) LIMIT $3) AS d),
    (SELECT `gone` FROM `shop`.`pay WHERE $1` WHERE `gone` > $4 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) ORDER BY `gone` LIMIT 1),
    (SELECT `beat` FROM `shop`.`pay WHERE $1`
        WHERE `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 AND ((`locked_at` <= $1 AND `locked_at` > $7 AND (`beat` IS NULL OR (`beat` <= $5 AND `beat` > $8))) OR (`locked_at` IS NULL AND `beat` <= $5 AND `beat` > $8)) AND (`until` IS NULL OR `until` <= $6)
        ORDER BY `locked_at` LIMIT 1),
    ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- stats_quick, with NULLs
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 LIMIT NULL) AS a),
    (SELECT count(*) FROM (SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `status ?` = 'broken' AND `kind` = 'pay''ment' AND `version` = 2 LIMIT NULL) AS b),
    (SELECT count(*) FROM (
        SELECT 1 FROM `shop`.`pay WHERE $1`
        WHERE `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 AND ((`locked_at` <= NULL AND `locked_at` > NULL AND (`beat` IS NULL OR (`beat` <= NULL AND `beat` > NULL))) OR (`locked_at` IS NULL AND `beat` <= NULL AND `beat` > NULL)) AND (`until` IS NULL OR `until` <= NULL)
        LIMIT NULL) AS c),
    (SELECT `locked_at` FROM `shop`.`pay WHERE $1` WHERE `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 AND `locked_at` > NULL ORDER BY `locked_at` LIMIT 1),
    (SELECT count(*) FROM (
        SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) LIMIT NULL) AS d),
    (SELECT `gone` FROM `shop`.`pay WHERE $1` WHERE `gone` > NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) ORDER BY `gone` LIMIT 1),
    (SELECT `beat` FROM `shop`.`pay WHERE $1`
        WHERE `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 AND ((`locked_at` <= NULL AND `locked_at` > NULL AND (`beat` IS NULL OR (`beat` <= NULL AND `beat` > NULL))) OR (`locked_at` IS NULL AND `beat` <= NULL AND `beat` > NULL)) AND (`until` IS NULL OR `until` <= NULL)
        ORDER BY `locked_at` LIMIT 1),
    (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- stats_exact
SELECT count(*), count(CASE WHEN `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 THEN 1 END), count(CASE WHEN `status ?` = 'broken' AND `kind` = 'pay''ment' AND `version` = 2 THEN 1 END),
    count(CASE WHEN ((`status ?` IN ('busy', 'it''s', 'done', 'broken')) IS NOT TRUE AND (`status ?` = 'held') IS NOT TRUE) THEN 1 END), count(CASE WHEN `status ?` = 'held' THEN 1 END)
FROM `shop`.`pay WHERE $1`
WHERE (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2

-- stats_exact, with NULLs
SELECT count(*), count(CASE WHEN `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 THEN 1 END), count(CASE WHEN `status ?` = 'broken' AND `kind` = 'pay''ment' AND `version` = 2 THEN 1 END),
    count(CASE WHEN ((`status ?` IN ('busy', 'it''s', 'done', 'broken')) IS NOT TRUE AND (`status ?` = 'held') IS NOT TRUE) THEN 1 END), count(CASE WHEN `status ?` = 'held' THEN 1 END)
FROM `shop`.`pay WHERE $1`
WHERE (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2

-- stats_rows
SELECT count(*) FROM `shop`.`pay WHERE $1` WHERE (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2

-- stats_rows, varied
SELECT 1 FROM `shop`.`pay WHERE $1` WHERE (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2

-- stats_rows, with NULLs
SELECT count(*) FROM `shop`.`pay WHERE $1` WHERE (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2

-- stats_unknown
SELECT count(*) FROM `shop`.`pay WHERE $1` WHERE ((`status ?` IN ('busy', 'it''s', 'done', 'broken')) IS NOT TRUE AND (`status ?` = 'held') IS NOT TRUE) AND (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2

-- stats_unknown, varied
SELECT 1 FROM `shop`.`pay WHERE $1` WHERE ((`status ?` IN ('busy', 'it''s', 'done', 'broken')) IS NOT TRUE AND (`status ?` = 'held') IS NOT TRUE) AND (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2

-- stats_unknown, with NULLs
SELECT count(*) FROM `shop`.`pay WHERE $1` WHERE ((`status ?` IN ('busy', 'it''s', 'done', 'broken')) IS NOT TRUE AND (`status ?` = 'held') IS NOT TRUE) AND (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2

-- stats_kept
SELECT count(*) FROM `shop`.`pay WHERE $1` WHERE `status ?` = 'held' AND (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2

-- stats_kept, varied
SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `status ?` = 'held' AND (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2

-- stats_kept, with NULLs
SELECT count(*) FROM `shop`.`pay WHERE $1` WHERE `status ?` = 'held' AND (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2

-- stays_busy
SELECT count(*) FROM (
    SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `gone` > $1 AND `gone` <= $2 AND `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 LIMIT $3) AS busy

-- stays_busy, with NULLs
SELECT count(*) FROM (
    SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `gone` > NULL AND `gone` <= NULL AND `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 LIMIT NULL) AS busy

-- stays_undated
SELECT count(*) FROM `shop`.`pay WHERE $1` WHERE (`gone` IS NULL) AND (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2 AND (`status ?` = 'held') IS NOT TRUE

-- stays_undated, varied
SELECT 1 FROM `shop`.`pay WHERE $1` WHERE (`gone` IS NULL) AND (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2 AND (`status ?` = 'held') IS NOT TRUE

-- stays_undated, with NULLs
SELECT count(*) FROM `shop`.`pay WHERE $1` WHERE (`gone` IS NULL) AND (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2 AND (`status ?` = 'held') IS NOT TRUE

-- stats_sizes
SELECT
    (SELECT CASE WHEN r.span <= (SELECT page_count * page_size / 8 FROM pragma_page_count, pragma_page_size) THEN r.span END
     FROM (SELECT max(_rowid_) - min(_rowid_) + 1 AS span FROM `shop`.`pay WHERE $1` WHERE $1 IS NOT NULL) AS r),
    (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size),
    (SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size)

-- stats_sizes, with NULLs
SELECT
    (SELECT CASE WHEN r.span <= (SELECT page_count * page_size / 8 FROM pragma_page_count, pragma_page_size) THEN r.span END
     FROM (SELECT max(_rowid_) - min(_rowid_) + 1 AS span FROM `shop`.`pay WHERE $1` WHERE NULL IS NOT NULL) AS r),
    (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size),
    (SELECT freelist_count * page_size FROM pragma_freelist_count, pragma_page_size)

-- stats_scopes
SELECT COALESCE(CAST(`a ' " `` {x}` AS text), '\N'), count(*) FROM `shop`.`pay WHERE $1` WHERE (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2 GROUP BY COALESCE(CAST(`a ' " `` {x}` AS text), '\N') ORDER BY count(*) DESC, COALESCE(CAST(`a ' " `` {x}` AS text), '\N') LIMIT $1

-- stats_scopes, with NULLs
SELECT COALESCE(CAST(`a ' " `` {x}` AS text), '\N'), count(*) FROM `shop`.`pay WHERE $1` WHERE (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2 GROUP BY COALESCE(CAST(`a ' " `` {x}` AS text), '\N') ORDER BY count(*) DESC, COALESCE(CAST(`a ' " `` {x}` AS text), '\N') LIMIT NULL

-- stats_scopes_quick
SELECT COALESCE(CAST(`a ' " `` {x}` AS text), '\N'), count(*) FROM `shop`.`pay WHERE $1` WHERE (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2 GROUP BY COALESCE(CAST(`a ' " `` {x}` AS text), '\N') ORDER BY count(*) DESC, COALESCE(CAST(`a ' " `` {x}` AS text), '\N') LIMIT $1

-- stats_scopes_quick, with NULLs
SELECT COALESCE(CAST(`a ' " `` {x}` AS text), '\N'), count(*) FROM `shop`.`pay WHERE $1` WHERE (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2 GROUP BY COALESCE(CAST(`a ' " `` {x}` AS text), '\N') ORDER BY count(*) DESC, COALESCE(CAST(`a ' " `` {x}` AS text), '\N') LIMIT NULL

-- stats_claims
SELECT count(*) FROM `shop`.`pay WHERE $1` WHERE `locked_at` > $1 AND `locked_at` <= $2 AND (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2

-- stats_claims, varied
SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `locked_at` > $1 AND `locked_at` <= $2 AND (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2

-- stats_claims, with NULLs
SELECT count(*) FROM `shop`.`pay WHERE $1` WHERE `locked_at` > NULL AND `locked_at` <= NULL AND (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2

-- stats_expiries
SELECT count(*) FROM `shop`.`pay WHERE $1` WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- stats_expiries, varied
SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- stats_expiries, with NULLs
SELECT count(*) FROM `shop`.`pay WHERE $1` WHERE `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- release_row
UPDATE `shop`.`pay WHERE $1`
SET `status ?` = 'busy'
WHERE `k$1` = $1 AND `k$1` COLLATE BINARY = $1 AND `ORDER BY` = $2 AND `a ' " `` {x}` = $3 AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST($4 AS integer)
  AND `status ?` = 'broken' AND `kind` = 'pay''ment' AND `version` = 2
  AND `status ?` IS NOT DISTINCT FROM $8
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $9
  AND `tries` IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND `created` IS NOT DISTINCT FROM $12
  AND `locked_at` IS NOT DISTINCT FROM $13
  AND `beat` IS NOT DISTINCT FROM $14
  AND `until` IS NOT DISTINCT FROM $15
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $16
  AND `gone` IS NOT DISTINCT FROM $17

-- release_row, varied
UPDATE `shop`.`pay WHERE $1`
SET `status ?` = 'busy'
WHERE `k$1` = $1 AND `k$1` COLLATE BINARY = $1 AND `ORDER BY` = $2 AND `a ' " `` {x}` IS NULL AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST($4 AS integer)
  AND `status ?` = 'broken' AND `kind` = 'pay''ment' AND `version` = 2
  AND `status ?` IS NOT DISTINCT FROM $8
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $9
  AND `tries` IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND `created` IS NOT DISTINCT FROM $12
  AND `locked_at` IS NOT DISTINCT FROM $13
  AND `beat` IS NOT DISTINCT FROM $14
  AND `until` IS NOT DISTINCT FROM $15
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $16
  AND `gone` IS NOT DISTINCT FROM $17

-- release_row, with NULLs
UPDATE `shop`.`pay WHERE $1`
SET `status ?` = 'busy'
WHERE `k$1` = NULL AND `k$1` COLLATE BINARY = NULL AND `ORDER BY` = NULL AND `a ' " `` {x}` = NULL AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST(NULL AS integer)
  AND `status ?` = 'broken' AND `kind` = 'pay''ment' AND `version` = 2
  AND `status ?` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS text) IS NOT DISTINCT FROM NULL
  AND `tries` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM NULL
  AND `created` IS NOT DISTINCT FROM NULL
  AND `locked_at` IS NOT DISTINCT FROM NULL
  AND `beat` IS NOT DISTINCT FROM NULL
  AND `until` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM NULL
  AND `gone` IS NOT DISTINCT FROM NULL

-- forget_row
DELETE FROM `shop`.`pay WHERE $1`
WHERE `k$1` = $1 AND `k$1` COLLATE BINARY = $1 AND `ORDER BY` = $2 AND `a ' " `` {x}` = $3 AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST($4 AS integer)
  AND `status ?` IS NOT DISTINCT FROM $8
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $9
  AND `tries` IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND `created` IS NOT DISTINCT FROM $12
  AND `locked_at` IS NOT DISTINCT FROM $13
  AND `beat` IS NOT DISTINCT FROM $14
  AND `until` IS NOT DISTINCT FROM $15
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $16
  AND `gone` IS NOT DISTINCT FROM $17

-- forget_row, varied
DELETE FROM `shop`.`pay WHERE $1`
WHERE `k$1` = $1 AND `k$1` COLLATE BINARY = $1 AND `ORDER BY` = $2 AND `a ' " `` {x}` IS NULL AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST($4 AS integer)
  AND `status ?` IS NOT DISTINCT FROM $8
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $9
  AND `tries` IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND `created` IS NOT DISTINCT FROM $12
  AND `locked_at` IS NOT DISTINCT FROM $13
  AND `beat` IS NOT DISTINCT FROM $14
  AND `until` IS NOT DISTINCT FROM $15
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $16
  AND `gone` IS NOT DISTINCT FROM $17

-- forget_row, with NULLs
DELETE FROM `shop`.`pay WHERE $1`
WHERE `k$1` = NULL AND `k$1` COLLATE BINARY = NULL AND `ORDER BY` = NULL AND `a ' " `` {x}` = NULL AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST(NULL AS integer)
  AND `status ?` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS text) IS NOT DISTINCT FROM NULL
  AND `tries` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM NULL
  AND `created` IS NOT DISTINCT FROM NULL
  AND `locked_at` IS NOT DISTINCT FROM NULL
  AND `beat` IS NOT DISTINCT FROM NULL
  AND `until` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM NULL
  AND `gone` IS NOT DISTINCT FROM NULL

-- unchanged_row
SELECT 1
FROM `shop`.`pay WHERE $1`
WHERE `k$1` = $1 AND `k$1` COLLATE BINARY = $1 AND `ORDER BY` = $2 AND `a ' " `` {x}` = $3 AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST($4 AS integer)
  AND `status ?` IS NOT DISTINCT FROM $8
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $9
  AND `tries` IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND `created` IS NOT DISTINCT FROM $12
  AND `locked_at` IS NOT DISTINCT FROM $13
  AND `beat` IS NOT DISTINCT FROM $14
  AND `until` IS NOT DISTINCT FROM $15
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $16
  AND `gone` IS NOT DISTINCT FROM $17

-- unchanged_row, varied
SELECT 1
FROM `shop`.`pay WHERE $1`
WHERE `k$1` = $1 AND `k$1` COLLATE BINARY = $1 AND `ORDER BY` = $2 AND `a ' " `` {x}` IS NULL AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST($4 AS integer)
  AND `status ?` IS NOT DISTINCT FROM $8
  AND CAST(NULL AS text) IS NOT DISTINCT FROM $9
  AND `tries` IS NOT DISTINCT FROM $10
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM $11
  AND `created` IS NOT DISTINCT FROM $12
  AND `locked_at` IS NOT DISTINCT FROM $13
  AND `beat` IS NOT DISTINCT FROM $14
  AND `until` IS NOT DISTINCT FROM $15
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM $16
  AND `gone` IS NOT DISTINCT FROM $17

-- unchanged_row, with NULLs
SELECT 1
FROM `shop`.`pay WHERE $1`
WHERE `k$1` = NULL AND `k$1` COLLATE BINARY = NULL AND `ORDER BY` = NULL AND `a ' " `` {x}` = NULL AND `kind` = 'pay''ment' AND `version` = 2 AND _rowid_ = CAST(NULL AS integer)
  AND `status ?` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS text) IS NOT DISTINCT FROM NULL
  AND `tries` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS boolean) IS NOT DISTINCT FROM NULL
  AND `created` IS NOT DISTINCT FROM NULL
  AND `locked_at` IS NOT DISTINCT FROM NULL
  AND `beat` IS NOT DISTINCT FROM NULL
  AND `until` IS NOT DISTINCT FROM NULL
  AND CAST(NULL AS integer) IS NOT DISTINCT FROM NULL
  AND `gone` IS NOT DISTINCT FROM NULL

-- row_blocking_triggers
SELECT 'trigger ' || m.name FROM sqlite_schema AS m
WHERE m.type = 'trigger' AND m.tbl_name = $1 COLLATE NOCASE AND $2 IS NOT NULL
    AND replace(replace(upper(m.sql), ' ', ''), char(10), '') LIKE '%RAISE(IGNORE)%'
ORDER BY m.name
LIMIT 20

-- row_blocking_triggers, with NULLs
SELECT 'trigger ' || m.name FROM sqlite_schema AS m
WHERE m.type = 'trigger' AND m.tbl_name = NULL COLLATE NOCASE AND NULL IS NOT NULL
    AND replace(replace(upper(m.sql), ' ', ''), char(10), '') LIKE '%RAISE(IGNORE)%'
ORDER BY m.name
LIMIT 20

-- inbound_keys
SELECT 'foreign key ' || f.id, m.name, f.on_delete, NULL
FROM sqlite_schema AS m, pragma_foreign_key_list(m.name) AS f
WHERE m.type = 'table' AND '`' || replace(f."table", '`', '``') || '`' = $1 COLLATE NOCASE AND f.seq = 0
ORDER BY 2, 1

-- inbound_keys, with NULLs
SELECT 'foreign key ' || f.id, m.name, f.on_delete, NULL
FROM sqlite_schema AS m, pragma_foreign_key_list(m.name) AS f
WHERE m.type = 'table' AND '`' || replace(f."table", '`', '``') || '`' = NULL COLLATE NOCASE AND f.seq = 0
ORDER BY 2, 1

-- purge_step
SELECT n.shown,
    (SELECT count(*) FROM (
        SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `gone` = n.expiry AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) LIMIT $4) AS tied)
FROM (
    SELECT `gone` AS expiry, `gone` AS shown
    FROM `shop`.`pay WHERE $1`
    WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
    ORDER BY `gone`
    LIMIT 1 OFFSET $3) AS n

-- purge_step, with NULLs
SELECT n.shown,
    (SELECT count(*) FROM (
        SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `gone` = n.expiry AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) LIMIT NULL) AS tied)
FROM (
    SELECT `gone` AS expiry, `gone` AS shown
    FROM `shop`.`pay WHERE $1`
    WHERE `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
    ORDER BY `gone`
    LIMIT 1 OFFSET NULL) AS n

-- purge_order
SELECT 1 FROM `shop`.`pay WHERE $1`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
ORDER BY `gone`
LIMIT 1 OFFSET $3

-- purge_order, with NULLs
SELECT 1 FROM `shop`.`pay WHERE $1`
WHERE `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
ORDER BY `gone`
LIMIT 1 OFFSET NULL

-- purge_range
DELETE FROM `shop`.`pay WHERE $1`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_range, varied
DELETE FROM `shop`.`pay WHERE $1`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_range, with NULLs
DELETE FROM `shop`.`pay WHERE $1`
WHERE `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_count
SELECT count(*) FROM (
    SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) LIMIT $3) AS due

-- purge_count, with NULLs
SELECT count(*) FROM (
    SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) LIMIT NULL) AS due

-- purge_blockers
SELECT l.type, false, true, '',
    (SELECT json_group_array('trigger ' || m.name) FROM sqlite_schema AS m
     WHERE m.type = 'trigger' AND m.tbl_name = $1 COLLATE NOCASE
        AND replace(replace(upper(m.sql), ' ', ''), char(10), '') LIKE '%RAISE(IGNORE)%'),
    NULL
FROM pragma_table_list AS l
WHERE l.name = $1 COLLATE NOCASE AND l.schema IN ('main', $2)

-- purge_blockers, with NULLs
SELECT l.type, false, true, '',
    (SELECT json_group_array('trigger ' || m.name) FROM sqlite_schema AS m
     WHERE m.type = 'trigger' AND m.tbl_name = NULL COLLATE NOCASE
        AND replace(replace(upper(m.sql), ' ', ''), char(10), '') LIKE '%RAISE(IGNORE)%'),
    NULL
FROM pragma_table_list AS l
WHERE l.name = NULL COLLATE NOCASE AND l.schema IN ('main', NULL)

-- purge_unrecognized
SELECT count(*) FROM (
    SELECT 1 FROM `shop`.`pay WHERE $1`
    WHERE (`gone` <= $2 AND (`gone` <= $1 OR (((`status ?` IN ('busy', 'it''s', 'done', 'broken')) IS NOT TRUE AND (`status ?` = 'held') IS NOT TRUE))) OR (1 = 0)) AND (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2 AND (`status ?` = 'held') IS NOT TRUE
    LIMIT $3) AS strange

-- purge_unrecognized, with NULLs
SELECT count(*) FROM (
    SELECT 1 FROM `shop`.`pay WHERE $1`
    WHERE (`gone` <= NULL AND (`gone` <= NULL OR (((`status ?` IN ('busy', 'it''s', 'done', 'broken')) IS NOT TRUE AND (`status ?` = 'held') IS NOT TRUE))) OR (1 = 0)) AND (1 = 1) AND `kind` = 'pay''ment' AND `version` = 2 AND (`status ?` = 'held') IS NOT TRUE
    LIMIT NULL) AS strange

-- purge_left
SELECT
    (SELECT count(*) FROM (
        SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `gone` > $1 AND `gone` <= $2 AND `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 LIMIT $3) AS at_work),
    (SELECT count(*) FROM (
        SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND ((`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))) IS NOT TRUE LIMIT $3) AS held)

-- purge_left, with NULLs
SELECT
    (SELECT count(*) FROM (
        SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `gone` > NULL AND `gone` <= NULL AND `status ?` IN ('busy', 'it''s') AND `kind` = 'pay''ment' AND `version` = 2 LIMIT NULL) AS at_work),
    (SELECT count(*) FROM (
        SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND ((`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))) IS NOT TRUE LIMIT NULL) AS held)

-- purge_limited
DELETE FROM `shop`.`pay WHERE $1`
WHERE _rowid_ IN (
    SELECT _rowid_ FROM `shop`.`pay WHERE $1`
    WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
    ORDER BY `gone`
    LIMIT $3)
  AND `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_limited, varied
DELETE FROM `shop`.`pay WHERE $1`
WHERE _rowid_ IN (
    SELECT _rowid_ FROM `shop`.`pay WHERE $1`
    WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
    ORDER BY `gone`
    LIMIT $3)
  AND `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_limited, with NULLs
DELETE FROM `shop`.`pay WHERE $1`
WHERE _rowid_ IN (
    SELECT _rowid_ FROM `shop`.`pay WHERE $1`
    WHERE `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
    ORDER BY `gone`
    LIMIT NULL)
  AND `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_range_skip_locked
DELETE FROM `shop`.`pay WHERE $1`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_range_skip_locked, varied
DELETE FROM `shop`.`pay WHERE $1`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_range_skip_locked, with NULLs
DELETE FROM `shop`.`pay WHERE $1`
WHERE `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_tied
DELETE FROM `shop`.`pay WHERE $1`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_tied, varied
DELETE FROM `shop`.`pay WHERE $1`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied, with NULLs
DELETE FROM `shop`.`pay WHERE $1`
WHERE `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_tied_referenced
DELETE FROM `shop`.`pay WHERE $1`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_tied_referenced, varied
DELETE FROM `shop`.`pay WHERE $1`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied_referenced, with NULLs
DELETE FROM `shop`.`pay WHERE $1`
WHERE `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_tied_skip_locked
DELETE FROM `shop`.`pay WHERE $1`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_tied_skip_locked, varied
DELETE FROM `shop`.`pay WHERE $1`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_tied_skip_locked, with NULLs
DELETE FROM `shop`.`pay WHERE $1`
WHERE `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_tied_extent
SELECT count(*) FROM (
    SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) LIMIT $3) AS due

-- purge_tied_extent, with NULLs
SELECT count(*) FROM (
    SELECT 1 FROM `shop`.`pay WHERE $1` WHERE `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) LIMIT NULL) AS due

-- heap_extent
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- heap_extent, varied
SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- heap_extent, with NULLs
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- purge_keys_ends
SELECT * FROM (SELECT _rowid_ FROM `shop`.`pay WHERE $1` ORDER BY _rowid_ LIMIT 1)
UNION ALL
SELECT * FROM (SELECT _rowid_ FROM `shop`.`pay WHERE $1` ORDER BY _rowid_ DESC LIMIT 1)

-- purge_keys_ends, with NULLs
SELECT * FROM (SELECT _rowid_ FROM `shop`.`pay WHERE $1` ORDER BY _rowid_ LIMIT 1)
UNION ALL
SELECT * FROM (SELECT _rowid_ FROM `shop`.`pay WHERE $1` ORDER BY _rowid_ DESC LIMIT 1)

-- purge_keys_step
SELECT _rowid_ FROM `shop`.`pay WHERE $1` WHERE _rowid_ >= $2 ORDER BY _rowid_ LIMIT 2 OFFSET $1

-- purge_keys_step, with NULLs
SELECT _rowid_ FROM `shop`.`pay WHERE $1` WHERE _rowid_ >= NULL ORDER BY _rowid_ LIMIT 2 OFFSET NULL

-- purge_keys
DELETE FROM `shop`.`pay WHERE $1`
WHERE _rowid_ >= $3 AND _rowid_ <= $4 AND `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_keys, varied
DELETE FROM `shop`.`pay WHERE $1`
WHERE _rowid_ >= $3 AND _rowid_ <= $4 AND `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_keys, with NULLs
DELETE FROM `shop`.`pay WHERE $1`
WHERE _rowid_ >= NULL AND _rowid_ <= NULL AND `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_keys_limited
DELETE FROM `shop`.`pay WHERE $1`
WHERE _rowid_ IN (
    SELECT _rowid_ FROM `shop`.`pay WHERE $1`
    WHERE _rowid_ >= $3 AND _rowid_ <= $4 AND `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
    LIMIT $5)
  AND `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_keys_limited, varied
DELETE FROM `shop`.`pay WHERE $1`
WHERE _rowid_ IN (
    SELECT _rowid_ FROM `shop`.`pay WHERE $1`
    WHERE _rowid_ >= $3 AND _rowid_ <= $4 AND `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
    LIMIT $5)
  AND `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_keys_limited, with NULLs
DELETE FROM `shop`.`pay WHERE $1`
WHERE _rowid_ IN (
    SELECT _rowid_ FROM `shop`.`pay WHERE $1`
    WHERE _rowid_ >= NULL AND _rowid_ <= NULL AND `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
    LIMIT NULL)
  AND `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_due
SELECT `k$1`, `ORDER BY`, `a ' " `` {x}`, CAST(_rowid_ AS text) FROM `shop`.`pay WHERE $1`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
ORDER BY `gone`
LIMIT $3 OFFSET $4

-- purge_due, varied
SELECT `k$1`, `ORDER BY`, `a ' " `` {x}`, CAST(_rowid_ AS text) FROM `shop`.`pay WHERE $1`
WHERE `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)
ORDER BY `gone`
LIMIT $3 OFFSET $4

-- purge_due, with NULLs
SELECT `k$1`, `ORDER BY`, `a ' " `` {x}`, CAST(_rowid_ AS text) FROM `shop`.`pay WHERE $1`
WHERE `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))
ORDER BY `gone`
LIMIT NULL OFFSET NULL

-- purge_due_piece
SELECT `k$1`, `ORDER BY`, `a ' " `` {x}`, CAST(_rowid_ AS text) FROM `shop`.`pay WHERE $1`
WHERE _rowid_ >= $3 AND _rowid_ <= $4 AND `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_due_piece, varied
SELECT `k$1`, `ORDER BY`, `a ' " `` {x}`, CAST(_rowid_ AS text) FROM `shop`.`pay WHERE $1`
WHERE _rowid_ >= $3 AND _rowid_ <= $4 AND `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_due_piece, with NULLs
SELECT `k$1`, `ORDER BY`, `a ' " `` {x}`, CAST(_rowid_ AS text) FROM `shop`.`pay WHERE $1`
WHERE _rowid_ >= NULL AND _rowid_ <= NULL AND `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_listed
DELETE FROM `shop`.`pay WHERE $1`
WHERE _rowid_ IN (SELECT value FROM json_each($3)) AND `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_listed, varied
DELETE FROM `shop`.`pay WHERE $1`
WHERE _rowid_ IN (SELECT value FROM json_each($3)) AND `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_listed, with NULLs
DELETE FROM `shop`.`pay WHERE $1`
WHERE _rowid_ IN (SELECT value FROM json_each(NULL)) AND `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_listed_skip_locked
DELETE FROM `shop`.`pay WHERE $1`
WHERE _rowid_ IN (SELECT value FROM json_each($3)) AND `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- purge_listed_skip_locked, varied
DELETE FROM `shop`.`pay WHERE $1`
WHERE _rowid_ IN (SELECT value FROM json_each($3)) AND `gone` > $1 AND `gone` <= $2 AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz))) AND NOT EXISTS (SELECT 1 FROM c WHERE c.k = k)

-- purge_listed_skip_locked, with NULLs
DELETE FROM `shop`.`pay WHERE $1`
WHERE _rowid_ IN (SELECT value FROM json_each(NULL)) AND `gone` > NULL AND `gone` <= NULL AND likely(`status ?` IN ('done', 'broken')) AND likely(`kind` = 'pay''ment') AND likely(`version` = 2) AND (`until` IS NULL OR (`until` <= CAST('2023-11-14T22:13:20.000000Z' AS timestamptz)))

-- table_rights
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- table_rights, varied
SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- table_rights, with NULLs
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- row_security
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- row_security, varied
SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- row_security, with NULLs
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- visibility
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- visibility, varied
SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- visibility, with NULLs
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- standby
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- standby, varied
SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- standby, with NULLs
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- leases_exist
SELECT count(*) = 2 FROM sqlite_schema WHERE type = 'table' AND name IN ('idemctl_lease', 'idemctl_pause')

-- leases_exist, with NULLs
SELECT count(*) = 2 FROM sqlite_schema WHERE type = 'table' AND name IN ('idemctl_lease', 'idemctl_pause')

-- replication_lag
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

-- replication_lag, varied
SELECT ((CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000) + (-5))

-- replication_lag, with NULLs
SELECT (CAST(round((julianday('now') - 2440587.5) * 86400000) AS INTEGER) * 1000)

