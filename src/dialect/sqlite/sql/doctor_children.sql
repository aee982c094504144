-- The tables whose foreign keys point here, as for PostgreSQL.
SELECT
    '`' || replace(m.name, '`', '``') || '`',
    'foreign key ' || f.id,
    0,
    f.on_delete,
    (SELECT group_concat('`' || replace(g."from", '`', '``') || '`', ', ') FROM pragma_foreign_key_list(m.name) AS g WHERE g.id = f.id),
    EXISTS (
        SELECT 1 FROM pragma_index_list(m.name) AS l, pragma_index_info(l.name) AS x
        WHERE NOT l.partial AND x.seqno = 0 AND x.name = f."from" COLLATE NOCASE)
        OR EXISTS (SELECT 1 FROM pragma_table_info(m.name) AS p WHERE p.pk = 1 AND p.name = f."from" COLLATE NOCASE),
    false
FROM sqlite_schema AS m, pragma_foreign_key_list(m.name) AS f
WHERE m.type = 'table' AND f."table" = $1 COLLATE NOCASE AND f.seq = 0
ORDER BY 1, 2
LIMIT 100
