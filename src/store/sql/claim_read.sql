-- One row with its answer, both as they are at one moment; for a claim, the row it collided with.
SELECT {record}, {now}, {answer}
FROM {table}
WHERE {row_match}
