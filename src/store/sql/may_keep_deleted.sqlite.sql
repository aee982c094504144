-- Whether a row may still be there after a DELETE that named it: a trigger may undo it.
SELECT count(*) FROM sqlite_schema WHERE type = 'trigger' AND '`' || replace(tbl_name, '`', '``') || '`' = $1
