-- Gives every lease of this holder back at once.
UPDATE {leases} SET holder = NULL, until = {now} WHERE table_name = $1 AND holder = $2
