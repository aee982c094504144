-- Records a migration; a second run of the same one changes nothing.
INSERT INTO {migrations} (version, name, checksum, applied_at)
VALUES ($1, $2, $3, {now})
ON CONFLICT (version) DO NOTHING
