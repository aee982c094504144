-- The same range when somebody holds a lock in it: all rows but the locked ones. The array is built
-- once; a subselect in IN () may run again and overrun. The conditions are repeated on the row that
-- is deleted.
DELETE FROM {table}
WHERE {locator} = ANY (ARRAY(
    SELECT {locator} FROM {table}
    WHERE {expires} > $1 AND {expires} <= $2 AND {finished}
    FOR UPDATE SKIP LOCKED))
  AND {expires} > $1 AND {expires} <= $2 AND {finished}{unreferenced}
