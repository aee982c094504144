-- Rows that the purge passes by for what is in them: an expiry up to the cutoff ($2) that no living
-- application set ($1), or with a state that nobody listed; or an expiry that is not written as declared, and
-- compares as it may. Counted up to $3.
SELECT count(*) FROM (
    SELECT 1 FROM {table}
    WHERE ({expires} <= $2 AND ({expires} <= $1 OR {strange}) OR {misspelt}) AND {guard}{unless_kept}
    LIMIT $3) AS strange
