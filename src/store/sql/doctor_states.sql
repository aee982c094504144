-- The states that nobody listed, in a sample of the table, the most frequent first.
SELECT {state}, count(*)
FROM {sample}
WHERE {guard} AND {unknown}
GROUP BY 1
ORDER BY 2 DESC
LIMIT 10
