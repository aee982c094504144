-- Whether janitors can elect a leader and be paused here: an adopted table works without these tables.
SELECT CAST(to_regclass('idemctl_lease') IS NOT NULL AND to_regclass('idemctl_pause') IS NOT NULL AS integer)
