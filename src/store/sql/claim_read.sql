-- The row that a claim collided with, its answer, and the moment it was read at.
SELECT {record}, {now}, {answer}
FROM {table}
WHERE {row_match}
