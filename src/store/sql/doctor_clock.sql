-- One clock in a sample of the table: how many rows were looked at, how many hold NULL, how many no
-- plausible moment ($1: the first one), how many are not written as declared, one that is not, and the latest that is.
SELECT
    count(*),
    count(*) FILTER (WHERE {column} IS NULL),
    count(*) FILTER (WHERE {column} IS NOT NULL AND {spelled} AND {column} <= $1),
    count(*) FILTER (WHERE {column} IS NOT NULL AND ({spelled}) IS NOT TRUE),
    CAST(max(CAST({column} AS text)) FILTER (WHERE {column} IS NOT NULL AND ({spelled}) IS NOT TRUE) AS text),
    max({read}) FILTER (WHERE {spelled})
FROM {sample}
WHERE {guard}{unless_kept}
