-- Who leads the passes of a table, and what they did last.
SELECT pass, holder, until, {now}, last_started, last_success, rate
FROM {leases}
WHERE table_name = $1
