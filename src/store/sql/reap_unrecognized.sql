-- Rows that the reaper passes by for what is in them: without a heartbeat since $1, as its clock has it ($2:
-- as the clock of a row without one has it), and in a state that nobody listed; or in progress with a clock
-- that no living application set ($3, $4), with none at all, or with one that is not written as declared, and
-- compares as it may. Counted up to $5.
SELECT count(*) FROM (
    SELECT 1 FROM {table}
    WHERE (({renewed} <= $1 OR ({renewed} IS NULL AND {claimed} <= $2))
            AND ({unknown} OR ({in_progress} AND ({renewed} <= $3 OR ({renewed} IS NULL AND {claimed} <= $4))))
        OR ({in_progress} AND {unwritten}))
        AND {guard}
    LIMIT $5) AS strange
