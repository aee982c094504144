-- The indexes of a table, of its partitions and of the tables that inherit from it: the index and its table as
-- SQL, its bare name, whether it is usable, unique, partial, deferrable, whether two NULLs count as the
-- same, its columns in order (null for an expression) as JSON, the
-- columns inside of its expressions, whether it is the table's own and not a partition's, whether it has
-- partitions itself, and its definition.
WITH RECURSIVE tree (oid) AS (
    SELECT CAST(to_regclass($1) AS oid)
    UNION
    SELECT h.inhrelid FROM pg_inherits AS h JOIN tree ON h.inhparent = tree.oid)
SELECT
    CAST(CAST(i.indexrelid AS regclass) AS text),
    CAST(CAST(i.indrelid AS regclass) AS text),
    CAST(c.relname AS text),
    i.indisvalid AND i.indisready,
    i.indisunique,
    i.indpred IS NOT NULL,
    NOT i.indimmediate,
    COALESCE(to_jsonb(i) ->> 'indnullsnotdistinct', 'false') = 'true',
    (SELECT CAST(json_agg(a.attname ORDER BY k.place) AS text)
     FROM unnest(CAST(i.indkey AS smallint[])) WITH ORDINALITY AS k (attnum, place)
     LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.attnum AND k.attnum > 0
     WHERE k.place <= i.indnkeyatts),
    (SELECT CAST(COALESCE(json_agg(a.attname), '[]') AS text)
     FROM pg_depend AS d
     JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = d.refobjsubid AND a.attnum > 0
     WHERE d.classid = CAST('pg_class' AS regclass) AND d.objid = i.indexrelid AND i.indexprs IS NOT NULL
        AND d.refobjid = i.indrelid),
    NULL,
    i.indrelid = to_regclass($1),
    c.relkind = 'I',
    pg_get_indexdef(i.indexrelid)
FROM pg_index AS i
JOIN pg_class AS c ON c.oid = i.indexrelid
WHERE i.indrelid = to_regclass($1)
    OR i.indrelid IN (SELECT oid FROM tree LIMIT 1000)
ORDER BY i.indrelid = to_regclass($1) DESC, 2, 1
LIMIT 2000
