-- Deletes those of the listed rows that are still due: of a batch that the database refused, a part.
DELETE FROM {table}
WHERE {listed} AND {expires} > $1 AND {expires} <= $2 AND {finished}{unreferenced}
