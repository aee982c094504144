-- The heap blocks between which the rows of one expiry lie.
SELECT
    split_part(trim('(' FROM CAST(min(ctid) AS text)), ',', 1),
    split_part(trim('(' FROM CAST(max(ctid) AS text)), ',', 1)
FROM {table}
WHERE {expires} = $1 AND {finished}
