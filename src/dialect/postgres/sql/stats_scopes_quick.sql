-- The most frequent scopes and their share of the rows, as the last analyze left them.
SELECT v.value, CAST(v.share * 1000000 AS bigint)
FROM pg_class AS c
JOIN pg_namespace AS n ON n.oid = c.relnamespace
JOIN pg_stats AS s ON s.schemaname = n.nspname AND s.tablename = c.relname,
    LATERAL unnest(CAST(CAST(s.most_common_vals AS text) AS text[]), s.most_common_freqs) AS v (value, share)
WHERE c.oid = to_regclass($1) AND s.attname = $2
ORDER BY v.share DESC, v.value
LIMIT $3
