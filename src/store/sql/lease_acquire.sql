-- Takes or extends a lease by compare-and-set on the database's clock: only its holder, or anybody
-- once it has run out, gets it. $4 is its length in microseconds.
INSERT INTO {leases} (table_name, pass, holder, until)
SELECT $1, $2, $3, c.now + $4 {microseconds} FROM (SELECT {now} AS now) AS c WHERE true
ON CONFLICT (table_name, pass) DO UPDATE
SET holder = excluded.holder, until = excluded.until
WHERE {leases}.holder IS NULL OR {leases}.holder = excluded.holder OR {leases}.until <= {now}
