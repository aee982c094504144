-- Which migrations the database has.
SELECT version, checksum, applied_at FROM {migrations} ORDER BY version
