-- The indexes of a table, as for PostgreSQL; after the columns come their collations, in order.
SELECT
    '`' || replace(l.name, '`', '``') || '`',
    '`' || replace($1, '`', '``') || '`',
    l.name, true, l."unique", l.partial, false, false,
    (SELECT json_group_array(x.name) FROM (SELECT name FROM pragma_index_xinfo(l.name) WHERE "key" ORDER BY seqno) AS x),
    '[]',
    (SELECT json_group_array(x.coll) FROM (SELECT coll FROM pragma_index_xinfo(l.name) WHERE "key" ORDER BY seqno) AS x),
    true, false, NULL
FROM pragma_index_list($1) AS l
ORDER BY l.seq
