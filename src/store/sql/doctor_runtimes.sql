-- When completed rows of a sample were claimed, gave their last heartbeat, and ended.
SELECT {claimed_read}, {renewed_read}, {finished_read}
FROM {sample}
WHERE {guard} AND ({completed}) AND {finished_clock} IS NOT NULL
LIMIT 5000
