-- The same range when somebody holds a lock in it: all rows but the locked ones. They are chosen
-- once; a subselect in IN () may run again and overrun. The conditions are repeated on the row that
-- is deleted.
DELETE FROM {table}
WHERE {among}
    SELECT {locator_list} FROM {table}
    WHERE {expires} > $1 AND {expires} <= $2 AND {finished}
    FOR UPDATE SKIP LOCKED{among_end}
  AND {expires} > $1 AND {expires} <= $2 AND {finished}{unreferenced}
