-- Rows that the purge passes by for what is in them: an expiry up to the cutoff ($2) that no living
-- application set ($1) or that is not written as declared, or a state that nobody listed. Counted up to $3.
SELECT count(*) FROM (
    SELECT 1 FROM {table}
    WHERE {expires} <= $2 AND ({expires} <= $1 OR {strange}) AND {guard}
    LIMIT $3) AS strange
