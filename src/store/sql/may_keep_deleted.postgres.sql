-- Whether a row may still be there after a DELETE that named it: a trigger or a rule may undo it.
SELECT CAST(relhastriggers OR relhasrules AS integer) FROM pg_class WHERE oid = to_regclass($1)
