-- The values of a column in the first rows that come, the most frequent first, cut: no table is read to
-- its end.
SELECT 'text', left(CAST(s.v AS text), {characters}), count(*)
FROM (SELECT {column} AS v FROM {table} LIMIT {rows}) AS s
WHERE s.v IS NOT NULL
GROUP BY 2
ORDER BY 3 DESC, 2
LIMIT {rows}
