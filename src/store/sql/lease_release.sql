-- Gives a lease back at once.
UPDATE {leases} SET holder = NULL, until = {now} WHERE table_name = $1 AND pass = $2 AND holder = $3
