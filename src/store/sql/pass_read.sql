-- What the last pass did.
SELECT last_started, last_success, rate FROM {leases} WHERE table_name = $1 AND pass = $2
