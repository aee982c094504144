-- As for PostgreSQL, with the way in which the value is stored: a column's type binds no value.
SELECT typeof(s.v), substr(CAST(s.v AS TEXT), 1, {characters}), count(*)
FROM (SELECT {column} AS v FROM {table} LIMIT {rows}) AS s
WHERE s.v IS NOT NULL
GROUP BY 1, 2
ORDER BY 3 DESC, 2
LIMIT {rows}
