-- Triggers and rules that a delete or an update of a row meets: name, its function or its definition, which
-- of the two meets it, whether it comes before the row is gone and can keep it, and whether it is a rule.
SELECT CAST(t.tgname AS text), CAST(t.tgfoid AS regproc) || '()', t.tgtype & 8 = 8, t.tgtype & 16 = 16,
    t.tgtype & 3 = 3, false, CAST(CAST(t.tgrelid AS regclass) AS text)
FROM pg_trigger AS t
WHERE (t.tgrelid = to_regclass($1) OR t.tgrelid IN (SELECT relid FROM pg_partition_tree(to_regclass($1)) LIMIT 1000))
    AND NOT t.tgisinternal AND t.tgenabled IN ('O', 'A') AND t.tgtype & 24 <> 0
UNION ALL
SELECT CAST(r.rulename AS text), pg_get_ruledef(r.oid), r.ev_type = '4', r.ev_type = '2', r.is_instead, true,
    CAST(CAST(r.ev_class AS regclass) AS text)
FROM pg_rewrite AS r
WHERE r.ev_class = to_regclass($1) AND r.ev_type IN ('2', '4') AND r.ev_enabled IN ('O', 'A')
ORDER BY 1
LIMIT 100
