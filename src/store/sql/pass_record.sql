-- Notes what a pass did, beside its lease: when it began, whether it completed, how fast it was.
INSERT INTO {leases} (table_name, pass, until, last_started, last_success, rate)
VALUES ($1, $2, {now}, $3, $4, $5)
ON CONFLICT (table_name, pass) DO UPDATE
SET last_started = excluded.last_started,
    last_success = COALESCE(excluded.last_success, {leases}.last_success),
    rate = COALESCE(excluded.rate, {leases}.rate)
