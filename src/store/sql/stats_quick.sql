-- The table at a glance, from its indexes alone; every number is counted up to $3. $1: silent since, $2:
-- the purge's cutoff, $4: the first plausible moment.
SELECT
    (SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {in_progress} LIMIT $3) AS a),
    (SELECT count(*) FROM (SELECT 1 FROM {table} WHERE {failed} LIMIT $3) AS b),
    (SELECT count(*) FROM (
        SELECT 1 FROM {table}
        WHERE {in_progress} AND {claimed} <= $1 AND {renewed} <= $1 AND ({lease} IS NULL OR {lease} <= {now})
        LIMIT $3) AS c),
    (SELECT min({claimed}) FROM {table} WHERE {in_progress}),
    (SELECT count(*) FROM (
        SELECT 1 FROM {table} WHERE {expires} > $4 AND {expires} <= $2 AND {finished} LIMIT $3) AS d),
    (SELECT min({expires}) FROM {table} WHERE {expires} > $4 AND {finished}),
    (SELECT min({renewed}) FROM {table}
        WHERE {in_progress} AND {claimed} <= $1 AND {renewed} <= $1 AND ({lease} IS NULL OR {lease} <= {now})),
    {now}
