-- Whether janitors can elect a leader and be paused here: an adopted table works without these tables.
SELECT count(*) = 2 FROM sqlite_schema WHERE type = 'table' AND name IN ('idemctl_lease', 'idemctl_pause')
