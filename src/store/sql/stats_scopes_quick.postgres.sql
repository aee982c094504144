-- The most frequent scopes and their share of the rows, as the last analyze left them.
SELECT v.value, CAST(v.share * 1000000 AS bigint)
FROM pg_stats AS s,
    LATERAL unnest(CAST(CAST(s.most_common_vals AS text) AS text[]), s.most_common_freqs) AS v (value, share)
WHERE s.tablename = $1 AND s.attname = $2 AND s.schemaname = ANY (current_schemas(false))
ORDER BY v.share DESC, v.value
LIMIT $3
