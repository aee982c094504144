-- The stored answer of one row.
SELECT {answer}
FROM {table}
WHERE {row_match}
