-- When rows of a sample were claimed, gave their last sign of life, and were settled.
SELECT {claimed_read}, {renewed_read}, {finished_read}
FROM {sample}
WHERE {guard} AND {finished_clock} IS NOT NULL
LIMIT 5000
