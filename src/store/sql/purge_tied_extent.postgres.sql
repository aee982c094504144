-- The heap blocks between which the rows of one expiry lie, and how many rows those are.
SELECT
    split_part(trim('(' FROM CAST(min(ctid) AS text)), ',', 1),
    split_part(trim('(' FROM CAST(max(ctid) AS text)), ',', 1),
    count(*)
FROM {table}
WHERE {expires} > $1 AND {expires} <= $2 AND {finished}
