-- In which storage classes the values of a column were stored, in a sample.
SELECT typeof({column}), count(*) FROM {sample} WHERE {column} IS NOT NULL GROUP BY 1 ORDER BY 2 DESC
