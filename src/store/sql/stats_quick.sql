-- A summary of the table, from its indexes alone; every number is counted up to $3. $1: silent since, as the
-- claims' clock has it, $5: as the heartbeat's has it; $2: the purge's cutoff, $4: the first plausible
-- expiry, $6: now, as the leases' clock has it, $7: the first plausible claim, $8: the first plausible heartbeat.
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {in_progress} LIMIT $3) AS a),
    (SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {failed} LIMIT $3) AS b),
    (SELECT count(*) FROM (
        SELECT 1 FROM {table}
        WHERE {in_progress} AND {silent} AND {unleased_now}{written}
        LIMIT $3) AS c),
    (SELECT {claimed_read} FROM {table} WHERE {in_progress} AND {claimed} > $7 ORDER BY {claimed} LIMIT 1),
    (SELECT count(*) FROM (
        SELECT 1 FROM {table} WHERE {expires} > $4 AND {expires} <= $2 AND {finished} LIMIT $3) AS d),
    (SELECT {expires_read} FROM {table} WHERE {expires} > $4 AND {finished} ORDER BY {expires} LIMIT 1),
    (SELECT {renewed_read} FROM {table}
        WHERE {in_progress} AND {silent} AND {unleased_now}{written}
        ORDER BY {claimed} LIMIT 1),
    {now}
