-- Foreign keys that point at the table: the constraint, the table that has it, what becomes of its rows
-- when ours are deleted, and the condition that one of them references a row of ours; none where this role
-- may not read them, as it can't be asked then. Texts are compared in the other table's collation: an index
-- there serves no other one, and each batch would read that table to its end. Both are equal byte for byte.
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
